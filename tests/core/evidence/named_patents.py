"""Patents drawn for tests: names built from parts, beside the structures that the parts give."""

import random
from dataclasses import dataclass

from core.records.patents import PatentText, TextLine

ENDS = {
    "4-chlorophenyl": "c1ccc(Cl)cc1",
    "3-fluorophenyl": "c1cccc(F)c1",
    "4-methoxyphenyl": "c1ccc(OC)cc1",
    "2,4-difluorophenyl": "c1ccc(F)cc1F",
    "3-(trifluoromethyl)phenyl": "c1cccc(C(F)(F)F)c1",
}
AMINES = {
    "morpholin-4-yl": "N9CCOCC9",
    "4-methylpiperazin-1-yl": "N9CCN(C)CC9",
    "piperidin-1-yl": "N9CCCCC9",
    "pyrrolidin-1-yl": "N9CCCC9",
}


@dataclass(frozen=True)
class Named:
    """A name and its structure, each written from the same parts."""

    name: str
    smiles: str


def draw_named(count: int, seed: int) -> list[Named]:
    """Return different benzamides."""
    every = [
        Named(
            f"N-({end})-4-[({amine})methyl]benzamide",
            f"O=C(N{smiles})c1ccc(C{ring})cc1",
        )
        for end, smiles in ENDS.items()
        for amine, ring in AMINES.items()
    ]
    return random.Random(seed).sample(every, count)


def text_of(section, *lines: str) -> PatentText:
    """Return the text of a section."""
    return PatentText(section, tuple(TextLine(line) for line in lines))
