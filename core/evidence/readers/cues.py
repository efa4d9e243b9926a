"""One engine for cues: what words say, of which place, and how far they reach.

After ConText (Chapman, Dowling and Chu 2007, W07-1011): a cue speaks of its own place, of what
follows or of what precedes; its reach ends after some words or at a word that stops it. Of cues
that lie within one another only the longest counts; a row without a category takes its place from
all others ("from baseline" is no baseline). The cues are rows of `core.vocabulary.cues`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.vocabulary.cues import CueReader, CueRow, compile_phrases, find_cues

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
_WORD = re.compile(r"\S*\w\S*")


@dataclass(frozen=True, slots=True)
class Mark:
    """A cue in a text.

    Attributes:
        category: What it says; "" where it only takes its place from others.
        start: Where its words begin.
        end: Where they end.
        reach: Begin and end of that of which it speaks.
        is_here: Whether it speaks of its own place.
    """

    category: str
    start: int
    end: int
    reach: tuple[int, int]
    is_here: bool


@dataclass(frozen=True, slots=True)
class CueReading:
    """The cues of a text.

    Attributes:
        marks: In the order of the table.
    """

    marks: tuple[Mark, ...]

    def here(self) -> Iterator[Mark]:
        """Yield the cues that speak of their own place."""
        return (mark for mark in self.marks if mark.is_here)

    def says(self, category: str, position: int) -> bool:
        """Return whether a cue of a category speaks of a place."""
        return any(
            mark.category == category and mark.reach[0] <= position < mark.reach[1]
            for mark in self.marks
        )


def read_cues(reader: CueReader, text: str) -> CueReading:
    """Return the cues of a text.

    >>> [mark.category for mark in read_cues("line", "neoadjuvant or first-line").here()]
    ['first line', 'neoadjuvant']
    """
    plain = text if text.isascii() else text.translate(_DASHES)
    marks = [
        Mark(row.category, start, end, _reach(row, plain, start, end), row.direction == "here")
        for row, start, end in find_cues(reader, plain)
    ]
    return CueReading(tuple(mark for mark in marks if not _is_taken(mark, marks)))


def _is_taken(mark: Mark, others: list[Mark]) -> bool:
    """Return whether a longer cue of its kind holds a cue, or one that says nothing meets it."""
    return any(
        (other.start < mark.end and mark.start < other.end)
        if not other.category
        else other.is_here == mark.is_here
        and other.start <= mark.start
        and mark.end <= other.end
        and other.end - other.start > mark.end - mark.start
        for other in others
    )


def _reach(row: CueRow, text: str, start: int, end: int) -> tuple[int, int]:
    """Return that of which a cue speaks: so many words, and no further than a word that stops."""
    if row.direction == "here":
        return start, end
    is_ahead = row.direction == "ahead"
    stops = [stop.span() for stop in compile_phrases(row.stops).finditer(text)] if row.stops else []
    if is_ahead:
        first, last = end, min((stop for stop, _ in stops if stop >= end), default=len(text))
    else:
        first, last = max((stop for _, stop in stops if stop <= start), default=0), start
    words = list(_WORD.finditer(text, first, last))
    if row.scope == "" or len(words) <= row.scope:
        return first, last
    return (first, words[row.scope].end()) if is_ahead else (words[-row.scope - 1].start(), last)
