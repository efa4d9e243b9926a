"""Log lines: JSON on standard error, quick, without keys and without what callers sent."""

import json
import time

import structlog

from core.logs import configure_logs


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
