"""Which drugs the arm of a trial got, as its title and description tell.

An arm is written "Title (description)". A drug that the title names was given; one that only the
description names was given where it stands beside words of giving or a dose, and not as what
patients had before, get later, may choose, or are compared with.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from core.evidence.names.identity.drug_names import clean_label
from core.records.evidence_pack import StoredFact
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate

LEAST_NAME = 4  # letters of a name that is looked for in the words of an arm
MOST_OTHERS = 4
MOST_UNTOLD = 2
"""Other drugs that an arm may have got which names none."""
_CONTROL = re.compile(
    r"\b(?:placebo|control|comparator|standard(?! (?:dos|release|formulation|titration))|usual|"
    r"observation|sham|vehicle|no treatment|soc|untreated|best supportive)\b",
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
_DENIED = re.compile(
    r"(?:\b(?:non|pre|anti|without|no|not \w+|except|excluding|besides|versus|vs\.?|"
    r"with or without|compared (?:to|with)|match(?:ing|es)?|"
    r"matched (?:to|with)|mimic\w*|resembl\w+|identical (?:\w+ ){0,2}to|switch\w* from)|"
    r"placebo (?:for|of|to))[\s-]*$",
    re.IGNORECASE,
)
"""Words before a name by which the drug was not given: "Non-Aliskiren Based Regimen"."""
_PLACEBO = re.compile(
    r"[\s-]*(?:\d[\d.,]* ?(?:mg|mcg|g|ml|iu|units?)[\s-]*)?(?:match(?:ed|ing)[\s-]+)?placebo",
    re.IGNORECASE,
)
"""Words after a name by which only its look was given: "Aliskiren 150 mg placebo"."""
_GIVING = re.compile(
    r"(?:\b(?:receiv\w+|given|administ\w+|treat\w+ with|infus\w+|inject\w+|tak(?:e|es|ing)|took|"
    r"combin\w+ (?:of|with)|initiat\w+|start\w+ (?:on|with)|plus|randomi[sz]ed to|doses? of|"
    r"addition (?:of|to)|along with)|\+|"
    r"\d ?(?:mg|mcg|[\u00b5\u03bc]g|ug|g|ml|iu|units?|%|micrograms?|milligrams?)(?:/\w+)*(?: of)?)"
    r"\W*(?:[\w.,/%-]+\W+){0,6}$",
    re.IGNORECASE,
)
_GIVEN_AFTER = re.compile(
    r"\W*(?:[\w-]+\W+){0,3}\d|\W+(?:was|were|is|will be|are) (?:given|administered|supplied|taken)",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:followed by|then|switch\w*|cross\w*[- ]?over|run-in|wash-?out|extension|thereafter|"
    r"open-label (?:period|phase|extension)|OL (?:period|phase))\b",
    re.IGNORECASE,
)
"""From here on a description speaks of another time than that of the figures, perhaps."""
_ROUTE = re.compile(
    r"\s+(?:iv|sc|im|po|oral|intravenous(?:ly)?|subcutaneous(?:ly)?)$", re.IGNORECASE
)
_FORM = re.compile(
    r"(?:intra\w+|sub-?cutaneous(?:ly)?|oral|iv|sc|im|inhaled|inhalation|nasal|topical|tablets?|"
    r"capsules?|injection|infusion|placebo|[\d.]+|m?g|mcg|kg|ml|iu|units?|\W)+",
    re.IGNORECASE,
)
_RUN_IN = re.compile(r"\W*(?:run-in|wash-?out|withdrawal)", re.IGNORECASE)
_OR_BEFORE = re.compile(
    r"\bor\b\W+(?:nab\W+)?(?:(?!were|given|receiv|administ)[a-z-]{4,}\W+){0,2}$", re.IGNORECASE
)
_OR_AFTER = re.compile(
    r"\W*(?:\d[\d.,]*\W*(?:mg|mcg|g|ml|iu|units?)?(?:/\w+(?:\W{0,2}\d)?)?\W+)?"
    r"(?:(?!until|every|once|twice|daily|orally|weekly|for\b|up\b|over\b)[a-z-]{4,}\W+){0,3}"
    r"(?:and/)?or\b(?!\W+\d)",
    re.IGNORECASE,
)
_UP_TO_NEXT = re.compile(r"(?:(?!\b(?:and|plus|with|then|followed)\b)[^.;+]){0,160}", re.I)
_OR_ONE = re.compile(r"\bor\b(?=\W+((?:[\w-]+\W+){0,2}[\w-]+))", re.IGNORECASE)


def title_of(arm: str) -> str:
    """Return the title of an arm without its description.

    >>> title_of("DTG 50 mg (Dolutegravir 50 mg twice daily)")
    'DTG 50 mg'
    """
    return arm.partition(" (")[0]


def is_own_arm(arm: str, names: Sequence[str], *, is_alone: bool) -> bool:
    """Return whether an arm got a drug for certain.

    Args:
        arm: Its title and description.
        names: Folded names of the drug.
        is_alone: Whether the trial gives nothing else.
    """
    arm = _BEFORE.sub(" ", arm)
    title = title_of(arm)
    if any(_is_told(title, name) for name in names):
        return _is_given_by_title(title, names)
    if _CONTROL.search(title):
        return False
    if _CHOICE.search(arm):  # a way of choosing among drugs is not the arm of one of them
        return False
    description = arm[len(title) :]
    return is_alone or any(_is_given(description, name) for name in names)


def names_drug(arm: str, names: Sequence[str]) -> bool:
    """Return whether the title of an arm names a drug as given."""
    title = title_of(_BEFORE.sub(" ", arm))
    return any(_is_told(title, name) for name in names) and _is_given_by_title(title, names)


def speaks_of(arm: str, names: Iterable[str]) -> bool:
    """Return whether title or description of an arm mention one of some drugs at all."""
    folded = fold_name(arm)
    plain = [fold_name(_plain(name)) for name in names]
    return any(len(name) >= LEAST_NAME and name in folded for name in plain)


def gets_at_some_time(arm: str, names: Sequence[str]) -> bool:
    """Return whether an arm's description names a drug at all but as what it did not get.

    >>> gets_at_some_time("Placebo (then open-label drugoxib)", ["drugoxib"])
    True
    >>> gets_at_some_time("Placebo (tablets to match drugoxib)", ["drugoxib"])
    False
    """
    description = _BEFORE.sub(" ", arm)[len(title_of(arm)) :]
    return any(_is_told(description, name) for name in names)


def _is_given_by_title(title: str, names: Sequence[str]) -> bool:
    parts = [segment for segment in _JOINED.split(title) if segment]
    mine = [segment for segment in parts if any(name in fold_name(segment) for name in names)]
    is_crossed = any(_CONTROL.search(segment) and _CROSSED.search(segment) for segment in parts)
    is_choice = re.search(r"\bor\b", title) and _CONTROL.search(title)
    return (
        not is_crossed
        and not is_choice
        and (not mine or any(not _CONTROL.search(segment) for segment in mine))
    )


def spell_out(arm: str, drugs: Iterable[str], arms: Iterable[str]) -> str:
    """Return an arm's words with short names written out that any arm of its trial explains.

    >>> spell_out("X with cCRT", ["Chemoradiotherapy"], ["Chemoradiotherapy (cCRT)"])
    'X with Chemoradiotherapy'
    """
    description = "; ".join(dict.fromkeys(arms))
    for drug in drugs:
        matches = re.finditer(rf"{re.escape(drug)} \((\w{{2,8}})\)", description)
        for short in dict.fromkeys(match[1] for match in matches):
            arm = re.sub(rf"\b{re.escape(short)}\b", drug, arm)
    return arm


def drugs_beside(arm: str, names: Sequence[str], others: Iterable[str]) -> tuple[str, ...]:
    """Return the other drugs of a trial that an arm got.

    An arm counts without naming its drug only where the whole trial gives the same ("Total",
    "Cohort 1"): then its few other drugs were given too. Two platins are a choice of one.

    Args:
        arm: Its title and description.
        names: Folded names of the drug itself.
        others: Drugs of the trial as its record names them.

    >>> drugs_beside("Cohort B (etigilimab with nivolumab)", ["etigilimab"], ["Nivolumab"])
    ('Nivolumab',)
    """
    arm = _BEFORE.sub(" ", arm)
    title = title_of(arm)
    description = arm[len(title) :]
    is_told = any(name in fold_name(arm) for name in names)
    other_drugs: dict[str, str] = {}
    single = _single(others, names)
    known_names = tuple(name for name in map(fold_name, single) if len(name) >= LEAST_NAME)
    folded = fold_name(description)
    here = [name for name in known_names if name in folded]
    chosen = {choice for name in here for choice in _choices(description, name, known_names)}
    for other in single:
        name = fold_name(other)
        if len(name) < LEAST_NAME or _CONTROL.search(other):
            continue
        is_here = _is_told(title, name) or _is_given(description, name, joined=True)
        is_here = is_here and name not in chosen
        is_here = is_here or _is_listed(description, name)
        if is_here or not is_told:
            other_drugs.setdefault(name, other)
    platins = [name for name in other_drugs if name.endswith("platin")]
    others_kept = [
        other for name, other in other_drugs.items() if len(platins) < 2 or name not in platins
    ]
    is_plain = is_told or len(others_kept) <= MOST_UNTOLD
    return tuple(others_kept)[:MOST_OTHERS] if is_plain else ()


def _single(others: Iterable[str], names: Sequence[str]) -> list[str]:
    """Return the drugs of a trial other than the one asked for, fixed combinations taken apart."""
    parts: list[str] = []
    for other in dict.fromkeys(others):
        is_own = any(name in fold_name(other) or fold_name(other) in name for name in names)
        pieces = re.split(r"\s*(?:/|\+|\band\b)\s*", other) if is_own else [other]
        parts += (
            [piece for piece in pieces if not _FORM.fullmatch(piece)] if len(pieces) > 1 else []
        )
        parts += [] if is_own else [other]
    return [
        text
        for text in dict.fromkeys(map(_plain, parts))
        if not any(name in fold_name(text) or fold_name(text) in name for name in names)
    ]


def _plain(name: str) -> str:
    """Return a drug's name without notes, dose and route."""
    return _ROUTE.sub("", clean_label(re.sub(r"\(.*?\)", " ", name))).strip() or name


