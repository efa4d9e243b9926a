"""A running instance of the whole application for tests that need a real server."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_PATIENCE_S = 180


@dataclass
class LiveApp:
    """A served instance, its administrator and its folder."""

    url: str
    name: str
    password: str
    folder: Path
    process: "subprocess.Popen[bytes]"
    environment: dict[str, str] = field(repr=False)

    def cli(
        self, *arguments: str, stdin: bytes | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run the command line on this instance."""
        return subprocess.run(
            [sys.executable, "-m", "api", *arguments],
            cwd=ROOT,
            env=self.environment,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=300,
        )

    def kill(self) -> None:
        """Kill the app as a power cut would, and start it again on the same instance."""
        self.process.kill()
        self.process.wait()
        self.process = _start(("app.py",), self.folder, self.environment)
        wait_until_ready(self)

    def key(self) -> str:
        """Make an API key of the administrator."""
        return self.cli("keys", "create", "--name", "test").stdout.decode().strip()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serve_api(folder: Path, **settings: str) -> "AbstractContextManager[LiveApp]":
    """Serve the API alone, as `python -m api serve` does."""
    return serve(folder, ("-m", "api", "serve"), **settings)


@contextmanager
def serve(
    folder: Path, command: tuple[str, ...] = ("app.py",), **settings: str
) -> Iterator[LiveApp]:
    """Set up an instance in a folder, serve it, and end it without leaving a process."""
    port = free_port()
    environment = {
        **os.environ,
        "BPW_HOME": str(folder),
        "BPW_PORT": str(port),
        **settings,
    }
    made = subprocess.run(
        [sys.executable, "-m", "api", "setup"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=True,
        timeout=120,
    )
    told = re.search(r"administrator: (\S+)  password: (\S+)", made.stdout.decode())
    assert told, made.stdout
    process = _start(command, folder, environment)
    app = LiveApp(f"http://127.0.0.1:{port}", told[1], told[2], folder, process, environment)
    try:
        wait_until_ready(app)
        yield app
    finally:
        app.process.send_signal(signal.SIGTERM)
        try:
            app.process.wait(40)
        except subprocess.TimeoutExpired:
            app.process.kill()
            app.process.wait()


def _start(
    command: tuple[str, ...], folder: Path, environment: dict[str, str]
) -> "subprocess.Popen[bytes]":
    with (folder / "server.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, env=environment, stdout=log, stderr=log
        )


def wait_until_ready(app: LiveApp) -> None:
    """Return when the instance answers."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{app.url}/readyz", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
        assert app.process.poll() is None, (app.folder / "server.log").read_text()
    raise AssertionError("the instance did not answer within a minute")


@pytest.fixture(scope="session")
def live_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveApp]:
    """A served instance that the tests of one process share."""
    with serve(tmp_path_factory.mktemp("instance")) as app:
        yield app
