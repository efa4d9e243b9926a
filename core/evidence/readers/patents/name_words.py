"""Stretches of a text that may be systematic names, and the ways in which each may be read."""

import re
from collections.abc import Iterator, Sequence
from itertools import product

LONGEST_NAME = 600
FEWEST_SIGNS = 12
MOST_BREAKS = 3
"""Hyphens at ends of lines that may be a printer's."""
LABEL = re.compile(
    r"[(\[]\s*((?:compound|example|intermediate|cpd|ex)s?\.?\s*(?:no\.?\s*)?"
    r"[A-Z]{0,3}-?\d{1,4}[a-z]?(?:[-.]\d{1,4})?)\s*[)\]]",
    re.IGNORECASE,
)
_END = ""
_STOPS = frozenset(
    """
    a an the of or and is are was were be being wherein which said compound compounds according
    to claim claims formula salt salts thereof pharmaceutically acceptable selected from group
    consisting in with having named by for as its any one more following represented structure
    synthesis preparation title product stereoisomer stereoisomers tautomer tautomers solvate
    solvates hydrate enantiomer enantiomers diastereomer mixture form crystalline free base
    example intermediate step comprising comprises consists composition method use that has
    substantially pure isomer isomers prodrug deuterated at least respectively i.e e.g namely
    called known also chosen
    """.split()  # noqa: SIM905 - words read better than quotes
)
_CHEMICAL = re.compile(
    r"\d[,'\u2032]?\d*-|-\d|\)-|-\(|\[\d|\]|\bN-|yl|ane\b|ene\b|ine\b|one\b|amide|ate\b|acid|nitrile"
    r"|ol\b|ide\b|urea",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\d\s*(?:g|mg|ml|l|mmol|mol|eq|equiv|%)\b", re.IGNORECASE)
_LOCANT = re.compile(r"\d|\(|\[|\b[NOS]-")
_BREAK = re.compile(r"(?<=[a-z])-\s*\n\s*(?=[a-z])")
_ENUMERATED = re.compile(r"^\s*(?:\(?(?:[ivx]{1,5}|[a-z]{1,2}|\d{1,4})[.)]\s+|[\u2022*\u2013-]\s+)")
_SPACES = re.compile(r"(?<=[-(\[{])\s+|\s+(?=[-)\]},])")
_DASHES = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-"})
_GONE = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
EDGES = ' \t,;:.\u3001"\u201c\u201d'


def split_words(text: str) -> Iterator[tuple[str, str]]:
    """Yield the stretches of a text between English words that look like chemistry, with labels."""
    told = LABEL.search(text)
    label = " ".join(told[1].split()) if told else ""
    stretch: list[str] = []
    plain = _ENUMERATED.sub("", LABEL.sub(" ", text))
    for word in [*re.findall(r"\S+|\n", plain), _END]:
        if word.endswith(":"):
            stretch = []
        elif word is not _END and (not is_stop(word) or _is_open(stretch)):
            stretch.append(word)
        else:
            said = " ".join(stretch).strip(EDGES + "\n")
            if is_chemical(said):
                yield said, label
            stretch = []


def _is_open(stretch: Sequence[str]) -> bool:
    """Return whether a name goes on: "chroman-4-" and "one" on the next line."""
    return "".join(stretch).endswith("-")


def is_stop(word: str) -> bool:
    """Return whether a word is English and no part of a name."""
    return word.strip("(),;:.\n ").casefold() in _STOPS


def is_chemical(text: str) -> bool:
    """Return whether a stretch may be a name; OPSIN decides."""
    return (
        FEWEST_SIGNS <= len(text) <= LONGEST_NAME * 20
        and _CHEMICAL.search(text) is not None
        and _LOCANT.search(text) is not None
        and _AMOUNT.search(text) is None
    )


def without_ends(said: str) -> str:
    """Return a stretch without words at its ends that are no chemistry."""
    words = re.findall(r"\S+|\n", said)
    chemical = [at for at, word in enumerate(words) if _CHEMICAL.search(word)]
    return " ".join(words[chemical[0] : chemical[-1] + 1]) if chemical else ""


def write_forms(said: str) -> list[str]:
    """Return the ways to read a stretch: hyphens at ends of lines belong to the name, or not."""
    text = said.translate(_GONE).translate(_DASHES)
    pieces = _BREAK.split(text, maxsplit=MOST_BREAKS)
    forms = []
    for joints in product(("-", ""), repeat=len(pieces) - 1):
        ends = [*joints, ""]
        joined = "".join(piece + end for piece, end in zip(pieces, ends, strict=True))
        forms.append(clean_name(joined))
    return [one for one in dict.fromkeys(forms) if FEWEST_SIGNS <= len(one) <= LONGEST_NAME]


def clean_name(text: str) -> str:
    r"""Return a name on one line, without blanks at hyphens and brackets.

    >>> clean_name("4-amino-N-(4- chlorophenyl)- \n benzamide hydrochloride")
    '4-amino-N-(4-chlorophenyl)-benzamide hydrochloride'
    """
    return _SPACES.sub("", " ".join(text.split())).strip(EDGES)
