"""The European Medicines Agency's list of human medicines (CSV, JSON): approvals and their ends.

Source: European Medicines Agency, "Medicines output: European public assessment reports", reuse
with acknowledgement. Generics and biosimilars are left out: they tell nothing of the original.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import Importer, read_from
from core.evidence.sources.files.forms.json_lists import read_objects
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Span
from core.tables.rows import Row, SourceFile, read_head, read_table
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

EMA_LICENCE = "European Medicines Agency, list of human medicines"
REGION = "EMA"
MOST_INGREDIENTS = 6
MOST_TEXT = 20_000
"""Characters of a cell; the longest indication of the list of 2026-03 has 8,245."""
_LOST_HYPHEN = re.compile(r"(?<=[\w)])\?(?=[a-z])")
_ENDED = "Withdrawal / expiry / revocation / lapse of marketing authorisation date"
_HOLDER = "Marketing authorisation developer / applicant / holder"
_COPIES = ("Generic", "Biosimilar")
ENDED = frozenset({"withdrawn", "lapsed", "expired", "revoked"})
"""Words of the list for an authorization that is no more."""
EXPECTED = "positive opinion"
"""Our word for an application that the committee recommends to approve."""
_STEPS = {
    "Start of evaluation date": "evaluation started",
    "Opinion adopted date": "CHMP opinion",
    "Suspension of marketing authorisation date": "suspension",
}
_MARKS = {
    "Accelerated assessment": "accelerated assessment",
    "Conditional approval": "conditional approval",
    "Exceptional circumstances": "exceptional circumstances",
    "Orphan medicine": "orphan",
    "PRIME: priority medicine": "PRIME",
}
_HELD = ENDED | {"authorised", "suspended"}


class Cells(dict[str, str]):
    """Cells of a row of the agency's lists, by column as its CSV or as its JSON writes it."""

    def __init__(self, row: Mapping[str, object], longest: int) -> None:
        """Clean the cells; several values of one are joined by semicolons."""
        for column, value in row.items():
            values = value if isinstance(value, list) else [value]
            text = "; ".join(each for each in values if isinstance(each, str))
            self[_key(column)] = clean_text(unescape(text), longest)

    def __getitem__(self, column: str) -> str:
        """Return a cell."""
        return super().__getitem__(_key(column))

    def get(self, column: str, default: str = "") -> str:  # type: ignore[override]
        """Return a cell, or a value where the row has none."""
        return super().get(_key(column), default)


def _key(column: str) -> str:
    """Return a column's name by its words alone.

    >>> _key("Date of designation / refusal"), _key("date_of_designation_or_refusal")
    ('date_of_designation_refusal', 'date_of_designation_refusal')
    """
    words = re.findall(r"[a-z0-9]+", column.lower())
    return "_".join(word for word in words if word not in {"inn", "or"})


def read_rows(source: SourceFile, longest: int) -> Iterator[tuple[int, Cells]]:
    """Yield the rows of a list, CSV or JSON, with line or number."""
    is_json = read_head(source.path, 1) in {"{", "["}
    for line, row in read_objects(source) if is_json else read_table(source):
        yield line, Cells(row, longest)


def has_columns(*columns: str) -> Callable[[Path, str], bool]:
    """Return what recognizes a list by its columns, in CSV or JSON."""
    signs = [(column, f'"{_key(column)}"') for column in columns]
    return lambda _path, head: all(column in head or key in head for column, key in signs)


