"""One structure as text: read, judged, brought to one form, described.

A string that a source delivers becomes a molecule, or a reason why it does not count: generic
(R-groups, attachment points), small, a reagent, unreadable.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from rdkit import Chem, RDLogger
from rdkit.Chem import Crippen, Descriptors, rdMolDescriptors
from rdkit.Chem.MolStandardize import rdMolStandardize
from rdkit.Chem.Scaffolds import MurckoScaffold

Verdict = Literal["molecule", "generic", "small", "reagent", "unreadable"]
FEWEST_HEAVY_ATOMS = 12
"""A structure with fewer atoms is a solvent, a reagent or a piece."""
MOST_HEAVY_ATOMS = 250
LONGEST_TEXT = 4_000
MOST_PARSED = 8_000
"""Molecules that are kept, as one answer asks for each several times."""
PROTON = 1.007276
"""Mass of a proton in daltons (CODATA 2018)."""
_SKELETON = 14

RDLogger.DisableLog("rdApp.*")


@dataclass(frozen=True, slots=True)
class Structure:
    """What one string came to.

    Attributes:
        verdict: Whether it is a molecule that a map shows, or why not.
        smiles: Canonical SMILES of the parent molecule; "" where there is none.
        inchikey: Of the parent; "" where there is none.
        heavy_atoms: Of the parent.
    """

    verdict: Verdict
    smiles: str = ""
    inchikey: str = ""
    heavy_atoms: int = 0

    @property
    def skeleton(self) -> str:
        """Return the part of the key that stereo and charge do not change."""
        return self.inchikey[:_SKELETON]


@dataclass(frozen=True, slots=True)
class Properties:
    """Figures by which chemists sort compounds.

    Attributes:
        molecular_weight: Average mass in daltons.
        clogp: Crippen's estimate of log P (octanol, water).
        tpsa: Topological polar surface area in square angstroms.
        hbd: Hydrogen-bond donors.
        hba: Hydrogen-bond acceptors.
        rotors: Single bonds that turn freely.
    """

    molecular_weight: float
    clogp: float
    tpsa: float
    hbd: int
    hba: int
    rotors: int


def read_structure(text: str, reagents: frozenset[str] = frozenset()) -> Structure:
    """Judge one string of a source.

    Args:
        text: SMILES; what follows the first blank (the labels of CXSMILES) is not read.
        reagents: InChIKeys of solvents, coupling agents and other helpers of syntheses.

    Returns:
        The structure; never an error, whatever the text is.
    """
    molecule = parse_smiles(text)
    return UNREADABLE if molecule is None else judge_molecule(molecule, reagents)


UNREADABLE = Structure("unreadable")


def parse_smiles(text: str) -> Chem.Mol | None:
    """Return the molecule of a SMILES; None where the text is none or too large.

    The same text gives the same object: who changes a molecule copies it first.
    """
    plain = text.strip().split(" ", 1)[0]
    return _parse(plain) if plain and len(plain) <= LONGEST_TEXT else None


@lru_cache(maxsize=MOST_PARSED)
def _parse(plain: str) -> Chem.Mol | None:
    molecule = Chem.MolFromSmiles(plain)
    if molecule is None or not 0 < molecule.GetNumAtoms() <= MOST_HEAVY_ATOMS:
        return None
    return molecule


def judge_molecule(molecule: Chem.Mol, reagents: frozenset[str] = frozenset()) -> Structure:
    """Judge a molecule as read."""
    if is_generic(molecule):
        return Structure("generic", Chem.MolToSmiles(molecule))
    parent = find_parent(molecule)
    if parent is None:
        return UNREADABLE
    key = Chem.MolToInchiKey(parent)
    if not key:
        return UNREADABLE
    n_heavy = parent.GetNumHeavyAtoms()
    verdict: Verdict = "molecule"
    if key in reagents:
        verdict = "reagent"
    elif n_heavy < FEWEST_HEAVY_ATOMS or not bool(parent.HasSubstructMatch(_carbon())):
        verdict = "small"
    return Structure(verdict, Chem.MolToSmiles(parent), key, n_heavy)


def is_generic(molecule: Chem.Mol) -> bool:
    """Return whether a drawing stands for many molecules: dummy atoms, queries, R-groups."""
    if molecule.HasSubstructMatch(_dummy()):
        return True
    if not molecule.GetNumConformers():  # a SMILES has no queries and labels of a drawing
        return False
    return any(atom.HasQuery() or atom.HasProp("_MolFileRLabel") for atom in molecule.GetAtoms())


def find_parent(molecule: Chem.Mol) -> Chem.Mol | None:
    """Return the largest organic part, normalized and uncharged, with its stereo; None if none."""
    try:
        if is_plain(molecule):
            parent = Chem.Mol(molecule)
        else:
            cleaned = rdMolStandardize.Cleanup(molecule)
            parent = _uncharger().uncharge(_chooser().choose(cleaned))
        Chem.AssignStereochemistry(parent, cleanIt=True, force=True)
    except (Chem.MolSanitizeException, RuntimeError, ValueError):
        return None
    return parent if parent.GetNumAtoms() else None


def is_plain(molecule: Chem.Mol) -> bool:
    """Return whether standardizing would change nothing: one neutral part of common atoms.

    Rules of RDKit's normalizer act on charges, on pentavalent nitrogen, and on sulfoxides.
    """
    return not molecule.HasSubstructMatch(_odd()) and len(Chem.GetMolFrags(molecule)) == 1


@cache
def _odd() -> Chem.Mol:
    return Chem.MolFromSmarts("[!+0,#1,#7v5,#16X3,#16v3,!#5!#6!#7!#8!#9!#14!#16!#17!#35!#53]")


@cache
def _dummy() -> Chem.Mol:
    return Chem.MolFromSmarts("[#0]")


@cache
def _uncharger() -> rdMolStandardize.Uncharger:
    return rdMolStandardize.Uncharger()


@cache
def _chooser() -> rdMolStandardize.LargestFragmentChooser:
    return rdMolStandardize.LargestFragmentChooser(preferOrganic=True)


@cache
def _carbon() -> Chem.Mol:
    return Chem.MolFromSmarts("[#6]")


def protonated_mass(smiles: str) -> float:
    """Return the monoisotopic mass of a readable molecule with one proton more, in daltons.

    >>> round(protonated_mass("CCO"), 3)
    47.049
    """
    mass: float = Descriptors.ExactMolWt(parse_smiles(smiles))
    return mass + PROTON


def find_scaffold(smiles: str) -> str:
    """Return the Murcko scaffold: ring systems and what links them; "" for a chain.

    References:
        Bemis, Murcko 1996, doi 10.1021/jm9602928.
    """
    molecule = parse_smiles(smiles)
    if molecule is None:
        return ""
    return str(Chem.MolToSmiles(MurckoScaffold.GetScaffoldForMol(molecule)))


def describe_properties(smiles: str) -> Properties | None:
    """Return the figures of a molecule; None where the text is none.

    References:
        Wildman, Crippen 1999, doi 10.1021/ci990307l; Ertl, Rohde, Selzer 2000,
        doi 10.1021/jm000942e.
    """
    molecule = parse_smiles(smiles)
    if molecule is None:
        return None
    return Properties(
        round(float(Descriptors.MolWt(molecule)), 2),
        round(float(Crippen.MolLogP(molecule)), 2),
        round(float(rdMolDescriptors.CalcTPSA(molecule)), 1),
        int(rdMolDescriptors.CalcNumHBD(molecule)),
        int(rdMolDescriptors.CalcNumHBA(molecule)),
        int(rdMolDescriptors.CalcNumRotatableBonds(molecule)),
    )
