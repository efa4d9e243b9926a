"""What is wrong with the tables of the starter pack, in words that their writers can act on."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from core.errors import KnowledgeError
from core.evidence.names.cleaning import clean_text
from core.evidence.sources.pack.reading import FOLDER, Row, files_of, key_of, read_file
from core.evidence.sources.pack.schema import AREAS, TABLES, Table
from core.vocabulary.targets import load_targets

LONGEST_CELL = 200
MAY_BE_LONGER = frozenset(
    {"source_title", "drugs", "conditions", "aliases", "ambiguous", "synonyms", "endpoints"}
    | {"indications", "ingredients", "brands", "collaborators", "source_url", "applications"}
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
_PAST = frozenset({"as_of", "curated_on", "verified_on", "approved_on", "happened_on", "from_on"})
"""Dates that may not lie ahead; a trial's completion may."""
_OF_DRUGS = ("drug_names", "company_roles", "stages", "trials", "approvals", "labels", "pipelines")


def find_faults(today: date, folder: Path = FOLDER) -> list[str]:
    """Return what is wrong with the pack, one line a fault.

    Args:
        today: Dates may not lie after it.
        folder: The pack.
    """
    faults: list[str] = []
    read = {table.name: _read(table, folder, faults) for table in TABLES}
    for table in TABLES:
        faults += _repeated(table, read[table.name])
        for place, row in read[table.name]:
            faults += [f"{place}: {fault}" for fault in _faults_of(row, table, today)]
    known = {row["drug"] for _, row in read["drugs"]}
    for name in _OF_DRUGS:
        faults += [
            f"{place}: {row['drug']!r} stands in no drugs/*.csv"
            for place, row in read[name]
            if row["drug"] not in known
        ]
    faults += [f"{place}: {fault}" for place, fault in _unknown_targets(read["drugs"])]
    return faults


Placed = tuple[str, Row]


def _read(table: Table, folder: Path, faults: list[str]) -> list[Placed]:
    """Return the rows of a table with their places; note files that are none of it."""
    found: list[Placed] = []
    for path in files_of(table, folder):
        if path.stem not in AREAS:
            faults.append(f"{table.name}/{path.name}: there is no area {path.stem!r}")
        try:
            rows = list(read_file(path, table))
        except (KnowledgeError, UnicodeDecodeError) as damage:
            faults.append(str(damage))
            continue
        keys = [key_of(row, table) for _, row in rows]
        if keys != sorted(keys):
            faults.append(f"{table.name}/{path.name}: not in order; run `evidence check --tidy`")
        if b"\r" in path.read_bytes():
            faults.append(
                f"{table.name}/{path.name}: lines must end in LF; run `evidence check --tidy`"
            )
        found += [(f"{table.name}/{path.name} line {line}", row) for line, row in rows]
    return found


def _repeated(table: Table, rows: Sequence[Placed]) -> Iterator[str]:
    """Yield rows whose key stands in the table already; a drug may stand in one area only."""
    seen: dict[tuple[str, ...], str] = {}
    areas: dict[str, str] = {}
    for place, row in rows:
        key = tuple(row[column].casefold() for column in table.key)
        if key in seen:
            yield f"{place}: {' / '.join(key)} stands also in {seen[key]}"
        seen.setdefault(key, place)
        if table.name == "drugs":
            file = place.partition(" ")[0]
            first = areas.setdefault(row["drug"].casefold(), file)
            if first != file:
                yield f"{place}: {row['drug']} stands also in {first}"


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
    if column != "source_title" and any(len(part) > LONGEST_CELL for part in parts):
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
    expected = ("expert", "unverified") if table.is_of_people else ("published", "verified")
    if (row["basis"], row["status"]) != expected:
        yield f"basis and status must be {expected[0]}, {expected[1]}"
    if not row["curated_on"]:
        yield "curated_on is empty"
    if table.is_of_people:
        said = " ".join(row[column] for column in (*table.columns, "note"))
        if row["source_id"] or _ID.search(said):
            yield "what a person knows carries no identifiers"
    elif not (row["source_id"] and row["source_title"] and row["as_of"] and row["verified_on"]):
        yield "source_id, source_title, as_of and verified_on must be filled"


def _unknown_targets(rows: Sequence[Placed]) -> Iterator[tuple[str, str]]:
    known = {row.expression for row in load_targets()}
    for place, row in rows:
        target = row["target"]
        names = [target] if target in known else target.split(" x ")
        if target and not all(name in known for name in names):
            yield place, f"target {target!r} stands in no table of targets"
