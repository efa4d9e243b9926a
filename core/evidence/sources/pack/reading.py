"""Reads the tables of the starter pack, and says which pack it is."""

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from core.errors import KnowledgeError
from core.evidence.sources.pack.schema import TABLES, Table, table_of

FOLDER = Path(__file__).parents[2] / "pack"
Row = Mapping[str, str]


def files_of(table: Table, folder: Path = FOLDER) -> list[Path]:
    """Return the files of a table, one an area, in the order of their names."""
    return sorted((folder / table.name).glob("*.csv"))


def read_file(path: Path, table: Table) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a file with their lines.

    Raises:
        KnowledgeError: The columns are not those of the table.
    """
    with path.open(encoding="utf-8", newline="") as text:
        reader = csv.reader(text)
        header = tuple(next(reader, ()))
        if header != table.header:
            raise KnowledgeError(f"{table.name}/{path.name}: the columns are not {table.header}")
        for cells in reader:
            if len(cells) != len(header):
                place = f"{table.name}/{path.name} line {reader.line_num}"
                raise KnowledgeError(f"{place}: {len(cells)} cells instead of {len(header)}")
            yield reader.line_num, dict(zip(header, cells, strict=True))


@lru_cache(maxsize=len(TABLES))
def load_rows(name: str) -> tuple[Row, ...]:
    """Return all rows of a table, each with its `area`, area by area.

    Raises:
        KnowledgeError: A file is not of the table's columns.
    """
    table = table_of(name)
    return tuple(
        row | {"area": path.stem} for path in files_of(table) for _, row in read_file(path, table)
    )


def write_rows(rows: Sequence[Row], table: Table) -> str:
    """Return the text of a file: rows by key, LF at the end of every line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    for row in sorted(rows, key=lambda one: key_of(one, table)):
        writer.writerow([row.get(column, "") for column in table.header])
    return text.getvalue()


def key_of(row: Row, table: Table) -> tuple[str, ...]:
    """Return what a row is ordered by: its key without regard to case, then as written."""
    key = tuple(row[column] for column in table.key)
    return (*(one.casefold() for one in key), *key)


@lru_cache(maxsize=1)
def starter_version() -> str:
    """Return what tells this pack from every other: a mark of all its files."""
    mark = hashlib.sha256()
    for table in TABLES:
        for path in files_of(table):
            mark.update(f"{table.name}/{path.name}\n".encode())
            mark.update(path.read_bytes())
    return mark.hexdigest()


@lru_cache(maxsize=1)
def starter_size() -> tuple[str, int]:
    """Return the day on which a row was last written or confirmed, and the number of rows."""
    newest, n_rows = "", 0
    for table in TABLES:
        places = [table.header.index(column) for column in ("curated_on", "verified_on")]
        for path in files_of(table):
            with path.open(encoding="utf-8", newline="") as text:
                lines = list(csv.reader(text))[1:]
            n_rows += len(lines)
            newest = max([newest, *(cells[place] for cells in lines for place in places)])
    return newest, n_rows
