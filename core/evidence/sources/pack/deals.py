"""Licences that the starter pack names, as records of their own: one a deal.

They are what a curator knows, with the year alone and no source, so that none is sure; a price
stands only where the row names the filing that tells it.
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
from core.vocabulary.predicates import Predicate

SOURCE = "deals"


def deal_records() -> Iterator[Parsed]:
    """Yield one record a row of the pack's table of deals."""
    yield from map(describe_deal, load_rows("deals"))


def describe_deal(row: Row) -> Parsed:
    """Return the record of a row."""
    is_read = is_published(row)
    mark = "|".join(row[name].casefold() for name in ("drug", "licensee", "territory", "day"))
    where = f" ({row['territory']})" if row["territory"] else ""
    giver = f" from {row['licensor']}" if row["licensor"] else ""
    told = f"{row['licensee']} takes rights of {row['drug']}{giver}{where}, {row['day']}"
    record = Record(
        source=SOURCE,
        source_id=f"pack/{hashlib.sha256(mark.encode()).hexdigest()[:12]}",
        url=row["source_url"],
        kind="deal",
        title=row["source_title"] if is_read else f"Starter pack: {told}",
        published_on=row["day"],
        updated_on=row["day"],
        fetched_at=row["curated_on"],
        licence=LICENCE_OF_READ if is_read else LICENCE,
        origin=ORIGIN,
        raw_ref="deals.csv",
        detail=DETAIL,
        mentions=(
            Mention("drug", row["drug"], "investigational", "asset"),
            *(
                Mention("company", row[one], relation=one)
                for one in ("licensor", "licensee")
                if row[one]
            ),
        ),
    )
    stem = Fact(
        record.id,
        row["drug"],
        Predicate.LICENSED_TO,
        qualifiers=Qualifiers(region=row["territory"], time_point=row["day"]),
        as_of=row["day"],
        locator=row["source_locator"] or "deals.csv",
        method="human",
        basis="published" if is_read else "expert",
        status="verified" if is_read else "unverified",
        confidence=90 if is_read else CONFIDENCE,
    )
    return Parsed(record, tuple(deal_facts(stem, row)))
