"""Log lines: JSON on standard error, quick, without keys and without what callers sent."""

import json
import logging
import time
from collections.abc import Callable

import pytest
import structlog

from core.logs import adopt_loggers, configure_logs


def test_failure_is_one_quick_json_line_without_locals_and_keys(capsys) -> None:
    configure_logs()
    secret = "counts of a caller"
    began = time.perf_counter()
    try:
        raise RuntimeError(f"seen bpw_live_{'a' * 32} beside {len(secret)} characters")
    except RuntimeError as failure:
        structlog.get_logger("test").error("failed", run_id="r1", exc_info=failure)
    elapsed_s = time.perf_counter() - began
    shown = capsys.readouterr()
    assert shown.out == ""
    (line,) = shown.err.splitlines()
    entry = json.loads(line)
    assert (entry["event"], entry["level"], entry["run_id"]) == ("failed", "error", "r1")
    assert "RuntimeError" in entry["exception"]
    assert "a" * 32 not in line
    assert secret not in line
    assert elapsed_s < 1


def log_with_handler_of_its_own() -> None:
    logger = logging.getLogger("framework.part")
    logger.addHandler(logging.StreamHandler())
    logger.propagate = False
    adopt_loggers("framework")
    logger.error("two\nlines of bpw_live_%s", "a" * 32)


def log_failure_twice() -> None:
    try:
        raise RuntimeError("odd\nfailure")
    except RuntimeError as failure:
        structlog.get_logger("api").error("request failed", exc_info=failure)
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application")


@pytest.mark.parametrize(
    ("work", "logger"),
    [(log_with_handler_of_its_own, "framework.part"), (log_failure_twice, "api")],
)
def test_whatever_logs_writes_one_json_line(
    work: Callable[[], None], logger: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs()
    work()
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["logger"] == logger
    assert "a" * 32 not in line
