"""Ligand and receptor of one axis whose drugs compete: who asks for the one sees the other, too."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from core.vocabulary.tables import TableRow, load_rows


class TargetAxisRow(TableRow):
    """A ligand and a receptor of it, both by their expression in the table of targets."""

    ligand: str
    receptor: str


@cache
def load_axes() -> Mapping[str, tuple[str, ...]]:
    """Return the expressions of the other end of an axis by expression."""
    axes: dict[str, list[str]] = defaultdict(list)
    for row in load_rows("target_axes", TargetAxisRow):
        axes[row.ligand].append(row.receptor)
        axes[row.receptor].append(row.ligand)
    return {expression: tuple(others) for expression, others in axes.items()}
