"""What varies on a scaffold: groups by position, and pairs that differ in one group alone.

References:
    Hussain, Rea 2010, doi 10.1021/ci900450m (matched pairs by cutting single bonds).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rdkit import Chem
from rdkit.Chem import rdMMPA
from rdkit.Chem.rdRGroupDecomposition import (
    RGroupDecomposition,
    RGroupDecompositionParameters,
    RGroupMatching,
)

MOST_MEMBERS = 25
"""Members of one series that are decomposed."""
TIMEOUT_S = 8.0
"""Seconds for one series."""
MOST_CUTS = 60
"""Single bonds of one molecule that are cut."""
LARGEST_GROUP = 13
"""Heavy atoms of a group that may change; more would be another molecule."""
MOST_SHARED = 80
"""Molecules with one constant part that are paired."""
_CUT = "[#6+0;!$(*=,#[!#6])]!@!=!#[*]"


@dataclass(frozen=True, slots=True)
class Groups:
    """A series taken apart.

    Attributes:
        core: SMILES with numbered attachment points; "" where nothing could be taken apart.
        rows: Groups by position, one a member that fits; `members` says which.
        members: Places of those members in the input.
    """

    core: str
    rows: tuple[Mapping[str, str], ...]
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Two molecules by place that differ in one group."""

    first: int
    second: int
    constant: str
    first_group: str
    second_group: str


def take_apart(scaffold: str, smiles: Sequence[str]) -> Groups:
    """Return the groups of molecules on their scaffold.

    Args:
        scaffold: Murcko scaffold that all have.
        smiles: The molecules; the first 25 are read.
    """
    core = Chem.MolFromSmiles(scaffold)
    if core is None or core.GetNumAtoms() == 0:
        return Groups("", (), ())
    options = RGroupDecompositionParameters()
    options.timeout = TIMEOUT_S
    # the full search grows with the product of symmetric matches: 10 s for eight series
    options.matchingStrategy = RGroupMatching.Greedy
    options.removeAllHydrogenRGroups = True
    options.onlyMatchAtRGroups = False
    decomposition = RGroupDecomposition(core, options)
    members = []
    for place, text in enumerate(smiles[:MOST_MEMBERS]):
        molecule = Chem.MolFromSmiles(text)
        if molecule is not None and decomposition.Add(molecule) >= 0:
            members.append(place)
    try:
        is_done = bool(members) and decomposition.Process()
    except RuntimeError:  # out of time
        is_done = False
    if not is_done:
        return Groups("", (), ())
    rows = decomposition.GetRGroupsAsRows(asSmiles=True)
    shared = str(rows[0]["Core"]) if rows else ""
    return Groups(shared, tuple(_positions(row) for row in rows), tuple(members))


def _positions(row: Mapping[str, str]) -> dict[str, str]:
    return {name: str(group) for name, group in row.items() if name != "Core"}


def find_changes(
    smiles: Sequence[str], cut: Callable[[str], Sequence[Sequence[str]]] | None = None
) -> list[Change]:
    """Return pairs that differ in one group of at most 13 heavy atoms, each pair once.

    Of several ways to see a pair the one with the largest constant part counts.

    Args:
        smiles: The molecules.
        cut: Gives the ways to part a molecule, where they are known already.
    """
    by_constant: dict[str, list[tuple[int, str]]] = {}
    for place, text in enumerate(smiles):
        for constant, group in (cut or cut_once)(text):
            by_constant.setdefault(constant, []).append((place, group))
    best: dict[tuple[int, int], Change] = {}
    for constant in sorted(by_constant, key=lambda one: (-len(one), one)):
        shared = by_constant[constant][:MOST_SHARED]
        for number, (first, group) in enumerate(shared):
            for second, other in shared[number + 1 :]:
                if first != second and group != other:
                    best.setdefault((first, second), Change(first, second, constant, group, other))
    return [best[key] for key in sorted(best)]


def cut_once(text: str) -> list[tuple[str, str]]:
    """Return the ways to part a molecule at one bond, sorted: constant part and group."""
    molecule = Chem.MolFromSmiles(text)
    if molecule is None:
        return []
    parts = rdMMPA.FragmentMol(
        molecule, maxCuts=1, maxCutBonds=MOST_CUTS, pattern=_CUT, resultsAsMols=False
    )
    found = set()
    for _, joined in parts:
        pieces = joined.split(".")
        if len(pieces) != 2:
            continue
        sizes = [_count_heavy(piece) for piece in pieces]
        for constant, group in ((0, 1), (1, 0)):
            if sizes[group] <= LARGEST_GROUP and sizes[constant] >= 2 * sizes[group]:
                found.add((pieces[constant], pieces[group]))
    return sorted(found)


@lru_cache(maxsize=50_000)
def _count_heavy(text: str) -> int:
    """Return the heavy atoms of a piece without its attachment point."""
    molecule = Chem.MolFromSmiles(text, sanitize=False)
    return 0 if molecule is None else molecule.GetNumHeavyAtoms() - 1
