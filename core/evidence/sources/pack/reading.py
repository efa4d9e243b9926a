"""The rows of the starter pack as a run sees them, and which pack it is."""

import csv
import hashlib
from functools import lru_cache

from core.evidence.sources.pack.decisions import Verdict, decide, load_decisions
from core.evidence.sources.pack.files import Row, order_of, path_of, read_table
from core.evidence.sources.pack.schema import OVERRIDES, TABLES, table_of


@lru_cache(maxsize=len(TABLES))
def load_rows(name: str) -> tuple[Row, ...]:
    """Return the rows of a table, area by area, as the curators' decisions leave them.

    Raises:
        KnowledgeError: The file is not of the table's columns, or a decision does not hold.
    """
    table = table_of(name)
    rows = decide(table, read_table(table), load_decisions())
    return tuple(sorted(rows, key=lambda row: (row["area"], *order_of(row, table))))


@lru_cache(maxsize=1)
def starter_version() -> str:
    """Return what tells this pack from every other: a mark of all its files."""
    mark = hashlib.sha256()
    for table in (*TABLES, OVERRIDES):
        path = path_of(table)
        mark.update(f"{path.name}\n".encode())
        mark.update(path.read_bytes())
    return mark.hexdigest()


@lru_cache(maxsize=1)
def starter_size() -> tuple[str, int]:
    """Return the day on which a row was last written or confirmed, and the number of rows."""
    newest, n_rows = "", 0
    for table in TABLES:
        places = [table.header.index(column) for column in ("curated_on", "verified_on")]
        with path_of(table).open(encoding="utf-8", newline="") as text:
            lines = list(csv.reader(text))[1:]
        n_rows += len(lines)
        newest = max([newest, *(cells[column] for cells in lines for column in places)])
    decisions = load_decisions()
    n_rows -= sum(decision.verdict is Verdict.DROP for decision in decisions)
    return max([newest, *(decision.decided_on for decision in decisions)]), n_rows
