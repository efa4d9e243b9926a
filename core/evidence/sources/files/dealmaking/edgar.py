"""Filings of a company as EDGAR's submissions list them: 8-K with items that tell of deals.

Site: data.sec.gov/submissions/CIK##########.json; United States government work. The shape is that
of the public description (parallel lists under `filings.recent`), not checked against an answer at
hand. An item tells its heading alone; parties and terms stand in the filing's text, which is not
read, so that no drug and no amount comes from here.
"""

import json
import re
from collections.abc import Iterator, Mapping
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
    company = clean_text(str(document.get("name") or ""), 150) if isinstance(document, dict) else ""
    if not company:
        source.report(1, "no name of the company: a continuation is read with its first file only")
        return
    cik = re.sub(r"\D", "", str(document.get("cik") or "")).lstrip("0")
    filings = document.get("filings")
    recent = filings.get("recent") if isinstance(filings, dict) else None
    columns = recent if isinstance(recent, dict) else {}
    lists = {name: columns[name] for name in _NEEDED if isinstance(columns.get(name), list)}
    if len(lists) < len(_NEEDED):
        source.report(1, f"filings.recent lacks one of {', '.join(_NEEDED)}")
        return
    if len({len(column) for column in lists.values()}) > 1:
        source.report(1, "the lists of filings.recent are of different length")
        return
    yield from _filings(source, lists, (company, cik))


def _filings(source: SourceFile, lists: Json, of: tuple[str, str]) -> Iterator[Parsed]:
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
        if number in seen:
            continue
        seen.add(number)
        yield _describe(
            Filed(source, index, "sec-filings", "filing", SEC_LICENCE),
            of,
            number,
            (day, form, deal_items),
        )


def _describe(
    filed: Filed, of: tuple[str, str], number: str, details: tuple[str, str, list[str]]
) -> Parsed:
    (company, cik), (day, form, items) = of, details
    named = ", ".join(f"item {item} ({items_of_deals()[item].casefold()})" for item in items)
    record = filed.record(
        number,
        f"{form} of {company}, {day}: {named}",
        day,
        url=filing_address(cik, number),
        detail=MORE_THAN_A_LIST,
        mentions=(Mention("company", company, relation="filer"),),
    )
    locator = f"filings.recent[{filed.line - 1}]"
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
    Importer("edgar-submissions", is_submissions, read_submissions, shape_basis="description"),
)
