"""When two molecules count as the same: exactly, but for stereo, or but for tautomers."""

from functools import cache
from typing import Literal

from rdkit import Chem
from rdkit.Chem import rdMolDescriptors
from rdkit.Chem.MolStandardize import rdMolStandardize

from core.chemistry.structures import Structure, parse_smiles

Mode = Literal["exact", "stereo", "tautomer"]
_MOST_TAUTOMERS = 200
_MOST_TRANSFORMS = 200


def match_key(structure: Structure, mode: Mode) -> str:
    """Return what equal molecules of a mode have in common; "" for none.

    Args:
        structure: A parent molecule.
        mode: "exact" by InChIKey; "stereo" by InChIKey without stereo; "tautomer" by the InChIKey
            of the canonical tautomer, which costs some milliseconds.
    """
    if not structure.inchikey or mode == "exact":
        return structure.inchikey
    molecule = parse_smiles(structure.smiles)
    if molecule is None:
        return ""
    if mode == "stereo":
        molecule = Chem.Mol(molecule)
        Chem.RemoveStereochemistry(molecule)
        return str(Chem.MolToInchiKey(molecule))
    try:
        return str(Chem.MolToInchiKey(_enumerator().Canonicalize(molecule)))
    except (RuntimeError, ValueError):
        return structure.inchikey


def find_formula(smiles: str) -> str:
    """Return the formula of a molecule, which stereo and tautomers share; "" for none."""
    molecule = parse_smiles(smiles)
    return "" if molecule is None else str(rdMolDescriptors.CalcMolFormula(molecule))


@cache
def _enumerator() -> rdMolStandardize.TautomerEnumerator:
    """Return the enumerator, bounded; stereo at atoms that no tautomer moves is kept."""
    enumerator = rdMolStandardize.TautomerEnumerator()
    enumerator.SetMaxTautomers(_MOST_TAUTOMERS)
    enumerator.SetMaxTransforms(_MOST_TRANSFORMS)
    return enumerator
