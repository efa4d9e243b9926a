"""A question as a sheet on which each reader marks the words that it has understood."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from core.evidence.readers.questions.parsed import Became, Piece
from core.vocabulary.phrase_words import phrase_words

WORD = re.compile(r"[^\W_]+(?:['\u2019]s?(?!\w))?\+?")


class Sheet:
    """A question with the pieces of it that are understood; no word is part of two."""

    def __init__(self, text: str) -> None:
        """Begin with nothing understood."""
        self.text = text
        self.words = list(WORD.finditer(text))
        self.pieces: list[Piece] = []
        self._taken = bytearray(len(text))
        self._starts = [word.start() for word in self.words]
        self._ends = [word.end() for word in self.words]

    def is_free(self, start: int, end: int) -> bool:
        """Return whether nobody has understood any of some characters."""
        return self._taken.find(1, start, end) < 0

    def take(self, start: int, end: int, became: Became, meant: str = "") -> None:
        """Mark characters as understood."""
        self.pieces.append(Piece(start, end, self.text[start:end], became, meant))
        self._taken[start:end] = b"\x01" * (end - start)

    def runs(self, most: int) -> Iterator[tuple[int, int, str]]:
        """Yield begin, end and words of runs of free words, the longest first.

        Args:
            most: Words of the longest run.
        """
        for length in range(min(most, len(self.words)), 0, -1):
            for first in range(len(self.words) - length + 1):
                start, end = self._starts[first], self._ends[first + length - 1]
                if self.is_free(start, end):
                    yield start, end, self.text[start:end]

    def before(self, start: int, most: int = 1) -> list[str]:
        """Return the words before a place, the nearest first, in lower case."""
        last = bisect_right(self._ends, start)
        words = self.words[max(0, last - most) : last]
        return [word[0].casefold() for word in reversed(words)]

    def after(self, end: int, most: int = 1) -> list[str]:
        """Return the words behind a place, in lower case."""
        first = bisect_left(self._starts, end)
        return [word[0].casefold() for word in self.words[first : first + most]]

    def left(self) -> list[re.Match[str]]:
        """Return the words that nobody has understood."""
        return [word for word in self.words if self.is_free(word.start(), word.start() + 1)]

    def finished(self) -> tuple[Piece, ...]:
        """Return all pieces by place; what nobody has understood is left over."""
        remaining_pieces = [Piece(x.start(), x.end(), x[0], "left over") for x in self.left()]
        return tuple(sorted((*self.pieces, *remaining_pieces), key=lambda piece: piece.start))


def is_earlier(sheet: Sheet, start: int, end: int) -> bool:
    """Return whether a drug or class is one that patients had before: "after osimertinib"."""
    before = sheet.before(start, 2)
    phrase = " ".join(reversed(before))
    is_after = bool({phrase, *before[:1]} & phrase_words("before earlier drug"))
    return is_after or bool(set(sheet.after(end)) & phrase_words("behind earlier drug"))
