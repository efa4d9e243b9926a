"""Of what a label warns: hazards of its boxed warning, and those of the headings of section 5."""

import re

from core.vocabulary.hazards import find_hazards

LONGEST_HEADING = 90
_BOX_HEAD = re.compile(
    r"WARNINGS?:?\s+((?:[A-Z0-9][A-Z0-9()/&,'.-]*\s+|and\s+|or\s+|in\s+|of\s+)+)"
)
"""The heading of a boxed warning, in capitals."""
_HEADING = re.compile(r"(?<![\w.,(])5\.(\d{1,2})\s+(?=[A-Z])")
_TITLE_WORD = re.compile(
    r"(?:[A-Z0-9(][\w()/,.;&'\u2019-]*|and|or|of|in|with|to|the|from|for|due|a|an)$"
)
_REMS = re.compile(r"\bREMS\b|Risk Evaluation and Mitigation Strateg")


def read_box(text: str) -> tuple[str, ...]:
    """Return the hazards of a boxed warning: those of its heading, else those of its words.

    >>> read_box("WARNING: SERIOUS INFECTIONS and THROMBOSIS Patients with liver failure died.")
    ('serious infections', 'thrombosis')
    """
    heads = " ".join(match[1] for match in _BOX_HEAD.finditer(text))
    return find_hazards(heads) or find_hazards(text[:600])


def read_headings(text: str) -> tuple[str, ...]:
    """Return the hazards of the numbered headings of the warnings section.

    >>> read_headings("5 WARNINGS 5.1 Hepatotoxicity X can harm the liver. 5.2 Bleeding Cases")
    ('bleeding', 'hepatotoxicity')
    """
    heads = (
        _heading(text[match.end() : match.end() + LONGEST_HEADING])
        for match in _HEADING.finditer(text)
    )
    return tuple(sorted({hazard for head in heads for hazard in find_hazards(head)}))


def _heading(text: str) -> str:
    """Return the words of a heading: those with capitals, before a sentence begins."""
    words: list[str] = []
    for word in text.split():
        if not _TITLE_WORD.match(word):
            words = words[:-1] if len(words) > 1 else words
            break
        words.append(word)
    return " ".join(words)


def has_headings(text: str) -> bool:
    """Return whether a warnings section is numbered, so that its headings can be told."""
    return len(_HEADING.findall(text)) > 0


def names_rems(text: str) -> bool:
    """Return whether a text speaks of a risk evaluation and mitigation strategy."""
    return _REMS.search(text) is not None
