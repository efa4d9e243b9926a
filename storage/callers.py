"""Who held a key a moment ago, so that a program that asks often is not looked up each time."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from core.records.runs import Caller

REMEMBERED_S = 2.0
"""How long a key that ends in another process may still work in this one."""
_MOST = 10_000


class Holder(NamedTuple):
    """What a look-up of a key came to.

    Attributes:
        caller: Who holds it; None for a key that is refused.
        expires_at: When it ends.
        until: Until when this is remembered, by the monotonic clock.
    """

    caller: Caller | None
    expires_at: datetime | None
    until: float


class CallerMemory:
    """Callers by the hash of their key, until a key or an account changes in this process."""

    def __init__(self) -> None:
        """Remember nobody yet."""
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, Holder] = OrderedDict()
        self._changes = 0

    @property
    def changes(self) -> int:
        """Return a number that grows with every change; read it before a look-up."""
        return self._changes

    def recall(self, digest: str, now: datetime) -> Holder | None:
        """Return what a look-up came to a moment ago; None where one is due."""
        holder = self._entries.get(digest)
        if holder is None or time.monotonic() > holder.until:
            return None
        return None if holder.expires_at is not None and holder.expires_at <= now else holder

    def keep(
        self, digest: str, caller: Caller | None, changes: int, expires_at: datetime | None = None
    ) -> None:
        """Remember a look-up, unless something changed since it began.

        Args:
            digest: Hash of the key.
            caller: Who holds it; None where it is refused.
            changes: `changes` from before the look-up.
            expires_at: When the key ends.
        """
        with self._lock:
            if changes != self._changes:
                return
            until = time.monotonic() + REMEMBERED_S
            self._entries[digest] = Holder(caller, expires_at, until)
            self._entries.move_to_end(digest)
            if len(self._entries) > _MOST:
                self._entries.popitem(last=False)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Forget everybody at the end of a block that changes a key or an account."""
        try:
            yield
        finally:
            with self._lock:
                self._changes += 1
                self._entries.clear()
