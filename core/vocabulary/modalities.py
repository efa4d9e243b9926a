"""Kinds of drugs: the words for each, and stems of non-proprietary names that tell it.

Where a text has words of several kinds, the one of the lowest rank is the more telling. Stems are
WHO's as the curators know them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows


class ModalityRow(TableRow):
    """A kind of drug; its words are joined by "|"."""

    modality: str
    rank: int
    words: str


class StemRow(TableRow):
    """A stem as it is written; exceptions are joined by "|"."""

    stem: str
    modality: str
    target: str
    mechanism: str
    exceptions: str


@dataclass(frozen=True, slots=True)
class Stem:
    """A stem of non-proprietary names.

    Attributes:
        stem: Ending of a name.
        modality: What it tells of the drug's kind; "" if nothing.
        target: Expression of `targets.csv` that its definition gives; "" if none.
        mechanism: Word such as "inhibitor".
        exceptions: Names that end so and are something else.
    """

    stem: str
    modality: str
    target: str
    mechanism: str
    exceptions: frozenset[str]


@cache
def load_stems() -> tuple[Stem, ...]:
    """Return the stems, the longest first."""
    stems = [
        Stem(
            row.stem,
            row.modality,
            row.target,
            row.mechanism,
            frozenset(filter(None, row.exceptions.split("|"))),
        )
        for row in load_rows("stems", StemRow)
    ]
    return tuple(sorted(stems, key=lambda stem: (-len(stem.stem), stem.stem)))


@cache
def load_modalities() -> Mapping[str, int]:
    """Return the words for modalities with their rank, the more telling first."""
    rows = load_rows("modalities", ModalityRow)
    return {row.modality: row.rank for row in sorted(rows, key=lambda row: row.rank)}


@cache
def spellings_of(modality: str) -> tuple[str, ...]:
    """Return a modality with the other words for it, as texts write them."""
    rows = (row for row in load_rows("modalities", ModalityRow) if row.modality == modality)
    return (modality, *(word for row in rows for word in row.words.split("|") if word))


@cache
def modality_words() -> Mapping[str, str]:
    """Return the modality of every folded word for one."""
    return {
        fold_name(word): row.modality
        for row in load_rows("modalities", ModalityRow)
        for word in (row.modality, *row.words.split("|"))
    }
