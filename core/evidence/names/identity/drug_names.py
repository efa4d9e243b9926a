"""Readings of a drug's name: without notes, doses, salts and suffixes; combinations split.

A reading never drops a word of the substance itself: sacituzumab govitecan is not sacituzumab
tirumotecan, and a pegylated or enantiopure drug is not its plain relative.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from core.evidence.names.identity.salts import strip_salt
from core.records.names import fold_name
from core.vocabulary.label_words import alternatives

BRAND_ALONE = "brand without presentation"
AS_WRITTEN = "as written"
IN_BRACKETS = "name in brackets"
"""How a name was read whose strength, device or buyers were dropped: only a brand may answer."""

SHORTEST_BRAND = 5
_NOTE = re.compile(r"\s*\[[^\[\]]*\]")
_ROUND = re.compile(r"\s*\(([^()]*)\)")
_OPEN = re.compile(r"(?<=\w)\s*\([^()]{4,}$")
"""A bracket behind a name that a list has cut off: "golimumab (genetical reco"."""
_SIGNS = str.maketrans("\uff08\uff09\u1ca2\u1ca3\u2013", "()()-")
"""Wide brackets, brackets as the font of PMDA's list gives them, and the dash for a hyphen."""
_SUFFIX = re.compile(r"-(?!alfa|beta|zeta|acid|zinc|iron|free|like|plus)[a-z]{4}$", re.IGNORECASE)
_AMOUNT = r"\d+(?:[.,]\d+)?\s*"
_UNIT = r"mg|mcg|µg|μg|ug|g|kg|ml|iu|u|units?|mmol|%"
_PER = r"\s*/\s*(?:kg|m2|m²|ml|day|d|h|hr|dose|week|wk)"
_DOSE = re.compile(rf"\b{_AMOUNT}(?:-\s*{_AMOUNT})?(?:{_UNIT})(?:{_PER})*(?![\w-])", re.IGNORECASE)
_FORM = re.compile(rf"\b(?:{alternatives('form')})\b\.?", re.IGNORECASE)
_PRESENTATION = re.compile(rf"(?:,?\s+(?:{alternatives('presentation')}))+$", re.IGNORECASE)
_BIOLOGICS = re.compile(rf"(?:{alternatives('ending of biologics')})$", re.IGNORECASE)
"""Endings of the names that FDA gives its four-letter suffix."""
_BRAND_PRESENTATION = re.compile(
    rf"(?:[\s-]+(?:{alternatives('presentation of a brand')}))+$", re.IGNORECASE
)
"""Strengths, devices and buyers behind a brand; letters that tell two products apart are none."""
_BUYERS = re.compile(r"^(?:children's|pediatric|infants'|junior strength|adult)\s+", re.IGNORECASE)
_KIT = re.compile(
    r"^(?:kit for the preparation of|radiolabeled|radio-iodinated)\s+|\s+(?:kit|\(kit\))$",
    re.IGNORECASE,
)
_NO_NAME = re.compile(rf"{alternatives('in brackets')}", re.IGNORECASE)
"""What appears in brackets without being the drug: an isotope, a species, a way of making."""
_LIST = re.compile(r"\s*;\s*")
_JOIN = re.compile(
    r"\s*(?:\+|;|/|,|&|\bin combination with\b|\bcombined with\b|\bfollowed by\b|"
    r"\bplus\b|\band\b|\bwith\b|\bor\b)\s*",
    re.IGNORECASE,
)
_NO_DRUGS_TEXT = """
placebo vehicle saline control sham standardofcare chemotherapy bestsupportivecare soc
radiotherapy surgery none notreatment activecomparator observation vaccine antibiotics
platinum taxane taxanes anthracycline fluoropyrimidine dhap rdhap chop rchop folfox folfiri
folfirinox beam flot ice rice gdp rgdp abvd beacopp cvp rcvp fcr eshap mvac cmf xelox capox
gemox rgemox
"""
"""Ways of care, classes, and regimens whose letters some substance also has."""
NO_DRUGS = frozenset(_NO_DRUGS_TEXT.split())


_ISOMERS = (
    (re.compile(r"\(\s*(?:\+\s*/\s*[-\u2212]|\u00b1|\+,\s*-|\+-)\s*\)-?"), "racemic "),
    (re.compile(r"\(\s*\+\s*\)-?"), "dextrorotatory "),
    (re.compile(r"\(\s*[-\u2212]\s*\)-?"), "levorotatory "),
    (re.compile(r"\(\s*([RSEZDL](?:\s*,\s*[RSEZDL])?)\s*\)-?", re.IGNORECASE), r"isomer \1 "),
)