def read_ema(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record an original medicine that is or was authorized, or has a positive opinion.

    Refused and withdrawn applications are left out; an end has its day as that of the status.
    """
    for line, cells in read_rows(source, MOST_TEXT):
        number, status = cells.get("EMA product number", ""), cells.get("Medicine status", "")
        if not number or not _ingredients(cells):
            if cells.get("Category") == "Human" and status == "Authorised":
                source.report(line, "no product number or no active substance")
            continue
        if any(cells.get(copy) == "Yes" for copy in _COPIES):
            continue
        if status.casefold() in _HELD or _is_expected(cells):
            yield _describe(number, cells, source, line)


def _mend_hyphens(text: str) -> str:
    """Return a text with the hyphens that the list's encoding lost.

    >>> _mend_hyphens("(ALK)?positive advanced non?small cell lung cancer")
    '(ALK)-positive advanced non-small cell lung cancer'
    """
    return _LOST_HYPHEN.sub("-", text)


def _is_expected(row: Row) -> bool:
    """Return whether the committee recommends an approval that is still to be granted."""
    return row.get("Medicine status") == "Opinion" and row.get("Opinion status") == "Positive"


def _ingredients(row: Row) -> list[str]:
    """Return the active substances, by their international names where those are given."""
    names_text = row.get("International non-proprietary name (INN) / common name", "")
    names = [name.strip() for name in (names_text or row.get("Active substance", "")).split(";")]
    return list(dict.fromkeys(name for name in names if name))[:MOST_INGREDIENTS]


def _day(row: Row, column: str) -> str:
    return read_date(row.get(column, ""))


def _describe(number: str, row: Row, source: SourceFile, line: int) -> Parsed:
    brand, ingredients = row.get("Name of medicine", ""), _ingredients(row)
    holder, text = row.get(_HOLDER, ""), _mend_hyphens(row.get("Therapeutic indication", ""))
    record = Record(
        source="ema",
        source_id=number,
        url=row.get("Medicine URL", ""),
        kind="approval_package",
        title=f"EMA {number}: {brand} ({', '.join(ingredients)})",
        published_on=_day(row, "Marketing authorisation date"),
        updated_on=_day(row, "Last updated date"),
        **read_from(source, line, EMA_LICENCE, quote_allowed=False),
        spans=(Span("indications", text, 0, len(text)),) if text else (),
        mentions=(
            *(Mention("drug", ingredient, relation="ingredient") for ingredient in ingredients),
            Mention("drug", brand, relation="brand"),
            *((Mention("company", holder, relation="applicant"),) if holder else ()),
        ),
    )
    return Parsed(record, tuple(_facts(record.id, row, ingredients, source)))


def _facts(record_id: str, row: Row, ingredients: list[str], source: SourceFile) -> Iterator[Fact]:
    as_of = source.as_of or _day(row, "Last updated date")
    number = row["EMA product number"]
    stem = Fact(record_id, number, "", as_of=as_of, locator="list of medicines")
    status = EXPECTED if _is_expected(row) else row["Medicine status"].casefold()
    holder, ended = row.get(_HOLDER, ""), _day(row, _ENDED)
    if holder:
        yield replace(stem, predicate=Predicate.APPLICATION_HOLDER, object=holder)
    since = ended if ended and status in ENDED else as_of
    yield replace(stem, predicate=Predicate.MARKETING_STATUS, object=status, as_of=since)
    day = _day(row, "Marketing authorisation date")
    about = replace(stem, predicate=Predicate.APPROVED_ON, qualifiers=Qualifiers(region=REGION))
    if day:
        yield from (replace(about, subject=name, object=day) for name in ingredients)
    yield from _steps(row, replace(about, subject=ingredients[0]))


def _steps(row: Row, stem: Fact) -> Iterator[Fact]:
    """Yield the dated steps of the review, and what the medicine is marked as."""
    for column, step in _STEPS.items():
        day = _day(row, column)
        if day:
            about = replace(stem.qualifiers, population=step)
            yield replace(stem, predicate=Predicate.DECIDED_ON, object=day, qualifiers=about)
    for column, mark in _MARKS.items():
        if row.get(column) == "Yes":
            yield replace(stem, predicate=Predicate.HAS_DESIGNATION, object=mark)


IMPORTERS = (Importer("ema", has_columns("EMA product number", "Medicine status"), read_ema),)
