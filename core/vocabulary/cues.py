"""Cues by which readers tell what words say of a place in a text: the rows of ConText's lexicon.

A cue is written as phrases with "; " between. Of a phrase: `a|b` is either word, `w*` any ending,
`w?` may be missing, `..2` up to two words between, `#` a number, `-` between two words a hyphen,
a space or nothing, `^` and `$` begin and end of the text; other signs are themselves.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows

CueReader = Literal["column", "line", "measure", "row", "time"]
_GAP = r"[\s-]+"
_ASIDE = r"[^\w.;]+"
_JOINT = r"[\s-]{0,2}"
_CLOSE = r"\s*"
"""Between words, between words of which some are skipped, for a hyphen, and next to a sign."""
_LETTERS = re.compile(r"\w+")


class CueRow(TableRow):
    """A cue.

    Attributes:
        reader: Who reads by it: line of treatment; row, measure, column and time of a figure.
        category: What it says; "" where it only takes its place from other cues.
        direction: "here": of its own place; "ahead": of what follows; "behind": of what precedes.
        cue: Its phrases.
        scope: Most words between the cue and what it speaks of; "" for no limit.
        stops: Phrases beyond which it says nothing.
        example: Words in which it says so, of the place in brackets where it speaks of another.
        counter_example: Words in which it does not.
    """

    reader: CueReader
    category: str
    direction: Literal["here", "ahead", "behind"]
    cue: str
    scope: int | Literal[""]
    stops: str
    example: str
    counter_example: str


def find_cues(reader: CueReader, text: str) -> Iterator[tuple[CueRow, int, int]]:
    """Yield the cues of a reader in a text with begin and end, in the order of the table."""
    folded = text.casefold()
    for row, pattern, anchors in _patterns(reader):
        if any(anchor in folded for anchor in anchors):
            for match in pattern.finditer(text):
                yield row, match.start(), match.end()


@cache
def _patterns(reader: CueReader) -> tuple[tuple[CueRow, re.Pattern[str], frozenset[str]], ...]:
    """Return the rows of a reader with their patterns, and letters of which a text has some."""
    return tuple(
        (row, compile_phrases(row.cue), frozenset().union(*map(_anchors, row.cue.split("; "))))
        for row in load_rows("cues", CueRow)
        if row.reader == reader
    )


def _anchors(phrase: str) -> frozenset[str]:
    """Return letters of which a text must have some to have a phrase: most do not."""
    needed = [word for word in phrase.split(" ") if not word.startswith("..") and word[-1] != "?"]
    letters = [
        [max(_LETTERS.findall(word), key=len, default="") for word in token.split("|")]
        for token in needed
    ]
    best = max(letters, key=lambda words: (min(map(len, words)), -len(words)))
    return frozenset(word.casefold() for word in best)


@cache
def compile_phrases(cue: str) -> re.Pattern[str]:
    """Return what finds phrases as the table writes them.

    >>> bool(compile_phrases("relaps* ..1 to|on; pre - treated").search("Relapsing only on that"))
    True
    """
    return re.compile("|".join(map(_pattern, cue.split("; "))), re.IGNORECASE)


def _pattern(phrase: str) -> str:
    made = joint = ""
    for token in phrase.split(" "):
        if token == "-":
            joint = _JOINT
        elif token.startswith(".."):
            made, joint = rf"{made}(?:{_ASIDE}[\w'-]+){{0,{token[2:]}}}", _ASIDE
        else:
            is_sign = not re.search(r"[\w*#]", token)
            words = "|".join(map(_word, token.removesuffix("?").split("|")))
            before = _CLOSE if is_sign and made else joint
            if token.endswith("?"):
                made += rf"(?:{before}(?:{words})(?!\w))?"
                continue
            made += f"{before}(?:{words})"
            joint = _CLOSE if is_sign else _GAP
    begin = r"(?<!\w)" if re.match(r"[\w#]", phrase) else ""
    return begin + made + (r"(?!\w)" if re.search(r"[\w#*]$", phrase) else "")


def _word(word: str) -> str:
    if word in {"^", "$"}:
        return word
    return re.escape(word).replace(r"\*", r"\w*").replace(r"\#", r"\d[\d.,]*")
