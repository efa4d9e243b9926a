"""Events in a file of their own beside the pack: what can be made anew of its records.

One row is one telling; those of one event share its identifier, and one of them leads. The whole
change that an import brings is one transaction.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from core.records.events import EventQuery, ToldEvent

_WAIT_S = 60.0
_COLUMNS = tuple(ToldEvent.__dataclass_fields__)
_FLAGS = ("is_baseline", "is_lead", "is_event_baseline")
_NUMBERS = ("fact_id", "generation", "event_generation", *_FLAGS)
_TYPES = ", ".join(
    f'"{name}" {"INTEGER" if name in _NUMBERS else "TEXT"} NOT NULL' for name in _COLUMNS
)
_SCHEMA = (
    f"CREATE TABLE IF NOT EXISTS reports ({_TYPES}, first TEXT NOT NULL, last TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS meta (mark TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS ix_reports_day ON reports (is_lead, last, event)",
    "CREATE INDEX IF NOT EXISTS ix_reports_record ON reports (record_id)",
    "CREATE INDEX IF NOT EXISTS ix_reports_subject ON reports (subject)",
    "CREATE INDEX IF NOT EXISTS ix_reports_event ON reports (event)",
)
_FORMER = "told"
"""Table of earlier versions; a file that has only this one is made anew."""
_IS_CURRENT = "SELECT 1 FROM sqlite_master WHERE name = 'reports'"
_ALL = ", ".join(f'"{name}"' for name in _COLUMNS)
_SIGNS = ", ".join("?" for _ in (*_COLUMNS, "first", "last"))
_AMONG = "IN (SELECT value FROM json_each(?))"


class EventFile:
    """The events of one instance."""

    def __init__(self, path: Path | None = None) -> None:
        """Open nothing yet.

        Args:
            path: The file; it is made when events are first kept. None: no events are kept.
        """
        self._path = path

    def mark(self) -> str:
        """Return what the events are made of; "" where none are kept."""
        with self._reading() as database:
            row = database.execute("SELECT mark FROM meta").fetchone() if database else None
            return str(row[0]) if row else ""

    def told(self, record_ids: Sequence[str], subjects: Sequence[str]) -> list[ToldEvent]:
        """Return tellings of these records, or of these subjects."""
        column, chosen = ("record_id", record_ids) if record_ids else ("subject", subjects)
        with self._reading() as database:
            if database is None or not chosen:
                return []
            query = f"SELECT {_ALL} FROM reports WHERE {column} {_AMONG} ORDER BY rowid"  # noqa: S608
            return [_read(row) for row in database.execute(query, [json.dumps([*chosen])])]

    def reach(self, until: str) -> dict[str, str]:
        """Return of each source the newest day of an event up to a day.

        Args:
            until: YYYY-MM-DD.
        """
        newest = (
            "SELECT substr(record_id, 1, instr(record_id, ':') - 1), max(day) FROM reports "
            "WHERE first <= ? GROUP BY 1"
        )
        with self._reading() as database:
            return dict(database.execute(newest, [until])) if database else {}

    def keep(self, reports: Sequence[ToldEvent], replaced: Sequence[str] | None, mark: str) -> None:
        """Keep tellings in the place of those of some records, or of all."""
        if self._path is None:
            return
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with closing(_open(self._path)) as database, database:
            database.execute("BEGIN IMMEDIATE")
            database.execute(f"DROP TABLE IF EXISTS {_FORMER}")
            for statement in _SCHEMA:
                database.execute(statement)
            where = "" if replaced is None else f" WHERE record_id {_AMONG}"
            chosen = [] if replaced is None else [json.dumps([*replaced])]
            database.execute(f"DELETE FROM reports{where}", chosen)  # noqa: S608
            insert = f"INSERT INTO reports VALUES ({_SIGNS})"  # noqa: S608
            database.executemany(insert, map(_row, reports))
            database.execute("DELETE FROM meta")
            database.execute("INSERT INTO meta VALUES (?)", [mark])
        self._path.chmod(0o600)

    def find(self, query: EventQuery, record_ids: Sequence[str] | None) -> list[list[ToldEvent]]:
        """Return the tellings of each event, its lead first, the newest event first.

        Args:
            query: Window, types and imports.
            record_ids: Records one of which tells it; None: any.
        """
        conditions, values = _conditions(query, record_ids)
        leads = (
            f"SELECT event FROM reports WHERE {' AND '.join(conditions)} "  # noqa: S608
            "ORDER BY last DESC, day DESC, type, event LIMIT ?"
        )
        with self._reading() as database:
            if database is None:
                return []
            events = [row[0] for row in database.execute(leads, [*values, query.limit])]
            rows = (
                f"SELECT {_ALL} FROM reports WHERE event {_AMONG} "  # noqa: S608
                "ORDER BY is_lead DESC, day, record_id, rowid"
            )
            reports: dict[str, list[ToldEvent]] = {event: [] for event in events}
            for row in database.execute(rows, [json.dumps(events)]):
                report = _read(row)
                reports[report.event].append(report)
        return list(reports.values())

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        if self._path is None or not self._path.exists():
            yield None
            return
        with closing(_open(self._path)) as database:
            yield database if database.execute(_IS_CURRENT).fetchone() else None


def _open(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    return database


def _conditions(
    query: EventQuery, record_ids: Sequence[str] | None
) -> tuple[list[str], list[object]]:
    conditions: tuple[tuple[str, object, bool], ...] = (
        ("last >= ?", query.since, bool(query.since)),
        ("first <= ?", query.until, bool(query.until)),
        (f"type {_AMONG}", json.dumps(query.types), bool(query.types)),
        ("event_generation > ?", query.after_generation, query.after_generation >= 0),
        ("is_event_baseline = ?", 0, not query.with_baseline),
        (
            f"event IN (SELECT event FROM reports WHERE record_id {_AMONG})",
            json.dumps([*(record_ids or ())]),
            record_ids is not None,
        ),
    )
    asked_conditions = [(condition, value) for condition, value, is_asked in conditions if is_asked]
    return ["is_lead = 1", *(condition for condition, _ in asked_conditions)], [
        value for _, value in asked_conditions
    ]


def _row(report: ToldEvent) -> tuple[object, ...]:
    """Return the row of a telling with the first and the last day on which it may have been."""
    values = [getattr(report, name) for name in _COLUMNS]
    ends = {4: ("-01-01", "-12-31"), 7: ("-01", "-31")}.get(len(report.day), ("", ""))
    first, last = report.day + ends[0], report.day + ends[1]
    return (*(int(value) if isinstance(value, bool) else value for value in values), first, last)


def _read(row: Sequence[object]) -> ToldEvent:
    values = dict(zip(_COLUMNS, row, strict=True))
    return ToldEvent(**values | {name: bool(values[name]) for name in _FLAGS})  # type: ignore[arg-type]
