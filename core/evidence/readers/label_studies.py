"""The trials that a label's studies section names, each with what stands beside its number."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.evidence.readers.designs import read_design
from core.evidence.readers.endpoints import read_endpoint
from core.records.precedents import Control, TrialDesign

FIRST_WORDS = 1_500
"""Characters about a trial in which its design is described."""
MOST_ENDPOINTS = 4
_NUMBER = re.compile(r"NCT\d{8}")
_PART = re.compile(r"(?<![\w.,(])14\.\d+\s+(?=[A-Z])")
_HEADING = re.compile(
    r"[A-Z].{2,140}?(?=\s+(?:The|This|An?|In|Efficacy|Study|Studies|Trial|Two|Three|Four|Patients|"
    r"Adults?|Table|Figure|[A-Z][A-Z-]{4,})\s)"
)
_OUTCOME = re.compile(
    r"\befficacy (?:outcome|endpoint|measure|was)|\b(?:primary|major|main|key)[^.]{0,40}"
    r"(?:end ?point|outcome)|\boutcome measures?|\befficacy endpoints?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"\.\s")
_SEVERAL = re.compile(r",? and |;|, ")
_STUDY_START = re.compile(r"\.\s+(?=[A-Z])")
_PLACEBO = re.compile(r"\bplacebo\b", re.IGNORECASE)
_ADD_ON = re.compile(
    r"\bplacebo,? (?:plus|in combination with|added to)\b|\bplus (?:a )?(?:matching )?placebo\b|"
    r"\bin combination with (?:\w+ ){0,4}(?:and|or|plus) [^.]*\bplacebo\b|"
    r"\bplacebo\b[^.;]{0,60}\bin combination with\b|\bactive[- ]controlled\b",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    r"\bactive(?:ly)?[- ](?:control|compar)|\bdouble[- ]dummy\b|"
    r"\b(?:investigator|physician)['’]?s? (?:best )?choice|"
    r"\b(?:versus|vs\.?|compared (?:with|to)|comparing) (?!placebo|baseline|an? |the )|"
    r"\bto receive (?:either )?[^.]*? or (?!placebo|\d|matching|the (?:same|higher|lower))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StudyReading:
    """A trial in a studies section.

    Attributes:
        number: Its number.
        heading: Heading of the part of the section in which it stands.
        endpoints: Classes of the endpoints that the part tells, in its order.
        design: What the part tells of the design.
    """

    number: str
    heading: str
    endpoints: tuple[str, ...]
    design: TrialDesign


def read_studies(section: str) -> Iterator[StudyReading]:
    """Yield the trials of a section, each once a part.

    >>> text = "14.1 Gout The trial (NCT01234567), randomized. The primary endpoint was pain. "
    >>> [(one.number, one.heading, one.endpoints) for one in read_studies(text)]
    [('NCT01234567', 'Gout', ('pain',))]
    """
    for section_text in _PART.split(section):
        numbers = list(_NUMBER.finditer(section_text))
        heading = _HEADING.match(section_text)
        for index, number in enumerate(numbers):
            start = numbers[index - 1].end() if index else 0
            end = numbers[index + 1].start() if index + 1 < len(numbers) else len(section_text)
            yield StudyReading(
                number[0],
                heading[0] if heading else section_text[:120],
                tuple(_endpoints(section_text[number.start() : end])),
                _read_design(section_text, start, number.start(), end),
            )


def _read_design(section_text: str, first: int, number: int, last: int) -> TrialDesign:
    """Return the design that a part tells from the sentence of a trial's number on."""
    breaks = [match.end() for match in _STUDY_START.finditer(section_text, first, number)]
    text = section_text[breaks[-1] if breaks else first : last][:FIRST_WORDS]
    design = read_design("", text)
    if design.allocation == "single arm" or "non-randomized" in text:
        return design
    is_blind = design.masking != "open-label" and "double-dummy" not in text
    return replace(design, control=_control(text, may_have_placebo=is_blind))


def _control(text: str, *, may_have_placebo: bool = True) -> Control:
    """Return the kind of control that a description of a randomized trial tells.

    >>> _control("randomized to receive drugoxib or dacarbazine until progression")
    'active'
    >>> _control("placebo-controlled; to receive placebo plus docetaxel or drugoxib plus docetaxel")
    'add-on placebo'
    >>> _control("a double-blind, placebo-controlled trial"), _control("randomized to 5 or 10 mg")
    ('placebo', 'unknown')
    """
    if may_have_placebo and _PLACEBO.search(text):
        return "add-on placebo" if _ADD_ON.search(text) else "placebo"
    return "active" if _ACTIVE.search(text) else "unknown"


def _endpoints(text: str) -> list[str]:
    """Return the classes of the endpoints that sentences on outcomes name."""
    sentences = ", ".join(
        [sentence for sentence in _SENTENCE.split(text) if _OUTCOME.search(sentence)][:3]
    )
    classes = (read_endpoint(words).name for words in _SEVERAL.split(sentences) if words)
    return list(dict.fromkeys(filter(None, classes)))[:MOST_ENDPOINTS]
