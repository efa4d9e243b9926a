"""Statements of pages that a person accepted, in a file of our own form (JSON).

A removal is a later state of the record that states nothing.
"""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime

from pydantic import ValidationError

from core.evidence.sources.files.forms.importers import Importer, begins
from core.records.accepted import ACCEPTED, AcceptedFile, AcceptedFinding
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Span
from core.tables.rows import SourceFile
from core.vocabulary.predicates import Predicate

SURE = 75
"""Confidence: a person read the quote, no second source confirmed it."""
_MILLION = 1_000_000
_FACTS: Mapping[str, tuple[tuple[Predicate, str, str], ...]] = {
    "acquired": ((Predicate.ACQUIRED_BY, "partner", "company"),),
    "develops": ((Predicate.DEVELOPED_BY, "drug", "company"),),
    "licensed_from": (
        (Predicate.LICENSED_BY, "drug", "partner"),
        (Predicate.LICENSED_TO, "drug", "company"),
    ),
    "licensed_to": (
        (Predicate.LICENSED_BY, "drug", "company"),
        (Predicate.LICENSED_TO, "drug", "partner"),
    ),
    "stage": ((Predicate.IN_STAGE, "drug", "stage"),),
    "stopped": ((Predicate.ENDED, "drug", ""),),
}
"""Predicate, and the parts that are its subject and object; other statements are quotes alone."""
AGREED = "agreed to acquire"


def read_accepted(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a statement."""
    try:
        file = AcceptedFile.model_validate_json(source.path.read_bytes())
    except (ValidationError, ValueError):
        source.report(1, "no file of accepted statements")
        return
    for number, finding in enumerate(file.accepted_findings):
        yield _parse(finding, source, number)


def number_of(finding: AcceptedFinding) -> str:
    """Return the number of a statement, which its removal shares."""
    if finding.number:
        return finding.number
    parts = (finding.relation, finding.drug, finding.company, finding.partner, finding.stage)
    told = "\n".join((*parts, finding.quote, finding.url))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _parse(finding: AcceptedFinding, source: SourceFile, number: int) -> Parsed:
    verb = "Removed" if finding.is_removed else "Accepted"
    shown = finding.title or finding.quote
    record = Record(
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
    facts = () if finding.is_removed else tuple(_facts(record.id, finding))
    return Parsed(record, facts)


def _mentions(finding: AcceptedFinding) -> Iterator[Mention]:
    if finding.drug:
        yield Mention("drug", finding.drug, "investigational", "asset")
    for name in (finding.company, finding.partner):
        if name:
            yield Mention("company", name, relation="pipeline")
    if finding.indication:
        yield Mention("disease", finding.indication, relation="indication")


def _facts(record_id: str, finding: AcceptedFinding) -> Iterator[Fact]:
    if finding.says == AGREED:
        return
    qualifiers = Qualifiers(indication=finding.indication)
    for predicate, subject, part in _FACTS.get(finding.relation, ()):
        said, stated = getattr(finding, subject), getattr(finding, part) if part else "discontinued"
        if said and stated:
            yield Fact(
                record_id,
                said,
                predicate,
                stated,
                qualifiers=qualifiers,
                as_of=finding.published_on or finding.at[:10],
                locator="quote",
                method="human",
                confidence=SURE,
            )
    if finding.relation == "financing" and finding.amount and finding.company:
        yield Fact(
            record_id,
            finding.company,
            Predicate.RAISED,
            value=finding.amount * _MILLION,
            unit=finding.currency,
            as_of=finding.published_on or finding.at[:10],
            locator="quote",
            method="human",
            confidence=SURE,
        )


IMPORTERS = (Importer("accepted", begins('"accepted_findings"'), read_accepted, "own"),)
