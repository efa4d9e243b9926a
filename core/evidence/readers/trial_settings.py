"""Line of treatment, biomarker and data cut-off as a record's own words tell them."""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Literal

from core.evidence.readers.cues import CueReading, Mark, read_cues
from core.vocabulary.lines import Line

_BOTH = "first and later lines"
_OF_A_TIME = frozenset(
    {Line.FIRST, Line.SECOND, Line.THIRD, Line.ADJUVANT, Line.NEOADJUVANT, _BOTH}
)
"""What patients may have had before the trial."""
_ROUND_OTHERS = frozenset({Line.ADJUVANT, Line.NEOADJUVANT, Line.MAINTENANCE})
"""Lines around another treatment, which is perhaps the one that has a number."""
_NUMBERED = (Line.FIRST, Line.SECOND, Line.THIRD)
_BIOMARKERS = re.compile(
    r"\b(?:(?:HER2|ER|HR|PR|PD-?L1|EGFR|ALK|ROS1|BRAF|KRAS|NRAS|RAS|MET|RET|NTRK|FLT3|IDH[12]|BRCA"
    r"(?:1/2|[12])?|HRD|MSI-?H|dMMR|pMMR|CLDN18\.2|claudin 18\.2|FGFR[1-4]?|PIK3CA|ESR1|CD\d+|"
    r"AQP4|Philadelphia chromosome|Ph)"
    r"(?:[- ](?:V600[EK]?(?: or V600[EK])?|G12[CDV]|exon \d+|T790M|mutations?|mutant|mutated|"
    r"mutation[- ]positive|positive|negative|low|high|amplified|amplification|altered|rearranged|"
    r"(?:gene )?fusions?(?: or other rearrangements?)?|wild[- ]?type|expressing|deficient|"
    r"overexpressing)|(?:\+|-(?! ?(?:or|and|to)\b| ?/|,))(?=\W|$))+|"
    r"\b(?:MSI-?H|dMMR|TPS\s*[\u2265>]=?\s*\d+\s?%|CPS\s*[\u2265>]=?\s*\d+))",
    re.IGNORECASE,
)
_EITHER = re.compile(r"[\w.]+- (?:or|and/or) [\w.]+[- ](?:positive|negative|mutated)", re.I)
"""Patients with one marker or another: "ALK- or ROS1-positive"."""
_STATE = re.compile(r"[ -]?(?:positive|negative|\+|-)$", re.I)
_JOINT = re.compile(r"[\s-]+(?=\w)")
_CUT_OFF = re.compile(
    r"(?:data[- ]cut[- ]?off(?: date)?|cut[- ]?off date|DCO)\W{0,3}(?:was|of|is|on|:|=|\()?\s{0,2}"
    r"(\d{1,2}[- ](?:[A-Z][a-z]{2,8}|[A-Z]{3})[- ,]+\d{4}|[A-Z][a-z]{2,8} \d{1,2},? \d{4}|"
    r"\d{4}-\d{2}-\d{2})",
    re.IGNORECASE,
)


def read_line(*texts: str) -> Line | Literal[""]:
    """Return the line of treatment that the first telling text names; "" where none does.

    >>> read_line("First-line treatment of NSCLC"), read_line("A study in asthma")
    ('first line', '')
    """
    return next((line for line in map(_line_in, texts) if line), "")


def read_line_of_arm(arm: str, population: str, titles: Sequence[str]) -> Line | Literal[""]:
    """Return the line of treatment of an arm; "" where its words and the trial's disagree.

    A description or a set of patients also tells of doses and of earlier drugs: they only speak
    against a line, and never for one.

    Args:
        arm: Title and description of the arm.
        population: The patients analyzed.
        titles: Titles of the trial.

    >>> read_line_of_arm("EXP-1 (untreated patients)", "", ["Relapsed NSCLC"])
    ''
    >>> read_line_of_arm("Drug A", "ITT", ["First-line treatment of NSCLC"])
    'first line'
    """
    title, _, description = arm.partition(" (")
    line = read_line(title, *titles)
    lines = {line for line in map(_line_in, (title, description, population)) if line}
    return "" if lines - {line} else line


@lru_cache(maxsize=4_096)
def _line_in(text: str) -> Line | Literal[""]:
    reading = read_cues("line", text)
    lines = {_line_of(mark, reading) for mark in reading.here()} - {""}
    if lines == {Line.NEOADJUVANT, Line.ADJUVANT}:
        return Line.PERIOPERATIVE
    if _BOTH in lines or {Line.FIRST, Line.TREATED} <= lines:
        return ""
    numbered = [line for line in _NUMBERED if line in lines]
    if len(numbered) > 1:
        return "" if Line.FIRST in numbered else Line.TREATED
    if numbered and not lines & _ROUND_OTHERS:
        return numbered[0]
    return Line(lines.pop()) if len(lines) == 1 else ""


def _line_of(mark: Mark, reading: CueReading) -> str:
    """Return the line that a cue names; of what patients had before, that they were treated."""
    if mark.category not in _OF_A_TIME:
        return mark.category
    if reading.says("allowed", mark.start):
        return ""
    return Line.TREATED if reading.says("earlier", mark.start) else mark.category


def read_biomarker(*texts: str) -> str:
    """Return the biomarkers of the population that the first telling text names.

    >>> read_biomarker("KRAS G12C-mutated NSCLC"), read_biomarker("HER2-positive and ER+ cancer")
    ('KRAS G12C-mutated', 'HER2-positive, ER+')
    """
    return next(filter(None, map(_biomarkers_in, texts)), "")


@lru_cache(maxsize=4_096)
def _biomarkers_in(text: str) -> str:
    markers = [match[0].strip() for match in _BIOMARKERS.finditer(_EITHER.sub(" ", text))]
    if _contradict(markers):
        return ""
    by_form = {_JOINT.sub("", marker.casefold()): marker for marker in reversed(markers)}
    plain = [  # "KRAS G12C" beside "KRAS G12C-mutated" says nothing more
        marker
        for key, marker in reversed(by_form.items())
        if not any(other != key and other.startswith(key) for other in by_form)
    ]
    return ", ".join(plain[:3])


def _contradict(markers: list[str]) -> bool:
    """Return whether a text names a marker as present and as absent, so of two groups."""
    states: dict[str, set[bool]] = {}
    for marker in markers:
        state = _STATE.search(marker)
        if state:
            is_present = state[0].casefold().endswith(("positive", "+"))
            states.setdefault(marker[: state.start()].casefold(), set()).add(is_present)
    return any(len(state) > 1 for state in states.values())


def read_cut_off(*texts: str) -> str:
    """Return the date of the data; "" where none is named.

    >>> read_cut_off("Up to the data cut-off date on June 16, 2022"), read_cut_off("24 months")
    ('2022-06-16', '')
    """
    for text in texts:
        match = _CUT_OFF.search(text)
        words = match[1].replace("-", " ").replace(",", "").title() if match else ""
        for form in ("%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%Y %m %d") if words else ():
            try:
                return datetime.strptime(words, form).date().isoformat()  # noqa: DTZ007 - a day
            except ValueError:
                continue
    return ""
