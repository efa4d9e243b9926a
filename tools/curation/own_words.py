"""Classes for what sources write in sentences, so that the starter pack copies none.

The table is the curators' own (`core.vocabulary.own_words`): why a trial was stopped, of what a
boxed warning warns, for what age a label is, uses for which lists of diseases have no name.
"""

import re

from core.evidence.readers.stop_reasons import all_words, first_word, reason_word

__all__ = ["age_word", "all_words", "first_word", "reason_word"]

FIRST_WORDS = 250
"""Characters of an indication in which children are named if it is for them alone."""
_NOT_FOR = re.compile(
    r"[^.]*\b(?:not (?:been )?(?:approved|established|recommended|indicated|studied)|"
    r"limitations? of use)\b[^.]*",
    re.IGNORECASE,
)
_YOUNG = re.compile(r"\b(?:childhood|infancy|juvenile|newborns?)\b", re.IGNORECASE)
"""Words of uses in children that do not name them."""


def age_word(text: str) -> str:
    """Return for whom a label is; "" where it names some age only beside other uses.

    >>> age_word("For asthma in children and adults"), age_word("For asthma in children")
    ('adults and children', 'children')
    """
    plain_text = _NOT_FOR.sub(" ", text)
    words = all_words("age", plain_text)
    if {"adults", "children"} <= set(words):
        return "adults and children"
    word = next(iter(words), "")
    if word == "adults" and _YOUNG.search(plain_text):
        return ""
    return (
        ""
        if word == "children" and word not in all_words("age", plain_text[:FIRST_WORDS])
        else word
    )
