"""What words beside an analysis tell: of which patients it is, and what it adds to the main one."""

import re

AS_INTENDED, PER_PROTOCOL = "intention to treat", "per protocol"
_SETS = (
    (AS_INTENDED, re.compile(r"\bintent(?:ion)?[- ]to[- ]treat|\bm?ITT\b", re.IGNORECASE)),
    (
        "full analysis set",
        re.compile(r"\bfull[- ]analysis[- ](?:set|population)|\bFAS\b", re.IGNORECASE),
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
)
INTERIM = "interim"
_INTERIM = re.compile(r"\binterim analys[ei]s", re.IGNORECASE)
"""Counts in a title alone: the final analysis mentions interim ones that affect its level."""


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
        if not named:
            continue
        if PER_PROTOCOL in named:
            return PER_PROTOCOL if len(named) == 1 else ""
        is_modified = named[0] == AS_INTENDED and _MODIFIED.search(text)
        return f"modified {AS_INTENDED}" if is_modified else named[0]
    return ""


def read_addition(*texts: str) -> str:
    """Return what an analysis is besides the main one of its endpoint; "" where none tells it.

    Args:
        texts: What is said of it; the title of its outcome last.

    >>> read_addition("Sensitivity analysis: missing = failure"), read_addition("chemosensitivity")
    ('sensitivity', '')
    """
    joined = " ".join(texts)
    addition = next((name for name, pattern in _ADDED if pattern.search(joined)), "")
    return addition or (INTERIM if _INTERIM.search(texts[-1] if texts else "") else "")
