"""Statements of pages that a person accepted, in a file of our own form (JSON).

A person who accepts a statement says that the page states it, not that it is true: its facts stay
unverified until another source states the same. A license with a day also becomes a deal, like a
row of a user's own list, and a takeover or an ended program with a day an event. A removal is a
later state of the records that states nothing.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from pydantic import ValidationError

from core.evidence.sources.files.dealmaking.deals_list import deal_facts
from core.evidence.sources.files.forms.importers import Importer, begins
from core.records.accepted import AcceptedFile, AcceptedFinding
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Span
from core.tables.rows import SourceFile
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate
from core.vocabulary.sources import ACCEPTED

CONFIDENCE = 60
"""A person read the quote; no second source confirms it."""
DEAL = "deal-"
"""Begin of the number of a statement that is a deal as well."""
_MILLION = 1_000_000
_FACTS: Mapping[str, tuple[tuple[Predicate, str, str], ...]] = {
    "acquired": ((Predicate.ACQUIRED_BY, "partner", "company"),),
    "develops": ((Predicate.DEVELOPED_BY, "drug_name", "company"),),
    "licensed_from": (
        (Predicate.LICENSED_BY, "drug_name", "partner"),
        (Predicate.LICENSED_TO, "drug_name", "company"),
    ),
    "licensed_to": (
        (Predicate.LICENSED_BY, "drug_name", "company"),
        (Predicate.LICENSED_TO, "drug_name", "partner"),
    ),
    "stage": ((Predicate.IN_STAGE, "drug_name", "stage"),),
    "stopped": ((Predicate.ENDED, "drug_name", ""),),
}
"""Predicate, and the parts that are its subject and object; other statements are quotes alone."""
_LICENSES = frozenset({"licensed_from", "licensed_to"})
_UPFRONT = re.compile(r"\bup-?front\b", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:up to|total|aggregate|altogether)\b", re.IGNORECASE)
_AMOUNTS = re.compile(r"\b(?:[mb]illion|bn|mn)\b", re.IGNORECASE)


def read_accepted(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a statement."""
    try:
        file = AcceptedFile.model_validate_json(source.path.read_bytes())
    except (ValidationError, ValueError):
        source.report(1, "no file of accepted statements")
        return
    for number, finding in enumerate(file.accepted_findings):
        record = _describe(finding, source, number)
        yield Parsed(record, () if finding.is_removed else tuple(_facts(record.id, finding)))
        if record.source_id.startswith(DEAL):
            yield _describe_deal(finding, record)


def number_of(finding: AcceptedFinding) -> str:
    """Return the number of a statement, which its removal shares."""
    if finding.number:
        return finding.number
    parts = (finding.relation, finding.drug_name, finding.company, finding.partner, finding.stage)
    told = "\n".join((*parts, finding.quote, finding.url))
    is_deal = finding.relation in _LICENSES and bool(finding.drug_name and _day_of(finding))
    return f"{DEAL * is_deal}{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _day_of(finding: AcceptedFinding) -> str:
    """Return the day of a deal as the quote states it, else that of the page; "" of neither."""
    return read_date(finding.date) or finding.published_on


def _describe(finding: AcceptedFinding, source: SourceFile, number: int) -> Record:
    verb = "Removed" if finding.is_removed else "Not confirmed; accepted"
    shown = ", ".join(filter(None, (" ".join(finding.words) or finding.quote, finding.title)))
    return Record(
        source=ACCEPTED,
        source_id=number_of(finding),
        url=finding.url,
        kind="news",
        title=f"{verb} by {finding.by} on {finding.at[:10]}: {shown[:160]}",
        published_on=finding.published_on,
        updated_on=finding.at[:10],
        fetched_at=finding.at,
        licence="Quote of a page, accepted by a person",
        quote_allowed=True,
        origin=source.name,
        raw_ref=f"{source.name}:{number}",
        detail=int(datetime.fromisoformat(finding.at).timestamp()),
        spans=() if finding.is_removed else (Span("quote", finding.quote, 0, len(finding.quote)),),
        mentions=() if finding.is_removed else tuple(_mentions(finding)),
    )


