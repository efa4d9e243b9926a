"""Labels that a reader of ChemDraw files lost: "OEt" or "PG" becomes a methyl, or a dummy apart.

A file in which a label stands apart from its molecule, and a document with many such files, are
worth less trust: the molecule parses, and may yet be another than was drawn.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from rdkit import Chem

from core.chemistry.structures import parse_smiles

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


def flaws_of(smiles: str) -> list[str]:
    """Return the flaws of a readable SMILES.

    >>> flaws_of("C[C]=O"), flaws_of("C[N+](C)(C)C"), flaws_of("CC[CH-]C"), flaws_of("CCO")
    (['radical'], [], ['charge'], [])
    """
    molecule = parse_smiles(smiles)
    return find_flaws(molecule) if molecule is not None else ["radical"]
