"""Whether a trial for certain tests a drug, so that the starter pack may keep it as the drug's.

The register links drugs and arms only in part of its copies. A drug that is compared with, given
to everybody, or had before by the patients often stands in a trial like the one that is tested;
here arms, list of interventions, sponsor and title must agree. In doubt a trial is left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.records.evidence import Role
from core.records.names import fold_name

LEAST_NAME = 3
"""Letters of a name that is looked for in a title."""
Standing = Literal["tested", "joined", "aside", "unnamed", "untitled"]
_FOLLOW_ON = re.compile(
    r"\bbio-?similar|\bbio-?equivalen|\bgeneric\b|\bsimilar biologic|"
    r"\b(?:proposed|reference) (?:product|drug)",
    re.IGNORECASE,
)
"""Words of trials of somebody else's copy of a drug."""
AGAINST = re.compile(
    r"\b(?:versus|vs|compared (?:to|with)|(?:in )?comparison (?:to|with)|against|comparator|"
    r"relative to|instead of|rather than|superior(?:ity)? (?:to|over)|non-?inferior(?:ity)? to|"
    r"comparing\b.{3,120}?\b(?:to|with)|comparison (?:of|between)\b.{3,120}?\b(?:and|to|with)|"
    r"randomi[sz]ed to|followed by|alternating with)\b",
    re.IGNORECASE,
)
_HAD_BEFORE = re.compile(
    r"(?:\b(?:receiv\w+|tak(?:es|ing)|treated (?:with|by)|after|following|prior|previous\w*|"
    r"pre-?treat\w+|despite|switch\w*|conver\w+|transition\w*|exposed|background|ongoing|existing|"
    r"discontinu\w+|withdr\w+|standard|usual|concomitant|concurrent|interaction\w*|reversal of|"
    r"(?:added|add-?on|adding|adjunct\w*|addition) (?:\w+ ){0,2}to|"
    r"(?:induced|caused) by|toxicity of|effects? on|"
    r"(?:patients|subjects|participants|adults|children|women|men|people|volunteers) on)|"
    r"\b(?:refractory|resist\w+|intoleran\w+|fail\w*|inadequate\w*|insufficient\w*|"
    r"(?:un)?controlled(?! (?:[\w-]+ ){0,3}(?:study|trial))|respon\w+|progress\w+|relaps\w+|"
    r"stable)\W+(?:\w+\W+)?(?:to|of|on|with|after|by))"
    r"\W+(?:[\w'-]+\W+){0,2}$",
    re.IGNORECASE,
)
_CONTINUED = re.compile(r"\bcontinued\W+$", re.IGNORECASE)
_MARKS = re.compile(
    r"[\s-]*(?:pre-?)?(?:treated|refractory|resistan\w+|na[iï]ve|experienced|exposed|induced|"
    r"associated|related|dependen\w+|failures?|fail\w*|(?:non-?)?responders?|intoleran\w+|"
    r"inadequate|sensitiv\w+|eluting|users?|based|background|containing|positive|regimens?|"
    r"maintained|stabilized|controlled|overdos\w+|toxicity|withdrawal|discontinuation|backbone|"
    r"sparing|free|withdraw\w+|tapering|clamp|challenge|test|stimulation)\b",
    re.IGNORECASE,
)
"""Words after a name by which it only tells of the patients or of the rest of a regimen."""
_OPEN = re.compile(
    r"(?:\b(?:treatments?|therapy|monotherapy|immuni[sz]ation|vaccination|prophylaxis|infusions?|"
    r"dosing|injections?|study|trial|with or|and/or|comparing)\W+)(?:with|without|of|and)\W+$|"
    r"\b(?:with or without|with/without|with and without|adding|addition of|"
    r"to (?:investigate|evaluate|assess|study|test|examine|explore))\W+$|(?:±|\+/-)\s*$",
    re.IGNORECASE,
)
"""Words before a name by which it is tested although "with" stands there."""
_JOINED = re.compile(
    r"(?:\b(?:plus|and|with|or|to|in addition to|without|then|on)\b|[+/&,])\W*(?:[\w-]+\W+)?$",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(
    r"\W*(?:alone|monotherapy)?\W*(?:\b(?:and|or) (?:in combination )?with\b|\bwith or without\b|"
    r"\bwith/without\b|\bwith and without\b|\balone or\b|±|\+/-|"
    r"\bw/? ?(?:or|and|/)? ?w/? ?o(?:ut)?\b)",
    re.IGNORECASE,
)
"""Words after a name by which what follows may be what is tested: "X with or without Y"."""

_ADDED = re.compile(
    r"(?:\b(?:with (?:or|and|vs\.?|versus) without|with/without|"
    r"w/? ?(?:or|and|/)? ?w/? ?o(?:ut)?)\b|"
    r"\u00b1|\+/-)\W*(?:(?:anti[\w-]*|monoclonal|antibody|the|an?|investigational|experimental)\W+)*",
    re.IGNORECASE,
)
"""Words before what only a part of the arms gets."""
_REST = re.compile(
    r"\b(?:in|among|for) (?:[\w-]+ ){0,5}?(?:patients|subjects|participants|adults|people|children|"
    r"women|men)\b",
    re.IGNORECASE,
)
_ANY_CODE = re.compile(r"(?=[\w-]*\d{3})(?=[\w-]*[A-Z])\w[\w-]+")
_GIVEN_WITH = re.compile(
    r"(?:\b(?:plus|added to|(?:in combination|combined|together) with)\b|\+)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b[A-Z]{2,5}-?\d{3,}\b")
_ALONE = re.compile(r"\W*(?:\w+ )?(?:alone|monotherapy|only)\b", re.IGNORECASE)
_WITH = re.compile(r"\W*(?:plus\b|with\b|(?:combined|in combination) with\b|\+)", re.IGNORECASE)
_OF_PATIENTS = re.compile(
    r"\b(?:in|among|for|of) (?:[\w-]+ ){0,5}?(?:patients|subjects|participants|adults|people|"
    r"children|women|men|individuals|volunteers)\b|\bon top of\b|\badd(?:ed|-on)\b|\btaking\b|"
    r"\b(?:in|not )adequate|\bbackground\b|\bwith or without\b|\bin combination with\b",
    re.IGNORECASE,
)
"""Words after "versus" from which on a title tells of the patients and of what all of them get."""


@dataclass(frozen=True)
class Part:
    """An intervention of a trial.

    Attributes:
        role: Its role as read from arms and title.
        names: All names by which a title may call it.
        is_mine: Whether it is the drug asked for.
        is_placebo: Whether it is a placebo, which says that arms are blinded.
        is_mixed: Whether its label names other drugs, too.
    """

    role: Role
    names: Sequence[str]
    is_mine: bool = False
    is_placebo: bool = False
    is_mixed: bool = False


def is_certain(
    title: str, parts: Sequence[Part], *, is_own: bool, is_marketed: bool = False
) -> bool:
    """Return whether a trial for certain tests the drug.

    Args:
        title: Its title; "" where the copy has none.
        parts: Its interventions.
        is_own: Whether a company of the drug leads it.
        is_marketed: Whether the drug has an approval, so that a new one may be added to it.
    """
    mine = [
        intervention
        for intervention in parts
        if intervention.is_mine and not intervention.is_placebo
    ]
    others = [
        intervention
        for intervention in parts
        if not intervention.is_mine and not intervention.is_placebo
    ]
    if any(intervention.role != "investigational" for intervention in mine) or _FOLLOW_ON.search(
        title
    ):
        return False  # of two names of one drug the one that is compared is the original
    names = [name for intervention in mine for name in intervention.names]
    standing = stands(title, names)
    if is_marketed and _has_another_added(title, names, others):
        standing = "aside"
    is_open = any(other.role == "unclear" for other in others)
    is_behind = is_open and (not is_own or _is_behind_a_code(title, names))
    if standing == "aside" or (standing == "joined" and is_behind):
        return False  # what stands before it may be the other one, by a code that no name tells
    is_mixed = not mine or any(intervention.is_mixed for intervention in mine)
    if not others and not is_mixed:
        return is_own or standing in {"tested", "untitled"}
    is_only = not is_mixed and all(other.role != "investigational" for other in others)
    if is_only and _have_contrast(parts):
        return standing in {"tested", "joined"} or (is_own and standing == "unnamed")
    if standing != "tested" or not _is_first(title, names, others):
        return False
    # a drug without an approval that a title names before all others is what is tried
    is_new = not is_marketed and not is_mixed and not _ADDED.search(title)
    return is_own or is_new or (is_only and all(other.role != "unclear" for other in others))


def is_likely(title: str, parts: Sequence[Part]) -> bool:
    """Return whether a trial tests a drug that nobody sells, alone or with others.

    Args:
        title: Its title; "" where the copy has none.
        parts: Its interventions.
    """
    mine = [
        intervention
        for intervention in parts
        if intervention.is_mine and not intervention.is_placebo
    ]
    roles = {intervention.role for intervention in mine}
    if "investigational" not in roles or roles - {"investigational", "unclear"}:
        return False
    names = [name for intervention in mine for name in intervention.names]
    return not _FOLLOW_ON.search(title) and stands(title, names) != "aside"


def _have_contrast(parts: Sequence[Part]) -> bool:
    """Return whether the arms say what all of them get, or that one gets a placebo."""
    return any(
        intervention.is_placebo or intervention.role == "background" for intervention in parts
    )


def stands(title: str, names: Sequence[str]) -> Standing:
    """Return where the first mention of a drug stands in a title.

    >>> stands("Drugoxib versus otheroxib in gout", ["drugoxib"])
    'tested'
    >>> stands("Otheroxib added to drugoxib in gout", ["drugoxib"])
    'aside'
    >>> stands("Otheroxib plus drugoxib in gout", ["drugoxib"])
    'joined'
    """
    if not title:
        return "untitled"
    position = first_place(title, names)
    if position is None:
        return "unnamed"
    before, after = title[: position[0]], title[position[1] :]
    if AGAINST.search(before) or _MARKS.match(after) or _is_in_all_arms(after, names):
        return "aside"
    if _CONTINUED.search(before) or (_HAD_BEFORE.search(before) and not _OPEN.search(before)):
        return "aside"
    if _OPTIONAL.match(after):
        return "joined"
    return "joined" if _JOINED.search(before) and not _OPEN.search(before) else "tested"


def _has_another_added(title: str, names: Sequence[str], others: Sequence[Part]) -> bool:
    """Return whether a title has a drug in all arms and another one, or a code, in some.

    >>> _has_another_added("Drugoxib with or without OTH-941 in gout", ["drugoxib"], [])
    True
    """
    position = first_place(title, names)
    after = title[position[1] :] if position else ""
    added = _ADDED.search(after)
    if not added or any(pattern.search(after[: added.start()]) for pattern in (AGAINST, _REST)):
        return False
    remainder = after[added.end() :]
    placed = (first_place(remainder, other.names) for other in others)
    return bool(_ANY_CODE.match(remainder)) or any(
        position and position[0] == 0 for position in placed
    )


def is_given_with(title: str, label: str) -> bool:
    """Return whether a title names a drug only as what is given with another one.

    >>> is_given_with("Drugoxib in combination with FOLFOX in gout", "FOLFOX (leucovorin)")
    True
    >>> is_given_with("Drugoxib versus otheroxib plus FOLFOX", "FOLFOX")
    False
    """
    word = next(iter(re.findall(r"[^\W\d_]{4,}", label)), "")
    position = first_place(title, [word]) if word else None
    before = title[: position[0]] if position else ""
    return bool(_GIVEN_WITH.search(before)) and not AGAINST.search(before)


def _is_behind_a_code(title: str, names: Sequence[str]) -> bool:
    """Return whether a code stands before a drug that may be another one of unclear part."""
    position = first_place(title, names)
    return bool(position and _CODE.search(title[: position[0]]))


def _is_in_all_arms(after: str, names: Sequence[str]) -> bool:
    """Return whether a title has a drug with another one on one side of "versus", and on both.

    >>> _is_in_all_arms(" alone versus drugoxib and otheroxib", ["drugoxib"])
    True
    >>> _is_in_all_arms(" plus otheroxib versus drugoxib", ["drugoxib"])
    True
    >>> _is_in_all_arms(" 5 mg versus drugoxib 10 mg", ["drugoxib"])
    False
    """
    against = AGAINST.search(after)
    again = first_place(after[against.end() :], names) if against else None
    if not against or not again:
        return False
    remainder = after[against.end() :]
    return bool(
        _ALONE.match(after)
        or re.search(r"\bcombination of\W+(?:\w+\W+)?$", remainder[: again[0]], re.IGNORECASE)
        or re.search(
            r"\b(?:plus|(?:combined )?with|added to)\W*$|\+\W*$", remainder[: again[0]], re.I
        )
        or _WITH.match(after)
        or _WITH.match(remainder[again[1] :])
    )


def is_of_patients(title: str, label: str) -> bool:
    """Return whether a title names a drug after "versus" only as what its patients get.

    >>> is_of_patients("Drugoxib versus otheroxib in patients on metformin", "Metformin")
    True
    >>> is_of_patients("Drugoxib versus otheroxib in patients on metformin", "Otheroxib")
    False
    """
    against = AGAINST.search(title)
    match = _OF_PATIENTS.search(title, against.end()) if against else None
    word = next(iter(re.findall(r"[^\W\d_]{4,}", label)), "")
    position = first_place(title, [word]) if word else None
    return bool(match and position and position[0] > match.start())


def _is_first(title: str, names: Sequence[str], others: Sequence[Part]) -> bool:
    """Return whether a title names a drug before every other one of its trial."""
    mine = first_place(title, names)
    places = (first_place(title, other.names) for other in others)
    return mine is not None and all(
        position is None or mine[0] < position[0] for position in places
    )


def first_place(title: str, names: Sequence[str]) -> tuple[int, int] | None:
    """Return where the first of some names stands, the longest of those that begin there."""
    spans = [match.span() for name in names for match in [_pattern(name).search(title)] if match]
    return min(spans, key=lambda span: (span[0], -span[1]), default=None)


@lru_cache(maxsize=16_384)
def _pattern(name: str) -> re.Pattern[str]:
    """Return what finds a name, whatever stands between its letters and digits."""
    if len(fold_name(name)) < LEAST_NAME:
        return re.compile(r"(?!)")
    runs = re.findall(r"[^\W\d_]+|\d+", name)
    pattern = r"[\W_]{0,2}".join(map(re.escape, runs))
    return re.compile(rf"(?<![^\W_]){pattern}(?![^\W_])", re.IGNORECASE)
