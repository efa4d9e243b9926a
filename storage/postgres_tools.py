"""Copies of a PostgreSQL database, and a SQLite database brought into one.

`pg_dump` and `pg_restore` get the password in the environment and never in a command.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path

from sqlalchemy import URL, Engine, func, select, text
from sqlalchemy.exc import DBAPIError

from core.errors import InvalidInput, StorageUnavailable
from storage.engine import make_engine
from storage.tables import METADATA

_PATIENCE_S = 3600
_CHUNK = 1000
QUEUES = "bpw_queue_*"
"""Schemas of the queue of runs: it follows from the runs."""
_MISSING = "on Debian: apt-get install postgresql-client"


def dump(address: URL, target: Path) -> None:
    """Write the whole database, as it is at one instant, into a file.

    Raises:
        StorageUnavailable: `pg_dump` is not there or says no.
    """
    options = ("--format=custom", "--no-owner", "--no-acl", f"--exclude-schema={QUEUES}")
    _call("pg_dump", address, *options, f"--file={target}")


def load(address: URL, source: Path) -> None:
    """Replace the content of the database in one transaction.

    Raises:
        StorageUnavailable: `pg_restore` is not there or says no.
    """
    _call(
        "pg_restore",
        address,
        "--clean",
        "--if-exists",
        "--no-owner",
        "--no-acl",
        "--single-transaction",
        "--exit-on-error",
        f"--dbname={address.database}",
        str(source),
    )


_KINDS = frozenset({"TABLE", "SEQUENCE", "DEFAULT", "CONSTRAINT", "INDEX", "FK CONSTRAINT"})
"""Kinds of entries of a dump of ours; "TABLE DATA" and the like begin with one of them."""


def check_dump(source: Path, tables: Collection[str]) -> None:
    """Read a dump to its end, and refuse one that holds more than our tables.

    Args:
        source: The dump.
        tables: Names of tables that it may hold.

    Raises:
        InvalidInput: It is damaged, or holds something else.
    """
    for options in (["--list"], [f"--file={os.devnull}"]):
        done = subprocess.run(
            [_find("pg_restore"), *options, str(source)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE_S,
        )
        if done.returncode != 0:
            raise InvalidInput("the database of the backup is damaged")
        if options == ["--list"]:
            listed = done.stdout.decode("utf-8", "replace")
    for line in listed.splitlines():
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            continue
        kind, name = entry["kind"], entry["name"]
        is_ours = any(kind.startswith(each) for each in _KINDS)
        if not is_ours or (kind in {"TABLE", "TABLE DATA"} and name not in tables):
            raise InvalidInput(f"the database of the backup holds {kind} {name}, which is not ours")


_ENTRY = re.compile(r"\d+; \d+ \d+ (?P<kind>[A-Z][A-Z ]*[A-Z]) (?:\S+) (?P<name>\S+)(?: .*)?")


def take_over(source: str, target: Engine) -> None:
    """Copy every row of a SQLite database into an empty PostgreSQL database, in one transaction.

    Both have the newest schema. Rows keep their numbers; the next new row gets the next one.

    Args:
        source: SQLAlchemy address of the SQLite database.
        target: The PostgreSQL database.
    """
    reading = make_engine(source)
    try:
        with reading.connect() as rows, target.begin() as writing:
            for table in METADATA.sorted_tables:
                found = rows.execution_options(yield_per=_CHUNK).execute(
                    select(table).order_by(*table.primary_key.columns)
                )
                try:
                    for part in found.mappings().partitions():
                        writing.execute(table.insert(), [dict(row) for row in part])
                except (DBAPIError, ValueError) as failure:
                    raise InvalidInput(
                        f"the table {table.name} holds a row that PostgreSQL does not take "
                        f"({type(failure).__name__}); nothing was restored"
                    ) from None
                if "id" in table.primary_key.columns:
                    last = writing.execute(select(func.max(table.c.id))).scalar()
                    sequence = text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :last)")
                    if last is not None:
                        writing.execute(sequence, {"name": f'"{table.name}"', "last": last})
    finally:
        reading.dispose()


def _call(program: str, address: URL, *arguments: str) -> None:
    done = subprocess.run(
        [_find(program), *arguments],
        env=os.environ | _environment(address),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=_PATIENCE_S,
    )
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise StorageUnavailable(f"{program} failed: {lines[0]}")


def _environment(address: URL) -> dict[str, str]:
    """Return the address as the variables that PostgreSQL's programs read."""
    host = address.query.get("host", address.host)
    variables = {
        "PGHOST": host if isinstance(host, str) else None,
        "PGPORT": str(address.port) if address.port else None,
        "PGUSER": address.username,
        "PGPASSWORD": address.password,
        "PGDATABASE": address.database,
    }
    return {name: str(value) for name, value in variables.items() if value}


def _find(program: str) -> str:
    """Return the newest installed one: an older `pg_dump` refuses a newer server.

    Raises:
        StorageUnavailable: None is installed.
    """
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), key=_version)
    path = str(installed[-1]) if installed else shutil.which(program)
    if path is None:
        raise StorageUnavailable(f"{program} is not installed; {_MISSING}")
    return path


def _version(path: Path) -> int:
    numbers = re.findall(r"\d+", path.parent.parent.name)
    return int(numbers[0]) if numbers else 0
