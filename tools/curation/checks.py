"""What is wrong with the tables of the starter pack, in words that their writers can act on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from core.errors import KnowledgeError
from core.evidence.names.cleaning import clean_text
from core.evidence.sources.pack.decisions import (
    Decision,
    by_key,
    corrected,
    faults_of,
    read_decisions,
    unmatched,
)
from core.evidence.sources.pack.files import (
    FOLDER,
    Row,
    folded_key,
    path_of,
    place_of,
    read_table,
)
from core.evidence.sources.pack.schema import EXPERT, OVERRIDES, PUBLISHED, TABLES, Table
from core.vocabulary.targets import load_targets

LONGEST_CELL = 200
MAY_BE_LONGER = frozenset(
    {"source_title", "drugs", "conditions", "aliases", "ambiguous", "synonyms", "endpoints"}
    | {
        "indications",
        "ingredients",
        "brands",
        "collaborators",
        "source_url",
        "applications",
        "diseases",
    }
    | {"key", "value"}
)
"""Titles, and cells that join several values with a bar: each value is checked."""
_ID = re.compile(r"NCT\d{8}|\b(?:NDA|BLA|ANDA)\s?\d{5,6}\b|\bUNII\b|\b10\.\d{4,}/|\bCHEMBL\d+")
_FORMS = {
    "nct_id": re.compile(r"(?:NCT\d{8})?"),
    "year": re.compile(r"(?:(?:19|20)\d\d)?"),
    "number": re.compile(r"\S.*"),
    "enrollment": re.compile(r"\d*"),
    "has_results": re.compile(r"|true|false"),
}
_DAY = re.compile(r"(?:\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?)?")
_PAST = frozenset(
    {"as_of", "curated_on", "verified_on", "approved_on", "happened_on", "from_on"}
) | {"decided_on", "ended_on"}
"""Dates that may not lie ahead; a trial's completion may."""
_OF_DRUGS = (
    "drug_names",
    "company_roles",
    "stages",
    "ends",
    "trials",
    "approvals",
    "labels",
    "pipelines",
)


def find_faults(today: date, folder: Path = FOLDER) -> list[str]:
    """Return what is wrong with the pack, one line a fault.

    Rows are looked at as the curators' decisions leave them, under their lines in the files.

    Args:
        today: Dates may not lie after it.
        folder: The pack.
    """
    faults: list[str] = []
    read = {table.name: _read(table, folder, faults) for table in TABLES}
    decisions = _decide(read, today, folder, faults)
    for table in TABLES:
        faults += _repeated(table, read[table.name])
        read[table.name] = _settled(table, read[table.name], decisions)
        for location, row in read[table.name]:
            faults += [f"{location}: {fault}" for fault in _faults_of(row, table, today)]
    drugs = {row["drug"] for _, row in read["drugs"]}
    for name in _OF_DRUGS:
        faults += [
            f"{location}: {row['drug']!r} stands not in drugs.csv"
            for location, row in read[name]
            if row["drug"] not in drugs
        ]
    faults += [f"{location}: {fault}" for location, fault in _unknown_targets(read["drugs"])]
    return faults


Placed = tuple[str, Row]


def _read(table: Table, folder: Path, faults: list[str]) -> list[Placed]:
    """Return the rows of a table with their places; note what is wrong with the file."""
    path = path_of(table, folder)
    try:
        rows = list(read_table(table, folder))
    except (KnowledgeError, UnicodeDecodeError) as damage:
        faults.append(str(damage))
        return []
    keys = [place_of(row, table) for _, row in rows]
    if keys != sorted(keys):
        faults.append(f"{path.name}: not in order; run `python -m tools.curation check --tidy`")
    if b"\r" in path.read_bytes():
        faults.append(
            f"{path.name}: lines must end in LF; run `python -m tools.curation check --tidy`"
        )
    return [(f"{path.name} line {line}", row) for line, row in rows]


def _decide(
    read: Mapping[str, Sequence[Placed]], today: date, folder: Path, faults: list[str]
) -> list[Decision]:
    """Return the decisions that hold; note what is wrong with them."""
    for location, row in _read(OVERRIDES, folder, faults):
        for column, cell in row.items():
            faults += [f"{location}: {fault}" for fault in _faults_of_cell(column, cell, today)]
    try:
        decisions = read_decisions(folder)
    except (KnowledgeError, UnicodeDecodeError):  # noted where the file was read
        return []
    keys = {
        table.name: frozenset(folded_key(row, table) for _, row in read[table.name])
        for table in TABLES
    }
    damaged = [*faults_of(decisions)]
    faults += [*damaged, *unmatched(decisions, keys)]
    wrong = {fault.partition(":")[0] for fault in damaged}
    return [decision for decision in decisions if decision.place not in wrong]


