"""Blocking calls away from the event loop, on threads of our own.

The framework's own pool is shared with the pages: forty slow calls there make an ordinary page
wait for seconds. What only looks something up (keys, rows, a sign of life) has threads apart from
work, so that it never waits behind work.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_WORK = ThreadPoolExecutor(max_workers=16, thread_name_prefix="api")
_LOOK_UPS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="api-look-up")


async def look_up(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Await a blocking call of milliseconds that writes nothing: others wait behind it."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_LOOK_UPS, partial(call, *args, **kwargs))


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Await a blocking call that may take its time."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_WORK, partial(call, *args, **kwargs))
