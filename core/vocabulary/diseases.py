"""Diseases as analysts write them, and diseases that MONDO lacks.

The tables are the curators' own knowledge. They hold names and no identifiers: what a word means
is looked up in the identity pack, or among the diseases of our own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows


class DiseaseWordRow(TableRow):
    """A word for a disease.

    Attributes:
        said: As it is written.
        meant: Name of the disease; several, joined by "|", where the word alone does not tell.
        kind: What sort of word: abbreviation, eponym, area of medicine, any other word; "second"
            for an abbreviation that is a target first, "short" for a word that means the disease
            in a question and where nothing else does ("gastric").
    """

    said: str
    meant: str
    kind: str


class OwnDiseaseRow(TableRow):
    """A disease of our own; lists are joined by "|"."""

    label: str
    parent: str
    also: str
    kinds: str


class DiseaseKindRow(TableRow):
    """What a disease is a kind of, or is not, where the disease tree says otherwise.

    Attributes:
        disease: The disease; the row holds for its kinds, too.
        parents: What it is a kind of, or not, joined by "|".
        counts: Whether it is.
    """

    disease: str
    parents: str
    counts: Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class DiseaseWord:
    """A word for a disease.

    Attributes:
        said: As it is written.
        meant: Names of the diseases that it may stand for.
        is_second: Whether it is a target first.
    """

    said: str
    meant: tuple[str, ...]
    is_second: bool


@dataclass(frozen=True, slots=True)
class OwnDisease:
    """A disease that MONDO lacks.

    Attributes:
        label: Its name.
        parents: Names of what it is a kind of.
        also: Other names.
        kinds: Names of diseases that are kinds of it.
    """

    label: str
    parents: tuple[str, ...]
    also: tuple[str, ...]
    kinds: tuple[str, ...]


@cache
def load_disease_words() -> tuple[DiseaseWord, ...]:
    """Return the words for diseases."""
    rows = load_rows("disease_words", DiseaseWordRow)
    kept_rows = [row for row in rows if row.kind != "short"]
    return tuple(DiseaseWord(row.said, _list(row.meant), row.kind == "second") for row in kept_rows)


@cache
def short_disease_words() -> Mapping[str, str]:
    """Return the diseases that words mean in a question where nothing else does, by folded word."""
    rows = load_rows("disease_words", DiseaseWordRow)
    return {fold_name(row.said): row.meant for row in rows if row.kind == "short"}


@cache
def load_own_diseases() -> tuple[OwnDisease, ...]:
    """Return the diseases of our own."""
    rows = load_rows("own_diseases", OwnDiseaseRow)
    return tuple(
        OwnDisease(row.label, _list(row.parent), _list(row.also), _list(row.kinds)) for row in rows
    )


def load_disease_kinds(counts: Literal["yes", "no"]) -> list[tuple[str, tuple[str, ...]]]:
    """Return diseases with what they are kinds of, or are not."""
    rows = load_rows("disease_kinds", DiseaseKindRow)
    return [(row.disease, _list(row.parents)) for row in rows if row.counts == counts]


def _list(cell: str) -> tuple[str, ...]:
    return tuple(entry.strip() for entry in cell.split("|") if entry.strip())
