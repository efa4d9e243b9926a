"""Every command of README runs against a fresh server."""

import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from core.registry import all_agents
from core.settings import Settings
from tests.live import ROOT, free_port

README = (ROOT / "README.md").read_text()
GUIDES = [(ROOT / "docs" / f"{name}.md").read_text() for name in ("api", "evidence", "operating")]
BLOCKS = re.findall(r"```sh\n(.*?)```", "\n".join([README, *GUIDES]), re.DOTALL)
FIRST_ADDRESS = "http://127.0.0.1:8501"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("readme")]


class Start(NamedTuple):
    """One start by README's first command: until it served, and what it wrote."""

    seconds: float
    log: str


@contextmanager
def started(environment: dict[str, str], log: Path) -> Iterator[Start]:
    """Start the workbench by README's first command, and end it without leaving a process."""
    began = time.monotonic()
    with log.open("wb") as target:
        served = subprocess.Popen(  # exec: the process that is waited for is the server itself
            ["sh", "-c", f"exec {BLOCKS[0]}"],
            cwd=ROOT,
            env=environment,
            stdout=target,
            stderr=target,
        )
    try:
        wait_for(f"http://127.0.0.1:{environment['BPW_PORT']}/readyz")
        yield Start(time.monotonic() - began, log.read_text())
    finally:
        served.send_signal(signal.SIGTERM)
        served.wait(60)


@pytest.fixture(scope="module")
def starts() -> list[Start]:
    """Return the starts of the instance, filled as they happen."""
    return []


@pytest.fixture(scope="module")
def environment(
    starts: list[Start], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """Serve an instance in an empty folder by its second start, without any network."""
    folder = tmp_path_factory.mktemp("readme")
    chosen = {name: value for name, value in os.environ.items() if "IDENTITY" not in name}
    chosen |= {
        "BPW_HOME": str(folder / "instance"),
        "BPW_PORT": str(free_port()),
        "BPW_OFFLINE": "yes",
    }
    with started(chosen, folder / "log-1") as start:
        starts.append(start)
    with started(chosen, folder / "log-2") as start:
        starts.append(start)
        yield chosen


def wait_for(address: str) -> None:
    end = time.monotonic() + 280  # the first start loads names and the starter pack
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError(f"{address} did not answer")


def execute(block: str, environment: dict[str, str]) -> str:
    address = f"http://127.0.0.1:{environment['BPW_PORT']}"
    done = subprocess.run(
        ["sh", "-euc", block.replace(FIRST_ADDRESS, address)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_readme_has_the_blocks_that_are_tested_here() -> None:
    assert [block.strip() for block in BLOCKS[:2]] == ["./run", "./test"]
    assert len(BLOCKS) == 6


def test_the_first_start_tells_its_steps_and_the_next_does_nothing(
    environment: dict[str, str], starts: list[Start]
) -> None:
    first, later = starts
    assert re.search(r"administrator: \S+  password: \S{20}\n", first.log)
    assert re.search(r"\d\d:\d\d:\d\d loading names", first.log)
    assert [json.loads(line)["event"] for line in later.log.splitlines()] == ["serving"]
    assert later.seconds > 1, "an earlier server was still answering"
    print([round(start.seconds, 1) for start in starts])  # noqa: T201


def test_test_command_starts_the_test_runner(environment) -> None:
    assert "pytest" in execute(f"{BLOCKS[1].strip()} --version 2>&1", environment)


def test_api_block_answers_with_an_envelope(environment) -> None:
    assert execute(BLOCKS[2], environment).startswith(
        '{"ok":true,"agent":"differential-expression"'
    )


def test_command_line_block_writes_an_envelope(environment) -> None:
    execute(BLOCKS[3], environment)
    assert Path("/tmp/envelope.json").read_bytes().startswith(b'{"ok":true')


def test_evidence_block_tells_what_is_held(environment) -> None:
    told = execute(BLOCKS[4], environment)
    assert told.startswith("identity\tdrugname")
    assert "file\tstarter pack\t" in told


def test_care_block_invites_backs_up_and_counts(environment) -> None:
    told = execute(BLOCKS[5], environment)
    assert "/auth/password" in told
    assert "runs" in told


def test_table_of_agents_is_the_registry() -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \|", README, re.MULTILINE)
    assert listed == list(all_agents())


def test_settings_that_are_named_exist() -> None:
    known = {f"BPW_{name.upper()}" for name in Settings.model_fields}
    assert {*re.findall(r"BPW_[A-Z_]*[A-Z]", README)} <= known


def test_pictures_exist() -> None:
    for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README):
        assert (ROOT / path).is_file()
