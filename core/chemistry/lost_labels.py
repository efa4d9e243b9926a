"""Labels that a reader of ChemDraw files lost: "OEt" or "PG" becomes a methyl, or a dummy apart.

A file in which a label stands apart from its molecule, and a document with many such files, are
worth less trust: the molecule parses, and may yet be another than was drawn.

Skeletons with the elements blinded: carbons where another molecule has heteroatoms. A reader of
drawings that loses the label of an atom leaves a carbon: NH becomes CH2, fluorine a methyl. The
bonds stay, so that the graph without elements and bond orders is the same.

R-groups drawn alone, which readers of ChemDraw files turn into molecules of one more carbon.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from rdkit import Chem
from rdkit.Chem import rdMolHash

from core.chemistry.structures import MOST_PARSED, parse_smiles

MANY_LOST = 0.09
"""Share of drawings with a lost label from which a document on a process is not trusted alone.

Elsewhere the share means nothing: flawed molecules are as frequent (4.0 %) in such documents of the
weekly records as in those without any lost label (3.7 %).
"""
FEWEST_DRAWINGS = 10
"""With fewer drawings a share means nothing."""
_ISONITRILE = "[C-]#[N+]"
_CARBANION = "[#6;-,+]"
_ONIUM = "[$([NX4+]),$([n+]),$([NX3+]=*),$([S+]),$([P+])]"
_LABEL = re.compile(r"\$[^$]*R[^$]*\$")


def is_label_apart(text: str) -> bool:
    """Return whether a string is a label that belongs to no molecule.

    Letters of lists (A), of counter-ions (X-) and of stereo (M) stand apart rightly.

    >>> [is_label_apart(one) for one in ("*.* |$;R$|", "* |$A$|", "[*-] |$X$|", "C", "*c1ccccc1")]
    [True, False, False, False, False]
    """
    plain, _, labels = text.partition(" ")
    return plain in {"*", "*.*"} and _LABEL.search(labels) is not None


def share_of_lost(drawings: Mapping[str, Iterable[str]]) -> float:
    """Return the share of drawings with a label apart, or a carbon where one was; 0 for too few.

    Args:
        drawings: Strings by the file that delivered them.
    """
    if len(drawings) < FEWEST_DRAWINGS:
        return 0.0
    lost = sum(
        any(text == "C" or is_label_apart(text) for text in texts) for texts in drawings.values()
    )
    return lost / len(drawings)


def find_flaws(molecule: Chem.Mol) -> list[str]:
    """Return what no medicine has: an atom that lacks bonds, a charge that stays, an isonitrile.

    A nitrile's label that is read from its wrong end becomes an isonitrile.
    A charge stays after the parent is neutralized where no proton can be taken or given; a nitrogen
    with four bonds is drawn so.

    >>> [find_flaws(Chem.MolFromSmiles(smiles)) for smiles in ("C[C]=O", "CC[CH-]C", "CCO")]
    [['radical'], ['charge'], []]
    """
    flaws = []
    if any(atom.GetNumRadicalElectrons() for atom in molecule.GetAtoms()):
        flaws.append("radical")
    if molecule.HasSubstructMatch(_pattern(_ISONITRILE)):
        flaws.append("isonitrile")
    elif molecule.HasSubstructMatch(_pattern(_CARBANION)) or (
        Chem.GetFormalCharge(molecule) and not molecule.HasSubstructMatch(_pattern(_ONIUM))
    ):
        flaws.append("charge")
    return flaws


@cache
def _pattern(smarts: str) -> Chem.Mol:
    return Chem.MolFromSmarts(smarts)


_WAVY = re.compile(r"(?<![A-Za-z])w:([\d.,]+)")
_NO_ISOTOPE = re.compile(r"\[\d[Cc]H?\d?[^\d]")


@lru_cache(maxsize=20_000)
def has_open_end(text: str) -> bool:
    """Return whether two wavy bonds lead from one atom of a CXSMILES to bare ends.

    A wavy line across a bond marks where an R-group is attached; readers of ChemDraw files turn it
    into an atom with two wavy bonds to carbons that are not there. A label such as R2 may come as
    a carbon of mass 2, which does not exist.

    >>> has_open_end("CC(C)(C)c1c(O)cccc1F |w:1.0,1.1|"), has_open_end("CC(O)F |w:1.0|")
    (True, False)
    >>> has_open_end("CC1CC2CC1CN(C(C)C)C2 |w:8.9,8.10|"), has_open_end("CC(C)N1CC1 |w:0.0,1.1|")
    (True, True)
    """
    plain, _, labels = text.partition(" ")
    if _NO_ISOTOPE.search(plain):
        return True
    match = _WAVY.search(labels)
    if match is None:
        return False
    molecule = Chem.MolFromSmiles(plain, sanitize=False)
    if molecule is None:
        return False
    # bonds are told as "atom.bond"; numbers of bonds change where rings close, those of atoms not
    atom_numbers = [
        int(pair.partition(".")[0]) for pair in match[1].split(",") if pair[:1].isdigit()
    ]
    centers = Counter(_find_center(molecule, number) for number in atom_numbers)
    return any(
        number > 1
        and center is not None
        and sum(
            neighbor.GetDegree() == 1 and neighbor.GetAtomicNum() == _CARBON
            for neighbor in molecule.GetAtomWithIdx(center).GetNeighbors()
        )
        > 1
        for center, number in centers.items()
    )


def _find_center(molecule: Chem.Mol, number: int) -> int | None:
    """Return the atom from which a wavy bond leads to an end: the one told, or its neighbor."""
    if number >= molecule.GetNumAtoms():
        return None
    atom = molecule.GetAtomWithIdx(number)
    if atom.GetDegree() == 1 and atom.GetAtomicNum() == _CARBON:
        return int(atom.GetNeighbors()[0].GetIdx())
    return number


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
