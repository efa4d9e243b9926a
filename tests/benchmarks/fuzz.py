"""Fuzzes a served instance with Schemathesis: every operation, every check, three seeds.

    ./test --bench fuzz
    python -m tests.benchmarks.fuzz [--service] [SEED ...]

`--service` leaves the agents alone, whose runs take most of the time. The systematic requests are
the same for every seed: they are sent with the first alone.

Ends with the first status that is not 0. What is configured, and why, stands in
`schemathesis.toml`. The crash cache of one seed must not steer the next, so each run works in an
empty folder.
"""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from tests.live import ROOT, LiveApp, serve_api

SEEDS = (20261129, 7, 47)
_TOOL = Path(sys.executable).with_name("schemathesis")


SERVICE = ("--exclude-path-regex", "^/v1/(agents/|ask$)", "--exclude-operation-id", "start_run")


def fuzz(app: LiveApp, key: str, seed: int, *options: str) -> "subprocess.CompletedProcess[str]":
    """Run every check with one seed.

    Args:
        app: The instance.
        key: An API key of it.
        seed: Seed of the generated requests.
        *options: Further options of the tool.
    """
    command = [
        str(_TOOL),
        "--config-file",
        str(ROOT / "schemathesis.toml"),
        "--no-color",
        "run",
        f"{app.url}/v1/openapi.json",
        *("--header", f"Authorization: Bearer {key}"),
        *("--workers", "1", "--mode", "all", "--checks", "all", "--seed", str(seed)),
        *options,
    ]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tests").symlink_to(ROOT / "tests")  # its hooks are found from here
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, env=os.environ
        )


def main(seeds: Sequence[int] = SEEDS, *options: str) -> int:
    """Fuzz with each seed, print how it went, and return 0 when all went well."""
    worst = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_api(Path(folder), BPW_QUOTA_RUNS="1000000", BPW_OFFLINE="1") as app,
    ):
        key = app.key()
        urllib.request.urlopen(f"{app.url}/v1/openapi.json", timeout=120).close()  # made once
        for seed in seeds:
            began = time.monotonic()
            drawn = () if seed == seeds[0] else ("--phases", "examples,fuzzing,stateful")
            done = fuzz(app, key, seed, *options, *drawn)
            took_s = time.monotonic() - began
            print(f"seed {seed}: exit {done.returncode}, {took_s:.0f} s")  # noqa: T201
            print(_summary(done.stdout), flush=True)  # noqa: T201
            worst = max(worst, abs(done.returncode))
        if worst:
            print(_failures(app.folder / "server.log"), flush=True)  # noqa: T201
    return worst


def _summary(text: str) -> str:
    """Return the failures and errors, and the closing figures."""
    marks = ("= FAILURES =", "= ERRORS =", "= SUMMARY =")
    places = [text.find(mark) for mark in marks if mark in text]
    return text[text.rfind("\n", 0, min(places)) + 1 :] if places else text


def _failures(log: Path) -> str:
    """Return what the server's log says of unexpected failures."""
    lines = log.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if "exception" in line or "Traceback" in line)


if __name__ == "__main__":
    given = [text for text in sys.argv[1:] if text != "--service"]
    options = SERVICE if len(given) < len(sys.argv[1:]) else ()
    sys.exit(main([int(text) for text in given] or SEEDS, *options))
