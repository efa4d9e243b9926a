"""Lists of drugs in the label of a product: "A; B, C" and "TRIPLE (A;B;C)"."""

import re
from collections.abc import Iterable, Iterator, Sequence

from core.evidence.names.identity.drug_names import IN_BRACKETS, split_combination, split_list
from core.records.identity import Match

_LISTED_INSIDE = re.compile(r"[^();]+\(([^();]+(?:;[^();]+)+)\)")
"""A list of several drugs behind a name for the whole of it."""


def is_whole(match: Match) -> bool:
    """Return whether a label was read as one drug, not only what stands in its brackets."""
    return bool(match.key) and match.how != IN_BRACKETS


def parts_of(said: str, match: Match) -> list[str]:
    """Return a part of a list as it is where it is one drug, else what is joined in it."""
    return [said] if is_whole(match) else split_combination(said)


def tells_drugs(label: str, matches: Iterable[Match]) -> bool:
    """Return whether a list is one of drugs; behind a name it must tell two at least.

    Brackets behind a name hold other things, too: "Avonex (interferon beta-1a; Biogen)".
    """
    least = 1 if len(split_list(label)) > 1 else 2
    return len({one.key for one in matches if is_whole(one)}) >= least


def split_all(listed: Sequence[str]) -> Iterator[str]:
    """Yield what is joined in the parts of a list."""
    for one in listed:
        yield from split_combination(one)


def listed_in(label: str) -> list[str]:
    """Return the parts of a list, also of one in brackets behind a name for the whole of it.

    >>> listed_in("TRIPLE SULFA (SULFABENZAMIDE;SULFACETAMIDE;SULFATHIAZOLE)")
    ['SULFABENZAMIDE', 'SULFACETAMIDE', 'SULFATHIAZOLE']
    """
    inside = _LISTED_INSIDE.fullmatch(label)
    parts = split_list(inside[1] if inside else label)
    return parts if len(parts) > 1 else []
