"""How far a disease has come in the patients of a use, and the biomarkers they must lack."""

import re

_DENIED = re.compile(
    r"\b(?:no|without|do not have|negative for)\b (?:known |sensitizing |actionable )*"
    r"(?:[\w().-]+,? (?:or |and )?){0,8}?"
    r"(?:mutations?|aberrations?|rearrangements?|alterations?)"
    r"(?:,? (?:or|and) [\w() -]{2,40}?(?:mutations?|aberrations?|rearrangements?|alterations?))?",
    re.IGNORECASE,
)
_WILD = re.compile(r"\b(?:(?:K|N)?RAS|BRAF|EGFR)[- ]wild[- ]type\b|\bwild[- ]type [A-Z]{2,5}", re.I)


def drop_denied(text: str) -> str:
    """Return a text without the biomarkers that it denies.

    >>> drop_denied("NSCLC with no sensitizing EGFR mutations or ALK aberrations, in adults")
    'NSCLC with  , in adults'
    """
    return _WILD.sub(" ", _DENIED.sub(" ", text))


_EXTENTS: tuple[tuple[str, str], ...] = (
    (
        r"unresectable,? (?:or|and) metastatic|metastatic or unresectable",
        "unresectable or metastatic",
    ),
    (
        r"locally advanced(?:,? unresectable,?)? (?:or|and) metastatic",
        "locally advanced or metastatic",
    ),
    (r"advanced (?:or|and) metastatic", "advanced or metastatic"),
    (r"recurrent (?:or|and) metastatic", "recurrent or metastatic"),
    (r"(?:completely )?resected|following (?:complete )?resection", "resected"),
    (r"early[- ](?:stage )?breast|\bearly[- ]stage\b|high[- ]risk early", "early-stage"),
    (r"\bresectable\b", "resectable"),
    (r"\bmetastatic\b", "metastatic"),
    (r"relapsed (?:and|or|or/and|and/or) refractory|relapsed/refractory", "relapsed or refractory"),
    (r"unresectable", "unresectable"),
    (r"locally advanced", "locally advanced"),
    (r"\badvanced\b", "advanced"),
    (r"moderate(?:ly)?[- ]to[- ](?:severe(?:ly)?)(?: active)?", "moderate-to-severe"),
    (r"mild[- ]to[- ]moderate", "mild-to-moderate"),
    (r"\bchronic phase\b", "chronic phase"),
    (r"\bsevere\b", "severe"),
)
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), word) for pattern, word in _EXTENTS)
ADVANCED = frozenset(
    {"unresectable or metastatic", "locally advanced or metastatic", "advanced or metastatic"}
    | {"recurrent or metastatic", "metastatic", "unresectable", "locally advanced", "advanced"}
    | {"relapsed or refractory", "severe", "moderate-to-severe"}
)
"""Words for which a use is for part of the patients alone, those who are worse off."""


def read_extent(text: str) -> str:
    """Return how far the disease has come; "" where a text does not say.

    >>> read_extent("adults with unresectable or metastatic melanoma"), read_extent("gout")
    ('unresectable or metastatic', '')
    """
    return next((word for pattern, word in _PATTERNS if pattern.search(text)), "")
