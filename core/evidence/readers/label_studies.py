"""The trials that a label's studies section names, each with what stands beside its number."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.evidence.readers.designs import read_design
from core.evidence.readers.endpoints import read_endpoint
from core.records.precedents import TrialDesign

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
                read_design("", section_text[start:end][:FIRST_WORDS]),
            )


def _endpoints(text: str) -> list[str]:
    """Return the classes of the endpoints that sentences on outcomes name."""
    sentences = ", ".join(
        [sentence for sentence in _SENTENCE.split(text) if _OUTCOME.search(sentence)][:3]
    )
    classes = (read_endpoint(words).name for words in _SEVERAL.split(sentences) if words)
    return list(dict.fromkeys(filter(None, classes)))[:MOST_ENDPOINTS]
