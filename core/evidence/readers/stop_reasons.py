"""Why a trial was stopped, as a class: by the curators' table of words.

Who decided is no reason: "Sponsor decision" names nobody's grounds, and counts as unclear.
"""

import re
from functools import cache

from core.vocabulary.own_words import Kind, OwnWordRow
from core.vocabulary.tables import compile_pattern, load_rows

OTHER_REASON = "other"
UNCLEAR = "unclear"
BUSINESS = "business"
_GROUNDS = re.compile(
    r"business|strateg|commercial|portfolio|priorit|corporate|financ|fund|budget|bankrupt|acqui|"
    r"merg|resources|economic|licens|out-?licens",
    re.IGNORECASE,
)
"""Words that make a decision one of business, in addition to who took it."""
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


def stop_class(text: str) -> str:
    """Return the class of a stop reason, where a decision without grounds is unclear.

    >>> stop_class("Sponsor decision"), stop_class("Company decision; portfolio review")
    ('unclear', 'business')
    >>> stop_class("business"), stop_class("Lack of efficacy"), stop_class("")
    ('business', 'efficacy', '')
    """
    word = reason_word(text)
    return UNCLEAR if word == BUSINESS and not _GROUNDS.search(text) else word
