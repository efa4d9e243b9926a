"""Words of a question that mean types of events: "approvals", "trial starts"."""

import re
from collections.abc import Mapping
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


def take_event_words(text: str) -> tuple[tuple[EventType, ...], str]:
    """Return the types of events that a text names, and the text without their words.

    >>> take_event_words("approvals in asthma")[1]
    'in asthma'
    >>> EventType.ACQUISITION in take_event_words("deals, not acquisitions")[0]
    False
    """
    event_types: dict[EventType, None] = {}
    unwanted: set[EventType] = set()
    refusing = phrase_pattern("refuses what follows")
    refused = phrase_pattern("refuses what precedes")
    for words, types in event_words().items():
        pattern = re.compile(
            rf"(?P<no>(?<![\w-])(?:non|{refusing})\s+(?:(?:the|any|all) )?"
            rf"(?P<mid>[\w-]+ (?:and|n?or)\s+)?)?"
            rf"(?<![\w-]){re.escape(words)}(?![\w-])"
            rf"(?P<out>\s+{refused}\b)?",
            re.IGNORECASE,
        )
        for match in pattern.finditer(text):
            if match["no"] or match["out"]:
                unwanted |= {*types}
            else:
                event_types |= dict.fromkeys(types)
        text = pattern.sub(lambda match: match["no"] if match["mid"] else " ", text)
    types_asked = event_types or dict.fromkeys(EventType if unwanted else ())
    return tuple(kind for kind in types_asked if kind not in unwanted), " ".join(text.split())
