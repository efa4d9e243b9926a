"""Compounds by rank: role first, then how sure the structure is, then order of first sight."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache

import numpy as np

from core.agents.compound_map.reading import Delivered, Molecule
from core.agents.compound_map.records import ROLES, SURE, ConfidenceWord, Role
from core.agents.compound_map.trust import (
    Basis,
    Marks,
    Trust,
    find_agreements,
    judge_trust,
    read_marks,
)
from core.chemistry.keeping import Notebook
from core.chemistry.similarity import Bits, measure_likeness, stack_bits
from core.chemistry.structures import Properties, describe_properties, find_scaffold
from core.knowledge.compound_roles import RoleRow, load_signs
from core.records.patents import RawStructure
from core.vocabulary.tables import compile_pattern

LEAST_SIZE = 0.68
"""A compound of its own has at least this share of the heavy atoms usual in its document."""
LEAST_LIKENESS = 0.2
"""And at least this Tanimoto likeness to one compound of the claims."""
FEWEST_CLAIMED = 3
"""With fewer compounds in the claims, similarity means nothing."""
LEAVING = "leaving group"
_USUAL = 75
"""Percentile: claims and descriptions draw many pieces that are smaller, few that are larger."""


@dataclass(frozen=True, slots=True)
class Played:
    """A role with the rule that gave it."""

    role: Role
    reason: str


@dataclass(frozen=True, slots=True)
class _Own:
    """What one document draws as its own.

    Attributes:
        usual_size: Heavy atoms of most compounds of its claims, else of its description.
        n_claimed: Whole compounds of its claims.
        likeness: The highest to one of these, by place of a compound that is not claimed.
        groups: Groups of the table that these keep, so that they tell nothing there; a leaving
            group only where most of them keep it.
        is_process: Whether its claims are steps on the way to a compound.
    """

    usual_size: float
    n_claimed: int
    likeness: Mapping[int, float]
    groups: frozenset[str]
    is_process: bool = False

    def is_small(self, molecule: Molecule) -> bool:
        """Return whether a molecule is far smaller than what is usual."""
        return molecule.structure.heavy_atoms < LEAST_SIZE * self.usual_size


def find_roles(
    molecules: Sequence[Molecule],
    marks: Sequence[Marks],
    processes: Collection[str] = frozenset(),
) -> list[Played]:
    """Return the role of each molecule: the best that one of its documents gives it.

    `processes`: documents on ways to make a compound: their claims draw what is made on the way.
    """
    drawn: dict[str, list[int]] = {}
    claimed: dict[str, list[int]] = {}
    for index, molecule in enumerate(molecules):
        for number in molecule.documents:
            drawn.setdefault(number, []).append(index)
        in_claims = {
            delivered.raw.publication_number
            for delivered in molecule.places
            if delivered.raw.section == "claims" and not molecule.is_piece
        }
        for number in in_claims:
            claimed.setdefault(number, []).append(index)
    prints = stack_bits([mark.fingerprint for mark in marks])
    documents = {
        number: _read_process(molecules, claimed[number])
        if number in processes and number in claimed
        else _read_document(molecules, marks, prints, places, claimed.get(number, []))
        for number, places in drawn.items()
    }
    return [
        min(
            (
                _play(molecule, index, document, marks[index], documents[document])
                for document in molecule.documents
            ),
            key=lambda played: ROLES.index(played.role),
        )
        for index, molecule in enumerate(molecules)
    ]


def _read_process(molecules: Sequence[Molecule], claimed: Sequence[int]) -> _Own:
    """Return what a document on a way to make a compound draws as its own: the largest it claims.

    Its claims keep the groups of what is made on the way, so that no group tells nothing there.
    """
    largest = max(molecules[index].structure.heavy_atoms for index in claimed)
    return _Own(float(largest), 0, {}, frozenset(), is_process=True)


def _read_document(
    molecules: Sequence[Molecule],
    marks: Sequence[Marks],
    prints: Bits,
    drawn: Sequence[int],
    claimed: Sequence[int],
) -> _Own:
    sizes = {index: molecules[index].structure.heavy_atoms for index in (*drawn, *claimed)}
    complete = [index for index in drawn if not molecules[index].is_piece]
    basis = claimed if len(claimed) >= FEWEST_CLAIMED else complete or drawn
    usual = float(np.percentile([sizes[index] for index in basis], _USUAL))
    large = [index for index in claimed if sizes[index] >= LEAST_SIZE * usual]
    counts = Counter((row.name, row.kind) for index in large for row in marks[index].groups)
    names = {name for (name, kind), n in counts.items() if kind != LEAVING or 2 * n > len(large)}
    return _Own(usual, len(large), _compare(prints, drawn, claimed, large), frozenset(names))


def _compare(
    prints: Bits, drawn: Sequence[int], claimed: Sequence[int], large: Sequence[int]
) -> Mapping[int, float]:
    """Return how like a compound of the claims each other compound is, by place."""
    others = sorted(set(drawn) - set(claimed))
    if len(large) < FEWEST_CLAIMED or not others:
        return {}
    best = measure_likeness(prints[others], prints[large]).max(axis=1)
    return dict(zip(others, best.tolist(), strict=True))


def _play(molecule: Molecule, index: int, document: str, marks: Marks, profile: _Own) -> Played:
    """Return the role of a molecule in one document."""
    drawn = [each for each in molecule.places if each.raw.publication_number == document]
    if molecule.is_piece or all(each.is_piece for each in drawn):
        return Played(
            "piece", "an end is a wavy line or a label: an R-group, not a complete compound"
        )
    places = [each.raw for each in drawn if not each.is_piece]
    if any(raw.section == "claims" for raw in places):
        if profile.is_small(molecule):
            than = "what its process makes" if profile.is_process else "most there"
            return Played("intermediate", f"drawn in the claims, but far smaller than {than}")
        if profile.is_process and marks.groups:
            named = marks.groups[0].name
            return Played("intermediate", f"drawn in the claims of a process; group: {named}")
        leaving = [row.name for row in marks.groups if row.kind == LEAVING]
        if named := next((name for name in leaving if name not in profile.groups), ""):
            return Played("intermediate", f"drawn in the claims; leaving group: {named}")
        return Played("claimed_example", "drawn in the claims")
    return _play_described(molecule, index, places, marks, profile)


def _play_described(
    molecule: Molecule, index: int, places: Sequence[RawStructure], marks: Marks, profile: _Own
) -> Played:
    """Return the role of a molecule of the description: headings win over structures."""
    sign = next(filter(None, (read_heading(f"{raw.location} {raw.label}") for raw in places)), None)
    if sign is not None:
        return Played(sign.role, f"heading: {sign.name}")
    groups = [row for row in marks.groups if row.name not in profile.groups]
    if groups:
        return Played("intermediate", f"group: {groups[0].name}")
    if profile.is_small(molecule):
        return Played("intermediate", "far smaller than most that the document draws")
    if not any(raw.section for raw in places):
        return Played(
            "example", "drawn completely; the claims of its document cannot be distinguished"
        )
    return _play_whole(index, profile)


def _play_whole(index: int, profile: _Own) -> Played:
    """Judge a whole compound of the description by what the claims draw."""
    if profile.n_claimed < FEWEST_CLAIMED:
        return Played("example", "drawn completely; the claims draw too few compounds to compare")
    if profile.likeness[index] < LEAST_LIKENESS:
        return Played("comparator", "unlike everything that the claims draw")
    return Played("example", "as large as, and like, what the claims draw")


def read_heading(text: str) -> RoleRow | None:
    """Return the sign of a heading such as "description, Example 12"; None without one."""
    signs = [
        (match.start(), row)
        for row, pattern in _headings()
        if (match := pattern.search(text)) is not None
    ]
    comparing = [row for _, row in signs if row.role == "comparator"]
    if comparing:
        return comparing[0]
    return min(signs, key=lambda each: each[0])[1] if signs else None


@cache
def _headings() -> tuple[tuple[RoleRow, re.Pattern[str]], ...]:
    return tuple(
        (row, compile_pattern(row.pattern, "compound_roles")) for row in load_signs("heading")
    )


MOST_COMPOUNDS = 10_000
HIGH, MEDIUM = 70, 40
NO_BASIS = Basis()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A compound of the map.

    Attributes:
        id: "C1" for the first.
        scaffold: Murcko scaffold; "" for a chain.
        properties: Figures of the molecule.
    """

    id: str
    molecule: Molecule
    played: Played
    trust: Trust
    scaffold: str
    properties: Properties
    fingerprint: bytes

    @property
    def score(self) -> int:
        """Return 100 times the probability that its structure is right."""
        return self.trust.score

    @property
    def smiles(self) -> str:
        """Return the parent molecule."""
        return self.molecule.structure.smiles

    @property
    def is_claimed(self) -> bool:
        """Return whether a document draws it in its claims."""
        return self.molecule.is_claimed

    @property
    def is_disclosed(self) -> bool:
        """Return whether it is what a document is about, and no step on the way."""
        return self.played.role in {"claimed_example", "example"}

    @property
    def best(self) -> Delivered:
        """Return the place of the earliest source."""
        return self.molecule.places[0]

    @property
    def claimed_in(self) -> tuple[str, ...]:
        """Return the documents that draw it in their claims."""
        numbers = [
            delivered.raw.publication_number
            for delivered in self.molecule.places
            if delivered.raw.section == "claims"
        ]
        return tuple(dict.fromkeys(numbers))


