"""The log of an instance: one JSON object a line, on standard error.

Standard output belongs to the command line's answers. Everything that writes a log does so here:
the product, the web server, the pages' framework, libraries, warnings, and failures that end a
thread or the process. A line belongs to the request or run that its thread works for.

Tracebacks are plain: one drawn with every local variable takes seconds, during which the service
answers nobody, and holds what callers sent. An exception is written once, by whoever logs it first.
"""

import logging
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Any

import structlog

_KEY = re.compile(r"bpw_live_[0-9a-fA-F]+")
_WORK: ContextVar[Callable[[], Mapping[str, object]] | None] = ContextVar("work", default=None)
_work_of_process: list[Callable[[], Mapping[str, object]]] = []
_IS_WRITTEN = "is_in_log"


class _Lines(structlog.PrintLogger):
    """Writes lines of one part of the product."""

    def __init__(self, name: str = "") -> None:
        super().__init__(sys.stderr)
        self.name = name


class _Handler(logging.Handler):
    """Writes records of the standard library's log as the same lines."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, unless it repeats a failure."""
        failure = record.exc_info[1] if record.exc_info else None
        if failure is None or not getattr(failure, _IS_WRITTEN, False):
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()


_least = [logging.INFO]


def log_warnings_alone() -> None:
    """Write no lines below warnings in this process: a command at a terminal needs none."""
    _least[0] = logging.WARNING


def configure_logs() -> None:
    """Set up the log of this process."""
    stamps: list[Any] = [
        structlog.stdlib.add_log_level,
        _add_logger,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        add_work,
        note_failure,
        structlog.processors.format_exc_info,
        redact,
    ]
    structlog.configure(
        processors=[*stamps, structlog.processors.JSONRenderer()],
        logger_factory=_Lines,
        wrapper_class=structlog.make_filtering_bound_logger(_least[0]),
    )
    handler = _Handler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=stamps,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [each for each in root.handlers if not isinstance(each, _Handler)]
    root.addHandler(handler)


def log_everything() -> None:
    """Write warnings, and failures that end a thread or the process, to the log of this process."""
    configure_logs()
    logging.captureWarnings(True)
    sys.excepthook = _log_end
    threading.excepthook = _log_thread_end


def adopt_loggers(*names: str) -> None:
    """Let loggers that bring their own handlers, and those below them, write to this log.

    Args:
        names: Of the loggers.
    """
    families = tuple(f"{name}." for name in names)
    for name, logger in [*logging.root.manager.loggerDict.items()]:
        if isinstance(logger, logging.Logger) and (name in names or name.startswith(families)):
            logger.handlers.clear()
            logger.propagate = True


def work_for(ids: Callable[[], Mapping[str, object]], *, is_all: bool = False) -> None:
    """Name the request or run for which this thread or task works from now on.

    Args:
        ids: Returns what its lines say, such as `request_id`, `run_id` and `elapsed_ms`.
        is_all: The whole process, with all its threads, works for it.
    """
    if is_all:
        _work_of_process[:] = [ids]
    else:
        _WORK.set(ids)


def log_refusal(page: str, *, status: int, user_id: int | None = None) -> None:
    """Log that somebody was not let in to a page, as refused calls of programs are logged.

    Args:
        page: Address, which must hold no question: without its query.
        status: HTTP status of the refusal.
        user_id: Who was refused; None: nobody is signed in.
    """
    if structlog.is_configured():
        structlog.get_logger("pages").info(
            "refused", page=page[:200], status=status, user_id=user_id
        )


def elapsed_ms(began: float) -> float:
    """Return the milliseconds since an instant of `time.monotonic`."""
    return round((time.monotonic() - began) * 1000, 1)


def add_work(
    logger: object, method: str, entry: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Add the ids of the request or run to a line that does not have them."""
    work = _WORK.get()
    for ids in [work] if work else _work_of_process:
        for name, value in ids().items():
            if value is not None:
                entry.setdefault(name, value)
    return entry


def note_failure(
    logger: object, method: str, entry: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Remember that an exception is written, so that the web server does not repeat it."""
    given = entry.get("exc_info")
    if given is True:
        given = sys.exc_info()
    failure = given[1] if isinstance(given, tuple) else given
    if isinstance(failure, BaseException):
        with suppress(AttributeError):  # an exception that takes no attributes
            setattr(failure, _IS_WRITTEN, True)
    return entry


def redact(
    logger: object, method: str, entry: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace API keys in every text of a log line."""
    for name, value in entry.items():
        entry[name] = _without_keys(value)
    return entry


def _without_keys(value: Any) -> Any:  # noqa: ANN401 - whatever is logged
    if isinstance(value, str):
        return _KEY.sub("bpw_live_…", value)
    if isinstance(value, Mapping):
        return {name: _without_keys(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_without_keys(part) for part in value]
    return value


def _add_logger(
    logger: Any,  # noqa: ANN401 - structlog gives whatever logs
    method: str,
    entry: MutableMapping[str, Any],
) -> MutableMapping[str, Any]:
    record = entry.get("_record")
    name = record.name if isinstance(record, logging.LogRecord) else getattr(logger, "name", "")
    if name:
        entry.setdefault("logger", name)
    return entry


def _log_end(
    kind: type[BaseException], failure: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, failure, trace)
        return
    structlog.get_logger("process").critical("ended by a failure", exc_info=failure)


def _log_thread_end(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and not issubclass(ended.exc_type, SystemExit):
        name = ended.thread.name if ended.thread else ""
        log = structlog.get_logger("process")
        log.error("thread ended by a failure", thread=name, exc_info=ended.exc_value)
