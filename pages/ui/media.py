"""Pictures and downloads of pages: each is remembered with the stream that was shown it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.workbench import current


def stream_id() -> str | None:
    """Return the id of the stream that a script runs for; None outside of a browser's."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context and runtime.exists() else None


def remember_media() -> None:
    """Let the pages' store of files tell whom it gives an address to, from now on.

    Called at the head of every script, before it can show anything; later times change nothing.
    """
    if not runtime.exists():
        return
    files = runtime.get_instance().media_file_mgr
    if hasattr(files.add, "__wrapped__"):
        return
    files.add = _telling(files.add)
    files.add_deferred = _telling(files.add_deferred)
    execute = files.execute_deferred

    @wraps(execute)
    def execute_and_tell(file_id: str) -> str:
        address = execute(file_id)
        current().streams.pass_on(file_id, _name(address))
        return address

    files.execute_deferred = execute_and_tell


def _telling(add: Callable[..., str]) -> Callable[..., str]:
    @wraps(add)
    def add_and_tell(*arguments: Any, **options: Any) -> str:
        address = add(*arguments, **options)
        stream = stream_id()
        if stream is not None:
            current().streams.show(stream, _name(address))
        return address

    return add_and_tell


def _name(address: str) -> str:
    """Return the last part of an address."""
    return address.rpartition("/")[2]
