"""Compounds by rank: role first, then how sure the structure is, then order of first sight."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

from core.agents.compound_map.lost_atoms import find_agreements
from core.agents.compound_map.marks import read_marks
from core.agents.compound_map.reading import Delivered, Molecule
from core.agents.compound_map.records import ROLES, SURE, ConfidenceWord
from core.agents.compound_map.roles import Played, find_roles
from core.agents.compound_map.trust import Basis, Trust, judge_trust
from core.chemistry.keeping import Notebook
from core.chemistry.structures import Properties, describe_properties, find_scaffold

MOST_COMPOUNDS = 10_000
HIGH, MEDIUM = 70, 40
NO_BASIS = Basis()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A compound of the map.

    Attributes:
        id: "C1" for the first.
        molecule: Structure and places.
        played: Its role.
        trust: How far its structure is trusted, and why.
        scaffold: Murcko scaffold; "" for a chain.
        properties: Figures of the molecule.
        fingerprint: Packed bits.
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

    Args:
        molecules: As read.
        notebook: Keeps marks, scaffold and figures of what imported documents draw.
        basis: What the documents tell about all their structures.
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
