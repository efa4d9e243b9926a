"""What trials measure, in one table for all readers: how well a drug works, how safe it is.

A class with a `pattern` is found in measures of any text; its name is the word that the starter
pack and facts carry. A class with `named` is found where a title names it: these are finer
(objective response within response rate), and only figures of one class stand beside each other.
The table is the curators' own; it only sorts measures as written and names no value.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from core.vocabulary.screens import required_letters
from core.vocabulary.tables import TableRow, compile_pattern, load_rows
from core.vocabulary.words import Word

Side = Literal["efficacy", "safety", "exposure", "other"]
Better = Literal["higher", "lower", "none"]
LAST = 99
"""Rank of a measure that no row of the table knows."""


class EndpointType(Word):
    """In what an endpoint is told."""

    TIME_TO_EVENT = "time to event"
    PROPORTION = "proportion"
    MEAN_CHANGE = "mean change"
    RATE = "rate"
    COUNT = "count"


class EndpointRow(TableRow):
    """A class of endpoints.

    Attributes:
        name: Its name.
        within: The wider class that it is a kind of; "" where it is none.
        general: "yes" where it counts only if a title names no other class.
        turn: When its pattern is tried, among all patterns; "" without a pattern.
        side: What it speaks of; "" without a pattern.
        rank: Place among those of its side, the most telling first; "" without a pattern.
        better: Which direction is good; "none" where neither is, or where its kinds differ.
        type: In what it is usually told; a text may tell it otherwise.
        time_point: When it is usually read; "" where trials differ too much.
        area: Field of medicine.
        pattern: Words by which a measure of any text is known.
        named: Words by which a title names it.
    """

    name: str
    within: str
    general: Literal["", "yes"]
    turn: str
    side: Literal["efficacy", "safety", "exposure", ""]
    rank: str
    better: Better
    type: EndpointType | Literal[""]
    time_point: str
    area: str
    pattern: str
    named: str


@dataclass(frozen=True, slots=True)
class MeasureClass:
    """A kind of measure.

    Attributes:
        name: Its name.
        rank: Place among those of its side, the most telling first.
        side: What it speaks of.
        pattern: Words by which it is known.
    """

    name: str
    rank: int
    side: Side
    pattern: re.Pattern[str]


UNKNOWN = MeasureClass("other", LAST, "other", re.compile("(?!)"))


def _rows() -> tuple[EndpointRow, ...]:
    return load_rows("endpoints", EndpointRow)


@cache
def load_measures() -> tuple[MeasureClass, ...]:
    """Return the kinds of measures in their turn: exposure and safety before efficacy."""
    rows = sorted((row for row in _rows() if row.pattern), key=lambda row: int(row.turn))
    return tuple(
        MeasureClass(
            row.name, int(row.rank), row.side or "other", compile_pattern(row.pattern, "endpoints")
        )
        for row in rows
    )


@lru_cache(maxsize=20_000)
def classify_measure(measure: str) -> MeasureClass:
    """Return the kind of a measure.

    >>> classify_measure("Objective Response Rate (ORR)").name
    'response rate'
    >>> classify_measure("Number of Participants With Adverse Events").side
    'safety'
    """
    return next((one for one in load_measures() if one.pattern.search(measure)), UNKNOWN)


@cache
def _named() -> tuple[tuple[re.Pattern[str], frozenset[str], EndpointRow], ...]:
    return tuple(
        (compile_pattern(row.named, "endpoints"), required_letters(row.named), row)
        for row in _rows()
        if row.named
    )


@cache
def _by_name() -> dict[str, EndpointRow]:
    return {row.name: row for row in _rows()}


@lru_cache(maxsize=20_000)
def classify_endpoint(measure: str) -> EndpointRow | None:
    """Return the class of an endpoint, the finest that it tells.

    A word of the table, as the starter pack writes it, is its own class. Of several classes that
    a title names, the one named first counts, of those that begin at one place the longest; where
    it names none, its kind of measure does.

    >>> [classify_endpoint(one).name for one in ("Objective Response Rate", "response rate")]
    ['objective response', 'response rate']
    """
    known = _by_name().get(measure)
    if known is not None:
        return known
    lower = measure.casefold()
    found = [
        (row.general, match.start(), -match.end(), row.name, row)
        for pattern, letters, row in _named()
        if (not letters or any(one in lower for one in letters))
        and (match := pattern.search(measure))
    ]
    if found:
        return min(found, key=lambda one: one[:4])[4]
    return _by_name().get(classify_measure(measure).name)
