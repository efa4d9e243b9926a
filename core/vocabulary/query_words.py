"""Words of a query that are no names: kinds of drugs, lines, stages, routes, patients, regions."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows

WordKind = Literal[
    "mechanism",
    "modality",
    "line",
    "stage",
    "route",
    "population",
    "region",
    "agency",
    "intent",
    "unread",
    "plain",
]
"""An unread word asks for something that is not in the evidence, which an answer says."""


class QueryWordRow(TableRow):
    """One spelling of a word."""

    kind: WordKind
    said: str
    word: str


@cache
def _spellings(kind: WordKind) -> tuple[tuple[str, str, str], ...]:
    """Return beginning, spelling and word of each, the longest first, so that no part wins."""
    rows = [row for row in load_rows("query_words", QueryWordRow) if row.kind == kind]
    rows.sort(key=lambda row: (-len(row.said), row.said))
    return tuple((re.split(r"[ \-]", row.said)[0].casefold(), row.said, row.word) for row in rows)


@cache
def _pattern(words: str) -> re.Pattern[str]:
    """Return a pattern in which blank and hyphen stand for each other."""
    parts = re.split(r"[ \-]", words)
    return re.compile(
        r"(?<![\w.])" + r"[ \-]?".join(map(re.escape, parts)) + r"(?![\w])", re.IGNORECASE
    )


def take_words(kind: WordKind, text: str) -> tuple[list[str], str]:
    """Return the words of a kind in a text, in order, and the text without them.

    >>> take_words("modality", "PD-1/VEGF bispecifics in NSCLC")
    (['bispecific antibody'], 'PD-1/VEGF  in NSCLC')
    """
    placed_words: list[tuple[int, str]] = []
    plain = text.casefold()
    for beginning, spelling, word in _spellings(kind):
        if beginning not in plain:
            continue  # a query has few of the words: most patterns are never made
        pattern = _pattern(spelling)
        for match in pattern.finditer(text):
            placed_words.append((match.start(), word))
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    words = list(dict.fromkeys(word for _, word in sorted(placed_words)))
    return words, re.sub(r"  +", "  ", text).strip()


@cache
def spellings() -> Mapping[str, tuple[QueryWordRow, ...]]:
    """Return the rows of each folded spelling; one spelling may be a word of several kinds."""
    query_words: dict[str, list[QueryWordRow]] = {}
    for row in load_rows("query_words", QueryWordRow):
        query_words.setdefault(fold_word(row.said), []).append(row)
    return {folded: tuple(rows) for folded, rows in query_words.items()}


def fold_word(word: str) -> str:
    """Return a spelling as it is compared: "phase 2+" is not "phase 2", nor "I/II" "III"."""
    return fold_name(word) + "+" * word.endswith("+") + "/" * ("/" in word)


@cache
def words_said() -> frozenset[str]:
    """Return every single word of the table, in lower case."""
    rows = load_rows("query_words", QueryWordRow)
    return frozenset(word for row in rows for word in re.split(r"[ \-]", row.said.casefold()))


@cache
def words_of_modalities() -> frozenset[str]:
    """Return every single word of the spellings of kinds of drugs, in lower case."""
    rows = [row for row in load_rows("query_words", QueryWordRow) if row.kind == "modality"]
    return frozenset(word for row in rows for word in re.split(r"[ \-]", row.said.casefold()))
