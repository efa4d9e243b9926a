"""Items of Form 8-K that tell of deals, with their headings."""

from collections.abc import Mapping
from functools import cache

from core.vocabulary.tables import TableRow, load_rows


class FilingItemRow(TableRow):
    """An item.

    Attributes:
        item: Its number.
        heading: Its heading on the form.
    """

    item: str
    heading: str


@cache
def items_of_deals() -> Mapping[str, str]:
    """Return headings by number of the item."""
    return {row.item: row.heading for row in load_rows("filing_items", FilingItemRow)}
