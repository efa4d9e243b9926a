"""Reads and writes the files of the starter pack: one CSV a table, one order of rows."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from core.errors import KnowledgeError
from core.evidence.sources.pack.schema import Table

FOLDER = Path(__file__).parents[2] / "pack"
Row = Mapping[str, str]


def path_of(table: Table, folder: Path = FOLDER) -> Path:
    """Return the file of a table."""
    return folder / f"{table.name}.csv"


def read_table(table: Table, folder: Path = FOLDER) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a table with their lines.

    Raises:
        KnowledgeError: There is no such file, or its columns are not those of the table.
    """
    path = path_of(table, folder)
    if not path.is_file():
        raise KnowledgeError(f"{path.name}: there is no such file in the pack")
    with path.open(encoding="utf-8", newline="") as text:
        reader = csv.reader(text)
        header = tuple(next(reader, ()))
        if header != table.header:
            raise KnowledgeError(f"{path.name}: the columns are not {table.header}")
        for cells in reader:
            if len(cells) != len(header):
                location = f"{path.name} line {reader.line_num}"
                raise KnowledgeError(f"{location}: {len(cells)} cells instead of {len(header)}")
            yield reader.line_num, dict(zip(header, cells, strict=True))


def write_rows(rows: Sequence[Row], table: Table) -> str:
    """Return the text of a file: rows in the order of the table, LF at the end of every line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    for row in sorted(rows, key=lambda row: place_of(row, table)):
        writer.writerow([row.get(column, "") for column in table.header])
    return text.getvalue()


def place_of(row: Row, table: Table) -> tuple[str, ...]:
    """Return what a row is ordered by in its file: its drug, then its key."""
    drug = row["drug"] if "drug" in table.columns else ""
    return (drug.casefold(), drug, *order_of(row, table))


def order_of(row: Row, table: Table) -> tuple[str, ...]:
    """Return what rows of an area are ordered by: their key without regard to case, then as is."""
    key = tuple(row[column] for column in table.key)
    return (*folded_key(row, table), *key)


def folded_key(row: Row, table: Table) -> tuple[str, ...]:
    """Return what tells a row from every other one of its table, without regard to case."""
    return tuple(row[column].casefold() for column in table.key)
