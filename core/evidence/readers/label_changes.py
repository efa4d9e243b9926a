"""What a label says of itself: which of its sections changed in which month, and its studies.

A change is told by section and month; the same change stands in every later label of that year,
so that what tells it apart is the section, its numbers and the month, not the label.

A figure must be of one study. Where a subsection speaks of several and neither the caption nor
the sentence names one of them, nobody can tell, and there is no place.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.records.evidence import Fact, Qualifiers, Span
from core.vocabulary.predicates import Predicate

_SUBSECTION = re.compile(r"\b14\.\d+ (?=[A-Z])")
_STUDY_HEAD = re.compile(
    r"14\.\d+ (.{3,120}?)\s+(?:(?:The|This|A|An|In|Efficacy|Study|Studies|Trial|Two|Three|Four|"
    r"Patients|Adults?|Table|Figure)\b|[A-Z]{4,} (?:was|is|has|plus|as|in combination)\b)"
)
_CAPTION = re.compile(
    r"\bTable\s+\d+(?:\s?[.:]\s+(?=[A-Z])(?!(?:The|In|At|Of|This|These|An?|Patients|Among|With|"
    r"Based|For|No|There|Median|All|Results (?:were|are|from))\b)|"
    r"\s+(?=(?:Efficacy|Results|Summary|Overall|Progression|Survival|Response|Key|Primary)\b"
    r"(?! (?:and Figure|was|were|is|are|from)\b)))"
)
_COLUMN = re.compile(
    r"(?!(?:Placebo|Chemotherapy|Control)\b)(?:"
    r"[A-Z][A-Za-z]+ (?:\+|plus|with|in combination with|and) [A-Za-z/ ]{3,40}?\s?\(?[Nn]\s?=\s?\d+"
    r"|[A-Z][A-Za-z]{3,}/[A-Za-z]{4,} \([Nn]\s?=\s?\d+"
    r"|\b[A-Z]{4,} (?:\+|plus|with|in combination with) [A-Za-z]{4,}(?: or [A-Za-z]{4,})?)"
)
"""Head of a column that names a combination: "CYRAMZA + Paclitaxel N=330"."""
TRIAL = re.compile(r"NCT\d{8}")
_STUDY_NAME = re.compile(
    r"\b(?:(?:Study|Trial)\s\w*\d\w*|[A-Za-z]*[A-Z][A-Za-z]*-?(?:[A-Z0-9][\w-]*)\d*(?: \dL)?)"
)
"""What names a study: capitals, digits or a number ("LUX-Lung 8" by "LUX-Lung", "Study 2")."""
_NO_NAME = re.compile(
    r"(?:[A-Z]{2,4}-?[A-Z]?\d?|NCT.*|HER2.*|EGFR.*|ALK.*|BRAF.*|NSCLC|SCCHN|mCRC|BRCA.*|PD-L1)$"
)
_STUDY_OF_CAPTION = re.compile(
    r"^[^.;]{0,40}?\b(?:from|in|for)\s(?:the )?(?:Study |Trial )?([A-Z][A-Z0-9-]{3,}[\w-]*)"
)
_PATIENTS = re.compile(r"\bPatients\b")
NAME_BEFORE = 90
"""Characters before a trial's number in which its name stands."""
MOST_CAPTION = 240
"""Characters of a table's caption that are kept."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a figure stands.

    Attributes:
        text: The subsection up to the figure.
        trial: Number of its study; "" where the label gives none.
        head: Head of the subsection, where it speaks of this study alone; else "".
        caption: Caption of the last table before the figure; "" where there is none.
        table: Everything from that caption to the figure; "" where there is none.
    """

    text: str
    trial: str
    head: str
    caption: str
    table: str


def find_place(text: str, start: int, words: str = "") -> Place | None:
    """Return where a figure stands; None where several studies could have given it.

    Args:
        text: The section.
        start: Where in it the figure begins.
        words: Sentence of the figure; "" for a figure of a table, told by its caption.
    """
    starts = [match.start() for match in _SUBSECTION.finditer(text, 0, start)]
    passage = text[starts[-1] if starts else 0 : start]
    captions = [match.end() for match in _CAPTION.finditer(passage)]
    table = passage[captions[-1] :] if captions else ""
    numbers = list(dict.fromkeys(TRIAL.findall(passage)))
    caption = _caption(passage, captions)
    if len(numbers) <= 1:
        head = _STUDY_HEAD.match(passage)
        trial = numbers[0] if numbers else ""
        is_another = trial and not words and _names_another(passage, trial, caption)
        return (
            None if is_another else Place(passage, trial, head[1] if head else "", caption, table)
        )
    trial = _named_trial(passage, words or table[:MOST_CAPTION])
    if trial or (not words and _PATIENTS.search(caption)):  # pooled; the caption tells of whom
        return Place(passage, trial, "", caption, table)
    return None


def _names_another(passage: str, trial: str, caption: str) -> bool:
    """Return whether a caption names a study that is not the one whose number is given."""
    match = _STUDY_OF_CAPTION.search(caption)
    if match is None or _NO_NAME.match(match[1]):
        return False
    at = passage.find(trial)
    return match[1] not in passage[max(0, at - 2 * NAME_BEFORE) : at + NAME_BEFORE]


def _named_trial(passage: str, written: str) -> str:
    """Return the number of the one study of a subsection that a text names; "" if none or two."""
    numbers: list[str] = list(dict.fromkeys(TRIAL.findall(passage)))
    named = [number for number in numbers if number in written]
    if len(named) == 1:
        return named[0]
    names: dict[str, set[str]] = {}
    for match in TRIAL.finditer(passage):
        before = passage[max(0, match.start() - NAME_BEFORE) : match.start()]
        words = set(_STUDY_NAME.findall(TRIAL.split(before)[-1]))
        names.setdefault(match[0], set()).update(word for word in words if not _NO_NAME.match(word))
    trials = [
        number
        for number, own_names in names.items()
        if any(
            re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", written)
            for name in own_names
            - set().union(*(two for key, two in names.items() if key != number))
        )
    ]
    return trials[0] if len(trials) == 1 else ""


def _caption(passage: str, captions: list[int]) -> str:
    """Return the beginning of the last caption, with the combination that its first column got."""
    if not captions:
        return ""
    caption = cut_to_words(passage, captions[-1], captions[-1] + MOST_CAPTION)
    columns = [match[0] for match in _COLUMN.finditer(passage, captions[-1])]
    return f"{caption}; {columns[0]}" if columns and columns[0] not in caption else caption


def cut_to_words(text: str, start: int, end: int) -> str:
    """Return a passage without torn words, its cuts marked."""
    cut = text[start:end]
    if start and text[start - 1].isalnum():
        cut = f"\u2026 {cut.partition(' ')[2]}"
    if end < len(text) and text[end].isalnum():
        cut = f"{cut.rpartition(' ')[0]} \u2026"
    return cut.strip()


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
