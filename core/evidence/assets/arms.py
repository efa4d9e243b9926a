"""Which drugs the arm of a trial got, as its title and description tell."""

import re
from collections.abc import Iterable, Sequence

from core.records.names import fold_name

LEAST_NAME = 4
"""Letters of a name that is looked for in the words of an arm."""
MOST_OTHERS = 4
MOST_UNTOLD = 2
"""Other drugs that an arm may have got which names none."""
_CONTROL = re.compile(
    r"\b(?:placebo|control|comparator|standard|usual|observation|sham|vehicle|no treatment|soc|"
    r"untreated|best supportive)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s*(?:\+|&|,|;|\bplus\b|\band\b|\bwith\b)\s*", re.IGNORECASE)
_CROSSED = re.compile(r"\b(?:then|followed by|switch\w*|crossover|to)\b|\u2192|->|/", re.I)
_CHOICE = re.compile(r"\b(?:will be chosen|choice of|one of the following|n-of-1)\b", re.I)
_BEFORE = re.compile(
    r"\b(?:(?:relaps|progress|respon)\w+\s+(?:\w+\s+){0,2}?(?:to|on|after|following|with)|"
    r"(?:refractory|resistant|intolerant|resistance|intolerance)\s+(?:to|of)|fail\w*|after|"
    r"following|prior|previous(?:ly)?|post|history of|pre-?treated|experienced|other than)\b"
    r"(?:(?!\b(?:were|was|will|are|receiv\w+|given|administered|enrolled|initiat\w+|start\w*)\b|"
    r"\b\d+(?:\.\d+)? ?(?:mg|mcg|g|ml|iu)\b)[^.;:+]){0,160}",
    re.IGNORECASE,
)
"""Words of what patients had before: "relapsing after only crizotinib therapy"."""


def is_own_arm(arm: str, names: Sequence[str], *, is_alone: bool) -> bool:
    """Return whether an arm got a drug for certain.

    Args:
        arm: Its title.
        names: Folded names of the drug.
        is_alone: Whether the trial gives nothing else.
    """
    arm = _BEFORE.sub(" ", arm)
    if _CHOICE.search(arm):  # a way of choosing among drugs is not the arm of one of them
        arm = arm.partition(" (")[0]
        is_alone = False
    parts = [part for part in _JOINED.split(arm) if part]
    mine = [part for part in parts if any(name in fold_name(part) for name in names)]
    if mine:
        return not any(_CONTROL.search(part) and _CROSSED.search(part) for part in parts) and any(
            not _CONTROL.search(part) for part in mine
        )
    return is_alone and not _CONTROL.search(arm)


def drugs_beside(arm: str, names: Sequence[str], others: Iterable[str]) -> tuple[str, ...]:
    """Return the other drugs of a trial that an arm got.

    An arm counts without naming its drug only where the whole trial gives the same ("Total",
    "Cohort 1"): then its few other drugs were given too.

    Args:
        arm: Its title and description.
        names: Folded names of the drug itself.
        others: Drugs of the trial as its record names them.

    >>> drugs_beside("Cohort B (etigilimab with nivolumab)", ["etigilimab"], ["Nivolumab"])
    ('Nivolumab',)
    """
    given = _BEFORE.sub(" ", arm)
    folded = fold_name(given)
    is_told = any(one in folded for one in names)
    others = list(dict.fromkeys(others))
    found: dict[str, str] = {}
    for other in others:
        name = fold_name(other)
        is_other = not any(one in name for one in names) and not _CONTROL.search(other)
        if len(name) >= LEAST_NAME and is_other and (name in folded or not is_told):
            found.setdefault(name, other)
    is_plain = is_told or len(found) <= MOST_UNTOLD
    return tuple(found.values())[:MOST_OTHERS] if is_plain else ()


def names_another(arm: str, names: Sequence[str], others: Iterable[str]) -> bool:
    """Return whether an arm names other drugs of its trial as given, and not the drug itself.

    >>> names_another("EXP-2 (were given PF-06463922)", ["crizotinib"], ["PF-06463922"])
    True
    """
    folded = fold_name(_BEFORE.sub(" ", arm))
    told = [name for name in map(fold_name, others) if len(name) >= LEAST_NAME and name in folded]
    return bool(told) and not any(name in folded for name in names)
