"""Grants of the NIH: answers of RePORTER's API and its CSV exports.

Site: reporter.nih.gov; United States government, public domain. Two answers of the API were at
hand; the exports (ExPORTER's yearly tables and the export of a search) are read by the columns of
their published description. Investigators are not read: the grantee is who is called.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.dealmaking.filed import Filed, read_amount
from core.evidence.sources.files.forms.importers import Importer, begins
from core.evidence.sources.files.forms.json_lists import read_objects
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Span
from core.tables.rows import SourceFile, read_table
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

NAME = "nih-reporter"
LICENCE = "NIH RePORTER, United States government, public domain"
_PAGE = "https://reporter.nih.gov/project-details/"
_NUMBERED = re.compile(r"https://reporter\.nih\.gov/project-details/(\d+)")
_AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_COLUMNS = {
    "number": ("FULL_PROJECT_NUM", "Project Number"),
    "application": ("APPLICATION_ID", "Application ID"),
    "title": ("PROJECT_TITLE", "Project Title"),
    "grantee": ("ORG_NAME", "Organization Name"),
    "year": ("FY", "Fiscal Year"),
    "day": ("AWARD_NOTICE_DATE", "Award Notice Date"),
    "amount": ("TOTAL_COST", "Total Cost"),
    "about": ("PHR", "Public Health Relevance"),
}
"""Columns of the yearly tables and of the export of a search."""


@dataclass(frozen=True)
class _Grant:
    """A grant of one year, as a file tells it; "" where it does not."""

    number: str
    application: str
    title: str
    grantee: str
    year: str
    day: str
    amount: str
    about: str


def read_answers(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a grant and year of an answer of the API."""
    for index, entry in read_objects(source):
        yield from describe_answer(entry, source, index)


def describe_answer(entry: Mapping[str, Any], source: SourceFile, index: int) -> Iterator[Parsed]:
    """Yield the record of one result of the API; none, reported, where it lacks a number.

    Args:
        entry: The result.
        source: Where it was read.
        index: Its place there, from 1.
    """
    grantee = entry.get("organization")
    name = grantee.get("org_name") if isinstance(grantee, Mapping) else ""
    match = _NUMBERED.fullmatch(str(entry.get("project_detail_url") or ""))
    grant = _Grant(
        _said(entry, "project_num"),
        _said(entry, "appl_id") or (match[1] if match else ""),
        _said(entry, "project_title"),
        str(name or ""),
        _said(entry, "fiscal_year"),
        _said(entry, "award_notice_date"),
        _said(entry, "award_amount"),
        _said(entry, "phr_text"),
    )
    yield from _describe(Filed(source, index, NAME, "grant", LICENCE), grant)


def _said(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return "" if value is None else str(value)


def read_exports(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a row of an export."""
    for line, row in read_table(source):
        grant = _Grant(
            **{
                field: next((row[name] for name in names if row.get(name)), "")
                for field, names in _COLUMNS.items()
            }
        )
        yield from _describe(Filed(source, line, NAME, "grant", LICENCE), grant)


def _describe(filed: Filed, grant: _Grant) -> Iterator[Parsed]:
    number, grantee = clean_text(grant.number, 60), clean_text(grant.grantee, 150)
    title, about = clean_text(grant.title, 400), clean_text(grant.about, 4_000)
    if not number or not grantee or not title:
        lacks = [
            n for n, v in (("number", number), ("grantee", grantee), ("title", title)) if not v
        ]
        filed.source.report(filed.line, f"a grant without {' and without '.join(lacks)}")
        return
    amount = read_amount(grant.amount)
    if grant.amount and amount is None:
        filed.source.report(filed.line, f"amount {clean_text(grant.amount, 20)!r} is no number")
        return
    day = _day(grant.day)
    application = grant.application if grant.application.isdecimal() else ""
    record = filed.record(
        application or clean_text(f"{number}/{grant.year}", 80),
        title,
        day,
        url=f"{_PAGE}{application}" if application else "",
        published_on=day or (grant.year if grant.year.isdecimal() else ""),
        spans=(Span("relevance", about, 0, len(about)),) if about else (),
        mentions=(Mention("company", grantee, relation="grantee"),),
    )
    year = f"fiscal year {grant.year}" if grant.year.isdecimal() else ""
    given = Fact(
        record.id,
        grantee,
        Predicate.GRANTED,
        number,
        value=amount,
        unit="USD" if amount is not None else "",
        qualifiers=Qualifiers(time_point=year),
        as_of=day,
        locator=f"row {filed.line}",
    )
    yield Parsed(record, (given,))


def _day(text: str) -> str:
    """Return a day, also as Americans write it.

    >>> _day("9/17/2024"), _day("2024-09-17T00:00:00"), _day("")
    ('2024-09-17', '2024-09-17', '')
    """
    match = _AMERICAN.fullmatch(text.strip())
    if match:
        month, day, year = match.groups()
        return read_date(f"{year}{int(month):02}{int(day):02}")
    return read_date(text)


def is_export(_path: Path, head: str) -> bool:
    """Return whether a table has the columns of an export."""
    columns = {column.strip().strip('"') for column in head.partition("\n")[0].split(",")}
    return any(
        {_COLUMNS[field][form] for field in ("number", "title", "grantee")} <= columns
        for form in (0, 1)
    )


IMPORTERS = (
    Importer(
        "nih-reporter",
        begins('"project_num"', '"results"'),
        read_answers,
        shape_basis="recorded answer",
    ),
    Importer("nih-exports", is_export, read_exports, shape_basis="description"),
)
