"""Groups of atoms that a drawing shows where the label of a heteroatom was lost."""

from functools import cache

from core.vocabulary.tables import TableRow, load_rows


class LostAtomRow(TableRow):
    """A group that is rarely drawn on purpose.

    Attributes:
        name: What it is.
        pattern: SMARTS.
        n_right: Molecules with it that are a known drug, among those that have the skeleton of one.
        n_wrong: Molecules with it that have carbons where the drug has heteroatoms.
    """

    name: str
    pattern: str
    n_right: int
    n_wrong: int


@cache
def load_lost_atoms() -> tuple[LostAtomRow, ...]:
    """Return the groups, in the order of the table."""
    return load_rows("lost_atoms", LostAtomRow)
