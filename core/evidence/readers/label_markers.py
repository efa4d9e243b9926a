"""Biomarkers that patients of a use must not have: "with no EGFR or ALK genomic aberrations"."""

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