def _settled(table: Table, rows: Sequence[Placed], decisions: Sequence[Decision]) -> list[Placed]:
    """Return the rows of a table as decisions leave them."""
    decisions_by_row = by_key(table, decisions)
    left = [
        (location, corrected(row, decisions_by_row.get(folded_key(row, table), ())))
        for location, row in rows
    ]
    return [(location, row) for location, row in left if row is not None]


def _repeated(table: Table, rows: Sequence[Placed]) -> Iterator[str]:
    """Yield rows whose key stands in the table already; a drug may stand in one area only."""
    seen: dict[tuple[str, ...], str] = {}
    areas: dict[str, str] = {}
    for location, row in rows:
        key = folded_key(row, table)
        if key in seen:
            yield f"{location}: {' / '.join(key)} stands also in {seen[key]}"
        seen.setdefault(key, location)
        if table.name == "drugs":
            first = areas.setdefault(row["drug"].casefold(), row["area"])
            if first != row["area"]:
                yield f"{location}: {row['drug']} is of {row['area']!r} and of {first!r}"


def _faults_of(row: Row, table: Table, today: date) -> Iterator[str]:
    for column in table.needed:
        if not row[column]:
            yield f"{column} is empty"
    for column, words in table.words.items():
        if row[column] not in words:
            yield f"{column} is {row[column]!r}, not one of {sorted(words)}"
    for column, cell in row.items():
        yield from _faults_of_cell(column, cell, today)
    yield from _faults_of_origin(row, table)


def _faults_of_cell(column: str, cell: str, today: date) -> Iterator[str]:
    if cell != clean_text(cell):
        yield f"{column} has blanks, marks or hidden signs to take out: {cell!r}"
    parts = cell.split("|") if column in MAY_BE_LONGER else [cell]
    if column != "source_title" and any(len(word) > LONGEST_CELL for word in parts):
        yield f"{column} is longer than {LONGEST_CELL} characters"
    form = _FORMS.get(column)
    if form and not form.fullmatch(cell):
        yield f"{column} is {cell!r}"
    if column.endswith(("_on", "as_of")):
        if not _DAY.fullmatch(cell):
            yield f"{column} is {cell!r}, not YYYY-MM-DD, YYYY-MM or YYYY"
        elif column in _PAST and cell > today.isoformat():
            yield f"{column} lies in the future: {cell}"
    if column == "year" and cell > str(today.year):
        yield f"year lies in the future: {cell}"


def _faults_of_origin(row: Row, table: Table) -> Iterator[str]:
    """Yield what is wrong with how a row says what it rests on."""
    if not row["curated_on"]:
        yield "curated_on is empty"
    origin = (row["basis"], row["status"])
    if table.is_of_people and origin == EXPERT:
        words = " ".join(row[column] for column in (*table.columns, "note"))
        if row["source_id"] or row["source_url"] or _ID.search(words):
            yield "what a person knows carries no identifiers"
    elif origin != PUBLISHED:
        expected = " or ".join(
            ", ".join(pair) for pair in (EXPERT, PUBLISHED)[not table.is_of_people :]
        )
        yield f"basis and status must be {expected}"
    elif table.is_of_people:
        yield from _faults_of_reading(row)
    elif not (row["source_id"] and row["source_title"] and row["as_of"] and row["verified_on"]):
        yield "source_id, source_title, as_of and verified_on must be filled"


def _faults_of_reading(row: Row) -> Iterator[str]:
    """Yield what a row lacks that says where a person read it."""
    if not row["source_url"].startswith("https://"):
        yield f"what is published names its https address in source_url, not {row['source_url']!r}"
    if not row["source_title"]:
        yield "what is published names its source in source_title"
    if len(row["as_of"]) != len("2026-11-23"):
        yield "what is published names its day in as_of, YYYY-MM-DD"


def _unknown_targets(rows: Sequence[Placed]) -> Iterator[tuple[str, str]]:
    expressions = {row.expression for row in load_targets()}
    for location, row in rows:
        target = row["target"]
        names = [target] if target in expressions else target.split(" x ")
        if target and not all(name in expressions for name in names):
            yield location, f"target {target!r} stands in no table of targets"
