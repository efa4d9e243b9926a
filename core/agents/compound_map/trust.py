"""How far a structure is trusted: its source, what speaks against it, and what else confirms it.

A string that a source delivers is one reading, and never sure alone. A second witness confirms it:
a known drug of the same structure, a mass that the text reports for its example, or the systematic
name of the same molecule. It is worth less where the drawing lost a label, where an atom lacks
bonds or keeps a charge, where the text reports another mass, and where carbons stand in the place
of the heteroatoms of a known drug or of a sibling. Probabilities are rows of
core/knowledge/structure_confidence.csv.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.agents.compound_map.finding import Sample, kind_of
from core.agents.compound_map.marks import Agreement
from core.agents.compound_map.reading import Delivered, Molecule
from core.chemistry.lost_labels import MANY_LOST, is_label_apart, share_of_lost
from core.chemistry.structures import protonated_mass
from core.evidence.readers.patents.masses import number_of, read_masses
from core.knowledge.structure_confidence import find_probability
from core.patent_ports import PatentPool
from core.records.patents import PatentText

TOLERANCE = 0.6
"""Daltons: instruments of examples tell one decimal or none."""
_DRAWN = frozenset({"cdx", "mol"})
_SEEN = _DRAWN | {"image"}
"""Methods that read a drawing, and so confirm a name independently."""
_SAID: Mapping[str, str] = {
    "radical": "an atom lacks bonds, as where a label was lost",
    "isonitrile": "an isonitrile, as where a nitrile's label was read from its wrong end",
    "charge": "a charge stays that no counter-ion meets",
    "label apart": "a label stands apart from it in its drawing",
    "labels lost": "many drawings of its document lost a label",
    "mass differs": "the text reports another mass for its example",
}
ALONE = Agreement()
_METHODS: Mapping[str, str] = {
    "cdx": "drawing",
    "mol": "drawing",
    "surechembl": "machine reading",
    "name": "systematic name",
    "image": "picture",
}


@dataclass(frozen=True)
class Basis:
    """What the documents tell about all their structures.

    Attributes:
        apart: Drawings in which a label stands apart, as document and block.
        lossy: Documents on processes of which many drawings lost a label: their abbreviations
            (a protecting group, OEt) come as a methyl without a trace.
        masses: Masses by document and number of the example.
        processes: Documents on ways to make a compound, which claim what is made on the way.
    """

    apart: frozenset[tuple[str, str]] = frozenset()
    lossy: frozenset[str] = frozenset()
    masses: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    processes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Trust:
    """A score with what speaks for and against it.

    Attributes:
        score: 100 times the probability that the structure is right.
        witnesses: What gave or confirms it, each once.
        doubts: What speaks against it, in words.
    """

    score: int
    witnesses: tuple[str, ...]
    doubts: tuple[str, ...]


def read_basis(sample: Sample, molecules: Sequence[Molecule], pool: PatentPool) -> Basis:
    """Return what the documents of a sample tell about their structures."""
    processes = {
        document.publication_number
        for document in sample.documents
        if kind_of(document) == "process"
    }
    apart: set[tuple[str, str]] = set()
    lossy: set[str] = set()
    for number, delivered in sample.delivered.items():
        drawings: dict[str, list[str]] = {}
        for string in delivered:
            if string.raw.method in _DRAWN and string.raw.block:
                drawings.setdefault(string.raw.block, []).append(string.raw.text)
        apart |= {
            (number, block) for block, texts in drawings.items() if any(map(is_label_apart, texts))
        }
        if number in processes and share_of_lost(drawings) >= MANY_LOST:
            lossy.add(number)
    masses = _read_masses(sample, molecules, pool)
    return Basis(frozenset(apart), frozenset(lossy), masses, frozenset(processes))


def _read_masses(
    sample: Sample, molecules: Sequence[Molecule], pool: PatentPool
) -> Mapping[str, Mapping[str, tuple[float, ...]]]:
    """Return the masses told by documents that number their structures."""
    numbered = {
        delivered.raw.publication_number
        for molecule in molecules
        for delivered in molecule.places
        if _number(delivered)
    }
    unread = sorted(numbered - set(sample.texts))
    texts: dict[str, Sequence[PatentText]] = {**(pool.texts(unread) if unread else {})}
    texts |= {number: text for number, text in sample.texts.items() if number in numbered}
    return {number: masses for number, text in texts.items() if (masses := read_masses(text))}


def _number(delivered: Delivered) -> str:
    return number_of(delivered.raw.label) or number_of(delivered.raw.location)


def judge_trust(
    molecule: Molecule, flaws: Sequence[str], basis: Basis, agreement: Agreement = ALONE
) -> Trust:
    """Return how far a molecule is trusted."""
    witnesses = tuple(dict.fromkeys(_METHODS[each.raw.method] for each in molecule.places))
    if molecule.is_piece:  # one open end is enough: other places may have lost the sign
        return Trust(_percent(min(each.chance for each in molecule.places)), witnesses, ())
    fits = [_told_of(molecule, each, basis) for each in molecule.places]
    if any(fits):
        witnesses = (*witnesses, "mass reported in the text")
    chance, doubt = max(
        _weigh(each, fits, basis) for each, fits in zip(molecule.places, fits, strict=True)
    )
    doubts = [_SAID[doubt]] if doubt else []
    methods = {each.raw.method for each in molecule.places}
    confirmed = {
        "drug agrees": bool(agreement.drug),
        "readings agree": "name" in methods and bool(methods & _SEEN),
    }
    if agreement.drug:
        witnesses = (*witnesses, f"known drug: {agreement.drug}")
    for row in (name for name, is_so in confirmed.items() if is_so):
        chance, doubts = max(chance, find_probability(row, "")), []
    if not any(fits):  # a mass that fits tells carbon from nitrogen, oxygen and fluorine
        chance = min([chance, *(find_probability(row, "") for row, _ in agreement.doubts)])
        doubts += [words for _, words in agreement.doubts]
    for flaw in flaws:
        chance = min(chance, find_probability(flaw, ""))
        doubts.append(_SAID[flaw])
    return Trust(_percent(chance), witnesses, tuple(doubts))


def _weigh(delivered: Delivered, fits: bool | None, basis: Basis) -> tuple[float, str]:
    """Return the probability of one place, and what lowers it; a mass that fits confirms it."""
    if fits:
        return max(delivered.chance, find_probability("mass fits", "")), ""
    chance, number = delivered.chance, delivered.raw.publication_number
    doubts = {
        "mass differs": fits is False,
        "label apart": (number, delivered.raw.block) in basis.apart,
        "labels lost": number in basis.lossy and delivered.raw.method in _DRAWN,
    }
    lowered = [
        (min(chance, find_probability(doubt, "")), doubt)
        for doubt, is_so in doubts.items()
        if is_so
    ]
    return min(lowered) if lowered else (chance, "")


def _told_of(molecule: Molecule, delivered: Delivered, basis: Basis) -> bool | None:
    """Return whether the text tells its mass for its example; None where it tells none."""
    masses = basis.masses.get(delivered.raw.publication_number, {}).get(_number(delivered), ())
    if not masses:
        return None
    own_mass = protonated_mass(molecule.structure.smiles)
    return any(abs(own_mass - mass) <= TOLERANCE for mass in masses)


def _percent(chance: float) -> int:
    return round(100 * chance)
