"""What trials measure, in one table for all readers: how well a drug works, how safe it is.

A class with a `pattern` is found in measures of any text; its name is the word that the starter
pack and facts carry. A class with `named` is found where a title names it: these are finer
(objective response within response rate), and only figures of one class stand beside each other.
The table is the curators' own; it only sorts measures as written and names no value.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows
from core.vocabulary.words import Word

LEAST_LETTERS = 2
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_CLASS = re.compile(r"\[\^?\]?[^\]]*\]")
_OPTIONAL = re.compile(r".(?:[?*]|\{0?,\d+\})", re.DOTALL)
_COUNT = re.compile(r"\{[\d,]*\}|[+^$.]")
_LETTERS = re.compile(r"[a-z0-9]+")
_APART = "\x00"
"""Stands for what is no letter that every match has."""
_GROUP = "\x01"
"""Stands for a group that every match has."""


def required_letters(pattern: str) -> frozenset[str]:
    r"""Return letters of which every match has some, in lower case; none where that is not sure.

    >>> sorted(required_letters(r"\bORR\b|(?:overall|best)[ -]respon(?:se|der)s?"))
    ['orr', 'respon']
    >>> sorted(required_letters(r"(?:local|distant) (?:to)?")), required_letters(r"pain|[ab]c?")
    (['distant', 'local'], frozenset())
    """
    return _required(_CLASS.sub(_APART, _ESCAPE.sub(_APART, pattern)))


def _required(plain: str) -> frozenset[str]:
    """Return the letters of a pattern without escapes and classes."""
    classes = [_best(text, groups) for text, groups in _alternatives(plain)]
    return frozenset().union(*classes) if all(classes) else frozenset()


def _alternatives(plain: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each alternative, a sign for each of its groups, with what stands in them."""
    depth, text, groups = 0, "", [""]
    for sign in plain:
        depth -= sign == ")"
        if sign == "|" and depth == 0:
            yield text, groups[:-1]
            text, groups = "", [""]
        elif sign == ")" and depth == 0:
            text += _GROUP
            groups.append("")
        elif depth > 0:
            groups[-1] += sign
        elif sign != "(":
            text += sign
        depth += sign == "("
    yield text, groups[:-1]


def _best(text: str, groups: list[str]) -> frozenset[str]:
    """Return the most telling letters that every match of an alternative has some of."""
    sure = _OPTIONAL.sub(lambda match: _APART * (_GROUP not in match[0]) or "\x02", text)
    signs = [sign for sign in sure if sign in (_GROUP, "\x02")]
    fitting = [
        group.removeprefix("?:")
        for sign, group in zip(signs, groups, strict=True)
        if sign == _GROUP and group.startswith("?:")
    ]
    runs = _LETTERS.findall(_COUNT.sub(_APART, sure).casefold())
    choices = [frozenset({run}) for run in runs] + [_required(group) for group in fitting]
    long = [choice for choice in choices if choice and min(map(len, choice)) >= LEAST_LETTERS]
    return max(long, key=lambda words: min(map(len, words)), default=frozenset())


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
    return next(
        (
            measure_class
            for measure_class in load_measures()
            if measure_class.pattern.search(measure)
        ),
        UNKNOWN,
    )


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
    endpoint = _by_name().get(measure)
    if endpoint is not None:
        return endpoint
    lower = measure.casefold()
    fits = [
        (row.general, match.start(), -match.end(), row.name, row)
        for pattern, letters, row in _named()
        if (not letters or any(letter in lower for letter in letters))
        and (match := pattern.search(measure))
    ]
    if fits:
        return min(fits, key=lambda fit: fit[:4])[4]
    return _by_name().get(classify_measure(measure).name)
