"""Words that stand beside names of diseases in phrases, and head nouns of such names."""

import re
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows

PhraseKind = Literal[
    "before company",
    "before earlier drug",
    "before home",
    "before more",
    "before territory",
    "behind company",
    "behind earlier drug",
    "behind territory",
    "compound",
    "general",
    "head",
    "not alone",
    "plain",
    "refuses what follows",
    "refuses what precedes",
    "state",
]


class PhraseWordRow(TableRow):
    """A word.

    Attributes:
        kind: "plain": no name begins or ends with it; "general": a head noun that is no disease by
            itself; "head": a head noun that an unknown word before it makes another disease of;
            "compound": second part of a word that does so, as in "alcohol-related"; "not alone":
            lists of diseases have it, and alone it names none; "state": a state of patients that
            lists have as the first word of a disease's name; "before earlier drug" and "behind
            earlier drug": words beside a drug that patients had before;
            "before home": words before the country where a company is at home or made its drug;
            "before territory" and "behind territory": words beside a country in which a drug is
            sold, where companies of it are not meant; "before more": words before what is wanted,
            too, and narrows nothing; "refuses what follows" and "refuses what precedes": words by
            which a question leaves out what stands behind or before them.
        word: The word in lower case.
    """

    kind: PhraseKind
    word: str


@cache
def phrase_words(kind: PhraseKind) -> frozenset[str]:
    """Return the words of a kind."""
    rows = load_rows("phrase_words", PhraseWordRow)
    return frozenset(row.word for row in rows if row.kind == kind)


@cache
def phrase_pattern(kind: PhraseKind) -> str:
    """Return a regular expression of the words of a kind, the longest first."""
    words = sorted(phrase_words(kind), key=lambda word: (-len(word), word))
    quoted = (re.escape(word).replace(r"\ ", r"\s+").replace("'", "['\u2019]") for word in words)
    return f"(?:{'|'.join(quoted)})"
