"""Skeletons with the elements blinded: carbons where another molecule has heteroatoms.

A reader of drawings that loses the label of an atom leaves a carbon: NH becomes CH2, fluorine a
methyl. The bonds stay, so that the graph without elements and bond orders is the same.
"""

import hashlib
from functools import lru_cache

from rdkit import Chem
from rdkit.Chem import rdMolHash

from core.chemistry.structures import MOST_PARSED, parse_smiles

_CARBON = 6
_KEY_LENGTH = 16


def blind_key(smiles: str) -> str:
    """Return what all molecules of one graph share, whatever their elements and bond orders.

    >>> blind_key("CC(=O)Nc1ccccc1") == blind_key("CC(=O)Cc1ccncc1"), blind_key("no structure")
    (True, '')
    """
    molecule = parse_smiles(smiles)
    if molecule is None:
        return ""
    graph = rdMolHash.MolHash(Chem.Mol(molecule), rdMolHash.HashFunction.AnonymousGraph)
    return hashlib.sha256(graph.encode()).hexdigest()[:_KEY_LENGTH]


def has_lost_atoms(smiles: str, other: str) -> bool:
    """Return whether a molecule differs from another by carbons in the place of heteroatoms alone.

    >>> has_lost_atoms("CC(=O)Cc1ccccc1", "CC(=O)Nc1ccccc1")
    True
    >>> has_lost_atoms("CC(=O)Nc1ccccc1", "CC(=O)Cc1ccccc1"), has_lost_atoms("CCO", "CCO")
    (False, False)
    """
    if count_heteroatoms(smiles) >= count_heteroatoms(other):
        return False
    drawn, full = _query(smiles), _bare(other)
    return drawn.GetNumAtoms() == full.GetNumAtoms() and bool(full.HasSubstructMatch(drawn))


@lru_cache(maxsize=MOST_PARSED)
def count_heteroatoms(smiles: str) -> int:
    """Return how many atoms are neither carbon nor hydrogen; 0 for what is no structure."""
    molecule = parse_smiles(smiles)
    return sum(atom.GetAtomicNum() != _CARBON for atom in molecule.GetAtoms()) if molecule else 0


@lru_cache(maxsize=MOST_PARSED)
def _query(smiles: str) -> Chem.Mol:
    """Return the graph in which only heteroatoms keep their element."""
    molecule, query = parse_smiles(smiles) or Chem.Mol(), Chem.RWMol()
    for atom in molecule.GetAtoms():
        number = atom.GetAtomicNum()
        query.AddAtom(Chem.AtomFromSmarts("*" if number == _CARBON else f"[#{number}]"))
    for bond in molecule.GetBonds():
        ends = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        query.AddBond(*ends, Chem.BondType.SINGLE)
    return query.GetMol()


@lru_cache(maxsize=MOST_PARSED)
def _bare(smiles: str) -> Chem.Mol:
    """Return the molecule with single bonds and no hydrogens."""
    molecule, bare = parse_smiles(smiles) or Chem.Mol(), Chem.RWMol()
    for atom in molecule.GetAtoms():
        bare.AddAtom(Chem.Atom(atom.GetAtomicNum()))
    for bond in molecule.GetBonds():
        bare.AddBond(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), Chem.BondType.SINGLE)
    return bare.GetMol()
