"""What roles and map ask of every molecule: its fingerprint and the groups that tell a role."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from rdkit import Chem

from core.agents.compound_map.reading import Molecule
from core.chemistry.keeping import Notebook
from core.chemistry.lost_labels import find_flaws
from core.chemistry.similarity import read_bits
from core.chemistry.structures import parse_smiles
from core.knowledge.compound_roles import RoleRow, load_signs


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks of one molecule.

    Attributes:
        fingerprint: Packed bits.
        groups: Groups of the table that it has, in the order of the table.
        flaws: What no stable molecule has, in words of core/chemistry/lost_labels.py.
    """

    fingerprint: bytes
    groups: tuple[RoleRow, ...]
    flaws: tuple[str, ...] = ()


def read_marks(molecules: Sequence[Molecule], notebook: Notebook) -> list[Marks]:
    """Return the marks of molecules; those of the caller's documents are not kept.

    Args:
        molecules: As read.
        notebook: Keeps the marks of what imported documents draw.
    """
    imported = [one.structure.smiles for one in molecules if one.is_imported]
    told = notebook.compute(f"marked with flaws {_key_of_groups()}", imported, _mark_plainly)
    signs = load_signs("group")
    marks = []
    for one in molecules:
        smiles = one.structure.smiles
        bits, places, flaws = told[smiles] if smiles in told else _mark_plainly(smiles)
        groups = tuple(signs[place] for place in places)
        marks.append(Marks(base64.b64decode(bits), groups, tuple(flaws)))
    return marks


def _mark_plainly(smiles: str) -> tuple[str, list[int], list[str]]:
    """Return fingerprint as text, places of its groups in the table, and flaws of a molecule."""
    molecule = parse_smiles(smiles)
    if molecule is None:
        raise ValueError("a compound of the map must be readable")
    found = [place for place, query in enumerate(_groups()) if molecule.HasSubstructMatch(query)]
    bits = base64.b64encode(read_bits(smiles)).decode("ascii")
    return bits, found, find_flaws(molecule)


@cache
def _groups() -> tuple[Chem.Mol, ...]:
    return tuple(Chem.MolFromSmarts(row.pattern) for row in load_signs("group"))


@cache
def _key_of_groups() -> str:
    """Return what changes with the table of groups."""
    said = "\n".join(row.pattern for row in load_signs("group"))
    return hashlib.sha256(said.encode()).hexdigest()[:16]
