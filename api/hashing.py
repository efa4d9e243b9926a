"""Work on passwords: on two threads of its own, with a bounded queue.

Hashing a password takes a quarter of a second of a core on purpose. Whoever sends thousands of
sign-ins fills this queue and nothing else: pages and the API never wait behind it.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from core.errors import TooBusy

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 2
MOST_WAITING = 32
"""Places in the queue: the last one waits some four seconds."""
MOST_OF_ONE = 16
RETRY_S = "5"
"""Seconds after which somebody who found no place may try again."""


class PasswordThreads:
    """Threads for passwords, with so many places in the queue and so many for one address."""

    def __init__(self) -> None:
        """Begin with an empty queue."""
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="password")
        self._lock = threading.Lock()
        self._waiting: Counter[str] = Counter()

    async def call(
        self, address: str, work: Callable[P, T], *arguments: P.args, **options: P.kwargs
    ) -> T:
        """Await work on a password.

        Args:
            address: Who sent the password; nobody gets all places of the queue.
            work: What hashes.
            *arguments: Its arguments.
            **options: Its arguments by name.

        Raises:
            TooBusy: No place is free.
        """
        self._enter(address)
        try:
            bound = partial(work, *arguments, **options)
            future = self._threads.submit(bound)
        except BaseException:
            self._leave(address)
            raise
        future.add_done_callback(lambda _: self._leave(address))
        return await asyncio.wrap_future(future)

    def _enter(self, address: str) -> None:
        with self._lock:
            is_full = self._waiting.total() >= MOST_WAITING
            if is_full or self._waiting[address] >= MOST_OF_ONE:
                raise TooBusy("very many people sign in at this moment; try again in a few seconds")
            self._waiting[address] += 1

    def _leave(self, address: str) -> None:
        with self._lock:
            self._waiting[address] -= 1
            if self._waiting[address] <= 0:
                del self._waiting[address]


PASSWORDS = PasswordThreads()
PROVIDER = PasswordThreads()
"""Requests to the identity provider, which may be slow: they wait in a queue of their own."""
