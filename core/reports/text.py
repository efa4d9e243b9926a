"""Text and numbers as every renderer shows them.

Inline text knows two marks only, `**bold**` and citations `[n]`; all else is plain text.
"""

import math
import re
from typing import Literal, NamedTuple

MISSING = "–"
_MARKS = re.compile(r"\*\*(?P<bold>[^*]+)\*\*|\[(?P<cite>\d{1,4})\]")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Besides what no format shows, the marks that make text read in another order than it stands."""


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ISO = re.compile(
    r"(?<![\w./:-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])"
    r"(?:-(?P<day>0[1-9]|[12]\d|3[01]))?(?![\w/-]|:\S)"
)


class Span(NamedTuple):
    """A stretch of text in one look."""

    style: Literal["plain", "bold", "cite"]
    text: str


def parse_inline(text: str) -> list[Span]:
    """Split inline text into plain, bold and citation spans.

    Args:
        text: May hold `**bold**` and `[n]`; every other mark stays text.

    Returns:
        Spans in reading order; a citation's text is its number.

    >>> parse_inline("a **b** [3]")[1]
    Span(style='bold', text='b')
    """
    spans: list[Span] = []
    end = 0
    for match in _MARKS.finditer(text):
        if match.start() > end:
            spans.append(Span("plain", text[end : match.start()]))
        bold = match["bold"]
        spans.append(Span("bold", bold) if bold else Span("cite", match["cite"]))
        end = match.end()
    if end < len(text):
        spans.append(Span("plain", text[end:]))
    return spans


def unmarked(text: str) -> str:
    """Return inline text without its bold marks, for renderers that know none."""
    return text.replace("**", "")


def clean(text: str) -> str:
    """Return the text without control characters and marks that turn its order round."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def readable(text: str) -> str:
    """Return clean text with its ISO days and months as a reader writes them.

    >>> readable("2027-05: FDA 2026-11-04; EMA 2025-07 (NCT0455-2026-11)")
    'May 2027: FDA 4 Nov 2026; EMA Jul 2025 (NCT0455-2026-11)'
    """
    return _ISO.sub(_in_words, clean(text))


def _in_words(match: re.Match[str]) -> str:
    day = f"{int(match['day'])} " if match["day"] else ""
    return f"{day}{_MONTHS[int(match['month']) - 1]} {match['year']}"


def show_cell(value: str | float | int | None) -> str:
    """Return a table cell as a reader expects it.

    Args:
        value: Text, a number, or None for a missing value.

    Returns:
        Whole numbers with thousands separators, other numbers with three to four significant
        digits (small and huge ones with an exponent), a dash for None and NaN.

    >>> show_cell(12345), show_cell(0.00001234), show_cell(1.5)
    ('12,345', '1.23e-05', '1.500')
    """
    match value:
        case None:
            return MISSING
        case bool():
            return "yes" if value else "no"
        case str():
            return clean(value)
        case int():
            return f"{value:,}"
        case _:
            return _show_fraction(value)


def _show_fraction(value: float) -> str:
    if math.isnan(value):
        return MISSING
    if value == 0:
        return "0"
    small, large = 1e-3, 1e6
    if not small <= abs(value) < large:
        return f"{value:.2e}"
    return f"{value:,.3f}" if abs(value) < 1000 else f"{value:,.1f}"  # noqa: PLR2004


def width_of(word: str) -> float:
    """Return about how wide a word is set, in ems (never less than it is, in a book face)."""
    return sum(_width(letter) for letter in word)


def _width(letter: str) -> float:
    if not letter.isascii() or letter in "WM@%":
        return 1.0
    return 0.75 if letter.isupper() else 0.56


def break_long_words(text: str, longest: float) -> str:
    """Allow a line break inside words that would leave the page.

    Args:
        text: Any text.
        longest: Width that surely fits on one line, in ems.

    Returns:
        The text with a zero-width space wherever a word reaches that width.
    """
    words = re.split(r"(\s+)", text)
    return "".join(word if width_of(word) <= longest else _break(word, longest) for word in words)


def _break(word: str, longest: float) -> str:
    parts, taken = [], 0.0
    for letter in word:
        taken += _width(letter)
        if taken > longest:
            parts.append("\u200b")
            taken = _width(letter)
        parts.append(letter)
    return "".join(parts)
