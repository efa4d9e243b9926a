"""Decisions, notices and target action dates of the FDA that the starter pack names, as records.

Each row was read at the address that it names. A row with an outcome dates the decision, the
meeting of an advisory committee or the notice; one without says by when the FDA means to decide.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from core.evidence.names.companies import name_at_fda
from core.evidence.sources.pack.files import Row
from core.evidence.sources.pack.own_records import DETAIL, LICENCE_OF_READ, ORIGIN
from core.evidence.sources.pack.reading import load_rows
from core.evidence.sources.pack.schema import OUTCOMES, is_published
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.vocabulary.predicates import Predicate

SOURCE = "fda-actions"
CONFIDENCE = 90
WITHDRAWN = "approval withdrawn"
A_DAY = len("2026-11-23")


def fda_date_records() -> Iterator[Parsed]:
    """Yield one record a row of the pack's tables of decisions, target dates and withdrawals."""
    rows = load_rows("fda_dates")
    yield from map(describe_date, rows)
    noticed = {row["drug"] for row in rows if row["outcome"] == WITHDRAWN}
    for row in load_rows("ends"):
        is_dated = is_published(row) and len(row["ended_on"]) == A_DAY and row["region"] == "FDA"
        if is_dated and row["drug"] not in noticed:
            yield describe_date(_as_decision(row))


def _as_decision(row: Row) -> Row:
    """Return the end of an approval as a row of decisions."""
    scope = "approval of one use" if row["indication"] else "approval of the application"
    about = {"brand": "", "company": "", "due_on": "", "diseases": row["indication"]}
    dated = {"application": scope, "outcome": WITHDRAWN, "decided_on": row["ended_on"]}
    return {**row, **about, **dated}


def describe_date(row: Row) -> Parsed:
    """Return the record of a row."""
    key = (row["drug"], row["indication"], row["due_on"], row["decided_on"])
    number = hashlib.sha256("|".join(key).casefold().encode()).hexdigest()[:12]
    outcome = OUTCOMES.get(row["outcome"], "")
    kind = row["application"] or "application"
    what = f"FDA {outcome} {row['decided_on']}" if outcome else f"FDA target date {row['due_on']}"
    brand = f" ({row['brand']})" if row["brand"] else ""
    day = row["decided_on"] if outcome else row["as_of"]
    record = Record(
        source=SOURCE,
        source_id=number,
        url=row["source_url"],
        kind="regulatory_notice" if outcome else "company_disclosure",
        title=f"{what}: {row['drug']}{brand}, {kind}",
        published_on=day,
        updated_on=row["as_of"],
        fetched_at=row["curated_on"],
        licence=LICENCE_OF_READ,
        origin=ORIGIN,
        raw_ref="fda_dates.csv",
        detail=DETAIL,
        mentions=tuple(_mentions(row)),
    )
    fact = Fact(
        record.id,
        row["drug"],
        Predicate.TARGET_DATE,
        row["due_on"],
        unit=kind,
        qualifiers=Qualifiers(region="FDA", indication=row["indication"], population=outcome),
        as_of=row["as_of"],
        locator=row["source_locator"] or "fda_dates.csv",
        method="human",
        basis="published",
        status="verified",
        confidence=CONFIDENCE,
    )
    if outcome:
        fact = replace(fact, predicate=Predicate.DECIDED_ON, object=row["decided_on"])
    return Parsed(record, (fact,))


def _mentions(row: Row) -> Iterator[Mention]:
    yield Mention("drug", row["drug"], "investigational", "asset")
    if row["brand"]:
        yield Mention("drug", row["brand"], relation="brand")
    if row["company"]:
        yield Mention("company", name_at_fda(row["company"]), relation="applicant")
    for disease in filter(None, row["diseases"].split("|")):
        yield Mention("disease", disease, relation="indication")
