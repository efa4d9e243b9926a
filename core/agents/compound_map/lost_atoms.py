"""Heteroatoms lost to carbon: what a drug, a sibling or plain chemistry says of a drawing.

Of the drawings in the weekly files that have the skeleton of a known drug, four in ten show carbons
where the drug has heteroatoms: the program that made the strings lost the labels. The molecule
parses and looks sound, so that other evidence has to speak for or against it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.agents.compound_map.marks import Marks
from core.agents.compound_map.reading import Molecule
from core.chemistry.blinding import count_heteroatoms, has_lost_atoms
from core.knowledge.drug_structures import drugs_by_graph, drugs_by_skeleton

MOST_SIBLINGS = 40
"""Siblings with which a molecule is compared, those with the most heteroatoms first."""
_STRINGS = frozenset({"cdx", "mol", "surechembl"})


@dataclass(frozen=True, slots=True)
class Agreement:
    """What other structures say of a molecule.

    Attributes:
        drug: Known drug that it is, perhaps but for stereo or isotopes, in words; "" for none.
        doubts: What says that heteroatoms were lost: the row of structure_confidence.csv, words.
    """

    drug: str = ""
    doubts: tuple[tuple[str, str], ...] = ()


def find_agreements(molecules: Sequence[Molecule], marks: Sequence[Marks]) -> list[Agreement]:
    """Return what drugs, siblings of the same document and chemistry say of each molecule."""
    siblings = _group_siblings(molecules, marks)
    return [
        _compare(molecule, mark, siblings) for molecule, mark in zip(molecules, marks, strict=True)
    ]


def _group_siblings(
    molecules: Sequence[Molecule], marks: Sequence[Marks]
) -> Mapping[tuple[str, str], list[str]]:
    """Return the structures of each graph in each document, the most heteroatoms first."""
    groups: dict[tuple[str, str], set[str]] = {}
    for molecule, mark in zip(molecules, marks, strict=True):
        for number in molecule.documents:
            groups.setdefault((number, mark.graph), set()).add(molecule.structure.smiles)
    return {
        key: sorted(members, key=lambda smiles: (-count_heteroatoms(smiles), smiles))
        for key, members in groups.items()
        if len(members) > 1
    }


def _compare(
    molecule: Molecule, mark: Marks, siblings: Mapping[tuple[str, str], Sequence[str]]
) -> Agreement:
    if drugs := drugs_by_skeleton().get(molecule.structure.skeleton):
        same = [drug.drug for drug in drugs if drug.inchikey == molecule.structure.inchikey]
        return Agreement(same[0] if same else f"{drugs[0].drug}, but for stereo or isotopes")
    if any(delivered.raw.method not in _STRINGS for delivered in molecule.places):
        return Agreement()
    return Agreement("", tuple(_find_doubts(molecule, mark, siblings)))


def _find_doubts(
    molecule: Molecule, mark: Marks, siblings: Mapping[tuple[str, str], Sequence[str]]
) -> Iterator[tuple[str, str]]:
    smiles = molecule.structure.smiles
    for drug in drugs_by_graph().get(mark.graph, ()):
        if has_lost_atoms(smiles, drug.smiles):
            yield "drug differs", f"has carbons where {drug.drug} has heteroatoms"
            break
    for number in molecule.documents:
        others = siblings.get((number, mark.graph), ())[:MOST_SIBLINGS]
        if any(has_lost_atoms(smiles, other) for other in others):
            yield (
                "sibling differs",
                f"has carbons where another compound of {number} has heteroatoms",
            )
            break
    for sign in mark.signs:
        yield "sign of loss", f"has a {sign}, as where the label of a heteroatom was lost"
