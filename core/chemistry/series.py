"""What varies on a scaffold: groups by position, and pairs that differ in one group alone.

References:
    Hussain, Rea 2010, doi 10.1021/ci900450m (matched pairs by cutting single bonds).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from rdkit import Chem
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
MOST_MATCHES = 100_000
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
    for index, text in enumerate(smiles[:MOST_MEMBERS]):
        molecule = Chem.MolFromSmiles(text)
        if molecule is not None and decomposition.Add(molecule) >= 0:
            members.append(index)
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

    `cut`: gives the ways to part a molecule, where they are known already.
    """
    by_constant: dict[str, list[tuple[int, str]]] = {}
    for index, text in enumerate(smiles):
        for constant, group in (cut or cut_once)(text):
            by_constant.setdefault(constant, []).append((index, group))
    best: dict[tuple[int, int], Change] = {}
    for constant in sorted(by_constant, key=lambda constant: (-len(constant), constant)):
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
    ends = molecule.GetSubstructMatches(_cut_pattern(), maxMatches=MOST_MATCHES)
    bonds = {molecule.GetBondBetweenAtoms(*pair).GetIdx() for pair in ends}
    if len(bonds) > MOST_CUTS:
        return []
    n_atoms, n_heavy = molecule.GetNumAtoms(), molecule.GetNumHeavyAtoms()
    sides = _weigh_sides(molecule)
    pairs = set()
    for bond in sorted(bonds):
        small = min(sides[bond], n_heavy - sides[bond]) - 1
        if small > LARGEST_GROUP or n_heavy - small - 2 < 2 * small:
            continue  # neither part can be a group: the costly step is left out
        parted = Chem.FragmentOnBonds(molecule, [bond], dummyLabels=[(0, 0)])
        for dummy in (n_atoms, n_atoms + 1):
            parted.GetAtomWithIdx(dummy).SetAtomMapNum(1)
        pieces = Chem.MolToSmiles(parted).split(".")
        short = min(pieces, key=len)
        size = _count_heavy(short)
        sizes = [size if piece is short else n_heavy - size - 2 for piece in pieces]
        for constant, group in ((0, 1), (1, 0)):
            if sizes[group] <= LARGEST_GROUP and sizes[constant] >= 2 * sizes[group]:
                pairs.add((pieces[constant], pieces[group]))
    return sorted(pairs)


@cache
def _cut_pattern() -> Chem.Mol:
    return Chem.MolFromSmarts(_CUT)


def _weigh_sides(molecule: Chem.Mol) -> dict[int, int]:
    """Return by bond outside of rings the heavy atoms on one side of it."""
    neighbors: dict[int, list[tuple[int, int]]] = {}
    for bond in molecule.GetBonds():
        first, second = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        neighbors.setdefault(first, []).append((second, bond.GetIdx()))
        neighbors.setdefault(second, []).append((first, bond.GetIdx()))
    heavy = [atom.GetAtomicNum() > 1 for atom in molecule.GetAtoms()]
    above: dict[int, tuple[int, int]] = {}
    order: list[int] = []
    for start in range(molecule.GetNumAtoms()):
        todo = [start] if start not in above else []
        above.setdefault(start, (-1, -1))
        while todo:
            atom = todo.pop()
            order.append(atom)
            for other, number in neighbors.get(atom, ()):
                if other not in above:
                    above[other] = (atom, number)
                    todo.append(other)
    weights = [int(weight) for weight in heavy]
    sides = {}
    for atom in reversed(order):
        parent, number = above[atom]
        if parent >= 0:
            weights[parent] += weights[atom]
            sides[number] = weights[atom]
    return sides


@lru_cache(maxsize=50_000)
def _count_heavy(text: str) -> int:
    """Return the heavy atoms of a piece without its attachment point."""
    molecule = Chem.MolFromSmiles(text, sanitize=False)
    return 0 if molecule is None else molecule.GetNumHeavyAtoms() - 1
