"""Diseases as analysts write them, and diseases that MONDO lacks.

The tables are the curators' own knowledge. They hold names and no identifiers: what a word means
is looked up in the identity pack, or among the diseases of our own.
"""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from core.records.names import fold_name
from core.vocabulary.tables import TableRow, load_rows


def _split(cell: str) -> tuple[str, ...]:
    return tuple(entry.strip() for entry in cell.split("|") if entry.strip())


Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""Names of a cell, which joins them by "|"."""


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
    meant: Names
    kind: str

    @property
    def is_second(self) -> bool:
        """Return whether it is a target first."""
        return self.kind == "second"


class OwnDiseaseRow(TableRow):
    """A disease that MONDO lacks: its name, what it is a kind of, other names, kinds of it."""

    label: str
    parents: Names = Field(alias="parent")
    also: Names
    kinds: Names


class DiseaseCorrectionRow(TableRow):
    """Where the field writes or sorts a disease otherwise than MONDO and MeSH do.

    Attributes:
        disease: Name of the disease, as the identity pack has it.
        relation: "shown as" its label, "same as" another disease, "kind of" one, "not a kind of".
        value: The label, or the name of the other disease.
    """

    disease: str
    relation: Literal["shown as", "same as", "kind of", "not a kind of"]
    value: str


@cache
def load_disease_words() -> tuple[DiseaseWordRow, ...]:
    """Return the words for diseases."""
    return tuple(row for row in load_rows("disease_words", DiseaseWordRow) if row.kind != "short")


@cache
def short_disease_words() -> Mapping[str, str]:
    """Return the diseases that words mean in a question where nothing else does, by folded word."""
    rows = load_rows("disease_words", DiseaseWordRow)
    return {fold_name(row.said): "|".join(row.meant) for row in rows if row.kind == "short"}


def load_own_diseases() -> tuple[OwnDiseaseRow, ...]:
    """Return the diseases of our own."""
    return load_rows("own_diseases", OwnDiseaseRow)


def load_corrections() -> tuple[DiseaseCorrectionRow, ...]:
    """Return what the field writes or sorts otherwise than MONDO and MeSH."""
    return load_rows("disease_corrections", DiseaseCorrectionRow)
