"""What curators decided about single rows of the starter pack, whoever wrote the row.

The table of overrides is read last: a row is dropped, or one of its cells is another one. A row
that is kept stays as it is when the sources are read again.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from core.errors import KnowledgeError
from core.evidence.sources.pack.files import FOLDER, Row, folded_key, read_table
from core.evidence.sources.pack.schema import OVERRIDES, TABLES, Table

BETWEEN = "|"
"""Stands between the parts of a key."""
Key = tuple[str, ...]


class Verdict(StrEnum):
    """What becomes of a row."""

    KEEP = "keep"
    DROP = "drop"
    CORRECT = "correct"


@dataclass(frozen=True, slots=True)
class Decision:
    """One row of the table of overrides.

    Attributes:
        line: Its line in the file.
        table: Name of the table that the row stands in.
        key: Key of the row, without regard to case.
        column: Column that is corrected; "" for the row as a whole.
        value: What stands there instead.
        verdict: What becomes of the row; None for a word that is none.
        curator: Who decided.
        source_url: Address of what it rests on; "" where there is none.
        source_title: Its title; "" where it rests on the curator's judgment alone.
        decided_on: Day.
        note: Why.
    """

    line: int
    table: str
    key: Key
    column: str
    value: str
    verdict: Verdict | None
    curator: str
    source_url: str
    source_title: str
    decided_on: str
    note: str

    @property
    def place(self) -> str:
        """Return where it stands."""
        return f"{OVERRIDES.name}.csv line {self.line}"


def read_decisions(folder: Path = FOLDER) -> tuple[Decision, ...]:
    """Return the decisions as they stand, right or wrong.

    Raises:
        KnowledgeError: The file is missing or of other columns.
    """
    return tuple(_decision(line, row) for line, row in read_table(OVERRIDES, folder))


def _decision(line: int, row: Row) -> Decision:
    cells = {name: cell for name, cell in row.items() if name not in {"key", "decision"}}
    key = tuple(key_part.strip().casefold() for key_part in row["key"].split(BETWEEN))
    verdict = next((verdict for verdict in Verdict if verdict == row["decision"]), None)
    return Decision(line=line, key=key, verdict=verdict, **cells)


@lru_cache(maxsize=1)
def load_decisions() -> tuple[Decision, ...]:
    """Return the decisions of the pack.

    Raises:
        KnowledgeError: One of them cannot hold, whatever the tables say.
    """
    decisions = read_decisions()
    for fault in faults_of(decisions):
        raise KnowledgeError(fault)
    return decisions


def faults_of(decisions: Sequence[Decision]) -> Iterator[str]:
    """Yield what is wrong with decisions, with file and line; keys are not looked up."""
    seen: dict[tuple[str, Key, str], str] = {}
    for decision in decisions:
        yield from (f"{decision.place}: {fault}" for fault in _faults(decision))
        decided_cell = (decision.table, decision.key, decision.column)
        if decided_cell in seen:
            yield f"{decision.place}: the same row and column stand also in {seen[decided_cell]}"
        seen.setdefault(decided_cell, decision.place)
    for decision in decisions:
        if decision.verdict is Verdict.CORRECT and _is_dropped(decision, decisions):
            yield f"{decision.place}: corrects a row that another decision drops"


def _is_dropped(decision: Decision, decisions: Sequence[Decision]) -> bool:
    decided_row = (decision.table, decision.key, Verdict.DROP)
    return any(
        (decision.table, decision.key, decision.verdict) == decided_row for decision in decisions
    )


def _faults(decision: Decision) -> Iterator[str]:
    table = next((table for table in TABLES if table.name == decision.table), None)
    if table is None:
        yield f"there is no table {decision.table!r}"
        return
    if len(decision.key) != len(table.key):
        yield f"the key of {table.name} has {len(table.key)} parts: {BETWEEN.join(table.key)}"
    if decision.verdict is None:
        yield f"decision is none of {', '.join(Verdict)}"
    for name in ("curator", "decided_on"):
        if not getattr(decision, name):
            yield f"{name} is empty"
    if decision.source_url and not decision.source_url.startswith("https://"):
        yield f"source_url is {decision.source_url!r}, no https address"
    if decision.verdict is Verdict.CORRECT:
        yield from _faults_of_correction(decision, table)
    elif decision.column or decision.value:
        yield f"to {decision.verdict} concerns a whole row: column and value stay empty"


def _faults_of_correction(decision: Decision, table: Table) -> Iterator[str]:
    column, value = decision.column, decision.value
    if column not in table.columns:
        yield f"{table.name} has no column {column!r} that can be corrected"
        return
    if column in table.key or column == "area":
        yield f"{column} names the location of the row: drop the row and write another one"
    if not value:
        yield "a correction needs a value"
    elif column in table.words and value not in table.words[column]:
        yield f"{column} is {value!r}, not one of {sorted(table.words[column])}"
    if not table.is_of_people and not decision.source_title:
        yield "a row that a source fills is corrected from a source: source_title is empty"


def unmatched(decisions: Iterable[Decision], keys: Mapping[str, frozenset[Key]]) -> Iterator[str]:
    """Yield decisions about rows that no table has.

    Args:
        decisions: Decisions.
        keys: Keys of the rows by table; a table that is left out is not looked at.
    """
    for decision in decisions:
        if decision.table in keys and decision.key not in keys[decision.table]:
            yield f"{decision.place}: {decision.table} has no row {BETWEEN.join(decision.key)!r}"


def decide(
    table: Table, rows: Iterable[tuple[int, Row]], decisions: Sequence[Decision]
) -> Iterator[Row]:
    """Yield the rows of a table as decisions leave them.

    Args:
        table: The table.
        rows: Its rows with their lines.
        decisions: Decisions about any table.

    Raises:
        KnowledgeError: A decision is about a row that the table does not have.
    """
    left = by_key(table, decisions)
    for _, row in rows:
        row_decisions = left.pop(folded_key(row, table), ())
        changed = corrected(row, row_decisions)
        if changed is not None:
            yield changed
    for unused in left.values():
        raise KnowledgeError(next(unmatched(unused, {table.name: frozenset()})))


def by_key(table: Table, decisions: Iterable[Decision]) -> dict[Key, list[Decision]]:
    """Return the decisions about a table by the key of their row."""
    decisions_by_key: dict[Key, list[Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.table == table.name:
            decisions_by_key[decision.key].append(decision)
    return dict(decisions_by_key)


def corrected(row: Row, decisions: Iterable[Decision]) -> Row | None:
    """Return a row as the decisions about it leave it; None where it is dropped."""
    cells = dict(row)
    for decision in decisions:
        if decision.verdict is Verdict.DROP:
            return None
        if decision.verdict is Verdict.CORRECT:
            cells[decision.column] = decision.value
    return cells
