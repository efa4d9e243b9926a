"""Deals that the starter pack names, as records of their own.

They are what a curator knows, with the year alone and no source, so that none is sure; a price
stands only where the row names the filing that tells it. A row that names a partner alone does not
report the type of its deal.
"""

import hashlib
from collections.abc import Iterator

from core.evidence.sources.files.dealmaking.deals_list import deal_facts
from core.evidence.sources.pack.files import Row
from core.evidence.sources.pack.own_records import (
    CONFIDENCE,
    DETAIL,
    LICENCE,
    LICENCE_OF_READ,
    ORIGIN,
)
from core.evidence.sources.pack.reading import load_rows
from core.evidence.sources.pack.schema import is_published
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record

SOURCE = "deals"
ROLES = ("licensor", "licensee", "partner")


def deal_records() -> Iterator[Parsed]:
    """Yield one record a row of the pack's table of deals."""
    yield from map(describe_deal, load_rows("deals"))


def describe_deal(row: Row) -> Parsed:
    """Return the record of a row."""
    is_read = is_published(row)
    company = row["licensee"] or row["partner"]
    mark = "|".join((row["drug"], company, row["territory"], row["day"])).casefold()
    number = hashlib.sha256(mark.encode()).hexdigest()[:12]
    record = Record(
        source=SOURCE,
        source_id=f"{'read' if is_read else 'pack'}/{number}",
        url=row["source_url"],
        kind="deal",
        title=row["source_title"] if is_read else f"Starter pack: {_title(row)}",
        published_on=row["day"],
        updated_on=row["day"],
        fetched_at=row["curated_on"],
        licence=LICENCE_OF_READ if is_read else LICENCE,
        origin=ORIGIN,
        raw_ref="deals.csv",
        detail=DETAIL,
        mentions=(
            Mention("drug", row["drug"], "investigational", "asset"),
            *(Mention("company", row[role], relation=role) for role in ROLES if row[role]),
        ),
    )
    stem = Fact(
        record.id,
        row["drug"],
        "",
        qualifiers=Qualifiers(region=row["territory"], time_point=row["day"]),
        as_of=row["day"],
        locator=row["source_locator"] or "deals.csv",
        method="human",
        basis="published" if is_read else "expert",
        status="verified" if is_read else "unverified",
        confidence=90 if is_read else CONFIDENCE,
    )
    return Parsed(record, tuple(deal_facts(stem, row)))


def _title(row: Row) -> str:
    """Return the deal in words, with the parties that the row names."""
    is_typed = row["type"] != "other"
    kind = row["type"].replace("_", " ") if is_typed else "deal (type not reported)"
    parties = [f"{role} {row[role]}" for role in ROLES if row[role]]
    where = [row["territory"]] if row["territory"] else []
    return ", ".join((f"{kind} on {row['drug']}", *parties, *where, row["day"]))
