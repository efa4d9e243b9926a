"""Populations that exclude each other, as requests name them."""

import re
from collections.abc import Iterable, Iterator

from core.vocabulary.tables import TableRow, load_rows

_RANGE = re.compile(
    r"\b(\d{1,3}) ?(?:to|through|-|–) ?(\d{1,3})(?: years?|[- ]year[- ]olds?)\b", re.I
)


class ContradictionRow(TableRow):
    """Two descriptions that hold for no patient together.

    Attributes:
        key: Its name.
        first: Pattern of the one; a group "what" names what both speak of.
        second: Pattern of the other; "" where the first has both.
        message: What excludes what; {what} is the group.
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
    rows: tuple[ContradictionRow, ...] = load_rows("contradictions", ContradictionRow)
    found = [row.message.replace("{what}", what) for row in rows for what in _conflicts(row, text)]
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
    rows: tuple[ContradictionRow, ...] = load_rows("contradictions", ContradictionRow)
    both = tuple(what for row in rows for what in _conflicts(row, text) if what)
    return tuple(name for name in biomarkers if not (both and name.upper().startswith(both)))


def _conflicts(row: ContradictionRow, text: str) -> list[str]:
    """Return what both descriptions of a row speak of in a text; "" where they name nothing."""
    flags = 0 if "?P<what>" in row.first else re.IGNORECASE
    named = [
        {
            (match.groupdict().get("what") or "").upper()
            for match in re.finditer(pattern, text, flags)
        }
        for pattern in (row.first, row.second)
        if pattern
    ]
    return sorted(set.intersection(*named))
