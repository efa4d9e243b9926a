"""Filings of a company as EDGAR's submissions list them: 8-K with items that tell of deals.

Site: data.sec.gov/submissions/CIK##########.json; United States government work. The shape is that
of recorded answers (parallel lists under `filings.recent`). An item tells its heading alone;
parties and terms stand in the filing's text, which is not read, so that no drug and no amount comes
from here.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.dealmaking.filed import (
    ACCESSION,
    SEC_LICENCE,
    Filed,
    filing_address,
)
from core.evidence.sources.files.forms.importers import Importer
from core.records.evidence import Fact, Mention, Parsed
from core.tables.bounds import BROKEN, LARGEST_MEMBER
from core.tables.rows import SourceFile, open_text
from core.tables.values import read_date
from core.vocabulary.filing_items import items_of_deals
from core.vocabulary.predicates import Predicate

FILINGS = "sec-filings"
FORMS = frozenset({"8-K", "8-K/A"})
MORE_THAN_A_LIST = 1
"""Detail of a record: a list of filings by form and day names no items."""
_NEEDED = ("accessionNumber", "filingDate", "form", "items")
Json = Mapping[str, Any]


def read_submissions(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a filing with an item that tells of a deal; a number counts once."""
    with open_text(source.path, largest=LARGEST_MEMBER) as text:
        try:
            document = json.load(text)
        except (ValueError, RecursionError, *BROKEN) as damage:
            source.report(getattr(damage, "lineno", 1), "no JSON document")
            return
    read = read_lists(document)
    if isinstance(read, str):
        source.report(1, read)
    else:
        yield from describe_filings(source, *read)


def read_lists(document: object) -> tuple[tuple[str, str], Json] | str:
    """Return the company with its number, and its lists of filings; or what is missing."""
    company = clean_text(str(document.get("name") or ""), 150) if isinstance(document, dict) else ""
    if not isinstance(document, dict) or not company:
        return "no name of the company: a continuation is read with its first file only"
    cik = re.sub(r"\D", "", str(document.get("cik") or "")).lstrip("0")
    filings = document.get("filings")
    recent = filings.get("recent") if isinstance(filings, dict) else None
    columns = recent if isinstance(recent, dict) else {}
    lists = {name: columns[name] for name in _NEEDED if isinstance(columns.get(name), list)}
    if len(lists) < len(_NEEDED):
        return f"filings.recent lacks one of {', '.join(_NEEDED)}"
    if len({len(column) for column in lists.values()}) > 1:
        return "the lists of filings.recent are of different length"
    return (company, cik), lists


def describe_filings(
    source: SourceFile, filer: tuple[str, str], lists: Json, since: str = ""
) -> Iterator[Parsed]:
    """Yield the filings of a day or later with an item that tells of a deal, each once."""
    seen: set[str] = set()
    rows = zip(*(lists[name] for name in _NEEDED), strict=True)
    for index, (number, filed, form, items_text) in enumerate(rows, start=1):
        items = [item.strip() for item in str(items_text or "").split(",")]
        deal_items = [item for item in items if item in items_of_deals()]
        if form not in FORMS or not deal_items:
            continue
        day = read_date(str(filed))
        if not isinstance(number, str) or not ACCESSION.fullmatch(number) or len(day) != 10:
            source.report(index, f"filings.recent[{index - 1}]: no accession number or no day")
            continue
        if number in seen or day < since:
            continue
        seen.add(number)
        yield describe_filing(
            Filed(source, index, FILINGS, "filing", SEC_LICENCE),
            filer,
            number,
            (day, form, deal_items),
            locator=f"filings.recent[{index - 1}]",
        )


def describe_filing(
    filed: Filed,
    filer: tuple[str, str],
    number: str,
    details: tuple[str, str, list[str]],
    *,
    locator: str,
    mentions: Sequence[Mention] = (),
) -> Parsed:
    """Return the record of a filing: its filer with number, and its day, form and items of deals.

    What else its text names is mentioned, too.
    """
    (company, cik), (day, form, items) = filer, details
    named = ", ".join(f"item {item} ({items_of_deals()[item].casefold()})" for item in items)
    record = filed.record(
        number,
        f"{form} of {company}, {day}{named and f': {named}'}",
        day,
        url=filing_address(cik, number),
        detail=MORE_THAN_A_LIST if items else 0,
        mentions=(Mention("company", company, relation="filer"), *mentions),
    )
    stem = Fact(record.id, company, "", as_of=day, locator=locator)
    facts = [replace(stem, predicate=Predicate.FILED_ON, object=day, unit=form)]
    facts += [replace(stem, predicate=Predicate.FILING_ITEM, object=item) for item in items]
    return Parsed(record, tuple(facts))


def is_submissions(_path: Path, head: str) -> bool:
    """Return whether a file begins like EDGAR's list of a company's filings."""
    return (
        '"cik"' in head
        and '"sicDescription"' in head
        or ('"filings"' in head and '"accessionNumber"' in head)
    )


IMPORTERS = (
    Importer("edgar-submissions", is_submissions, read_submissions, shape_basis="recorded answer"),
)
