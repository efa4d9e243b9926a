"""Where in a label's studies section a figure stands: its study, its head, its caption.

A figure must be of one study. Where a subsection speaks of several and neither the caption nor
the sentence names one of them, nobody can tell, and there is no place.
"""

import re
from dataclasses import dataclass

_SUBSECTION = re.compile(r"\b14\.\d+ (?=[A-Z])")
_HEAD = re.compile(
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
        head = _HEAD.match(passage)
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
