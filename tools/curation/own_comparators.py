"""Which of the names that a trial has for a drug stand for what the drug is compared with.

A new form of a drug is compared with the one on the market, a fixed combination with its parts,
one ester with another: all of them are the same drug to a list of names. Of such a name it is said
that it is a comparator, or nothing where the title leaves it open.
"""

import re
from collections.abc import Mapping, Sequence

from core.evidence.names.drug_labels import code_in
from core.records.evidence import Role
from core.records.names import fold_name
from tools.curation.certain_roles import AGAINST, first_place

_TOLD = re.compile(
    r"^(?:no|without)\b|\bcontrol\b|\breference\b|\busual\b|\bmarketed\b|\bcommercial\w*\b|"
    r"\bcomparator\b(?!:)",
    re.IGNORECASE,
)
"""Words of a name that say what it stands for."""
_NEVER = re.compile(r"^(?:no|without)\b", re.IGNORECASE)
_NEW = re.compile(r"\bnew formulation\b", re.IGNORECASE)
_CHANGED = re.compile(r"\b(?:(?<!up )to|or|then|followed by|switch\w*)\b", re.IGNORECASE)
"""Words between two drugs of a name of which some patients get only the other one."""
_FIXED_BEFORE = re.compile(
    r"[\w)]\s?/\s?$|\bfixed[- ](?:dose )?combination (?:of )?$", re.IGNORECASE
)
_FIXED_AFTER = re.compile(
    r"\s?(?:\([^()]*\)\s?)?/\s?\w|\W+(?:and|plus|\+)\W+(?:[\w-]+\W+){1,4}?(?:fixed|combination)\b",
    re.IGNORECASE,
)
_ESTERS = re.compile(
    r"\b(?:acetate|benzoate|besylate|citrate|decanoate|dipropionate|enanthate|estolate|fumarate|"
    r"furoate|hyclate|lactate|maleate|mesylate|palmitate|pamoate|phosphate|propionate|succinate|"
    r"tartrate|tosylate|undecanoate|valerate)\b",
    re.IGNORECASE,
)
_FORMS = {
    "vein": re.compile(r"\b(?:iv|intravenous(?:ly)?|infusion)\b", re.IGNORECASE),
    "skin": re.compile(r"\b(?:sc|subcutaneous(?:ly)?)\b", re.IGNORECASE),
    "patch": re.compile(r"\b(?:patch(?:es)?|transdermal)\b", re.IGNORECASE),
    "capsule": re.compile(r"\bcapsules?\b", re.IGNORECASE),
    "tablet": re.compile(r"\btablets?\b", re.IGNORECASE),
    "solution": re.compile(r"\b(?:oral|inhalation) (?:solution|suspension)\b", re.IGNORECASE),
    "nasal": re.compile(r"\b(?:intra)?nasal(?:ly)?\b", re.IGNORECASE),
}
_PLAIN_TEXT = """
mg mcg ug ml kg iu units day days week weeks month months daily weekly monthly once twice dose
doses dosing low high medium mid level cohort group arm part phase period regimen schedule drug
study test experimental active blinded open label double blind treatment therapy the and or with
for of in to at per qd bid tid
"""
_PLAIN = frozenset(_PLAIN_TEXT.split())
_WORD = re.compile(r"[^\W\d_]{2,}")


def find_compared(
    title: str, labels: Mapping[str, bool], names: Sequence[str]
) -> Mapping[str, Role]:
    """Return the role of those of a drug's labels in a trial that are not for certain tested.

    Args:
        title: The trial's title.
        labels: The drug's labels there, with whether they name another drug, too.
        names: All names of the drug.

    >>> labels = {"Drugoxib powder": False, "Drugoxib solution": False}
    >>> find_compared("Drugoxib powder versus drugoxib solution", labels, ["drugoxib"])
    {'Drugoxib solution': 'comparator'}
    """
    roles: dict[str, Role] = {label: "comparator" for label in labels if _NEVER.search(label)}
    left = [label for label in labels if label not in roles]
    for roles_read in (
        _by_words(left),
        _by_title(title, left, labels, names),
        _by_combination(title, labels, names),
        _by_ester(title, left),
        _by_form(title, left),
        _by_code(left, names),
    ):
        new = {label: role for label, role in roles_read.items() if label not in roles}
        if any(label not in roles and label not in new for label in labels):
            roles |= new
    return roles