def mark_isomers(name: str) -> str:
    """Return a name whose signs of handedness are words, which no reading drops.

    >>> mark_isomers("(-)-halofantrine"), mark_isomers("(S)-ketamine")
    ('levorotatory halofantrine', 'isomer S ketamine')
    """
    if "(" in name:
        for pattern, word in _ISOMERS:
            name = pattern.sub(word, name)
    return name


def strip_suffix(name: str) -> str:
    """Return a biologic's name without FDA's four-letter suffix.

    >>> strip_suffix("toripalimab-tpzi"), strip_suffix("abc-1234")
    ('toripalimab', 'abc-1234')
    """
    stem = _SUFFIX.sub("", name)
    return stem if _BIOLOGICS.search(stem) else name


@lru_cache(maxsize=20_000)
def clean_label(name: str) -> str:
    """Return a label without notes in brackets, doses and forms."""
    name = _NOTE.sub("", name)
    name = _FORM.sub(" ", _DOSE.sub(" ", name))
    return " ".join(name.split()).strip(" -,;:.®™")


def is_no_drug(name: str) -> bool:
    """Return whether a label names a placebo, a control or a way of care instead of a drug."""
    plain = fold_name(clean_label(_ROUND.sub("", name)))
    return plain in NO_DRUGS or "placebo" in plain


def readings(name: str) -> Iterator[tuple[str, str]]:
    """Yield ways to read one drug's name, the plainest first, each with how it was read."""
    name = mark_isomers(name.replace("®", "").replace("™", "")).translate(_SIGNS).strip()
    yield name, AS_WRITTEN
    outside = _OPEN.sub("", _ROUND.sub("", name)).strip()
    plain = clean_label(outside)
    for reading, how in ((outside, "without brackets"), (plain, "without dose and form")):
        if reading and reading != name:
            yield reading, how
    other = (
        (_PRESENTATION.sub("", plain), "without presentation"),
        (strip_salt(plain), "without salt"),
        (strip_suffix(plain), "without suffix"),
        (_ALPHA.sub("alfa", plain), "other spelling"),
        (_KIT.sub("", _KIT.sub("", plain)), "without kit"),
    )
    yield from ((reading, how) for reading, how in other if reading and reading != plain)
    if outside and not outside.endswith("-") and not _OF_ANOTHER.search(name):
        yield from _bracketed(name)
    brand = _BRAND_PRESENTATION.sub("", _BUYERS.sub("", _ROUND.sub("", name)))
    if brand != outside and len(fold_name(brand)) >= SHORTEST_BRAND:
        yield brand, BRAND_ALONE


_ALPHA = re.compile(r"\balpha\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"\b(?:enantiomer|isomer|prodrug|pro-drug|metabolite|analog(?:ue)?|derivative|fragment) of\b",
    re.IGNORECASE,
)
"""Words of names in whose brackets another drug stands."""


def _bracketed(name: str) -> Iterator[tuple[str, str]]:
    """Yield the names that stand in brackets behind another."""
    for inside in _ROUND.findall(name):
        for label in map(clean_label, re.split(r"[,;/=]", inside)):
            if len(label) > 3 and not _NO_NAME.fullmatch(label):
                yield label, IN_BRACKETS


def split_combination(name: str) -> list[str]:
    """Return the parts of a combination; one part when nothing joins.

    >>> split_combination("Nivolumab + ipilimumab (3 mg/kg)")
    ['Nivolumab', 'ipilimumab (3 mg/kg)']
    """
    return [name] if _OF_ANOTHER.search(name) else _split(name, _JOIN)


def split_list(name: str) -> list[str]:
    """Return the parts of a list, whose parts may themselves contain commas.

    >>> split_list("BAZEDOXIFENE ACETATE; ESTROGENS, CONJUGATED")
    ['BAZEDOXIFENE ACETATE', 'ESTROGENS, CONJUGATED']
    """
    return _split(name, _LIST)


def _split(name: str, joint: re.Pattern[str]) -> list[str]:
    """Return what stands between joints outside of brackets."""
    brackets: list[str] = []

    def keep(match: re.Match[str]) -> str:
        brackets.append(match[0])
        return f"\x00{len(brackets) - 1}\x00"

    parts = joint.split(_ROUND.sub(keep, name))
    restored = [
        re.sub(r"\x00(\d+)\x00", lambda m: brackets[int(m[1])], segment) for segment in parts
    ]
    return [segment.strip() for segment in restored if segment.strip()]
