"""How far a structure is trusted: its source, what speaks against it, and what else confirms it.

A string that a source delivers is one reading, and never sure alone. A second witness confirms it:
a known drug of the same structure, a mass that the text reports for its example, or the systematic
name of the same molecule. It is worth less where the drawing lost a label, where an atom lacks
bonds or keeps a charge, where the text reports another mass, and where carbons stand in the place
of the heteroatoms of a known drug or of a sibling. Probabilities are rows of
core/knowledge/structure_confidence.csv.

What roles and map ask of every molecule: fingerprint, telling groups, lost heteroatoms. Of the
drawings in the weekly files that have the skeleton of a known drug, four in ten show carbons where
the drug has heteroatoms: the program that made the strings lost the labels. The molecule parses and
looks sound, so that other evidence has to speak for or against it.
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from rdkit import Chem

from core.agents.compound_map.finding import Sample, kind_of
from core.agents.compound_map.reading import Delivered, Molecule
from core.chemistry.keeping import Notebook
from core.chemistry.lost_labels import (
    MANY_LOST,
    blind_key,
    count_heteroatoms,
    find_flaws,
    has_lost_atoms,
    is_label_apart,
    share_of_lost,
)
from core.chemistry.similarity import read_bits
from core.chemistry.structures import parse_smiles, protonated_mass
from core.evidence.readers.patents.masses import number_of, read_masses
from core.knowledge.compound_roles import RoleRow, load_signs
from core.knowledge.drug_structures import (
    SKELETON,
    DrugStructureRow,
    drugs_by_graph,
    drugs_by_skeleton,
)
from core.knowledge.lost_atoms import load_lost_atoms
from core.knowledge.structure_confidence import find_probability
from core.patent_ports import PatentPool
from core.records.patents import PatentText


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks of one molecule.

    Attributes:
        fingerprint: Packed bits.
        groups: Groups of the table that it has, in the order of the table.
        flaws: What no stable molecule has, in words of core/chemistry/lost_labels.py.
        signs: Groups as where a heteroatom was lost, in words of core/knowledge/lost_atoms.csv.
        graph: What all molecules share that differ in elements and bond orders alone.
    """

    fingerprint: bytes
    groups: tuple[RoleRow, ...]
    flaws: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    graph: str = ""


def read_marks(molecules: Sequence[Molecule], notebook: Notebook) -> list[Marks]:
    """Return the marks of molecules; those of the caller's documents are not kept.

    `notebook`: keeps the marks of what imported documents draw.
    """
    imported = [molecule.structure.smiles for molecule in molecules if molecule.is_imported]
    computed = notebook.compute(f"marked with losses {_key_of_groups()}", imported, _mark_plainly)
    signs = load_signs("group")
    marks = []
    for molecule in molecules:
        smiles = molecule.structure.smiles
        bits, places, flaws, losses, graph = (
            computed[smiles] if smiles in computed else _mark_plainly(smiles)
        )
        groups = tuple(signs[index] for index in places)
        lost = tuple(load_lost_atoms()[index].name for index in losses)
        marks.append(Marks(base64.b64decode(bits), groups, tuple(flaws), lost, graph))
    return marks


def _mark_plainly(smiles: str) -> tuple[str, list[int], list[str], list[int], str]:
    """Return fingerprint as text, places of its groups, flaws, places of signs, and graph."""
    molecule = parse_smiles(smiles)
    if molecule is None:
        raise ValueError("a compound of the map must be readable")
    groups, losses = (
        [index for index, query in enumerate(queries) if molecule.HasSubstructMatch(query)]
        for queries in _queries()
    )
    bits = base64.b64encode(read_bits(smiles)).decode("ascii")
    return bits, groups, find_flaws(molecule), losses, blind_key(smiles)


@cache
def _queries() -> tuple[tuple[Chem.Mol, ...], tuple[Chem.Mol, ...]]:
    """Return the queries of groups that tell a role, and of those as where an atom was lost."""
    groups = tuple(Chem.MolFromSmarts(row.pattern) for row in load_signs("group"))
    return groups, tuple(Chem.MolFromSmarts(row.pattern) for row in load_lost_atoms())