def names_another(arm: str, names: Sequence[str], others: Iterable[str]) -> bool:
    """Return whether an arm names other drugs of its trial as given, and not the drug itself.

    >>> names_another("EXP-2 (were given PF-06463922)", ["crizotinib"], ["PF-06463922"])
    True
    """
    folded = fold_name(_BEFORE.sub(" ", arm))
    others_named = [
        name for name in map(fold_name, others) if len(name) >= LEAST_NAME and name in folded
    ]
    return bool(others_named) and not any(name in folded for name in names)


@lru_cache(maxsize=4_096)
def _pattern(name: str) -> re.Pattern[str]:
    """Return what finds a folded name in words as written."""
    return re.compile(r"[\W_]{0,2}".join(map(re.escape, name)), re.IGNORECASE)


@lru_cache(maxsize=16_384)
def _is_told(title: str, name: str) -> bool:
    """Return whether words name a drug without denying it."""
    if name not in fold_name(title):
        return False
    places = list(_pattern(name).finditer(title))
    return not places or any(
        not _DENIED.search(title[: match.start()]) and not _PLACEBO.match(title[match.end() :])
        for match in places
    )


@lru_cache(maxsize=16_384)
def _is_given(description: str, name: str, *, joined: bool = False) -> bool:
    """Return whether a description names a drug as what its arm got in the time of the figures.

    Args:
        description: Its words.
        name: Folded name of the drug.
        joined: Whether words that join drugs ("with", "and") are enough.
    """
    if name not in fold_name(description):
        return False
    for match in _pattern(name).finditer(description):
        before, after = description[: match.start()], description[match.end() : match.end() + 60]
        context = before[-90:]
        if _DENIED.search(context) or _LATER.search(before) or _RUN_IN.match(after):
            continue
        if _OR_BEFORE.search(context) or _OR_AFTER.match(after) or _PLACEBO.match(after):
            continue
        is_first = not re.search(r"\w", before)
        is_joined = joined and re.search(r"\b(?:with|and)\W+$|,\W*$", context)
        if is_first or is_joined or _GIVING.search(context) or _GIVEN_AFTER.match(after):
            return True
    return False


