"""One drug across all tables of the starter pack, row by row, with what curators decided of it."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from core.errors import InvalidInput
from core.evidence.sources.pack.decisions import Decision, Verdict, by_key, read_decisions
from core.evidence.sources.pack.files import FOLDER, Row, folded_key, path_of, read_table
from core.evidence.sources.pack.schema import TABLES, Table
from core.records.names import fold_name

_ORIGIN = ("source_id", "source_url", "source_title", "as_of", "basis", "status", "note")
_NAMING = {
    "drugs": ("drug",),
    "drug_names": ("name",),
    "approvals": ("brands",),
    "labels": ("brands",),
    "pipelines": ("asset", "synonyms"),
}
"""Columns that name the drug of their row, by table."""
_BY_DRUG = ("drug", "area")
_DONE = {Verdict.KEEP: "kept", Verdict.DROP: "dropped", Verdict.CORRECT: "corrected"}
Lines = Sequence[tuple[int, Row]]


def write_sheets(name: str, folder: Path = FOLDER) -> Iterator[str]:
    """Yield the lines about every drug that a name stands for.

    Args:
        name: A drug's name, code or brand, as the pack has it in some table.
        folder: The pack.

    Raises:
        InvalidInput: The pack has no such drug.
        KnowledgeError: A table is damaged.
    """
    tables = {table.name: list(read_table(table, folder)) for table in TABLES}
    names = _names_of_drugs(tables)
    drugs = [
        drug for drug, drug_names in names.items() if fold_name(name) in map(fold_name, drug_names)
    ]
    if not drugs:
        every = sorted({spelling for name in names.values() for spelling in name})
        nearest = ", ".join(get_close_matches(name, every, n=5)) or "none"
        raise InvalidInput(f"the starter pack names no drug {name!r}; the nearest names: {nearest}")
    decisions = read_decisions(folder)
    for drug in drugs:
        others = ", ".join(name for name in names[drug] if name != drug)
        yield f"{drug}: {others or 'no other name'}"
        for table in TABLES:
            yield from _lines(drug, table, tables[table.name], by_key(table, decisions))


def _names_of_drugs(tables: Mapping[str, Lines]) -> dict[str, list[str]]:
    """Return the names of each drug, its own first."""
    names_by_drug: dict[str, dict[str, None]] = {}
    for table, columns in _NAMING.items():
        for column in columns:
            for _, row in tables[table]:
                names = names_by_drug.setdefault(row["drug"], {row["drug"]: None})
                names.update(dict.fromkeys(name for name in row[column].split("|") if name))
    return {drug: list(names) for drug, names in names_by_drug.items()}


def _lines(
    drug: str,
    table: Table,
    rows: Lines,
    decisions: Mapping[tuple[str, ...], Sequence[Decision]],
) -> Iterator[str]:
    for line, row in rows:
        if row["drug"] != drug:
            continue
        columns = [
            column
            for column in (*table.columns, *_ORIGIN)
            if column not in _BY_DRUG and row[column]
        ]
        cells = "; ".join(f"{column}={row[column]}" for column in columns)
        yield f"{path_of(table).name} line {line}\t{row['area']}\t{cells}"
        for decision in decisions.get(folded_key(row, table), ()):
            yield f"\t{_told(decision, row)}"


def _told(decision: Decision, row: Row) -> str:
    """Return what a decision does to a row."""
    done = _DONE[decision.verdict] if decision.verdict else "not understood"
    if decision.verdict is Verdict.CORRECT:
        before = row.get(decision.column, "") or "empty"
        done += f" {decision.column}: {before} -> {decision.value}"
    parts = (decision.curator, decision.decided_on, decision.source_url, decision.note)
    return f"{done} by {decision.place} ({', '.join(text for text in parts if text)})"
