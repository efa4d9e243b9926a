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


class _Entry(NamedTuple):
    caller: Caller
    expires_at: datetime | None
    until: float


class CallerMemory:
    """Callers by the hash of their key, until a key or an account changes in this process."""

    def __init__(self) -> None:
        """Remember nobody yet."""
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._changes = 0

    @property
    def changes(self) -> int:
        """Return a number that grows with every change; read it before a look-up."""
        return self._changes

    def recall(self, digest: str, now: datetime) -> Caller | None:
        """Return who held a key a moment ago; None where it must be looked up."""
        entry = self._entries.get(digest)
        if entry is None or time.monotonic() > entry.until:
            return None
        if entry.expires_at is not None and entry.expires_at <= now:
            return None
        return entry.caller

    def keep(self, digest: str, caller: Caller, expires_at: datetime | None, changes: int) -> None:
        """Remember a caller, unless something changed since the look-up began.

        Args:
            digest: Hash of the key.
            caller: Who holds it.
            expires_at: When the key ends.
            changes: `changes` from before the look-up.
        """
        with self._lock:
            if changes != self._changes:
                return
            entry = _Entry(caller, expires_at, time.monotonic() + REMEMBERED_S)
            self._entries[digest] = entry
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