def _choices(description: str, name: str, others: Sequence[str]) -> set[str]:
    """Return a drug and those beside it of which one is given: "X 200 mg, or nab-Y"; else none."""
    partners: set[str] = set()
    for mention in _pattern(name).finditer(description):
        match = _UP_TO_NEXT.match(description, mention.end())
        names = [fold_name(choice[1]) for choice in _OR_ONE.finditer(match[0])] if match else []
        partners |= {other for other in others for name in names if other in name}
    return {name, *partners} if partners else partners


def _is_listed(description: str, name: str) -> bool:
    """Return whether a drug's first mention heads its entry in the list that ends a description.

    Registries add the drugs of an arm to its description: "Drugoxib: 5 mg once daily".
    """
    match = name in fold_name(description) and _pattern(name).search(description)
    if not match:
        return False
    before, after = description[: match.start()], description[match.end() :]
    return bool(re.match(r"(?: \([^)]*\))?: ?\w", after)) and not _DENIED.search(before[-90:])


_WHOLE_TRIAL = re.compile(r"\s*(?:total|all|overall|any|combined|pooled)\b", re.I)
"""Columns of a whole trial, in which the drug's own arm is counted too."""
_TIME_OF_TRIAL = re.compile(
    r"(?:period|part|phase|stage|step|cohort)s?[ _-]*(?:[ivx]+|\d+[a-d]?|[a-d])\b|extension|"
    r"(?<![a-z])core(?![a-z])|"
    r"open[- ]label|double[- ]blind|\b(?:db|ol|lte?|rs|db\w*) ?(?:period|phase)?\b|long[- ]term|"
    r"switch\w*|induction|maintenance|run-in|crossover|cross-over|follow[- ]up|wash-?out|"
    r"inpatient|outpatient|overall|sub-?study|maternal|fetal|pre-?\w+ (?:dosing|treatment)",
    re.IGNORECASE,
)
"""Parts and times of a trial; arms of different ones are not compared."""
MOST_ASIDE = 40
"""Characters of a bracket that still belongs to the title of an arm."""


