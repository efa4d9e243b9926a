"""Reagents, catalysts and ligands that syntheses in patents draw beside their compounds."""

from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows


class ReagentRow(TableRow):
    """A helper of syntheses of 12 heavy atoms or more; smaller ones fall to the rule of size.

    Attributes:
        name: As chemists call it.
        smiles: Its structure.
        use: What it does in a synthesis.
    """

    name: str
    smiles: str
    use: Literal["coupling", "catalyst", "ligand", "protection", "oxidant", "fluorination", "other"]


@cache
def load_reagents() -> tuple[ReagentRow, ...]:
    """Return the reagents by name."""
    return load_rows("reagents", ReagentRow)
