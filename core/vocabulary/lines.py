"""Lines of treatment: the words that readers of records emit, and those that a question asks by."""

from collections.abc import Iterable
from functools import cache

from core.vocabulary.tables import TableRow, load_rows
from core.vocabulary.words import Word


class Line(Word):
    """A line of treatment as a record tells it; facts and figures carry these words."""

    NEOADJUVANT = "neoadjuvant"
    ADJUVANT = "adjuvant"
    PERIOPERATIVE = "neoadjuvant and adjuvant"
    MAINTENANCE = "maintenance"
    FIRST = "first line"
    SECOND = "second line"
    THIRD = "third line"
    UNTREATED = "previously untreated"
    TREATED = "previously treated"


class AskedLine(Word):
    """A line of treatment as questions and lists of patients name it."""

    FIRST = "1L"
    SECOND = "2L"
    THIRD = "3L"
    ADJUVANT = "adjuvant"
    NEOADJUVANT = "neoadjuvant"
    MAINTENANCE = "maintenance"


class LineRow(TableRow):
    """Under which word a question finds a line.

    Attributes:
        line: As records tell it.
        asked: As questions name it.
    """

    line: Line
    asked: AskedLine


@cache
def _asked() -> dict[str, AskedLine]:
    return {row.line: row.asked for row in load_rows("lines", LineRow)}


def asked_by(line: str) -> AskedLine | None:
    """Return the word by which a question finds a line; None for a text that is no line.

    >>> asked_by("previously untreated"), asked_by("")
    ('1L', None)
    """
    return _asked().get(line)


def lines_of(lines: Iterable[AskedLine]) -> frozenset[Line]:
    """Return the lines of records that count as the lines asked for."""
    requested_lines = set(lines)
    return frozenset(Line(line) for line, word in _asked().items() if word in requested_lines)
