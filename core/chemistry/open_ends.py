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
    """
    plain, _, labels = text.partition(" ")
    if _NO_ISOTOPE.search(plain):
        return True
    found = _WAVY.search(labels)
    if found is None:
        return False
    molecule = Chem.MolFromSmiles(plain, sanitize=False)
    if molecule is None:
        return False
    numbers = {int(pair.rpartition(".")[2]) for pair in found[1].split(",") if pair[-1:].isdigit()}
    centers: Counter[int] = Counter()
    for number in numbers & set(range(molecule.GetNumBonds())):
        bond = molecule.GetBondWithIdx(number)
        for center, end in (
            (bond.GetBeginAtom(), bond.GetEndAtom()),
            (bond.GetEndAtom(), bond.GetBeginAtom()),
        ):
            if end.GetDegree() == 1 and end.GetAtomicNum() == _CARBON:
                centers[center.GetIdx()] += 1
    return any(number > 1 for number in centers.values())
