"""Whether a molecule fits a drawing with R-groups: every R-group and dummy atom is anything."""

from functools import lru_cache

from rdkit import Chem

from core.chemistry.structures import parse_smiles

FEWEST_DRAWN = 9
"""Atoms that a drawing must fix, or it fits everything."""

_CARBON, _LIGHTEST = 6, 11


def fits_generic(generic: str, smiles: str) -> bool:
    """Return whether a molecule has the fixed part of a generic drawing.

    What the R-groups may be stands in the words of a claim and is not read, so a fit means that
    the claim may reach the molecule, not that it does.

    Args:
        generic: SMILES with dummy atoms.
        smiles: A molecule.
    """
    query = _read_query(generic)
    molecule = _read_molecule(smiles)
    return query is not None and molecule is not None and molecule.HasSubstructMatch(query)


@lru_cache(maxsize=1_024)
def _read_molecule(smiles: str) -> Chem.Mol | None:
    """Return a molecule; one is held against many drawings."""
    return parse_smiles(smiles)


@lru_cache(maxsize=4_096)
def _read_query(generic: str) -> Chem.Mol | None:
    """Return the drawing as a query; None where it fixes too little."""
    read = parse_smiles(generic)
    if read is None:
        return None
    molecule = Chem.Mol(read)
    for atom in molecule.GetAtoms():
        if atom.GetAtomicNum() == _CARBON and 0 < atom.GetIsotope() < _LIGHTEST:
            atom.SetAtomicNum(0)  # a label such as R2 that came as a carbon of mass 2
    fixed = [atom for atom in molecule.GetAtoms() if atom.GetAtomicNum() > 1]
    if len(fixed) < FEWEST_DRAWN or not molecule.GetRingInfo().NumRings():
        return None
    options = Chem.AdjustQueryParameters.NoAdjustments()
    options.makeDummiesQueries = True
    return Chem.AdjustQueryProperties(_without_open_ends(molecule), options)


def _without_open_ends(molecule: Chem.Mol) -> Chem.Mol:
    """Return the drawing without dummy atoms at its ends: hydrogen may stand there too."""
    editable = Chem.RWMol(molecule)
    ends = [
        atom.GetIdx()
        for atom in molecule.GetAtoms()
        if atom.GetAtomicNum() == 0 and atom.GetDegree() <= 1
    ]
    for place in sorted(ends, reverse=True):
        editable.RemoveAtom(place)
    for atom in editable.GetAtoms():
        atom.SetNoImplicit(False)
        atom.SetNumExplicitHs(0)
    return editable.GetMol()
