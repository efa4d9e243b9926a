"""What one request costs the server, next to a bare FastAPI echo in the same minute; printed.

Run with `python -m tests.benchmarks.request_cost [INSTANCE] [ROUNDS]`; INSTANCE is the folder of an
instance whose evidence is copied; without one it is built first. The cost is the CPU time of the
server's process alone, so that wrk on the same machine does not count. Nothing passes or fails.
"""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from core.registry import all_agents
from tests.live import ROOT, LiveApp, free_port, serve

CONNECTIONS = 16
SECONDS = 4
PATIENCE_S = 60.0
_AGENT = "competitive-landscaping"
_RUN_AGENT = "label-strategy"
_TICKS = os.sysconf("SC_CLK_TCK")
_ECHO = """
import sys, uvicorn
from typing import Any
from fastapi import FastAPI
from api.connections import EVENT_LOOP, PARSER
app = FastAPI()
@app.post("/echo")
async def echo(body: dict[str, Any]) -> dict[str, Any]:
    return body
options = {"loop": EVENT_LOOP, "http": PARSER, "log_level": "error", "access_log": False}
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), **options)
"""
_REPORT = """
done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99),
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
"""

_NEW_KEYS = """
request = function()
  wrk.headers["Authorization"] = string.format("Bearer bpw_live_%032x", math.random(0, 2^31))
  return wrk.format()
end
"""


@dataclass(frozen=True)
class Call:
    """A request that is sent again and again."""

    label: str
    path: str
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    is_refused: bool = False
    has_new_keys: bool = False
    """Sent with another unknown key each time."""

    def script(self) -> str:
        """Return what wrk reads."""
        method = "GET" if self.body is None else "POST"
        lines, headers = [f'wrk.method = "{method}"'], self.headers
        if self.body:
            lines.append(f"wrk.body = [==[{self.body}]==]")
            headers = headers | {"Content-Type": "application/json"}
        lines += [f"wrk.headers['{name}'] = '{value}'" for name, value in headers.items()]
        return "\n".join(lines) + (_NEW_KEYS if self.has_new_keys else "") + _REPORT


class Cost(NamedTuple):
    """What a load of one call came to."""

    cpu_ms: float
    rate: float
    p50_ms: float
    p99_ms: float
    errors: int


def find_wrk() -> str:
    """Return the load generator's path.

    Raises:
        SystemExit: It is not installed.
    """
    path = shutil.which("wrk")
    if path is None:
        raise SystemExit("wrk is missing; install it with: apt-get install wrk")
    return path


def read_cpu_s(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    cells = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(cells[11]) + int(cells[12])) / _TICKS


def press(url: str, pid: int, call: Call, seconds: int = SECONDS) -> Cost:
    """Send a call on all connections for some seconds."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(call.script())
        script.flush()
        began = read_cpu_s(pid)
        done = subprocess.run(
            [find_wrk(), "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency"]
            + ["-s", script.name, f"{url}{call.path}"],
            capture_output=True,
            text=True,
            check=True,
        )
        cpu_s = read_cpu_s(pid) - began
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    requests, micros, p50, p99, errors = map(int, line.split()[1:])
    failed = 0 if call.is_refused else errors
    return Cost(cpu_s * 1000 / requests, requests / micros * 1e6, p50 / 1000, p99 / 1000, failed)


@contextmanager
def echoing() -> Iterator[tuple[str, int]]:
    """Serve the echo; give its address and process."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", _ECHO, str(port)], cwd=ROOT)
    try:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


def ask(app: LiveApp, key: str, path: str, body: object = None) -> "dict[str, object]":
    """Return the JSON answer of one request."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(app.url + path, data, headers)
    with urllib.request.urlopen(request, timeout=300) as answer:
        found: dict[str, object] = json.load(answer) | {"etag": answer.headers.get("ETag", "")}
        return found


def list_calls(app: LiveApp, key: str) -> list[Call]:
    """Make the runs that are read, and return the calls to measure."""
    bearer = {"Authorization": f"Bearer {key}"}
    body = all_agents()[_AGENT].examples[0].request | {"use_cache": True}
    path = f"/v1/agents/{_AGENT}"
    ask(app, key, path, body)
    other = all_agents()[_RUN_AGENT].examples[0].request | {"use_cache": True}
    run = f"/v1/runs/{ask(app, key, f'/v1/agents/{_RUN_AGENT}', other)['run_id']}"
    etag = str(ask(app, key, run)["etag"])
    wrong = {"Authorization": f"Bearer bpw_live_{'0' * 32}"}
    text = json.dumps(body)
    return [
        Call("401, no key", path, text, is_refused=True),
        Call("401, the same wrong key", path, text, wrong, is_refused=True),
        Call("401, a new wrong key", path, text, is_refused=True, has_new_keys=True),
        Call("cached POST of an agent", path, text, bearer),
        Call("the same, gzip", path, text, bearer | {"Accept-Encoding": "gzip"}),
        Call("GET run", run, None, bearer),
        Call("GET run, gzip", run, None, bearer | {"Accept-Encoding": "gzip"}),
        Call("GET run, If-None-Match", run, None, bearer | {"If-None-Match": etag}),
        Call("GET /v1/runs?limit=10", "/v1/runs?limit=10", None, bearer),
        Call("/v1/health", "/v1/health"),
    ]


def measure(app: LiveApp, rounds: int, say: Callable[[str], None] = print) -> None:
    """Print the cost of each call, the echo before and after each."""
    calls = list_calls(app, app.key())
    echo = Call("echo", "/echo", '{"text": "hello", "number": 3}')
    with echoing() as (url, pid):
        press(url, pid, echo, 1)
        for number in range(rounds):
            say(f"round {number + 1}{'CPU ms':>27}{'x echo':>9}{'req/s':>8}{'p50':>8}{'p99 ms':>8}")
            before = press(url, pid, echo, 2)
            show(say, echo.label, before, before.cpu_ms)
            for call in calls:
                press(app.url, app.process.pid, call, 1)
                cost = press(app.url, app.process.pid, call)
                after = press(url, pid, echo, 2)
                show(say, call.label, cost, statistics.mean((before.cpu_ms, after.cpu_ms)))
                before = after


def show(say: Callable[[str], None], label: str, cost: Cost, echo_ms: float) -> None:
    """Print one line."""
    say(
        f"{label:<26}{cost.cpu_ms:>9.2f}{cost.cpu_ms / echo_ms:>8.1f}x{cost.rate:>8.0f}"
        f"{cost.p50_ms:>8.1f}{cost.p99_ms:>8.1f}" + (f"  {cost.errors} FAILED" * bool(cost.errors))
    )


def main(instance: str | None = None, rounds: int = 3) -> None:
    """Measure a fresh instance, with the evidence of another one or of its own."""
    find_wrk()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "instance"
        if instance is not None:
            shutil.copytree(Path(instance) / "evidence", home / "evidence")
        with serve(home, BPW_QUOTA_RUNS="1000000", BPW_OFFLINE="1") as app:
            if instance is None:
                app.cli("evidence", "build")
            measure(app, rounds)


if __name__ == "__main__":
    main(*sys.argv[1:2], rounds=int(sys.argv[2]) if len(sys.argv) > 2 else 3)
