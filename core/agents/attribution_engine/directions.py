"""Which way the stock of a company usually goes at its own news, by the type of the event."""

import re
from functools import cache, lru_cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows

_SIGNS = {"up": 1, "down": -1, "open": 0}
_APART = re.compile(r"[\W_]+")


class DirectionRow(TableRow):
    """Words of an event type and the direction they tell.

    Attributes:
        phrase: Words in lower case, as they stand in a type.
        direction: up, down, or open where a type with these words can go either way.
    """

    phrase: str
    direction: Literal["up", "down", "open"]


@cache
def _by_phrase() -> tuple[tuple[str, int], ...]:
    """Return the phrases, the longest first."""
    rows = load_rows("event_directions", DirectionRow)
    ordered = sorted(rows, key=lambda row: (-len(row.phrase), row.phrase))
    return tuple((f" {row.phrase} ", _SIGNS[row.direction]) for row in ordered)


@lru_cache(maxsize=4096)
def find_direction(event_type: str) -> int:
    """Return 1 for good news, -1 for bad news, 0 where the type does not tell.

    The longest phrase decides ("clinical hold lifted" before "clinical hold"); two of one length
    that disagree, and words that leave it open ("approval decision"), give 0.

    >>> find_direction("Complete Response Letter"), find_direction("phase 3 readout")
    (-1, 0)
    """
    text = f" {_APART.sub(' ', event_type.casefold()).strip()} "
    matches = [(len(phrase), sign) for phrase, sign in _by_phrase() if phrase in text]
    if not matches or any(sign == 0 for _, sign in matches):
        return 0
    signs = {sign for length, sign in matches if length == matches[0][0]}
    return signs.pop() if len(signs) == 1 else 0
