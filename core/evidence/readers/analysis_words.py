"""What words beside an analysis tell: of which patients it is, and what it adds to the main one."""

import re

ALL_RANDOMIZED, PER_PROTOCOL = "intention to treat", "per protocol"
_SETS = (
    (
        ALL_RANDOMIZED,
        re.compile(
            r"\bintent(?:ion)?[- ]to[- ]treat|\bm?ITT\b|\bfull[- ]analysis[- ](?:set|population)|"
            r"\bFAS\b|\ball[- ]randomi[sz]ed\b",
            re.IGNORECASE,
        ),
    ),
    (
        PER_PROTOCOL,
        re.compile(r"\bper[- ]protocol\b|\bPPS?\b(?= (?:set|population|analys))", re.IGNORECASE),
    ),
)
_MODIFIED = re.compile(r"\bmodified (?:intent|full)|\bmITT\b", re.IGNORECASE)
_ADDED = (
    ("sensitivity", re.compile(r"\bsensitivity analys[ei]s", re.IGNORECASE)),
    ("supportive", re.compile(r"\bsupport(?:ive|ing) analys[ei]s", re.IGNORECASE)),
    ("post hoc", re.compile(r"\bpost[- ]?hoc\b", re.IGNORECASE)),
    ("exploratory", re.compile(r"\bexploratory (?:analys|endpoint|purpose)", re.IGNORECASE)),
    ("secondary", re.compile(r"\bsecondary analys[ei]s", re.IGNORECASE)),
    ("subgroup", re.compile(r"\bsub-?group (?:analys|of|:)", re.IGNORECASE)),
    ("interim", re.compile(r"\binterim analys[ei]s", re.IGNORECASE)),
)


def read_analysis_set(*texts: str) -> str:
    """Return of which patients an analysis is; "" where no text tells, or one tells two sets.

    Args:
        texts: The nearest to the analysis first; the first one that names a set counts.

    >>> read_analysis_set("", "Per-protocol population"), read_analysis_set("ITT and per protocol")
    ('per protocol', '')
    >>> read_analysis_set("mITT: randomized and treated")
    'modified intention to treat'
    """
    for text in texts:
        named = [name for name, pattern in _SETS if pattern.search(text)]
        if named == [ALL_RANDOMIZED] and _MODIFIED.search(text):
            return f"modified {ALL_RANDOMIZED}"
        if named:
            return named[0] if len(named) == 1 else ""
    return ""


def read_addition(*texts: str) -> str:
    """Return what an analysis is besides the main one of its endpoint; "" where none tells it.

    >>> read_addition("Sensitivity analysis: missing = failure"), read_addition("chemosensitivity")
    ('sensitivity', '')
    """
    joined = " ".join(texts)
    return next((name for name, pattern in _ADDED if pattern.search(joined)), "")
