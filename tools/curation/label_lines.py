"""Line of treatment and biomarker of a label, where all its uses have the same.

A label often has a drug for the first line in one use and for a later one in the next: then
neither is the label's.
"""

import re

from core.evidence.readers.trial_settings import read_biomarker, read_line

_USES = re.compile(
    r"\(\s*\d+(?:\.\d+)?\s*\)|\s\d\.\d\s|[\u2022\u25cf\u25cb]|(?<!vs)\.\s+(?=[A-Z])|;\s|"
    r":\s(?=First)|\b(?=as a single agent(?! or\b))",
    re.IGNORECASE,
)
"""What stands between two uses, or before the second part of one."""
_USE = re.compile(
    r"\b(?:treatment (?:of|for)|maintenance|first[- ]line|"
    r"indicated (?:for|in|as|to) (?!the following\b))|^\s*(?:acute|relapsed|newly)\b",
    re.IGNORECASE,
)
_NO_USE = re.compile(
    r"limitations? of use|not (?:been )?(?:for|indicated|recommended|established|effective)|"
    r"accelerated approval|contingent|randomi[sz]ed|\btrials?\b|select patients",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\[\s*see[^\]]*\]")
LEAST_USE = 25
"""Characters of a use; less is a heading."""


def read_line_of_label(text: str) -> str:
    """Return the line of treatment that all uses of a label name; "" where they differ.

    >>> read_line_of_label("X is for first-line treatment of NSCLC. Treatment of NSCLC in adults")
    ''
    >>> read_line_of_label("X is for first-line treatment of gout. Not for treatment of lymphoma")
    'first line'
    """
    lines = _lines(text)
    return str(lines[0]) if len(lines) == 1 else ""


def read_biomarker_of_label(text: str) -> str:
    """Return the biomarkers of a label; of uses of several lines those that all of them name.

    >>> text = "first-line treatment of EGFR-mutated NSCLC. Treatment of squamous NSCLC in adults"
    >>> read_biomarker_of_label(text), read_biomarker_of_label("treatment of EGFR-mutated NSCLC")
    ('', 'EGFR-mutated')
    """
    if len(_lines(text)) == 1:
        return read_biomarker(text)
    said = {read_biomarker(one) for one in _uses(text)}
    return said.pop() if len(said) == 1 else ""


def _lines(text: str) -> list[str]:
    """Return the different lines of a label's uses, "" for those that name none."""
    return list(dict.fromkeys(map(read_line, _uses(text))))


def _uses(text: str) -> list[str]:
    """Return what a label says of each use; the whole text where no use stands apart."""
    uses = [
        one
        for one in _USES.split(_REFERENCE.sub(" ", text))
        if len(one.strip()) >= LEAST_USE and _USE.search(one) and not _NO_USE.search(one)
    ]
    return uses or [text]