def _describe_deal(finding: AcceptedFinding, record: Record) -> Parsed:
    """Return the deal that a license is, on which the tables of deals rest."""
    parties = {"licensor": finding.partner, "licensee": finding.company}
    if finding.relation == "licensed_to":
        parties = {"licensor": finding.company, "licensee": finding.partner}
    parties = {role: name for role, name in parties.items() if name}
    companies = tuple(Mention("company", name, relation=role) for role, name in parties.items())
    mentions = (Mention("drug", finding.drug_name, "investigational", "asset"), *companies)
    day = _day_of(finding)
    deal = replace(
        record,
        source="deals",
        source_id=f"{ACCEPTED}/{record.source_id}",
        kind="deal",
        title=f"license on {finding.drug_name}, {' to '.join(parties.values())}; {record.title}",
        published_on=day,
        mentions=() if finding.is_removed else mentions,
    )
    if finding.is_removed:
        return Parsed(deal, ())
    stem = replace(_stem(deal.id, finding, day), qualifiers=Qualifiers(time_point=day))
    row = {"licensor": "", "licensee": "", **parties, "day": day, "royalty": ""}
    row |= {"source": finding.url, **_amounts(finding)}
    return Parsed(deal, tuple(deal_facts(stem, row)))


def _amounts(finding: AcceptedFinding) -> dict[str, str]:
    """Return an amount as upfront or total, where the quote has one amount and says which."""
    is_alone = len(_AMOUNTS.findall(finding.quote)) == 1 and finding.currency == "USD"
    amount = f"{finding.amount:g}" if is_alone and finding.amount else ""
    is_upfront, is_total = (bool(sign.search(finding.quote)) for sign in (_UPFRONT, _TOTAL))
    return {
        "upfront": amount if is_upfront and not is_total else "",
        "total": amount if is_total and not is_upfront else "",
    }


def _mentions(finding: AcceptedFinding) -> Iterator[Mention]:
    if finding.drug_name:
        yield Mention("drug", finding.drug_name, "investigational", "asset")
    for name in (finding.company, finding.partner):
        if name:
            yield Mention("company", name, relation="pipeline")
    if finding.indication:
        yield Mention("disease", finding.indication, relation="indication")


def _facts(record_id: str, finding: AcceptedFinding) -> Iterator[Fact]:
    stem = _stem(record_id, finding, finding.published_on or finding.at[:10])
    for predicate, subject, part in _FACTS.get(finding.relation, ()):
        said, stated = getattr(finding, subject), getattr(finding, part) if part else "discontinued"
        if said and stated:
            day = _day_of(finding)
            is_end = predicate == Predicate.ENDED and day
            fact = replace(stem, subject=said, predicate=predicate, object=stated)
            yield replace(fact, as_of=day) if is_end else fact
            if predicate == Predicate.ACQUIRED_BY and day:
                yield replace(fact, predicate=Predicate.DEAL_ANNOUNCED_ON, object=day, as_of=day)
    if finding.relation == "financing" and finding.amount and finding.company:
        raised = replace(stem, subject=finding.company, predicate=Predicate.RAISED)
        yield replace(raised, value=finding.amount * _MILLION, unit=finding.currency)


def _stem(record_id: str, finding: AcceptedFinding, day: str) -> Fact:
    """Return what all facts of a statement share."""
    return Fact(
        record_id,
        finding.drug_name,
        "",
        qualifiers=Qualifiers(indication=finding.indication),
        as_of=day,
        locator="quote",
        method="human",
        status="unverified",
        confidence=CONFIDENCE,
    )


IMPORTERS = (Importer("accepted", begins('"accepted_findings"'), read_accepted, "own"),)
