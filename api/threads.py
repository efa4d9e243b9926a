"""Blocking calls away from the event loop, on threads of our own.

The framework's own pool is shared with the pages: forty slow calls there make an ordinary page
wait for seconds.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = ThreadPoolExecutor(max_workers=16, thread_name_prefix="api")


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Await a blocking call that runs on a thread."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_THREADS, partial(call, *args, **kwargs))
