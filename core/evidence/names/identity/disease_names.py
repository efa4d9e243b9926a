"""Readings of a disease's name, and which of several diseases of one name is meant."""

import re
from collections.abc import Callable, Iterator, Mapping

_CANCER = re.compile(r"carcinomas?|neoplasms?|cancers?|tumou?rs?|malignant|malignancy")
_OF_DISEASES = re.compile(r"disorders?|diseases?|of|the|and")
_NO_DISEASE = re.compile(r"susceptib|tumor suppressor gene|, type \d+$| type \d+$| \d+$")
_BRITISH = (
    ("aemi", "emi"),
    ("oedema", "edema"),
    ("oesoph", "esoph"),
    ("tumour", "tumor"),
    ("haem", "hem"),
    ("diarrhoea", "diarrhea"),
    ("paed", "ped"),
    ("anaem", "anem"),
    ("leucaem", "leukem"),
    ("gynaec", "gynec"),
    ("coeliac", "celiac"),
    ("caemia", "cemia"),
)
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7"}
_NUMBERS = {arabic: roman.upper() for roman, arabic in _ROMAN.items()}
_TYPE = re.compile(r"\btype ([ivx]+|\d)\b", re.IGNORECASE)
_TYPE_LAST = re.compile(r"(?P<name>.+?),? (?P<type>type (?:\d|[IV]+)[a-z]?)$", re.IGNORECASE)
_TYPE_FIRST = re.compile(r"(?P<type>type (?:\d|[IV]+)[a-z]?) (?P<name>.+)$", re.IGNORECASE)
_OF_SITE = re.compile(r"(?P<head>cancer|carcinoma|neoplasm)s? of (?:the )?(?P<site>.+)$", re.I)
_HEAD_FIRST = re.compile(
    r"(?P<head>lymphomas?|leuk[ae]*mia|carcinoma|cancer|sarcoma|arthritis)[, ]+(?P<rest>.+)$",
    re.IGNORECASE,
)
"""Names as lists invert them: "Lymphoma Diffuse Large B-Cell"."""
_HEADS = (
    (re.compile(r"\bcancers?$", re.IGNORECASE), ("carcinoma", "neoplasm")),
    (re.compile(r"\bcarcinomas?$", re.IGNORECASE), ("cancer",)),
    (re.compile(r"\btumors?$", re.IGNORECASE), ("neoplasm", "cancer")),
    (re.compile(r"\bneoplasms?$", re.IGNORECASE), ("cancer", "tumor")),
    (re.compile(r"\bmalignanc(?:y|ies)$", re.IGNORECASE), ("cancer",)),
    (re.compile(r"\bdiseases?$", re.IGNORECASE), ("syndrome", "disorder")),
    (re.compile(r"\bsyndrome$", re.IGNORECASE), ("disease",)),
    (re.compile(r"\bdisorders?$", re.IGNORECASE), ("disease",)),
    (re.compile(r"\binfections?$", re.IGNORECASE), ("infectious disease",)),
)
"""Head nouns that name the same disease where the name as written is none."""
_NAMED_AFTER = re.compile(r"([A-Z][a-z]{3,}(?:-[A-Z][a-z]+)*)['\u2019]s")


def disease_readings(name: str) -> Iterator[str]:
    """Yield ways to read a disease's name, as written first; none is wider than the name.

    >>> list(disease_readings("bladder cancers"))
    ['bladder cancers', 'bladder cancer', 'bladder carcinoma', 'bladder neoplasm']
    >>> list(disease_readings("diabetes type II"))[1:]
    ['type II diabetes', 'diabetes type 2', 'type 2 diabetes']
    >>> list(disease_readings("Fabry's"))
    ["Fabry's", 'Fabry disease', 'Fabry syndrome']
    """
    text = " ".join(name.split())
    seen: dict[str, None] = {}
    for spelling in _spellings(text):
        for other in (spelling, *_other_heads(spelling)):
            seen.setdefault(other)
    person = _NAMED_AFTER.fullmatch(text)
    if person:
        for head in (" disease", " syndrome"):
            seen.setdefault(person[1] + head)
    yield from seen


def _spellings(name: str) -> Iterator[str]:
    yield name
    plain = name.casefold()
    for british, other in _BRITISH:
        plain = plain.replace(british, other)
    american = name if plain == name.casefold() else plain
    singular = _singular(american)
    for spelling in dict.fromkeys((american, singular)):
        yield spelling
        yield from _turned(spelling)
        numbered = _TYPE.sub(_renumber, spelling)
        if numbered != spelling:
            yield numbered
            yield from _turned(numbered)


def _singular(name: str) -> str:
    """Return a name whose last word is no plural: "sarcomas", "neuropathies"."""
    if re.search(r"[a-z]{3}ies$", name):
        return f"{name[:-3]}y"
    return name[:-1] if re.search(r"[a-z]{3}(?<![sui])s$", name) else name


def _renumber(match: re.Match[str]) -> str:
    number = match[1].casefold()
    return f"type {_ROMAN.get(number) or _NUMBERS.get(number, match[1])}"


def _turned(name: str) -> Iterator[str]:
    """Yield a name with its type, its site or its head noun at the other end."""
    for pattern in (_TYPE_LAST, _TYPE_FIRST):
        match = pattern.match(name)
        if match:
            is_last = pattern is _TYPE_LAST
            parts = (match["type"], match["name"]) if is_last else (match["name"], match["type"])
            yield " ".join(parts)
    listed = name.split(", ")
    if len(listed) > 1:
        yield " ".join(reversed(listed))
    inverted = _HEAD_FIRST.match(name)
    if inverted:
        yield f"{inverted['rest']} {inverted['head']}"
    site = _OF_SITE.match(name)
    if site:
        yield f"{site['site']} {site['head']}"


def _other_heads(name: str) -> Iterator[str]:
    for pattern, others in _HEADS:
        if " " in name and pattern.search(name):
            yield from (pattern.sub(other, name) for other in others)


def closest(name: str, labels: Mapping[str, str]) -> list[str]:
    """Return which of several diseases a name means where their own names tell it.

    A name of MONDO counts before one that only MeSH has; of two in MONDO the one that is made of
    the same words ("non-small cell lung cancer", "… carcinoma"); a susceptibility never counts.
    """
    in_mondo = [key for key in labels if key.startswith("MONDO:")]
    plain = [key for key in in_mondo if not _NO_DISEASE.search(labels[key])]
    for group in (in_mondo, plain):
        if len(group) == 1:
            return group
    same = [key for key in in_mondo if _words(labels[key]) == _words(name)]
    return same if len(same) == 1 else list(labels)


def widest(keys: list[str], above: Callable[[str], frozenset[str]]) -> list[str]:
    """Return the one disease of which the others are kinds; all of them where there is none."""
    over = [key for key in keys if all(key == other or key in above(other) for other in keys)]
    return over if len(over) == 1 else keys


def _words(name: str) -> frozenset[str]:
    """Return a disease's words, whatever their order and the word for cancer or disease."""
    words = re.findall(r"[^\W_]+", name.casefold())
    main_words = (word for word in words if not _OF_DISEASES.fullmatch(word))
    return frozenset("cancer" if _CANCER.fullmatch(word) else word for word in main_words)
