"""Drugs and uses that left a market, each with the last day of its approval."""

from collections.abc import Sequence
from typing import Literal

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows

Market = Literal["US", "EU"]
LAST_DAY = "9999-12-31"


class WithdrawnDrugRow(TableRow):
    """A drug, or a use of it, that left a market.

    Attributes:
        drug: Active substance.
        disease: The use that ended; "" for all.
        region: Market that it left.
        valid_to: Last day of its approval.
    """

    drug: str
    disease: str
    region: Literal["US", "EU", "all"]
    valid_to: str


def market_of(agency: str) -> Market:
    """Return the market of an agency; of others than EMA the American one stands in."""
    return "EU" if agency == "EMA" else "US"


def find_withdrawn(
    drugs: Sequence[str], diseases: Sequence[str], market: Market, day: str = LAST_DAY
) -> WithdrawnDrugRow | None:
    """Return the row by which a drug has left a market for a disease by a day.

    Args:
        drugs: Names of drugs, or regimens that have them.
        diseases: Diseases of the use.
        market: The market.
        day: The day asked about (YYYY-MM-DD); by default any day up to now.
    """
    names = [fold_name(drug) for drug in drugs]
    uses = [fold_name(disease) for disease in diseases]
    rows: tuple[WithdrawnDrugRow, ...] = load_rows("withdrawn_drugs", WithdrawnDrugRow)
    for row in rows:
        is_drug = any(fold_name(row.drug) in name for name in names)
        is_use = not row.disease or any(fold_name(row.disease) in use for use in uses)
        if is_drug and is_use and row.region in {market, "all"} and row.valid_to <= day:
            return row
    return None