def rank_compounds(
    molecules: Sequence[Molecule], notebook: Notebook, basis: Basis = NO_BASIS
) -> list[Ranked]:
    """Return the molecules by rank, at most 10,000, numbered.

    `notebook`: keeps marks, scaffold and figures of what imported documents draw. `basis`: what the
    documents tell about all their structures.
    """
    if not molecules:
        return []
    marks = read_marks(molecules, notebook)
    roles = find_roles(molecules, marks, basis.processes)
    agreements = find_agreements(molecules, marks)
    trusts = [
        judge_trust(molecule, mark.flaws, basis, agreement)
        for molecule, mark, agreement in zip(molecules, marks, agreements, strict=True)
    ]
    order = sorted(
        range(len(molecules)),
        key=lambda index: (
            ROLES.index(roles[index].role),
            not molecules[index].is_claimed,
            basis.processes.issuperset(molecules[index].documents),
            -trusts[index].score,
            -len(molecules[index].documents),
            index,
        ),
    )
    chosen = order[:MOST_COMPOUNDS]
    described = _describe([molecules[index] for index in chosen], notebook)
    return [
        Ranked(
            f"C{number}",
            molecules[index],
            roles[index],
            trusts[index],
            scaffold,
            figures,
            marks[index].fingerprint,
        )
        for number, (index, (scaffold, figures)) in enumerate(
            zip(chosen, described, strict=True), start=1
        )
    ]


