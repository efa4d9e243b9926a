"""Words of a query that are no names: mechanisms, modalities, lines, stages, plain words."""

import re
from functools import cache
from typing import Literal

from core.knowledge.load import KnowledgeRow, load_rows

WordKind = Literal["mechanism", "modality", "line", "stage", "plain"]


class QueryWordRow(KnowledgeRow):
    """One spelling of a word."""

    kind: WordKind
    said: str
    word: str


@cache
def _patterns(kind: WordKind) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return spellings as patterns, the longest first, so that a part never wins."""
    rows = [row for row in load_rows("query_words", QueryWordRow) if row.kind == kind]
    rows.sort(key=lambda row: (-len(row.said), row.said))
    return tuple((_spelling(row.said), row.word) for row in rows)


def _spelling(said: str) -> re.Pattern[str]:
    """Return a pattern in which blank and hyphen stand for each other."""
    parts = re.split(r"[ \-]", said)
    return re.compile(
        r"(?<![\w.])" + r"[ \-]?".join(map(re.escape, parts)) + r"(?![\w])", re.IGNORECASE
    )


def take_words(kind: WordKind, text: str) -> tuple[list[str], str]:
    """Return the words of a kind in a text, in order, and the text without them.

    >>> take_words("modality", "PD-1/VEGF bispecifics in NSCLC")
    (['bispecific antibody'], 'PD-1/VEGF  in NSCLC')
    """
    found: list[tuple[int, str]] = []
    for pattern, word in _patterns(kind):
        for match in pattern.finditer(text):
            found.append((match.start(), word))
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    words = list(dict.fromkeys(word for _, word in sorted(found)))
    return words, re.sub(r"  +", "  ", text).strip()
