"""Several hosts of one instance for tests: PostgreSQL, an object store, a folder for each host."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import requests

from tests.live import ROOT, LiveApp, free_port, wait_until_ready

BUCKET = "bench"


@contextmanager
def object_store() -> Iterator[dict[str, str]]:
    """Serve an S3 stand-in; give the variables by which an instance reaches its bucket."""
    from moto.server import ThreadedMotoServer

    port = free_port()
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    try:
        address = f"http://127.0.0.1:{port}"
        requests.put(f"{address}/{BUCKET}", timeout=30).raise_for_status()
        yield {
            "AWS_ENDPOINT_URL": address,
            "AWS_ACCESS_KEY_ID": "name",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "BPW_BLOB_URL": f"s3://{BUCKET}/blobs",
        }
    finally:
        server.stop()


def shared_settings(database_url: str, **others: str) -> dict[str, str]:
    """Return the variables that all hosts of an instance have in common."""
    return {
        "DATABASE_URL": database_url,
        "BPW_RUN_ENGINE": "procrastinate",
        "BPW_SECRET_KEY": "a secret of all hosts, for tests",
        **others,
    }


@dataclass
class Process:
    """A server or worker of a host, which may be killed and started again."""

    folder: Path
    command: tuple[str, ...]
    environment: dict[str, str]
    popen: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def log(self) -> Path:
        """Return where its lines go."""
        return self.folder / "process.log"

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self.popen = subprocess.Popen(
                [sys.executable, *self.command],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End it by a signal; return when it is gone."""
        if self.popen is not None:
            self.popen.send_signal(number)
            try:
                self.popen.wait(45)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait()

    def app(self) -> LiveApp:
        """Return it as a served instance, when it answers."""
        assert self.popen is not None
        url = f"http://127.0.0.1:{self.environment['BPW_PORT']}"
        app = LiveApp(url, "", "", self.folder, self.popen, self.environment)
        wait_until_ready(app)
        return app


def make_process(folder: Path, *command: str, **settings: str) -> Process:
    """Return a process of a host with a folder and a port of its own."""
    folder.mkdir(exist_ok=True)
    own = {"BPW_HOME": str(folder), "BPW_PORT": str(free_port())}
    return Process(folder, command, {**os.environ, **own, **settings})
