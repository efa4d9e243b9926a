"""What part a compound plays in its document: claimed, example, intermediate, comparator.

Headings win over structures. Where a source gives no heading (weekly USPTO chemistry names the
section alone), groups that never stay in an end product tell an intermediate, and a compound far
smaller than what the document claims, or unlike all of it, does not count as its example.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from core.agents.compound_map.marks import Marks
from core.agents.compound_map.reading import Molecule
from core.agents.compound_map.records import ROLES, Role
from core.chemistry.similarity import Bits, measure_likeness, stack_bits
from core.knowledge.compound_roles import RoleRow, load_signs
from core.records.patents import RawStructure
from core.vocabulary.tables import compile_pattern

LEAST_SIZE = 0.68
"""A compound of its own has at least this share of the heavy atoms usual in its document."""
LEAST_LIKENESS = 0.2
"""And at least this Tanimoto likeness to one compound of the claims."""
FEWEST_CLAIMED = 3
"""With fewer compounds in the claims, similarity means nothing."""
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
        groups: Groups of the table that these keep, so that they tell nothing there.
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

    Args:
        molecules: As read.
        marks: One each.
        processes: Documents on ways to make a compound: their claims draw what is made on the way.
    """
    documents = _read_documents(molecules, marks, processes)
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


def _read_documents(
    molecules: Sequence[Molecule], marks: Sequence[Marks], processes: Collection[str]
) -> Mapping[str, _Own]:
    """Return by document what it draws as its own."""
    drawn: dict[str, list[int]] = {}
    claimed: dict[str, list[int]] = {}
    for index, molecule in enumerate(molecules):
        for document in molecule.documents:
            drawn.setdefault(document, []).append(index)
        in_claims = {
            each.raw.publication_number
            for each in molecule.places
            if each.raw.section == "claims" and not molecule.is_piece
        }
        for document in in_claims:
            claimed.setdefault(document, []).append(index)
    prints = stack_bits([mark.fingerprint for mark in marks])
    return {
        document: _read_process(molecules, claimed[document])
        if document in processes and document in claimed
        else _read_document(molecules, marks, prints, places, claimed.get(document, []))
        for document, places in drawn.items()
    }


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
    names = {row.name for index in large for row in marks[index].groups}
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
        return Played("piece", "an end is a wavy line or a label: an R-group, no whole compound")
    places = [each.raw for each in drawn if not each.is_piece]
    if any(raw.section == "claims" for raw in places):
        if profile.is_small(molecule):
            than = "what its process makes" if profile.is_process else "most there"
            return Played("intermediate", f"drawn in the claims, but far smaller than {than}")
        if profile.is_process and marks.groups:
            named = marks.groups[0].name
            return Played("intermediate", f"drawn in the claims of a process; group: {named}")
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
        return Played("example", "drawn whole; the claims of its document cannot be distinguished")
    return _play_whole(index, profile)


def _play_whole(index: int, profile: _Own) -> Played:
    """Judge a whole compound of the description by what the claims draw."""
    if profile.n_claimed < FEWEST_CLAIMED:
        return Played("example", "drawn whole; the claims draw too few compounds to compare")
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
