"""Classes for what sources write in sentences, so that the starter pack copies none.

The table is the curators' own (`core.vocabulary.own_words`): why a trial was stopped, of what a
boxed warning warns, for what age a label is, uses for which lists of diseases have no name.
"""

import re
from functools import cache

from core.vocabulary.own_words import Kind, OwnWordRow
from core.vocabulary.tables import compile_pattern, load_rows

FIRST_WORDS = 250
"""Characters of an indication in which children are named if it is for them alone."""
OTHER_REASON = "other"
_NOT_FOR = re.compile(
    r"[^.]*\b(?:not (?:been )?(?:approved|established|recommended|indicated|studied)|"
    r"limitations? of use)\b[^.]*",
    re.IGNORECASE,
)
_YOUNG = re.compile(r"\b(?:childhood|infancy|juvenile|newborns?)\b", re.IGNORECASE)
"""Words of uses in children that do not name them."""
_DENIED = re.compile(
    r"\b(?:not|unrelated|no|without|rather than)\b(?: (?!only|met)\w+){0,6}? "
    r"(?:safety|toxicity)\b"
    r"(?:,? (?:or|and|nor) (?:\w+ )?(?:efficacy|tolerability))?"
    r"(?: (?:concerns?|issues?|reasons?))?|\bnon[- ]?(?:safety|toxicity)\b|"
    r"\b(?:data )?(?:and )?safety (?:and )?(?:data )?monitoring\b|"
    r"\bregardless of (?:\w+ ){0,2}(?:safety|toxicity)\b",
    re.IGNORECASE,
)
"""Reasons that a text excludes: "not related to safety or efficacy concerns"; names of boards."""
_STATE = re.compile(
    r"\b(?:no|not any|never any|zero) (?:\w+ ){0,2}?(?:patients?|participants?|subjects?|one)"
    r"(?: (?:is|are|was|were|would|will|be|had|has|have|ever|been|yet))* "
    r"(?:enrol\w+|recruit\w+|accru\w+)|"
    r"\b(?:not|never) (?:\w+ )?(?:enrol\w+|recruit\w+|accru\w+) any \w+|"
    r"\b(?:prior to|before) (?:\w+ ){0,3}?(?:enrol\w+|recruit\w+)|"
    r"\b(?:patients?|participants?|subjects?) (?:(?:was|were|who|already|being) )*"
    r"(?:enrolled|recruited)\b|"
    r"\b(?:clos|stop+|halt|paus|suspend)\w* (?:\w+ )?(?:enrol\w+|recruit\w+)|"
    r"\b(?:enrol\w+|recruit\w+) (?:(?:was|were|is|has|been|be|only) )+"
    r"(?:clos|stop+|halt|paus|suspend)\w*",
    re.IGNORECASE,
)
"""How far a trial had come, which is no reason: nobody was enrolled, enrollment was closed."""


@cache
def load_words() -> dict[str, tuple[tuple[str, re.Pattern[str]], ...]]:
    """Return words and patterns by kind, in their order."""
    rows = sorted(load_rows("own_words", OwnWordRow), key=lambda row: (row.kind, row.rank))
    kinds = dict.fromkeys(row.kind for row in rows)
    return {
        kind: tuple(
            (row.word, compile_pattern(row.pattern, "own_words"))
            for row in rows
            if row.kind == kind
        )
        for kind in kinds
    }


def all_words(kind: Kind, text: str) -> list[str]:
    """Return every class of a kind that a text names.

    >>> all_words("boxed", "WARNING: HEPATOTOXICITY and EMBRYO-FETAL TOXICITY")
    ['liver', 'embryo and fetus']
    """
    return [word for word, pattern in load_words()[kind] if pattern.search(text)]


def first_word(kind: Kind, text: str) -> str:
    """Return the first class of a kind that a text names; "" where it names none.

    >>> first_word("stop", "Terminated due to lack of efficacy"), first_word("age", "for asthma")
    ('efficacy', '')
    """
    return next(iter(all_words(kind, text)), "")


def age_word(text: str) -> str:
    """Return for whom a label is; "" where it names some age only beside other uses.

    >>> age_word("For asthma in children and adults"), age_word("For asthma in children")
    ('adults and children', 'children')
    """
    told = _NOT_FOR.sub(" ", text)
    words = all_words("age", told)
    if {"adults", "children"} <= set(words):
        return "adults and children"
    word = next(iter(words), "")
    if word == "adults" and _YOUNG.search(told):
        return ""
    return "" if word == "children" and word not in all_words("age", told[:FIRST_WORDS]) else word


def reason_word(text: str) -> str:
    """Return the class of a stop reason; "" where no reason is given.

    >>> reason_word("Slow accrual"), reason_word("Study was cancelled"), reason_word("")
    ('enrollment', 'other', '')
    >>> reason_word("Business decision, not related to safety or efficacy concerns")
    'business'
    >>> reason_word("Terminated for non-safety related reasons")
    'other'
    >>> reason_word("Business reasons; no patients were enrolled")
    'business'
    """
    plain = _STATE.sub(" ", _DENIED.sub(" ", text))
    return (first_word("stop", plain) or OTHER_REASON) if text.strip() else ""
