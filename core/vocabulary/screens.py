"""A cheap look before a long pattern: letters of which a text must have some for it to match."""

import re
from collections.abc import Iterator

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
    found = [_best(part, groups) for part, groups in _alternatives(plain)]
    return frozenset().union(*found) if all(found) else frozenset()


def _alternatives(plain: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each alternative, a sign for each of its groups, with what stands in them."""
    depth, part, groups = 0, "", [""]
    for sign in plain:
        depth -= sign == ")"
        if sign == "|" and depth == 0:
            yield part, groups[:-1]
            part, groups = "", [""]
        elif sign == ")" and depth == 0:
            part += _GROUP
            groups.append("")
        elif depth > 0:
            groups[-1] += sign
        elif sign != "(":
            part += sign
        depth += sign == "("
    yield part, groups[:-1]


def _best(part: str, groups: list[str]) -> frozenset[str]:
    """Return the most telling letters that every match of an alternative has some of."""
    sure = _OPTIONAL.sub(lambda one: _APART * (_GROUP not in one[0]) or "\x02", part)
    signs = [sign for sign in sure if sign in (_GROUP, "\x02")]
    kept = [
        group.removeprefix("?:")
        for sign, group in zip(signs, groups, strict=True)
        if sign == _GROUP and group.startswith("?:")
    ]
    runs = _LETTERS.findall(_COUNT.sub(_APART, sure).casefold())
    choices = [frozenset({run}) for run in runs] + [_required(group) for group in kept]
    long = [one for one in choices if one and min(map(len, one)) >= LEAST_LETTERS]
    return max(long, key=lambda one: min(map(len, one)), default=frozenset())
