"""What roles and map ask of every molecule: fingerprint, telling groups, lost heteroatoms.

Of the drawings in the weekly files that have the skeleton of a known drug, four in ten show carbons
where the drug has heteroatoms: the program that made the strings lost the labels. The molecule
parses and looks sound, so that other evidence has to speak for or against it.
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from rdkit import Chem

from core.agents.compound_map.reading import Molecule
from core.chemistry.blinding import blind_key, count_heteroatoms, has_lost_atoms
from core.chemistry.keeping import Notebook
from core.chemistry.lost_labels import find_flaws
from core.chemistry.similarity import read_bits
from core.chemistry.structures import parse_smiles
from core.knowledge.compound_roles import RoleRow, load_signs
from core.knowledge.drug_structures import drugs_by_graph, drugs_by_skeleton
from core.knowledge.lost_atoms import load_lost_atoms


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks of one molecule.

    Attributes:
        fingerprint: Packed bits.
        groups: Groups of the table that it has, in the order of the table.
        flaws: What no stable molecule has, in words of core/chemistry/lost_labels.py.
        signs: Groups as where a heteroatom was lost, in words of core/knowledge/lost_atoms.csv.
        graph: What all molecules share that differ in elements and bond orders alone.
    """

    fingerprint: bytes
    groups: tuple[RoleRow, ...]
    flaws: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    graph: str = ""


def read_marks(molecules: Sequence[Molecule], notebook: Notebook) -> list[Marks]:
    """Return the marks of molecules; those of the caller's documents are not kept.

    Args:
        molecules: As read.
        notebook: Keeps the marks of what imported documents draw.
    """
    imported = [molecule.structure.smiles for molecule in molecules if molecule.is_imported]
    computed = notebook.compute(f"marked with losses {_key_of_groups()}", imported, _mark_plainly)
    signs = load_signs("group")
    marks = []
    for molecule in molecules:
        smiles = molecule.structure.smiles
        bits, places, flaws, losses, graph = (
            computed[smiles] if smiles in computed else _mark_plainly(smiles)
        )
        groups = tuple(signs[index] for index in places)
        lost = tuple(load_lost_atoms()[index].name for index in losses)
        marks.append(Marks(base64.b64decode(bits), groups, tuple(flaws), lost, graph))
    return marks


def _mark_plainly(smiles: str) -> tuple[str, list[int], list[str], list[int], str]:
    """Return fingerprint as text, places of its groups, flaws, places of signs, and graph."""
    molecule = parse_smiles(smiles)
    if molecule is None:
        raise ValueError("a compound of the map must be readable")
    groups, losses = (
        [index for index, query in enumerate(queries) if molecule.HasSubstructMatch(query)]
        for queries in _queries()
    )
    bits = base64.b64encode(read_bits(smiles)).decode("ascii")
    return bits, groups, find_flaws(molecule), losses, blind_key(smiles)


@cache
def _queries() -> tuple[tuple[Chem.Mol, ...], tuple[Chem.Mol, ...]]:
    """Return the queries of groups that tell a role, and of those as where an atom was lost."""
    groups = tuple(Chem.MolFromSmarts(row.pattern) for row in load_signs("group"))
    return groups, tuple(Chem.MolFromSmarts(row.pattern) for row in load_lost_atoms())


@cache
def _key_of_groups() -> str:
    """Return what changes with the table of groups."""
    patterns = [row.pattern for row in load_signs("group")]
    text = "\n".join([*patterns, *(row.pattern for row in load_lost_atoms())])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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
