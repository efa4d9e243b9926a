"""What a label says of itself: which of its sections changed in which month, and its studies.

A change is told by section and month; the same change stands in every later label of that year,
so that what tells it apart is the section, its numbers and the month, not the label.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.evidence.readers.label_places import TRIAL
from core.records.evidence import Fact, Qualifiers, Span
from core.vocabulary.predicates import Predicate

SECTIONS = {
    "1": "indications and usage",
    "2": "dosage and administration",
    "3": "dosage forms and strengths",
    "4": "contraindications",
    "5": "warnings and precautions",
    "6": "adverse reactions",
    "7": "drug interactions",
    "8": "use in specific populations",
    "14": "clinical studies",
}
"""Sections of a label by their number (21 CFR 201.57)."""
BOXED = "boxed warning"
_MONTH = re.compile(r"(?<![\d/])(0?[1-9]|1[0-2])\s?/\s?((?:19|20)\d\d)(?!\d)")
_NUMBERS = re.compile(
    r"[(,]\s*((?:\d{1,2}(?:\.\d{1,2})?\s*(?:[,;.&\u2013-]|and|to|through)?\s*)+)\)"
)
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2})?")
_BOXED = re.compile(r"\bbox(?:ed)? warning", re.IGNORECASE)
_BEGIN = re.compile(r"^[\s).,;:]*(?:recent major changes\b)?[\s:]*", re.IGNORECASE)
_PART = re.compile(r"(?<![\d.(])(14\.(\d{1,2})) (?=[A-Z\"])")
_HEAD = re.compile(
    r"14\.\d+ (.{3,160}?)\s+(?=(?:The|This|These|A|An|In|One|Two|Three|Four|Five|Six|Efficacy|"
    r"Safety|Data|Results|Evidence) (?!or\b|of\b)[a-z]|A Phase\b|(?:Study|Trial) [\dA-Z]{1,6}[ ,(]|"
    r"[A-Z]{4,}(?: [A-Z]{3,})?\s?\u00ae? (?:was|is|has)\b|[A-Za-z]+[\w-]* ?\(NCT)"
)
_RANGE = re.compile(r"(\d{1,2}(?:\.\d{1,2})?)\s?(?:[\u2013-]|\bto\b|through)\s?(\d{1,2}\.\d{1,2})")
LONGEST = 300


@dataclass(frozen=True, slots=True)
class Change:
    """A change that a label tells.

    Attributes:
        section: Its name.
        numbers: Numbers of the changed parts, as "5.1, 5.2"; "" where none stands.
        month: YYYY-MM.
        words: As written.
    """

    section: str
    numbers: str
    month: str
    words: str


def read_changes(text: str) -> Iterator[Change]:
    """Yield the changes of the list that a label begins with.

    >>> [(one.section, one.numbers, one.month) for one in read_changes(
    ...     "Boxed Warning 5/2023 Indications and Usage ( 1.1 , 1.3 ) 12/2021")]
    [('boxed warning', '', '2023-05'), ('indications and usage', '1.1, 1.3', '2021-12')]
    """
    begin = 0
    for match in _MONTH.finditer(text):
        words = _BEGIN.sub("", text[begin : match.start()]).strip()
        begin = match.end()
        month = f"{match[2]}-{int(match[1]):02d}"
        for section, numbers in _sections(words).items():
            yield Change(section, ", ".join(numbers), month, words[:LONGEST])


def _sections(words: str) -> dict[str, list[str]]:
    """Return the sections of an entry with their numbers; of several, each."""
    sections: dict[str, list[str]] = {}
    if _BOXED.search(words):
        sections[BOXED] = []
    for group in _NUMBERS.finditer(words):
        ranges = [f"{match[1]} to {match[2]}" for match in _RANGE.finditer(group[1])]
        for number in (*ranges, *_NUMBER.findall(_RANGE.sub(" ", group[1]))):
            section = SECTIONS.get(number.partition(".")[0], "")
            if section and number not in sections.setdefault(section, []):
                sections[section].append(number)
    if not sections:
        folded = words.casefold()
        sections = {name: [] for name in SECTIONS.values() if folded.startswith(name)}
    return {section: numbers for section, numbers in sections.items() if section}


def head_of(line: str) -> str:
    """Return the head of a part of the studies section; "" where its end cannot be told.

    >>> head_of("14.2 Cataplexy in Patients with Narcolepsy The efficacy of DRUGOX was shown")
    'Cataplexy in Patients with Narcolepsy'
    >>> head_of("14.1 Adults Study 006, a randomized trial, compared")
    'Adults'
    """
    head = _HEAD.match(line)
    return head[1].strip() if head else ""


def describe_changes(span: Span, record_id: str, drug: str, as_of: str) -> Iterator[Fact]:
    """Yield a fact for each change.

    Args:
        span: The list of changes.
        record_id: The label.
        drug: Its drug.
        as_of: Day of the label.
    """
    for change in read_changes(span.text):
        yield Fact(
            record_id,
            drug,
            Predicate.LABEL_CHANGED,
            change.section,
            qualifiers=Qualifiers(
                region="FDA",
                indication=change.numbers,
                time_point=change.month,
                population=change.words,
            ),
            as_of=as_of,
            locator="recent_major_changes",
        )


def describe_studies(span: Span, record_id: str, drug: str, as_of: str) -> Iterator[Fact]:
    """Yield the parts of the studies section, each of one use, and the trials that they name."""
    stem = (record_id, drug)
    for number, start, end in _parts(span.text):
        head = head_of(span.text[start:end])
        locator = f"clinical_studies {number} [{start}:{end}]".replace("  ", " ")
        qualifiers = Qualifiers(region="FDA", indication=head)
        if number:
            words = head or number
            yield Fact(
                *stem,
                Predicate.LABEL_STUDY,
                words,
                qualifiers=qualifiers,
                as_of=as_of,
                locator=locator,
            )
        for trial in dict.fromkeys(TRIAL.findall(span.text[start:end])):
            yield Fact(
                *stem,
                Predicate.LABEL_NAMES_TRIAL,
                trial,
                qualifiers=qualifiers,
                as_of=as_of,
                locator=locator,
            )


def _parts(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield number, begin and end of the parts; a number that is out of turn refers to a part."""
    begins: list[tuple[str, int]] = []
    for match in _PART.finditer(text):
        if int(match[2]) == len(begins) + 1:
            begins.append((match[1], match.start()))
    if not begins:
        yield "", 0, len(text)
    for index, (number, start) in enumerate(begins):
        end = begins[index + 1][1] if index + 1 < len(begins) else len(text)
        yield number, start, end
