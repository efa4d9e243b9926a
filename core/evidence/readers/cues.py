"""One engine for cues: what words say, of which place, and how far they reach.

After ConText (Chapman, Dowling and Chu 2007, W07-1011): a cue speaks of its own place, of what
follows or of what precedes; its reach ends after some words or at a word that stops it. Of cues
that lie within one another only the longest counts, so that a row without a category takes a
place from others ("from baseline" is no baseline). The cues are rows of `core.vocabulary.cues`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from core.vocabulary.cues import CueReader, CueRow, cues_of

_GAP = r"[\s-]+"
_CLOSE = r"\s*"
"""Between a word and a sign."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A cue in a text.

    Attributes:
        row: The cue.
        start: Where its words begin.
        end: Where they end.
        reach: Begin and end of that of which it speaks.
    """

    row: CueRow
    start: int
    end: int
    reach: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """The cues of a text.

    Attributes:
        text: The text.
        marks: Its cues, in the order of the table.
    """

    text: str
    marks: tuple[Mark, ...]

    def here(self) -> Iterator[Mark]:
        """Yield the cues that speak of their own place."""
        return (one for one in self.marks if one.row.direction == "here" and one.row.category)

    def has(self, category: str) -> bool:
        """Return whether the text has a cue of a category."""
        return any(one.row.category == category for one in self.marks)

    def says(self, category: str, start: int, end: int) -> bool:
        """Return whether a cue of a category speaks of a place."""
        return any(
            one.row.category == category and one.reach[0] <= start and end <= one.reach[1]
            for one in self.marks
        )

    def without(self, category: str) -> str:
        """Return the text without the cues of a category and what they speak of."""
        text = self.text
        for one in sorted(self.marks, key=lambda mark: -mark.start):
            if one.row.category == category:
                start, end = min(one.start, one.reach[0]), max(one.end, one.reach[1])
                text = f"{text[:start]} {text[end:]}"
        return text


@lru_cache(maxsize=8_192)
def read_cues(reader: CueReader, text: str) -> Reading:
    """Return the cues of a text.

    >>> [one.row.category for one in read_cues("line", "neoadjuvant or first-line").here()]
    ['first line', 'neoadjuvant']
    """
    found = [
        Mark(row, *one.span(), _reach(row, text, *one.span()))
        for row in cues_of(reader)
        for one in phrases(row.cue).finditer(text)
    ]
    return Reading(text, tuple(one for one in found if not _is_within(one, found)))


def _is_within(mark: Mark, others: list[Mark]) -> bool:
    """Return whether the words of a cue are a part of a longer one's."""
    return any(
        one.start <= mark.start and mark.end <= one.end and one.end - one.start > length
        for length in (mark.end - mark.start,)
        for one in others
    )


def _reach(row: CueRow, text: str, start: int, end: int) -> tuple[int, int]:
    """Return that of which a cue speaks; what begins within its scope is in it."""
    if row.direction == "here":
        return start, end
    is_ahead = row.direction == "ahead"
    stops = [one.span() for one in phrases(row.stops).finditer(text)] if row.stops else []
    if is_ahead:
        last = min((first for first, _ in stops if first >= end), default=len(text))
        return end, _after_words(text, end, last, row.scope)
    first = max((last for _, last in stops if last <= start), default=0)
    return _before_words(text, first, start, row.scope), start


def _after_words(text: str, start: int, end: int, most: int | str) -> int:
    """Return the end of the word that stands behind so many others, or of all."""
    words = list(re.finditer(r"\S*\w\S*", text[start:end])) if most != "" else []
    n_words = int(most or 0)
    return start + words[n_words].end() if len(words) > n_words and most != "" else end


def _before_words(text: str, start: int, end: int, most: int | str) -> int:
    """Return the begin of the word that stands before so many others, or of all."""
    words = list(re.finditer(r"\S*\w\S*", text[start:end])) if most != "" else []
    n_words = int(most or 0)
    return start + words[-n_words - 1].start() if len(words) > n_words and most != "" else start


@cache
def phrases(said: str) -> re.Pattern[str]:
    """Return what finds phrases as a table writes them.

    >>> bool(phrases("relaps* ..1 to|on; pre-treated").search("Relapsing only on that"))
    True
    """
    return re.compile("|".join(map(_phrase, said.split("; "))), re.IGNORECASE)


def _phrase(said: str) -> str:
    made, gap = "", ""
    for token in said.split(" "):
        is_sign = not re.search(r"\w|\*|#", token)
        joint = "" if not made else _CLOSE if is_sign or gap == _CLOSE else _GAP
        if token.startswith(".."):
            made += rf"(?:{_GAP}[\w'-]+){{0,{token[2:]}}}"
            continue
        words = "|".join(map(_word, token.removesuffix("?").split("|")))
        made += f"(?:{joint}(?:{words}))?" if token.endswith("?") else f"{joint}(?:{words})"
        gap = _CLOSE if is_sign else _GAP
    before = r"(?<!\w)" if re.match(r"[\w#]", said) else ""
    return f"{before}{made}(?!\\w)" if re.search(r"[\w#*?]$", said) else f"{before}{made}"


def _word(said: str) -> str:
    plain = re.escape(said).replace(r"\-", r"[\s-]?") if re.search(r"\w", said) else re.escape(said)
    return plain.replace(r"\*", r"\w*").replace(r"\#", r"\d[\d.,]*")
