"""A private PostgreSQL cluster for tests: unix socket only, nothing forced to the disk."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import text

from storage.engine import make_engine
from storage.schema import upgrade
from storage.tables import METADATA

MISSING = "needs PostgreSQL; on Debian: apt-get install postgresql"
SETTINGS = (
    "-c listen_addresses='' -c fsync=off -c full_page_writes=off "
    "-c max_connections=200 -c shared_buffers=32MB -c autovacuum=off"
)


class Cluster:
    """A running server in a folder of its own."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        """Keep where things are.

        Args:
            binaries: Folder of `initdb`, `pg_ctl` and `psql`.
            folder: Data, socket and log; it belongs to the account that runs the server.
        """
        self.binaries = binaries
        self.folder = folder
        self._numbers = count(1)
        self._shared: str | None = None

    def call(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs as the account that may run a server."""
        subprocess.run(
            [*_as_owner(), str(self.binaries / program), *arguments],
            cwd=self.folder,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=True,
            timeout=120,
        )

    def create(self) -> None:
        """Make the data folder."""
        self.call("initdb", "--no-sync", "--auth=trust", "--username=bpw", "-D", "data")

    def start(self) -> None:
        """Start the server and return when it answers."""
        options = f"-k {self.folder} {SETTINGS}"
        self.call("pg_ctl", "-D", "data", "-l", "log", "-w", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; mode `immediate` is what a power cut would be."""
        self.call("pg_ctl", "-D", "data", "-m", mode, "-w", "stop")

    @property
    def pid(self) -> int:
        """Return the process id of the server."""
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def wait_until_gone(self) -> None:
        """Return when no process of a killed server is left; its lock files are taken away.

        Where nobody reaps it, a killed server stays a zombie that these files would name.
        """
        end = time.monotonic() + 30
        marker = str(self.folder)
        while time.monotonic() < end:
            if not any(marker in line for line in _working_folders()):
                for lock in ("data/postmaster.pid", ".s.PGSQL.5432.lock"):
                    (self.folder / lock).unlink(missing_ok=True)
                return
            time.sleep(0.05)
        raise AssertionError("a process of the killed server is still there")

    def database(self) -> str:
        """Make an empty database and return its address."""
        name = f"test{next(self._numbers)}"
        self.call("createdb", "-h", str(self.folder), "-U", "bpw", name)
        return f"postgresql://bpw@/{name}?host={self.folder}"

    def clean_database(self) -> str:
        """Return the address of one database with the newest schema, emptied for each caller."""
        if self._shared is None:
            self._shared = self.database()
            upgrade(self._shared)
        engine = make_engine(self._shared)
        names = ", ".join(f'"{name}"' for name in METADATA.tables)
        with engine.begin() as connection:
            connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
        engine.dispose()
        return self._shared


def _working_folders() -> list[str]:
    """Return the working folder of every process: that of a server is its data."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            found.append(str(link.readlink()))
    return found


def find_binaries() -> Path | None:
    """Return the folder of the newest PostgreSQL that is installed."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    on_path = shutil.which("initdb")
    if on_path:
        found.append(Path(on_path).resolve().parent)
    return max(found, key=_version, default=None)


def _version(folder: Path) -> int:
    numbers = re.findall(r"/(\d+)/bin$", str(folder))
    return int(numbers[0]) if numbers else 0


def _as_owner() -> list[str]:
    """Return what runs a program as somebody else than root, whom PostgreSQL refuses."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={_owner()}", f"--regid={_owner()}", "--clear-groups"]


def _owner() -> str:
    names = {account.pw_name for account in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def databases() -> list[str]:
    """Return the databases to test on; a missing PostgreSQL is told by its own test alone."""
    is_there = find_binaries() is not None or os.environ.get("BPW_REQUIRE_POSTGRES") == "1"
    return ["sqlite", "postgres"] if is_there else ["sqlite"]


@contextmanager
def run_cluster() -> Iterator[Cluster]:
    """Run a cluster and leave nothing of it behind."""
    binaries = find_binaries()
    if binaries is None:
        if os.environ.get("BPW_REQUIRE_POSTGRES") == "1":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    folder = Path(tempfile.mkdtemp(prefix="bpw-pg-", dir="/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, _owner())
    cluster = Cluster(binaries, folder)
    try:
        cluster.create()
        cluster.start()
        yield cluster
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            with suppress(subprocess.CalledProcessError):  # it was killed
                cluster.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """Return a private cluster that the tests of one process share."""
    with run_cluster() as cluster:
        yield cluster