def find_comparator(
    fact: StoredFact,
    others: Sequence[StoredFact],
    facts: Sequence[StoredFact],
    names: Sequence[str],
) -> StoredFact | None:
    """Return the same measure of the only other arm; with several there is no telling.

    Events are counted over the whole trial: patients who got the drug later are no comparison.

    Args:
        fact: A figure of the drug's own arm.
        others: Figures of the trial's other arms.
        facts: All figures of the trial.
        names: Folded names of the drug.
    """
    if _misses_an_arm(fact, facts):
        return None
    path = fact.fact.locator.rpartition(".measurements")[0]
    same = [
        two
        for two in others
        if two.fact.object == fact.fact.object
        and two.fact.unit == fact.fact.unit
        and two.fact.predicate == fact.fact.predicate
        and not _WHOLE_TRIAL.match(two.fact.qualifiers.arm)
        and (two.fact.locator.rpartition(".measurements")[0] == path)
    ]
    if len(same) != 1 or names_drug(same[0].fact.qualifiers.arm, names):
        return None
    is_event = fact.fact.predicate == Predicate.TRIAL_ADVERSE_EVENT
    if is_event and gets_at_some_time(same[0].fact.qualifiers.arm, names):
        return None
    times = [_times(two.fact.qualifiers.arm) for two in (fact, same[0])]
    return same[0] if times[0] == times[1] else None


def _times(arm: str) -> set[str]:
    """Return the parts and times of the trial that the title of an arm names."""
    title, _, times = arm.partition(" (")
    short = times.partition(")")[0] if len(times.partition(")")[0]) <= MOST_ASIDE else ""
    words = f"{title} {short}".replace("_", " ")
    return {re.sub(r"\W", "", match[0]).casefold() for match in _TIME_OF_TRIAL.finditer(words)}


def tell_comparator(fact: StoredFact) -> str:
    """Return arm, value, unit and participants of a comparator in words."""
    value = fact.fact.value if fact.fact.value is not None else 0.0
    n = f" (n={fact.fact.qualifiers.n})" if fact.fact.qualifiers.n else ""
    return f"{fact.fact.qualifiers.arm}: {value:g} {fact.fact.unit}{n}"


def _misses_an_arm(fact: StoredFact, facts: Sequence[StoredFact]) -> bool:
    """Return whether a row of results has an arm without a figure: the comparator, perhaps."""
    row, _, path = fact.fact.locator.rpartition(".measurements")
    places = {
        two.fact.locator.rpartition(".measurements")[2]
        for two in facts
        if row and two.fact.locator.rpartition(".measurements")[0] == row
    }
    return bool(path) and places != {f"[{number}]" for number in range(len(places))}