def _describe(molecules: Sequence[Molecule], notebook: Notebook) -> list[tuple[str, Properties]]:
    """Return scaffold and figures of molecules; those of the caller's documents are not kept."""
    smiles = [molecule.structure.smiles for molecule in molecules]
    imported = [molecule.structure.smiles for molecule in molecules if molecule.is_imported]
    computed = notebook.compute("described", imported, _describe_plainly)
    computed |= {smile: _describe_plainly(smile) for smile in smiles if smile not in computed}
    return [(computed[smile][0], Properties(*computed[smile][1:])) for smile in smiles]


def _describe_plainly(smiles: str) -> list[str | float | int]:
    """Return scaffold and figures of a molecule as a list."""
    figures = describe_properties(smiles)
    if figures is None:
        raise ValueError("a compound of the map must be readable")
    return [find_scaffold(smiles), *astuple(figures)]


def say_confidence(score: int) -> ConfidenceWord:
    """Return the contract's word for a score.

    >>> [say_confidence(one) for one in (95, 70, 69, 39)]
    ['high', 'high', 'medium', 'low']
    """
    return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"


def is_sure(score: int) -> bool:
    """Return whether 95 of 100 structures of this score are right."""
    return score >= SURE


def group_skeletons(compounds: Sequence[Ranked]) -> Mapping[str, list[str]]:
    """Return the ids by the part of the key that stereo and charge do not change."""
    ids_by_skeleton: dict[str, list[str]] = {}
    for compound in compounds:
        ids_by_skeleton.setdefault(compound.molecule.structure.skeleton, []).append(compound.id)
    return ids_by_skeleton