def _by_words(labels: Sequence[str]) -> dict[str, Role]:
    """Return what the labels' own words tell: "Drugoxib (reference)", "drugoxib to otheroxib"."""
    roles: dict[str, Role] = {label: "comparator" for label in labels if _TOLD.search(label)}
    if any(_NEW.search(label) for label in labels):
        roles |= {label: "comparator" for label in labels if not _NEW.search(label)}
    return roles


def _by_title(
    title: str, labels: Sequence[str], mixed: Mapping[str, bool], names: Sequence[str]
) -> dict[str, Role]:
    """Return the labels whose own words stand only behind "versus", another's only before it."""
    roles: dict[str, Role] = {
        label: "unclear" for label in labels if mixed[label] and _CHANGED.search(label)
    }
    against = AGAINST.search(title)
    if not against or len(labels) < 2:
        return roles
    before, after = (_words(text) for text in (title[: against.end()], title[against.end() :]))
    own_words = {label: _own_words(label, labels, names) for label in labels}
    if any(words <= before - after for words in own_words.values()) and first_place(
        title[: against.start()], names
    ):
        behind = (label for label, words in own_words.items() if words and words <= after - before)
        roles |= dict.fromkeys(behind, "comparator")
    return roles


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _own_words(label: str, labels: Sequence[str], names: Sequence[str]) -> frozenset[str]:
    """Return the words of a label that neither another one of the drug has nor its names."""
    others = frozenset().union(*(_words(other) for other in labels if other != label))
    plain = frozenset(name.casefold() for name in names)
    return _words(label) - others - _PLAIN - plain


def _by_combination(
    title: str, labels: Mapping[str, bool], names: Sequence[str]
) -> dict[str, Role]:
    """Return the drug alone where the title begins with a fixed combination of it."""
    span = first_place(title, names)
    if not span or not any(labels.values()) or all(labels.values()):
        return {}
    before, after = title[: span[0]], title[span[1] :]
    if not (_FIXED_BEFORE.search(before) or _FIXED_AFTER.match(after)):
        return {}
    against = AGAINST.search(title)
    remainder = title[max(against.end(), span[1]) :] if against else ""
    role: Role = "comparator" if remainder and first_place(remainder, names) else "unclear"
    return {label: role for label, is_mixed in labels.items() if not is_mixed}


def _by_ester(title: str, labels: Sequence[str]) -> dict[str, Role]:
    """Return the labels with another ester than the one that the title names first."""
    esters = {label: {x.casefold() for x in _ESTERS.findall(label)} for label in labels}
    first = _ESTERS.search(title)
    if not first or not any(first[0].casefold() in keys for keys in esters.values()):
        return {}
    drug = first[0].casefold()
    return {label: "unclear" for label, keys in esters.items() if keys and drug not in keys}


def _by_form(title: str, labels: Sequence[str]) -> dict[str, Role]:
    """Return the labels with another form than the only one that the title names."""
    named = [form for form, pattern in _FORMS.items() if pattern.search(title)]
    forms = {
        label: {x for x, pattern in _FORMS.items() if pattern.search(label)} for label in labels
    }
    if len(named) != 1 or not any(named[0] in keys for keys in forms.values()):
        return {}
    return {label: "unclear" for label, keys in forms.items() if keys and named[0] not in keys}


def _by_code(labels: Sequence[str], names: Sequence[str]) -> dict[str, Role]:
    """Return the labels with a drug's name beside others that have only a code."""
    plain = [name for name in names if not code_in(name) and len(fold_name(name)) > 4]
    named = [label for label in labels if first_place(label, plain)]
    coded = [label for label in labels if label not in named and re.search(r"\d{3}", label)]
    return {label: "unclear" for label in named if not code_in(label)} if coded else {}
