"""What roles and map ask of every molecule: its fingerprint and the groups that tell a role."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from rdkit import Chem

from core.agents.compound_map.reading import Molecule
from core.chemistry.blinding import blind_key
from core.chemistry.keeping import Notebook
from core.chemistry.lost_labels import find_flaws
from core.chemistry.similarity import read_bits
from core.chemistry.structures import parse_smiles
from core.knowledge.compound_roles import RoleRow, load_signs
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
