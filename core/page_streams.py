"""Streams of pages: whose each one is, and which files it was shown.

A browser keeps its form in a stream that it names by a random id, and fetches pictures and
downloads by an address made from their content. Neither tells who may have it, so both are
remembered here with their person, in the process that serves the pages.
"""

import threading
from collections import OrderedDict

MOST_STREAMS = 20_000
MOST_FILES = 100_000


class PageStreams:
    """Streams and files of the pages of one process; what was not used for longest is forgotten."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = threading.Lock()
        self._owners: OrderedDict[str, int] = OrderedDict()
        self._shown: OrderedDict[str, set[str]] = OrderedDict()

    def bind(self, stream: str, user_id: int) -> bool:
        """Give a stream to whoever uses it first; False when it is somebody else's."""
        with self._lock:
            owner = self._owners.setdefault(stream, user_id)
            self._owners.move_to_end(stream)
            if len(self._owners) > MOST_STREAMS:
                self._owners.popitem(last=False)
        return owner == user_id

    def is_own(self, stream: str, user_id: int) -> bool:
        """Return whether a stream is known as this person's."""
        with self._lock:
            return self._owners.get(stream) == user_id

    def show(self, stream: str, name: str) -> None:
        """Remember that a stream was given the address of a file.

        Args:
            stream: Id of the stream.
            name: Last part of the address.
        """
        with self._lock:
            self._shown.setdefault(name, set()).add(stream)
            self._shown.move_to_end(name)
            if len(self._shown) > MOST_FILES:
                self._shown.popitem(last=False)

    def pass_on(self, name: str, made: str) -> None:
        """Let a file be fetched by whoever was shown the button that made it.

        Args:
            name: What the button is known by.
            made: Last part of the file's address.
        """
        with self._lock:
            streams = tuple(self._shown.get(name, ()))
        for stream in streams:
            self.show(stream, made)

    def may_fetch(self, user_id: int, name: str) -> bool:
        """Return whether some stream of this person was given the file's address."""
        with self._lock:
            streams = self._shown.get(name, set())
            return any(self._owners.get(stream) == user_id for stream in streams)
