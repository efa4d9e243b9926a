"""Forking a child from the fork server, which has the heavy imports done.

A plain fork of the app would copy its threads, its locks in whatever state they are, and the
event loop; a fresh interpreter would import the statistics stack for seconds.
"""

import multiprocessing
import os
import shutil
from collections.abc import Callable
from multiprocessing import forkserver
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

from pebble import ProcessExpired, concurrent
from pebble.common.types import CONSTS

from core.errors import AgentTimeout, WorkerCrashed

_ROOT = Path(__file__).resolve().parents[2]
CONSTS.term_timeout = 0.2
CONSTS.sleep_unit = 0.05


def start_fork_server(opener: str) -> BaseContext:
    """Start the fork server, if this process has none yet, and return how to fork from it.

    Its imports go on after this call has returned: the first fork waits for them. The kernel
    ties the server's life to the thread that calls this.

    Args:
        opener: Import path `module:function` by which a child opens its stores.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["core.execution.preload", opener.partition(":")[0]])
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if str(_ROOT) not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(_ROOT), *paths])
    forkserver.ensure_running()
    return context


def end_fork_server() -> None:
    """End the fork server of this process, and take the folder of its socket away.

    Python would do both at its exit, which a process that a signal ends does not come to.
    """
    server: Any = forkserver._forkserver
    server._stop()
    settings: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    if folder := settings.pop("tempdir", None):
        shutil.rmtree(folder, ignore_errors=True)


def fork(context: BaseContext, function: Callable[[], Any], timeout_s: float) -> Any:
    """Call a function in a new child and return its future.

    Args:
        context: From `start_fork_server`.
        function: What to call; it and what it returns are pickled.
        timeout_s: Seconds after which the child is killed.
    """
    # Pebble 5.2 documents `mp_context` but reads `context`; without it the app itself is forked.
    options: dict[str, Any] = {"context": context, "mp_context": context}
    in_child: Any = concurrent.process(name="run", daemon=False, timeout=timeout_s, **options)
    return in_child(function)()


def call_in_child(context: BaseContext, function: Callable[[], Any], timeout_s: float) -> Any:
    """Call a function in a new child and return its value.

    Raises:
        AgentTimeout: It took longer than `timeout_s`.
        WorkerCrashed: The child died.
    """
    future = fork(context, function, timeout_s)
    try:
        return future.result()
    except TimeoutError:
        raise AgentTimeout(f"not finished within {timeout_s:g} s") from None
    except ProcessExpired:
        raise WorkerCrashed("the process that was to answer ended without an answer") from None
