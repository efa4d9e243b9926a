"""Classes of what a complete response letter finds wanting, by the heads of its parts."""

import re
from functools import cache

from core.vocabulary.tables import TableRow, load_rows
from core.vocabulary.words import Word


class Deficiency(Word):
    """A discipline whose part of a letter says what is wanting."""

    BIOPHARMACEUTICS = "biopharmaceutics"
    CLINICAL = "clinical"
    CLINICAL_PHARMACOLOGY = "clinical pharmacology"
    DEVICE = "device"
    FACILITY = "facility"
    HUMAN_FACTORS = "human factors"
    NONCLINICAL = "nonclinical"
    PRODUCT_QUALITY = "product quality"
    STATISTICAL = "statistical"


class DeficiencyRow(TableRow):
    """A head, or a part of one.

    Attributes:
        said: Its words in small letters.
        deficiency: The class.
    """

    said: str
    deficiency: Deficiency


_SPLIT = re.compile(r"\s*(?:/|,|&|;|\band\b)\s*")
_NUMBER = re.compile(r"^(?:\(?(?:\d{1,2}|[ivx]{1,4}|[a-h])[.)]\s*)+")
_END = re.compile(
    r"\s+(?:deficienc(?:y|ies)|issues?|concerns?|inspections?|review|studies|\([a-z]{2,4}\))$"
)


@cache
def _classes() -> dict[str, Deficiency]:
    return {row.said: row.deficiency for row in load_rows("deficiencies", DeficiencyRow)}


def deficiencies_of(head: str) -> tuple[Deficiency, ...]:
    """Return the classes of a head; none where one of its parts is of no class.

    >>> [str(one) for one in deficiencies_of("2. CLINICAL/STATISTICAL")]
    ['clinical', 'statistical']
    >>> deficiencies_of("SAFETY UPDATE"), deficiencies_of("Clinical comments")
    ((), ())
    """
    plain = _END.sub("", _NUMBER.sub("", head.casefold().strip(" :*#_")))
    if plain in _classes():
        return (_classes()[plain],)
    parts = [_END.sub("", sentence) for sentence in _SPLIT.split(plain) if sentence]
    classes = [_classes().get(sentence) for sentence in parts]
    return (
        tuple(dict.fromkeys(deficiency for deficiency in classes if deficiency))
        if all(classes)
        else ()
    )
