"""A plain list of deals that a user keeps: one row a deal, with the source that reports it.

Columns: licensor, licensee, asset, day, territory, upfront, total, royalty, source. A further
column `type` takes a word of `DealType`; without it a row is a license. Amounts are
millions of US dollars ("45"), or say so ("45 million USD", "$1.2 billion"); other currencies are
not converted. A row without a source is refused: nothing is known that nobody told.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.dealmaking.filed import ACCESSION, Filed
from core.evidence.sources.files.forms.importers import Importer
from core.records.evidence import Fact, Mention, Parsed, Qualifiers
from core.tables.rows import Row, SourceFile, read_table
from core.tables.values import read_date
from core.vocabulary.event_types import DealType
from core.vocabulary.predicates import Predicate

LICENCE = "list of the user, with the source that each row names"
TYPES = get_args(DealType)
COLUMNS = ("licensor", "licensee", "asset", "day", "territory", "upfront", "total", "royalty")
NEEDED = (*COLUMNS, "source")
UNIT = "USD million"
LARGEST = 100_000
"""Millions of US dollars beyond which a number was meant as dollars."""
_AMOUNT = re.compile(
    r"(?:US)?\$?\s*(?P<number>\d{1,9}(?:\.\d+)?)\s*(?P<scale>k|thousand|mn?|mm|millions?|bn?|billions?)?"
    r"\s*(?:USD|US dollars|dollars)?",
    re.IGNORECASE,
)
_SCALES = {"": 1.0, "k": 0.001, "t": 0.001, "m": 1.0, "b": 1000.0}


def read_millions(text: str) -> float | None:
    """Return an amount in millions of US dollars; None where it is not told so.

    >>> read_millions("45"), read_millions("$1.2 billion"), read_millions("30 million EUR")
    (45.0, 1200.0, None)
    >>> read_millions("45000000")
    """
    match = _AMOUNT.fullmatch(text.strip().replace(",", ""))
    if not match:
        return None
    value = round(float(match["number"]) * _SCALES[(match["scale"] or "")[:1].lower()], 6)
    return value if value <= LARGEST else None


def read_deals(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a deal; what is wrong with a row is reported by its column."""
    for line, row in read_table(source):
        named = {name.strip().casefold(): clean_text(cell, 300) for name, cell in row.items()}
        wrong = "; ".join(_faults(named))
        if wrong:
            source.report(line, wrong)
        else:
            yield _describe(Filed(source, line, "deals", "deal", LICENCE), named)


def _faults(row: Row) -> Iterator[str]:
    for name in ("licensor", "licensee", "asset", "source"):
        if not row[name]:
            yield f"{name} is empty"
    if row.get("type") and row["type"] not in TYPES:
        yield f"type {row['type'][:20]!r} is not one of {', '.join(TYPES)}"
    if not read_date(row["day"]):
        yield f"day {row['day'][:20]!r} is none; write 2026-05-31"
    for name in ("upfront", "total"):
        if row[name] and read_millions(row[name]) is None:
            yield f"{name} {row[name][:30]!r} is no amount in millions of US dollars; write 45"
    upfront, total = (read_millions(row[name]) for name in ("upfront", "total"))
    if upfront is not None and total is not None and upfront > total:
        yield "upfront is more than total"


def _describe(filed: Filed, row: Row) -> Parsed:
    day = read_date(row["day"])
    mark = "|".join(row[name].casefold() for name in ("licensor", "licensee", "asset", "territory"))
    kind = (row.get("type") or "license").replace("_", " ")
    title = f"{kind} on {row['asset']}, {row['licensor']} to {row['licensee']}"
    where = f" ({row['territory']})" if row["territory"] else ""
    record = filed.record(
        f"{day}-{hashlib.sha256(mark.encode()).hexdigest()[:12]}",
        f"{title}{where}, {day}; by {row['source'][:120]}",
        day,
        url=row["source"] if row["source"].startswith("https://") else "",
        mentions=(
            Mention("drug", row["asset"], "investigational", "asset"),
            Mention("company", row["licensor"], relation="licensor"),
            Mention("company", row["licensee"], relation="licensee"),
        ),
    )
    return Parsed(record, tuple(_facts(record.id, row, day, filed.line)))


def _facts(record_id: str, row: Row, day: str, line: int) -> Iterator[Fact]:
    """Yield what a row states; sure only where its source can be looked up."""
    is_open = row["source"].startswith("https://") or bool(ACCESSION.search(row["source"]))
    stem = Fact(
        record_id,
        row["asset"],
        "",
        qualifiers=Qualifiers(region=row["territory"], time_point=day),
        as_of=day,
        locator=f"row {line}",
        method="human",
        status="verified" if is_open else "unverified",
        confidence=75 if is_open else 50,
    )
    yield replace(stem, predicate=Predicate.HAS_ROLE, object=row["licensee"], unit="licensee")
    yield from deal_facts(stem, row)


def deal_facts(stem: Fact, row: Row) -> Iterator[Fact]:
    """Yield type, parties, day, amounts and royalty of a deal.

    Args:
        stem: What all of them share; its day is the deal's.
        row: Its cells by column.
    """
    yield replace(stem, predicate=Predicate.DEAL_ANNOUNCED_ON, object=row["day"])
    for name, predicate in (("upfront", Predicate.DEAL_UPFRONT), ("total", Predicate.DEAL_TOTAL)):
        value = read_millions(row[name])
        if value is not None:
            yield replace(stem, predicate=predicate, object=name, value=value, unit=UNIT)
    for predicate, words in (
        (Predicate.DEAL_TYPE, row.get("type") or "license"),
        (Predicate.LICENSED_TO, row["licensee"]),
        (Predicate.LICENSED_BY, row["licensor"]),
        (Predicate.DEAL_PARTNER, row.get("partner", "")),
        (Predicate.DEAL_ROYALTY, row["royalty"]),
        (Predicate.DEAL_SOURCE, row.get("source", "")),
    ):
        if words:
            yield replace(stem, predicate=predicate, object=words)


def is_deals(_path: Path, head: str) -> bool:
    """Return whether a table has the columns of a list of deals."""
    first = head.partition("\n")[0].casefold().split(",")
    return set(NEEDED) <= {column.strip().strip('"\ufeff') for column in first}


IMPORTERS = (Importer("deals", is_deals, read_deals, shape_basis="own"),)