@cache
def _key_of_groups() -> str:
    """Return what changes with the table of groups."""
    patterns = [row.pattern for row in load_signs("group")]
    text = "\n".join([*patterns, *(row.pattern for row in load_lost_atoms())])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


MOST_SIBLINGS = 40
"""Siblings with which a molecule is compared, those with the most heteroatoms first."""
MOST_LOST = 4
"""Heteroatoms of a drug that a drawing of it may have lost; with more it is another molecule."""
_STRINGS = frozenset({"cdx", "mol", "surechembl"})


@dataclass(frozen=True, slots=True)
class Agreement:
    """What other structures say of a molecule.

    Attributes:
        drug: Known drug that it is, perhaps but for stereo or isotopes, in words; "" for none.
        doubts: What says that heteroatoms were lost: the row of structure_confidence.csv, words.
        repair: The one known drug that has the lost heteroatoms; None for none or several.
    """

    drug: str = ""
    doubts: tuple[tuple[str, str], ...] = ()
    repair: DrugStructureRow | None = None


def find_agreements(molecules: Sequence[Molecule], marks: Sequence[Marks]) -> list[Agreement]:
    """Return what drugs, siblings of the same document and chemistry say of each molecule."""
    groups: dict[tuple[str, str], set[str]] = {}
    for member, flags in zip(molecules, marks, strict=True):
        for number in member.documents:
            groups.setdefault((number, flags.graph), set()).add(member.structure.smiles)
    siblings = {
        key: sorted(members, key=lambda smiles: (-count_heteroatoms(smiles), smiles))
        for key, members in groups.items()
        if len(members) > 1
    }
    return [
        _compare(molecule, mark, siblings) for molecule, mark in zip(molecules, marks, strict=True)
    ]


def _compare(
    molecule: Molecule, mark: Marks, siblings: Mapping[tuple[str, str], Sequence[str]]
) -> Agreement:
    if drugs := drugs_by_skeleton().get(molecule.structure.skeleton):
        same = [drug.drug for drug in drugs if drug.inchikey == molecule.structure.inchikey]
        return Agreement(same[0] if same else f"{drugs[0].drug}, but for stereo or isotopes")
    if any(delivered.raw.method not in _STRINGS for delivered in molecule.places):
        return Agreement()
    smiles = molecule.structure.smiles
    drugs = [
        drug for drug in drugs_by_graph().get(mark.graph, ()) if has_lost_atoms(smiles, drug.smiles)
    ]
    near = [
        drug
        for drug in drugs
        if count_heteroatoms(drug.smiles) - count_heteroatoms(smiles) <= MOST_LOST
    ]
    repair = near[0] if len({drug.inchikey[:SKELETON] for drug in near}) == 1 else None
    return Agreement("", tuple(_find_doubts(molecule, mark, siblings, drugs)), repair)


def _find_doubts(
    molecule: Molecule,
    mark: Marks,
    siblings: Mapping[tuple[str, str], Sequence[str]],
    drugs: Sequence[DrugStructureRow],
) -> Iterator[tuple[str, str]]:
    smiles = molecule.structure.smiles
    if drugs:
        yield "drug differs", f"has carbons where {drugs[0].drug} has heteroatoms"
    for number in molecule.documents:
        others = siblings.get((number, mark.graph), ())[:MOST_SIBLINGS]
        if any(has_lost_atoms(smiles, other) for other in others):
            yield (
                "sibling differs",
                f"has carbons where another compound of {number} has heteroatoms",
            )
            break
    for sign in mark.signs:
        yield "sign of loss", f"has a {sign}, as where the label of a heteroatom was lost"


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
        repair: Known drug that it may be, with the heteroatoms that it lost.
    """

    score: int
    witnesses: tuple[str, ...]
    doubts: tuple[str, ...]
    repair: DrugStructureRow | None = None


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
    repair = None if any(fits) else agreement.repair
    return Trust(_percent(chance), witnesses, tuple(doubts), repair)


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
