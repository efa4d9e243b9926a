"""Quotes bound to a page: found whatever signs they are written with, and read from the page.

What is found is a place. The words that are shown are the page's own characters; the quote as
somebody wrote it is thrown away.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.documents.sentences import split_sentences

SHORTEST, LONGEST = 20, 400
"""Characters of a quote."""
LONGEST_PAGE = 200_000
"""Characters of a page that are read."""
WRAPPED = 40
"""Characters of a line that may go on in the next one."""
_SIGNS = {
    **dict.fromkeys('\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2032`"', "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u2122\u00ae\u00a9\u00ad", ""),
}
"""Quotation marks and dashes are one sign each; marks of trade and soft hyphens are none."""
_BROKEN = re.compile(r"(?<=[^\W\d_])-\s*(?=[^\W\d_])")
"""A hyphen between letters, also at the end of a line."""
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Place:
    """A passage of a page: first character, and one past the last."""

    start: int
    end: int


def fold(text: str) -> str:
    """Return a text as it is compared.

    >>> fold("the  non- small cell") == fold("the nonsmall cell")
    True
    """
    return _fold(text)[0]


def _fold(text: str) -> tuple[str, list[int]]:
    """Return a folded text, and for each of its characters the place that it comes from."""
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        if sign in _SIGNS:
            plain = _SIGNS[sign]
        elif sign.isascii():
            plain = " " if sign.isspace() else sign
        elif unicodedata.category(sign) == "Cf":
            plain = ""
        else:
            plain = "".join(_SIGNS.get(x, x) for x in unicodedata.normalize("NFKD", sign))
            plain = " " if plain.isspace() else plain
        if plain == " " and signs[-1:] == [" "]:
            continue
        signs += plain
        places += [place] * len(plain)
    whole = "".join(signs)
    kept = [True] * len(whole)
    for match in _BROKEN.finditer(whole):
        kept[match.start() : match.end()] = [False] * len(match[0])
    return (
        "".join(sign for sign, is_kept in zip(whole, kept, strict=True) if is_kept),
        [place for place, is_kept in zip(places, kept, strict=True) if is_kept],
    )


@dataclass(frozen=True)
class PageText:
    """A page in which quotes are looked for.

    Attributes:
        text: Its text as it came.
    """

    text: str

    @cached_property
    def sentences(self) -> Sequence[Place]:
        """Return its sentences; headings and cells of tables are sentences of their own."""
        return [
            Place(start + first, start + last)
            for start, end in self._paragraphs()
            for first, last in split_sentences(self.text[start:end].replace("\n", " "))
        ]

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return _fold(self.text)

    def _paragraphs(self) -> Iterator[tuple[int, int]]:
        """Yield begin and end of each paragraph; a long line may go on in small letters."""
        start = end = 0
        for line in _LINE.finditer(self.text[:LONGEST_PAGE]):
            is_next = end and line.start() - end == 1
            before = self.text[max(0, end - 1) : end]
            is_long = line.start() - start > WRAPPED and before not in ".!?:"
            is_row = "|" in line[0] or "|" in self.text[start:end]
            if is_next and not is_row and line[0][:1].islower() and (is_long or before == "-"):
                end = line.end()
                continue
            if end > start:
                yield start, end
            start, end = line.span()
        if end > start:
            yield start, end

    def sentence_at(self, place: Place) -> Place | None:
        """Return the sentence in which a passage lies; None where it lies in two."""
        number = bisect_right(self.sentences, place.start, key=lambda each: each.start) - 1
        if number < 0 or place.end > self.sentences[number].end:
            return None
        return self.sentences[number]

    def find(self, quote: str, within: Place | None = None) -> Iterator[Place]:
        """Yield where a page has these words, never inside a word or a number.

        Args:
            quote: Words as somebody wrote them.
            within: The passage in which they must stand; None: anywhere.
        """
        folded, places = self._folded
        wanted = fold(quote).strip()
        at = folded.find(wanted) if wanted else -1
        while at >= 0:
            place = Place(places[at], places[at + len(wanted) - 1] + 1)
            is_inside = within is None or (within.start <= place.start and place.end <= within.end)
            if is_inside and _is_whole(self.text, place):
                yield place
            at = folded.find(wanted, at + 1)

    def bind(self, quote: str) -> Place | None:
        """Return where a quote of allowed length stands within one sentence; None: nowhere."""
        if not SHORTEST <= len(quote) <= LONGEST:
            return None
        return next((place for place in self.find(quote) if self.sentence_at(place)), None)


def _is_whole(text: str, place: Place) -> bool:
    """Return whether a passage begins and ends at the edge of words and numbers."""
    first, last = text[place.start], text[place.end - 1]
    before, after = text[max(0, place.start - 2) : place.start], text[place.end : place.end + 2]
    return not (_goes_on(first, before[::-1]) or _goes_on(last, after, is_end=True))


def _goes_on(edge: str, beyond: str, *, is_end: bool = False) -> bool:
    """Return whether what stands beyond the edge of a passage belongs to its word or number."""
    if not edge.isalnum() or not beyond:
        return False
    near, far = beyond[0], beyond[1:]
    is_dash = near in "-\u2010\u2011\u2012\u2013\u2212\u00ad"
    if near.isalnum() or near == "_" or (is_dash and (far.isalnum() or not is_end)):
        return True
    if not edge.isdigit():
        return near in "+/&" and far.isalnum()
    if near in ".,\u00b7/" and far.isdigit():
        return True
    return near in "%" if is_end else near in "+\u00b1<>=~\u2264\u2265$\u20ac\u00a3\u00a5."
