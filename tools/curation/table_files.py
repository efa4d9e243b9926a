"""Writes the tables that the project's script fills: the same input gives the same bytes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import date
from pathlib import Path

from core.errors import KnowledgeError
from core.evidence.sources.pack.decisions import Key, Verdict, read_decisions
from core.evidence.sources.pack.files import (
    FOLDER,
    Row,
    folded_key,
    path_of,
    read_table,
    write_rows,
)
from core.evidence.sources.pack.schema import TABLES, Table

DATES = ("curated_on", "verified_on")


def write_tables(
    rows: Mapping[tuple[str, str], Sequence[Row]], today: date, folder: Path = FOLDER
) -> dict[str, int]:
    """Write the tables of sources and return how many rows each has.

    A row that says what it said before keeps its dates, so that a second run changes nothing; a
    row that a curator's decision keeps stays as it is, whatever the sources say.

    Args:
        rows: Rows by table and area, without their dates.
        today: Date of rows that are new or changed.
        folder: The pack.

    Raises:
        KnowledgeError: A table that holds kept rows, or the table of decisions, is damaged.
    """
    decisions = read_decisions(folder)
    counts = {}
    for table in TABLES:
        if table.is_of_people:
            continue
        keys = {
            decision.key
            for decision in decisions
            if decision.table == table.name and decision.verdict is Verdict.KEEP
        }
        kept_rows = _rows_of(table, keys, folder) if keys else []
        before = _dates_before(table, folder)
        filled = [
            _date(table, row, before, today)
            for row in _fitting(table, _with_areas(table, rows))
            if folded_key(row, table) not in keys
        ]
        text = write_rows([*kept_rows, *filled], table)
        path_of(table, folder).write_text(text, encoding="utf-8", newline="")
        counts[table.name] = len(kept_rows) + len(filled)
    return counts


def _rows_of(table: Table, keys: Set[Key], folder: Path) -> list[Row]:
    """Return the rows of some keys as they are."""
    return [row for _, row in read_table(table, folder) if folded_key(row, table) in keys]


def _with_areas(table: Table, rows: Mapping[tuple[str, str], Sequence[Row]]) -> Iterator[Row]:
    """Yield the rows of a table, area by area."""
    for area in sorted(area for name, area in rows if name == table.name):
        yield from ({**row, "area": area} for row in rows[table.name, area])


def _fitting(table: Table, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows whose key no earlier one has, and that say what the table needs."""
    taken: set[Key] = set()
    for row in rows:
        key = folded_key(row, table)
        if key not in taken and all(row[column] for column in table.needed):
            taken.add(key)
            yield row


def _said(table: Table, row: Row) -> tuple[str, ...]:
    return tuple(row.get(column, "") for column in table.header if column not in DATES)


def _dates_before(table: Table, folder: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """Return the dates of the rows as they are, by what the rows say."""
    dates = {}
    try:
        for _, row in read_table(table, folder):
            dates[_said(table, row)] = {column: row[column] for column in DATES}
    except KnowledgeError:  # no file, or an older form of the table: written anew
        return {}
    return dates


def _date(
    table: Table, row: Row, before: Mapping[tuple[str, ...], Mapping[str, str]], today: date
) -> Row:
    dates = before.get(_said(table, row), dict.fromkeys(DATES, today.isoformat()))
    return {**row, **dates}
