"""Words of a question that bound the money of a deal: "above $500 million upfront"."""

import re
from typing import NamedTuple

_FIELD = r"upfronts?(?: payments?| cash)?|up-front(?: payments?)?|(?:deal |total )?value|total"
_AT_LEAST = r"above|at least|exceeding|greater than|larger than|more than|over|north of|>=?|\u2265"
_AT_MOST = r"at most|below|less than|smaller than|under|up to|<=?|\u2264"
_BOUND = re.compile(
    r"(?P<no>\b(?:no|none|not|nothing)\s+)?(?:\b(?:with|of|for|worth)\s+)?"
    rf"(?:\b(?:an?|the)\s+)?(?:\b(?P<before>{_FIELD})\s+)?(?:of\s+)?"
    rf"(?:(?P<least>{_AT_LEAST})|(?P<most>{_AT_MOST}))?\s*(?P<sign>(?:US)?\$|USD)?\s*"
    r"(?P<number>\d[\d,]*(?:\.\d+)?)\s*(?P<unit>millions?|billions?|mn|mm|bn|m|b)\b(?P<plus>\+)?"
    rf"(?:\s*(?:USD|(?:US )?dollars))?(?:\s+(?:in\s+)?(?P<behind>{_FIELD})\b)?"
    r"(?!\s+(?:in\s+)?(?:biobucks|milestones?|royalt))",
    re.IGNORECASE,
)
_SHORT = frozenset({"bn", "mn", "mm", "billion"})
"""Units that stand for money without a sign."""


class MoneyBound(NamedTuple):
    """How much a deal must be worth, in millions of US dollars, and where a text says so."""

    start: int
    end: int
    is_upfront: bool
    value: float
    is_most: bool

    @property
    def words(self) -> str:
        """Return the bound as a sentence names it."""
        name = "an upfront payment" if self.is_upfront else "a total value"
        return f"{name} of {'at most' if self.is_most else 'at least'} ${self.value:,g} million"

    def holds(self, upfront: float | None, total: float | None) -> bool:
        """Return whether a deal meets it; one of unknown amount does not."""
        amount = upfront if self.is_upfront or total is None else total
        if amount is None:
            return False
        return amount <= self.value if self.is_most else amount >= self.value


def find_bound(text: str) -> MoneyBound | None:
    """Return the bound that a text names.

    >>> find_bound("deals above $500 million upfront").words
    'an upfront payment of at least $500 million'
    """
    for match in _BOUND.finditer(text):
        is_money = match["sign"] or match["before"] or match["behind"] or match["unit"] in _SHORT
        if is_money and (match["least"] or match["most"] or match["plus"]):
            value = float(match["number"].replace(",", "")) * 1_000 ** (match["unit"][0] in "bB")
            is_upfront = f"{match['before']}{match['behind']}".casefold().find("up") >= 0
            is_most = bool(match["most"]) != bool(match["no"])
            return MoneyBound(*match.span(), is_upfront, value, is_most)
    return None
