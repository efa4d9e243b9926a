"""Populations that exclude each other, as requests name them."""

import re
from collections.abc import Iterable, Iterator

from core.vocabulary.tables import TableRow, load_rows

_RANGE = re.compile(
    r"\b(\d{1,3}) ?(?:to|through|-|–) ?(\d{1,3})(?: years?|[- ]year[- ]olds?)\b", re.I
)


class ContradictionRow(TableRow):
    """Two patterns that hold for no patient together; a group "what" is what both speak of.

    Without a second pattern the first has both; {what} of the message is the group.
    """

    key: str
    first: str
    second: str
    message: str


def find_contradictions(text: str) -> Iterator[str]:
    """Yield a warning for each pair of descriptions in a text that hold for no patient together.

    >>> list(find_contradictions("HER2-positive, HER2-negative"))[0].partition(":")[0]
    'contradiction'
    """
    found = [row.message.replace("{what}", what) for row, what in _conflicts(text)]
    for low, high in _RANGE.findall(text):
        if int(low) > int(high):
            found.append(f"the age range {low} to {high} years")
    for message in dict.fromkeys(found):
        yield (
            f"contradiction: the request names populations that exclude each other ({message}). "
            "Ask for one of them; markers named with both signs are not used."
        )


def without_conflicts(biomarkers: Iterable[str], text: str) -> tuple[str, ...]:
    """Return biomarkers without those that a text names with both signs.

    >>> without_conflicts(["HER2-positive", "HR-positive"], "HER2-positive and HER2-negative")
    ('HR-positive',)
    """
    both = tuple(what for _, what in _conflicts(text) if what)
    return tuple(name for name in biomarkers if not (both and name.upper().startswith(both)))


def _conflicts(text: str) -> Iterator[tuple[ContradictionRow, str]]:
    """Yield the rows whose patterns both match, with what they speak of; "" where with nothing."""
    for row in load_rows("contradictions", ContradictionRow):
        flags = 0 if "?P<what>" in row.first else re.IGNORECASE
        matches = [
            {(m.groupdict().get("what") or "").upper() for m in re.finditer(pattern, text, flags)}
            for pattern in filter(None, (row.first, row.second))
        ]
        yield from ((row, what) for what in sorted(set.intersection(*matches)))
