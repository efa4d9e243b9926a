"""R-groups drawn alone, which readers of ChemDraw files turn into molecules of one more carbon."""

import re
from collections import Counter
from functools import lru_cache

from rdkit import Chem

_WAVY = re.compile(r"(?<![A-Za-z])w:([\d.,]+)")
_NO_ISOTOPE = re.compile(r"\[\d[Cc]H?\d?[^\d]")
_CARBON = 6


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
