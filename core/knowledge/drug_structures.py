"""Structures of drugs, each drawn from its systematic name, against which drawings are held."""

from collections.abc import Mapping, Sequence
from functools import cache

from core.vocabulary.tables import TableRow, load_rows

SKELETON = 14
"""Letters of an InChIKey that stereo, isotopes and charge do not change."""


class DrugStructureRow(TableRow):
    """The structure of a drug.

    Attributes:
        drug: Its common name.
        inchikey: Of its parent molecule; tautomers share it.
        graph: its `blind_key`; "" for a molecule of fewer than 15 heavy
            atoms, whose graph unrelated molecules share.
        smiles: Parent molecule.
    """

    drug: str
    inchikey: str
    graph: str
    smiles: str


@cache
def drugs_by_skeleton() -> Mapping[str, Sequence[DrugStructureRow]]:
    """Return the drugs of each skeleton: several where they differ in stereo or isotopes."""
    drugs: dict[str, list[DrugStructureRow]] = {}
    for row in load_rows("drug_structures", DrugStructureRow):
        drugs.setdefault(row.inchikey[:SKELETON], []).append(row)
    return drugs


@cache
def drugs_by_graph() -> Mapping[str, Sequence[DrugStructureRow]]:
    """Return the drugs of each graph without elements."""
    drugs: dict[str, list[DrugStructureRow]] = {}
    for row in load_rows("drug_structures", DrugStructureRow):
        if row.graph:
            drugs.setdefault(row.graph, []).append(row)
    return drugs
