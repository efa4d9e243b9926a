"""Cues by which readers tell what words say of a place in a text: the rows of ConText's lexicon.

A cue is written as phrases with "; " between: `a|b` is either word, `w*` any ending, `w?` may be
missing, `..2` up to two words between, `#` a number; a hyphen may be a space or nothing.
"""

from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows

CueReader = Literal["baseline", "line"]


class CueRow(TableRow):
    """A cue.

    Attributes:
        reader: Who reads by it.
        category: What it says.
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
    scope: Literal[""] | int
    stops: str
    example: str
    counter_example: str


@cache
def cues_of(reader: CueReader) -> tuple[CueRow, ...]:
    """Return the cues of a reader, in the order of the table."""
    return tuple(row for row in load_rows("cues", CueRow) if row.reader == reader)
