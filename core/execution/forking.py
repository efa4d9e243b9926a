"""Forking a child from the fork server, which has the heavy imports done.

A plain fork of the app would copy its threads, its locks in whatever state they are, and the
event loop; a fresh interpreter would import the statistics stack for seconds.
"""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import forkserver, util
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

from pebble import ProcessExpired, concurrent
from pebble.common.types import CONSTS

from core.errors import AgentTimeout, WorkerCrashed
from core.execution.limits import confine, die_with_parent, out_of_memory

_ROOT = Path(__file__).resolve().parents[2]
_NICENESS = 5
"""A look, a report or an import gives way to answers and to runs."""
_KEEPER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fork-server")
"""The kernel ends the fork server with the thread that started it: this one lives to the exit."""
CONSTS.term_timeout = 0.2
CONSTS.sleep_unit = 0.05


def start_fork_server(opener: str) -> BaseContext:
    """Start the fork server, if this process has none yet, and return how to fork from it.

    Its imports go on after this call has returned: the first fork waits for them.

    Args:
        opener: Import path `module:function` by which a child opens its stores.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["core.execution.preload", opener.partition(":")[0]])
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if str(_ROOT) not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(_ROOT), *paths])
    ensure_fork_server()
    return context


def ensure_fork_server() -> None:
    """Start the fork server again if it is gone; call it before each fork.

    A fork starts a missing server as well, but from the calling thread, whose end would take the
    new server with it.
    """
    _KEEPER.submit(forkserver.ensure_running).result()


def end_fork_server() -> None:
    """End the fork server of this process with its children, and remove the folder of its socket.

    Python would do both at its exit, which a process that a signal ends does not come to, and
    would wait for its imports and its children: they would delay the stop of the app.
    """
    server: Any = forkserver._forkserver
    if server._forkserver_pid is not None:
        with suppress(ProcessLookupError):
            os.kill(server._forkserver_pid, signal.SIGKILL)
    with suppress(FileNotFoundError):  # the folder of its socket is gone already
        server._stop()
    at_exit: Any = util
    for finalizer in [*at_exit._finalizer_registry.values()]:
        if finalizer._callback is at_exit._remove_temp_dir:
            finalizer()


def fork(context: BaseContext, function: Callable[[], Any], timeout_s: float | None) -> Any:
    """Call a function in a new child and return its future.

    Args:
        context: From `start_fork_server`.
        function: What to call; it and what it returns are pickled.
        timeout_s: Seconds after which the child is killed; None for never.
    """
    ensure_fork_server()
    # Pebble 5.2 documents `mp_context` but reads `context`; without it the app itself is forked.
    options: dict[str, Any] = {"context": context, "mp_context": context}
    in_child: Any = concurrent.process(name="run", daemon=False, timeout=timeout_s, **options)
    future = in_child(function)()
    # Pebble's thread may hand over an answer to a call that is canceled in the same moment.
    future.set_result = partial(_unless_canceled, future.set_result)
    future.set_exception = partial(_unless_canceled, future.set_exception)
    return future


class WaitingChild:
    """A child forked ahead of its one call, so that the call begins at once.

    It is used once, like every other child, and it ends when its caller or the fork server does.
    """

    def __init__(self, context: BaseContext) -> None:
        """Fork it.

        Args:
            context: From `start_fork_server`.
        """
        self._calls, theirs = context.Pipe()
        try:
            self.future = fork(context, partial(_await_call, theirs), None)
        finally:
            theirs.close()

    @property
    def is_alive(self) -> bool:
        """Return whether it waits, or works, still."""
        return not self.future.done()

    def begin(self, function: Callable[[], Any]) -> None:
        """Begin the call.

        Args:
            function: What to call; it and what it returns are pickled.
        """
        with suppress(OSError):  # it has died: `result` tells how
            self._calls.send(function)

    def result(self, timeout_s: float) -> Any:
        """Return what the call returned, while the child is still about to end.

        Raises:
            TimeoutError: It took longer than `timeout_s`; the child is being killed.
            CancelledError: The call was canceled.
            ProcessExpired: The child died.
        """
        end = time.monotonic() + timeout_s
        try:
            while not self._calls.poll(CONSTS.sleep_unit):
                if self.future.done():
                    break
                if time.monotonic() > end:
                    self.future.cancel()
                    raise TimeoutError
            else:
                return self._calls.recv()
        except (EOFError, OSError) as failure:
            if isinstance(failure, TimeoutError):
                raise
        finally:
            self._calls.close()
        return self.future.result()

    def dismiss(self) -> None:
        """End it without a call."""
        self.future.cancel()
        self._calls.close()


def _await_call(calls: Connection) -> Any:
    """Wait for a function, call it and send what it returned; runs in a child."""
    die_with_parent()
    try:
        function = calls.recv()
    except (EOFError, OSError):
        return None
    answer = function()
    with suppress(OSError):  # nobody waits any more
        calls.send(answer)
    return answer


def _unless_canceled(hand_over: Callable[[Any], None], answer: Any) -> None:
    with suppress(InvalidStateError):
        hand_over(answer)


def call_in_child(
    context: BaseContext, function: Callable[[], Any], timeout_s: float, memory_mb: int
) -> Any:
    """Call a function in a new child and return its value.

    Args:
        context: From `start_fork_server`.
        function: What to call; it and what it returns are pickled.
        timeout_s: Seconds after which the child is killed.
        memory_mb: Most writable memory of the child.

    Raises:
        AgentTimeout: It took longer than `timeout_s`.
        OutOfMemory: It needed more than `memory_mb`.
        WorkerCrashed: The child died.
    """
    future = fork(context, partial(_call_confined, function, memory_mb), timeout_s)
    try:
        return future.result()
    except TimeoutError:
        raise AgentTimeout(f"not finished within {timeout_s:g} s") from None
    except ProcessExpired:
        raise WorkerCrashed("the process that was to answer ended without an answer") from None


def _call_confined(function: Callable[[], Any], memory_mb: int) -> Any:
    """Call a function within its memory; runs in a child."""
    confine(memory_mb)
    os.nice(_NICENESS)
    try:
        return function()
    except MemoryError:
        pass  # what it held is given back before the answer is made
    raise out_of_memory(memory_mb)
