"""Writes the tables that the project's script fills: the same input gives the same bytes."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from core.errors import KnowledgeError
from core.evidence.sources.pack.reading import FOLDER, Row, files_of, read_file, write_rows
from core.evidence.sources.pack.schema import TABLES, Table

DATES = ("curated_on", "verified_on")


def write_tables(
    rows: Mapping[tuple[str, str], Sequence[Row]], today: date, folder: Path = FOLDER
) -> dict[str, int]:
    """Write the tables of sources and return how many rows each has.

    A row that says what it said before keeps its dates, so that a second run changes nothing.

    Args:
        rows: Rows by table and area, without their dates.
        today: Date of rows that are new or changed.
        folder: The pack.
    """
    counts = {}
    for table in TABLES:
        if table.is_of_people:
            continue
        before = _dates_before(table, folder)
        taken: set[tuple[str, ...]] = set()
        counts[table.name] = 0
        (folder / table.name).mkdir(exist_ok=True)
        for path in files_of(table, folder):
            path.unlink()
        for area in sorted(area for name, area in rows if name == table.name):
            kept = _kept(table, rows[table.name, area], taken)
            dated = [_date(table, row, before, today) for row in kept]
            counts[table.name] += len(dated)
            text = write_rows(dated, table)
            (folder / table.name / f"{area}.csv").write_text(text, encoding="utf-8", newline="")
    return counts


def _kept(table: Table, rows: Sequence[Row], taken: set[tuple[str, ...]]) -> list[Row]:
    """Return rows whose key no earlier one has, and that say what the table needs."""
    kept = []
    for row in rows:
        key = tuple(row[column].casefold() for column in table.key)
        if key not in taken and all(row[column] for column in table.needed):
            taken.add(key)
            kept.append(row)
    return kept


def _said(table: Table, row: Row) -> tuple[str, ...]:
    return tuple(row.get(column, "") for column in table.header if column not in DATES)


def _dates_before(table: Table, folder: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """Return the dates of the rows as they are, by what the rows say."""
    found = {}
    for path in files_of(table, folder):
        try:
            for _, row in read_file(path, table):
                found[_said(table, row)] = {column: row[column] for column in DATES}
        except KnowledgeError:  # of other columns: an older form of the table, written anew
            continue
    return found


def _date(
    table: Table, row: Row, before: Mapping[tuple[str, ...], Mapping[str, str]], today: date
) -> Row:
    dates = before.get(_said(table, row), dict.fromkeys(DATES, today.isoformat()))
    return {**row, **dates}
