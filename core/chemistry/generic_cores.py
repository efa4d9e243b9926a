"""Whether a molecule fits a drawing with R-groups: every R-group and dummy atom is anything.

What the R-groups may be stands in the words of a claim and is not read. A fit therefore means that
the claim may reach the molecule; a fixed part that the molecule lacks means that this drawing does
not.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from rdkit import Chem

from core.chemistry.structures import parse_smiles

FEWEST_DRAWN = 9
"""Atoms that a drawing must fix, or it fits everything."""
Answer = Literal["in", "out", "cannot tell"]
_CARBON, _LIGHTEST = 6, 11
_LETTERS = frozenset({"V", "W", "Y", "U"})
"""Letters of variable atoms that readers take for vanadium, tungsten, yttrium, uranium."""
_ANY = "*"


@dataclass(frozen=True, slots=True)
class Fit:
    """How a molecule stands to a drawing.

    Attributes:
        answer: Whether the fixed part is there as drawn, is not, or whether that cannot be told.
        reason: Because of what.
        is_loose: Whether it has the fixed part, with more at places that the drawing leaves bare.
    """

    answer: Answer
    reason: str
    is_loose: bool = False


@dataclass(frozen=True, slots=True)
class _Query:
    """A drawing as a query.

    Attributes:
        molecule: Its fixed part; variable atoms at ends and between parts are left out.
        closed: Atoms of the fixed part at which the drawing shows no variable group.
        rings: Its ring systems as queries of their own, the largest first.
    """

    molecule: Chem.Mol
    closed: frozenset[int]
    rings: tuple[Chem.Mol, ...]


def fits_generic(generic: str, smiles: str) -> bool:
    """Return whether a molecule has the fixed part of a generic drawing.

    Args:
        generic: SMILES with dummy atoms.
        smiles: A molecule.
    """
    query, molecule = _read_query(generic), _read_molecule(smiles)
    return query is not None and molecule is not None and molecule.HasSubstructMatch(query.molecule)


def judge_fit(generic: str, smiles: str) -> Fit:
    """Return whether a molecule is within a generic drawing, and because of what it is not.

    A molecule with the fixed part that carries more where the drawing shows no group is not told
    to be out: groups at any place of a ring are often lost from drawings.

    Args:
        generic: SMILES with dummy atoms.
        smiles: A molecule.

    >>> judge_fit("[*:1]c1ncc2cc(Cl)ccc2n1", "CNc1ncc2cc(Cl)ccc2n1").answer
    'in'
    >>> judge_fit("[*:1]c1ncc2cc(Cl)ccc2n1", "CNc1ncc2cc(F)ccc2n1").answer
    'out'
    """
    query, molecule = _read_query(generic), _read_molecule(smiles)
    if query is None or molecule is None:
        return Fit("cannot tell", "the drawing fixes too little to tell")
    matches = molecule.GetSubstructMatches(query.molecule, maxMatches=64)
    if matches:
        if any(_is_closed(query, molecule, match) for match in matches):
            return Fit("in", "has the fixed part as drawn; what the R-groups may be is not read")
        wording = "has the fixed part, with more where the drawing shows no group"
        return Fit("cannot tell", wording, is_loose=True)
    for ring in query.rings:
        if not molecule.HasSubstructMatch(ring):
            return Fit("out", f"lacks the ring system {Chem.MolToSmiles(ring)}")
    return Fit("out", "its rings are not joined or substituted as drawn")


def _is_closed(query: _Query, molecule: Chem.Mol, match: tuple[int, ...]) -> bool:
    """Return whether no atom without a variable group carries more than is drawn."""
    taken = set(match)
    return not any(
        neighbor.GetIdx() not in taken
        for atom in query.closed
        for neighbor in molecule.GetAtomWithIdx(match[atom]).GetNeighbors()
        if neighbor.GetAtomicNum() > 1
    )


@lru_cache(maxsize=1_024)
def _read_molecule(smiles: str) -> Chem.Mol | None:
    """Return a molecule; one is held against many drawings."""
    return parse_smiles(smiles)


@lru_cache(maxsize=4_096)
def _read_query(generic: str) -> _Query | None:
    """Return the drawing as a query; None where it fixes too little."""
    read = parse_smiles(generic)
    if read is None:
        return None
    molecule = Chem.RWMol(read)
    for atom in molecule.GetAtoms():
        is_label = atom.GetAtomicNum() == _CARBON and 0 < atom.GetIsotope() < _LIGHTEST
        if is_label or atom.GetSymbol() in _LETTERS:
            atom.SetAtomicNum(0)  # a label such as R2 that came as a carbon of mass 2
    fixed = [atom for atom in molecule.GetAtoms() if atom.GetAtomicNum() > 1]
    if len(fixed) < FEWEST_DRAWN or not molecule.GetRingInfo().NumRings():
        return None
    for atom in molecule.GetAtoms():
        atom.SetBoolProp("open", any(_is_variable(neighbor) for neighbor in atom.GetNeighbors()))
    _relax_rings(molecule)
    _drop_variables(molecule)
    built = molecule.GetMol()
    closed = (atom.GetIdx() for atom in built.GetAtoms() if not atom.GetBoolProp("open"))
    Chem.FastFindRings(built)
    return _Query(built, frozenset(closed), _ring_systems(built))


def _is_variable(atom: Chem.Atom) -> bool:
    """Return whether an atom is a variable group outside of rings."""
    return bool(atom.GetAtomicNum() == 0 and not atom.IsInRing())


def _relax_rings(molecule: Chem.RWMol) -> None:
    """Let rings with a variable atom be aromatic or not: as drawn they are neither for certain."""
    rings = molecule.GetRingInfo().AtomRings()
    numbers = [atom.GetAtomicNum() for atom in molecule.GetAtoms()]
    loose = {atom for ring in rings if any(not numbers[atom] for atom in ring) for atom in ring}
    for atom in loose:
        atom_pattern = f"[#{numbers[atom]}]" if numbers[atom] else _ANY
        is_open = molecule.GetAtomWithIdx(atom).GetBoolProp("open") or not numbers[atom]
        molecule.ReplaceAtom(atom, _pattern(atom_pattern).GetAtomWithIdx(0))
        molecule.GetAtomWithIdx(atom).SetBoolProp("open", is_open)
    for bond in list(molecule.GetBonds()):
        if {bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()} <= loose:
            molecule.ReplaceBond(bond.GetIdx(), _pattern("*~*").GetBondWithIdx(0))


def _drop_variables(molecule: Chem.RWMol) -> None:
    """Take variable groups away: hydrogen may stand there, or any chain between two parts."""
    variables = [atom.GetIdx() for atom in molecule.GetAtoms() if _is_variable(atom)]
    for variable in sorted(variables, reverse=True):
        molecule.RemoveAtom(variable)
    for atom in molecule.GetAtoms():
        atom.SetNoImplicit(False)
        atom.SetNumExplicitHs(0)
        atom.SetNumRadicalElectrons(0)


def _ring_systems(molecule: Chem.Mol) -> tuple[Chem.Mol, ...]:
    """Return the ring systems of a query, the largest first."""
    systems: list[set[int]] = []
    for ring in map(set, molecule.GetRingInfo().AtomRings()):
        joined = [system for system in systems if len(system & ring) > 1]
        systems = [system for system in systems if system not in joined] + [ring.union(*joined)]
    pieces = []
    for system in sorted(systems, key=lambda system: (-len(system), min(system))):
        editable = Chem.RWMol(molecule)
        for atom in sorted(set(range(molecule.GetNumAtoms())) - system, reverse=True):
            editable.RemoveAtom(atom)
        pieces.append(editable.GetMol())
    return tuple(pieces)


@cache
def _pattern(smarts: str) -> Chem.Mol:
    return Chem.MolFromSmarts(smarts)
