"""What part a compound plays in its document: claimed, example, intermediate, comparator.

Headings win over structures. Where a source gives no heading (weekly USPTO chemistry names the
section alone), groups that never stay in an end product tell an intermediate, and a compound far
smaller than what the document claims, or unlike all of it, does not count as its example.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median

import numpy as np
from rdkit import Chem

from core.agents.compound_map.reading import Molecule
from core.agents.compound_map.records import ROLES, Role
from core.chemistry.similarity import Bits, measure_likeness, read_fingerprints
from core.knowledge.compound_roles import RoleRow, load_signs
from core.knowledge.load import compile_pattern

LEAST_SIZE = 0.72
"""An example has at least this share of the heavy atoms usual in its document's claims."""
LEAST_LIKENESS = 0.35
"""And at least this Tanimoto likeness to one compound of the claims."""
FEWEST_CLAIMED = 3
"""With fewer compounds in the claims, size and likeness tell nothing."""


@dataclass(frozen=True, slots=True)
class Played:
    """A role with the rule that gave it."""

    role: Role
    reason: str


@dataclass(frozen=True, slots=True)
class _Claims:
    """What the claims of one document draw."""

    usual_size: float
    fingerprints: Bits
    keys: frozenset[str]


def find_roles(molecules: Sequence[Molecule]) -> list[Played]:
    """Return the role of each molecule: the best that one of its documents gives it."""
    prints = read_fingerprints([one.structure.smiles for one in molecules])
    claims = _read_claims(molecules, prints)
    return [
        min(
            (_play(one, document, claims, prints[place]) for document in one.documents),
            key=lambda played: ROLES.index(played.role),
        )
        for place, one in enumerate(molecules)
    ]


def _read_claims(molecules: Sequence[Molecule], prints: Bits) -> Mapping[str, _Claims]:
    """Return by document what its claims draw, intermediates by their groups left out."""
    members: dict[str, list[int]] = {}
    for place, one in enumerate(molecules):
        in_claims = {
            each.raw.publication_number for each in one.places if each.raw.section == "claims"
        }
        if in_claims and find_group(one.structure.smiles) is None:
            for document in in_claims:
                members.setdefault(document, []).append(place)
    return {
        document: _Claims(
            median(molecules[place].structure.heavy_atoms for place in places),
            prints[places],
            frozenset(molecules[place].structure.inchikey for place in places),
        )
        for document, places in members.items()
    }


def _play(one: Molecule, document: str, claims: Mapping[str, _Claims], bits: Bits) -> Played:
    """Return the role of a molecule in one document."""
    places = [each.raw for each in one.places if each.raw.publication_number == document]
    group = find_group(one.structure.smiles)
    if any(raw.section == "claims" for raw in places):
        return _play_claimed(one, claims.get(document), group)
    told = next(filter(None, (read_heading(f"{raw.location} {raw.label}") for raw in places)), None)
    if told is not None:
        return Played(told.role, f"heading: {told.name}")
    if group is not None:
        return Played("intermediate", f"group: {group.name}")
    return _compare(one, claims.get(document), bits)


def _play_claimed(one: Molecule, claims: _Claims | None, group: RoleRow | None) -> Played:
    """Return the role of a molecule of the claims: some claims draw a way of making it."""
    if group is None or claims is None:
        return Played("claimed_example", "drawn in the claims")
    is_small = one.structure.heavy_atoms < LEAST_SIZE * claims.usual_size
    if is_small and len(claims.keys) >= FEWEST_CLAIMED:
        return Played("intermediate", f"drawn in the claims, but with {group.name} and small")
    return Played("claimed_example", "drawn in the claims")


def _compare(one: Molecule, claims: _Claims | None, bits: Bits) -> Played:
    """Judge a molecule of the description by what the claims draw."""
    if claims is None or len(claims.keys) < FEWEST_CLAIMED:
        return Played("example", "drawn in the description; the claims draw too few to compare")
    if one.structure.heavy_atoms < LEAST_SIZE * claims.usual_size:
        return Played("intermediate", "much smaller than what the claims draw")
    best = float(np.max(measure_likeness(bits[None, :], claims.fingerprints)))
    if best < LEAST_LIKENESS:
        return Played("comparator", "unlike everything that the claims draw")
    return Played("example", "as large as, and like, what the claims draw")


def read_heading(text: str) -> RoleRow | None:
    """Return the sign of a heading such as "description, Example 12"; None without one."""
    found = [
        (match.start(), row)
        for row, pattern in _headings()
        if (match := pattern.search(text)) is not None
    ]
    comparing = [row for _, row in found if row.role == "comparator"]
    if comparing:
        return comparing[0]
    return min(found, key=lambda each: each[0])[1] if found else None


@cache
def _headings() -> tuple[tuple[RoleRow, re.Pattern[str]], ...]:
    return tuple(
        (row, compile_pattern(row.pattern, "compound_roles")) for row in load_signs("heading")
    )


def find_group(smiles: str) -> RoleRow | None:
    """Return the first group of the table that a molecule has; None without any."""
    molecule = Chem.MolFromSmiles(smiles)
    if molecule is None:
        return None
    return next((row for row, query in _groups() if molecule.HasSubstructMatch(query)), None)


@cache
def _groups() -> tuple[tuple[RoleRow, Chem.Mol], ...]:
    return tuple((row, Chem.MolFromSmarts(row.pattern)) for row in load_signs("group"))
