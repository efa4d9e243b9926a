"""Whether a pack's file from elsewhere holds tables alone, looked at before anything is read.

A SQLite file carries a schema of its own: a view in the place of a table runs whatever it says
as soon as the table is asked for, and an index may compute. So the schema is read as text and
compared with ours word for word, the tree of pages is checked, and every cell must be of its
column's type; all of it under a limit of time and size.
"""

import sqlite3
import time
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Float, Integer, Table, create_engine, event, text
from sqlalchemy.pool import StaticPool

from core.errors import EvidenceDamaged
from storage.evidence.schema import NAMES, PACK, create_indexes, create_tables, optimize

PATIENCE_S = 60.0
"""Seconds that one statement may take on a small file."""
BYTES_A_SECOND = 5_000_000
"""A larger file may take this much longer; a slow disk reads ten times as much."""
LONGEST_CELL = 64 * 1024 * 1024
_STEPS = 20_000
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LONGEST_CELL,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
}
_OTHER_PLANNER = ("table", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)")

Entry = tuple[str, str, str]


def guard(engine: Engine, source: Path) -> None:
    """Bound what connections to a foreign file may do: size of a cell, time of a statement.

    Args:
        engine: Of the file; no connection is open yet.
        source: The file, whose size decides how long a statement may take.
    """
    patience = PATIENCE_S + source.stat().st_size / BYTES_A_SECOND

    @event.listens_for(engine, "connect")
    def bound(connection: sqlite3.Connection, record: Any) -> None:
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        connection.execute("PRAGMA cell_size_check = ON").close()
        record.info["ends_at"] = time.monotonic() + patience
        connection.set_progress_handler(lambda: time.monotonic() > record.info["ends_at"], _STEPS)

    @event.listens_for(engine, "before_cursor_execute")
    def begin(connection: Connection, *_about: object) -> None:
        connection.info["ends_at"] = time.monotonic() + patience


def check_file(carried: Connection, name: str) -> None:
    """Check a foreign pack before it is read.

    Args:
        carried: To the file, opened for reading.
        name: Of the file, for the message.

    Raises:
        EvidenceDamaged: It holds something else than the tables and indexes of a pack, its pages
            do not hang together, or a cell is of another type than its column.
    """
    strange = sorted(entries(carried) - known_entries())
    if strange:
        kind, what, _ = strange[0]
        raise EvidenceDamaged(f"{name} holds a {kind} {what[:60]!r} that no evidence pack has")
    if carried.exec_driver_sql("PRAGMA quick_check(1)").scalar() != "ok":
        raise EvidenceDamaged(f"{name} is damaged: its pages do not hang together")
    present = {entry_name for _, entry_name, _ in entries(carried)}
    for table in PACK.sorted_tables:
        if table is NAMES and NAMES.name not in present:  # an export of an earlier release
            continue
        _check_types(carried, table, name)


def entries(connection: Connection) -> set[Entry]:
    """Return kind, name and statement of everything in a schema."""
    rows = connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_master").all()
    return {(str(kind), str(name), " ".join(str(sql or "").split())) for kind, name, sql in rows}


@lru_cache(maxsize=1)
def known_entries() -> frozenset[Entry]:
    """Return the schema of a pack as this program writes it."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    try:
        with engine.begin() as connection:
            create_tables(connection)
            create_indexes(connection)
            optimize(connection)
            return frozenset(entries(connection)) | {_OTHER_PLANNER}
    finally:
        engine.dispose()


def _check_types(carried: Connection, table: Table, name: str) -> None:
    wrong = " OR ".join(_wrong_type(column) for column in table.columns)
    query = text(f'SELECT 1 FROM "{table.name}" NOT INDEXED WHERE {wrong} LIMIT 1')
    with closing(carried.execute(query)) as rows:
        if rows.first() is not None:
            raise EvidenceDamaged(f"{name} is damaged: a cell of {table.name} is of another type")


def _wrong_type(column: Any) -> str:
    kinds = "'text'"
    if isinstance(column.type, Integer):
        kinds = "'integer'"
    elif isinstance(column.type, Float):
        kinds = "'real', 'integer', 'null'"
    return f'typeof("{column.name}") NOT IN ({kinds})'
