"""Words of a question that mean types of events: "approvals", "trial starts"."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from core.vocabulary.event_types import EventType
from core.vocabulary.phrase_words import phrase_pattern
from core.vocabulary.tables import TableRow, load_rows


class EventWordRow(TableRow):
    """A word and the types that it means, divided by bars."""

    said: str
    types: str


@cache
def event_words() -> Mapping[str, tuple[EventType, ...]]:
    """Return the types of each word, the longest word first."""
    rows = sorted(
        load_rows("event_words", EventWordRow), key=lambda row: (-len(row.said), row.said)
    )
    return {row.said: tuple(map(EventType, row.types.split("|"))) for row in rows}


_JOINT = "\u2060"
"""Stands for the blanks of a name while words of events are looked for."""


def take_event_words(text: str, names: Iterable[str] = ()) -> tuple[tuple[EventType, ...], str]:
    """Return the types of events that a text names, and the text without their words.

    Args:
        text: The question.
        names: Names in it whose words name no event, such as "kidney transplant rejection".

    >>> take_event_words("approvals in asthma")[1]
    'in asthma'
    >>> EventType.ACQUISITION in take_event_words("deals, not acquisitions")[0]
    False
    """
    for name in names:
        text = text.replace(name, name.replace(" ", _JOINT))
    event_types: dict[EventType, None] = {}
    unwanted: set[EventType] = set()
    no, out = _refusals()
    for words, types in event_words().items():
        pattern = re.compile(
            rf"(?<![\w{_JOINT}-]){re.escape(words)}(?![\w{_JOINT}-])", re.IGNORECASE
        )
        for match in reversed([*pattern.finditer(text)]):
            before, behind = no.search(text, 0, match.start()), out.match(text, match.end())
            if before or behind:
                unwanted |= {*types}
            else:
                event_types |= dict.fromkeys(types)
            start = before.start() if before and not before["mid"] else match.start()
            end = behind.end() if behind else match.end()
            text = f"{text[:start]} {text[end:]}"
    types_asked = event_types or dict.fromkeys(EventType if unwanted else ())
    return tuple(kind for kind in types_asked if kind not in unwanted), " ".join(
        text.replace(_JOINT, " ").split()
    )


@cache
def _refusals() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what leaves out the word behind it, with one between, and what the word before it."""
    follows, precedes = map(phrase_pattern, ("refuses what follows", "refuses what precedes"))
    before = (
        rf"(?<![\w-])(?:non|{follows})\s+(?:(?:the|any|all) )?(?P<mid>[\w-]+ (?:and|n?or)\s+)?$"
    )
    return re.compile(before, re.IGNORECASE), re.compile(rf"\s+{precedes}\b", re.IGNORECASE)
