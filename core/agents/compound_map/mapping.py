"""The map itself: pairs, clusters, a plane, series and matched pairs of the compounds."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.agents.compound_map.ranking import Ranked
from core.agents.compound_map.records import (
    GroupRow,
    GroupTable,
    MatchedPair,
    MatchedPairTable,
    PairTable,
    Series,
    SimilarPair,
)
from core.chemistry.keeping import Notebook
from core.chemistry.series import MOST_MEMBERS, Groups, cut_once, find_changes, take_apart
from core.chemistry.similarity import (
    CLUSTER_DISTANCE,
    THRESHOLD,
    Bits,
    Pair,
    cluster,
    find_neighbors,
    find_pairs,
    lay_out,
    stack_bits,
)
from core.chemistry.structures import parse_smiles

MOST_PAIRS = 20_000
MOST_SERIES = 5
FEWEST_MEMBERS = 3
SMALLEST_CORE = 12
"""Heavy atoms of a scaffold whose series is named; a lone ring is no series."""
MOST_PAIRED = 200
"""Compounds among which matched pairs are sought, by rank."""
MOST_CHANGES = 5_000
_DECIMALS = 4


@dataclass(frozen=True)
class Chart:
    """How the compounds lie to each other.

    Attributes:
        fingerprints: One row a compound.
        pairs: Pairs to tell, the most similar first.
        n_pairs: Pairs before the cap.
        clusters: Number of the cluster of each compound.
        points: Two coordinates a compound.
    """

    fingerprints: Bits
    pairs: Sequence[Pair] = ()
    n_pairs: int = 0
    clusters: Sequence[int] = ()
    points: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 2)))


@dataclass(frozen=True)
class SeriesFound:
    """Series with their groups."""

    series: Sequence[Series]
    groups: GroupTable
    changes: MatchedPairTable


def chart_compounds(compounds: Sequence[Ranked]) -> Chart:
    """Return pairs, clusters and plane of the compounds."""
    prints = stack_bits([compound.fingerprint for compound in compounds])
    if not compounds:
        return Chart(prints)
    pairs = find_pairs(prints, 1 - CLUSTER_DISTANCE)
    chosen = {(pair.first, pair.second): pair for pair in pairs if pair.tanimoto >= THRESHOLD}
    for neighbor in find_neighbors(prints, pairs):
        chosen.setdefault((neighbor.first, neighbor.second), neighbor)
    ordered = sorted(chosen.values(), key=lambda pair: (-pair.tanimoto, pair.first, pair.second))
    return Chart(
        prints,
        ordered[:MOST_PAIRS],
        len(ordered),
        cluster(len(compounds), pairs),
        np.round(lay_out(prints), _DECIMALS) + 0.0,
    )


def tabulate_pairs(chart: Chart, compounds: Sequence[Ranked]) -> PairTable:
    """Return the pairs by id."""
    rows = [
        (compounds[pair.first].id, compounds[pair.second].id, round(pair.tanimoto, _DECIMALS))
        for pair in chart.pairs
    ]
    return PairTable("pairs", pd.DataFrame(rows, columns=list(SimilarPair.model_fields)))


def find_series(compounds: Sequence[Ranked], notebook: Notebook) -> SeriesFound:
    """Return the largest series taken apart, and pairs that differ in one group."""
    disclosed = [compound for compound in compounds if compound.is_disclosed]
    counts = Counter(ranked.scaffold for ranked in disclosed)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    large = (scaffold for scaffold, number in ordered if number >= FEWEST_MEMBERS)
    chosen = islice(filter(_is_core, large), MOST_SERIES)
    largest = {
        scaffold: [ranked for ranked in disclosed if ranked.scaffold == scaffold]
        for scaffold in chosen
    }
    series: list[Series] = []
    rows: list[tuple[str, ...]] = []
    for (scaffold, members), groups in zip(
        largest.items(), _take_all_apart(largest, notebook), strict=True
    ):
        described, series_rows = _describe_series(f"S{len(series) + 1}", scaffold, members, groups)
        series.append(described)
        rows += series_rows
    table = pd.DataFrame(rows, columns=list(GroupRow.model_fields))
    return SeriesFound(series, GroupTable("r_groups", table), _pair_up(disclosed, notebook))


def _take_all_apart(largest: Mapping[str, Sequence[Ranked]], notebook: Notebook) -> list[Groups]:
    """Return the groups of series; those with members of the caller's alone are not kept."""
    texts = {
        scaffold: json.dumps([scaffold, *(member.smiles for member in members[:MOST_MEMBERS])])
        for scaffold, members in largest.items()
    }
    imported = [
        text
        for scaffold, text in texts.items()
        if all(compound.molecule.is_imported for compound in largest[scaffold][:MOST_MEMBERS])
    ]
    computed = notebook.compute("taken apart", imported, _take_apart_plainly, fewest=2)
    return [
        Groups(*(computed[text] if text in computed else _take_apart_plainly(text)) or ("", (), ()))
        for text in texts.values()
    ]


def _take_apart_plainly(text: str) -> list[object] | None:
    """Return a series taken apart as lists; None where time ran out, which is not kept."""
    scaffold, *smiles = json.loads(text)
    groups = take_apart(scaffold, smiles)
    return [groups.core, groups.rows, groups.members] if groups.core else None


def _is_core(scaffold: str) -> bool:
    molecule = parse_smiles(scaffold) if scaffold else None
    return molecule is not None and molecule.GetNumHeavyAtoms() >= SMALLEST_CORE


def _describe_series(
    name: str, scaffold: str, members: Sequence[Ranked], groups: Groups
) -> tuple[Series, list[tuple[str, ...]]]:
    """Return a series and the rows of its table: positions with one and the same group go."""
    kinds: dict[str, set[str]] = {}
    for row in groups.rows:
        for position, group in row.items():
            kinds.setdefault(position, set()).add(group)
    positions = [position for position in sorted(kinds, key=_place_of) if len(kinds[position]) > 1]
    rows: list[tuple[str, ...]] = [
        (name, members[member].id, position, row.get(position, ""))
        for member, row in zip(groups.members, groups.rows, strict=True)
        for position in positions
    ]
    message = ""
    if not groups.core:
        message = "The scaffold could not be laid over its members within the time allowed."
    elif len(members) > MOST_MEMBERS:
        message = f"The first {MOST_MEMBERS} by rank are taken apart."
    series = Series(
        id=name,
        core=groups.core or scaffold,
        n_members=len(members),
        n_decomposed=len(groups.rows),
        positions=positions,
        message=message,
    )
    return series, rows


def _place_of(position: str) -> tuple[int, str]:
    """Return the number of a position such as "R10"."""
    digits = position.lstrip("R")
    return (int(digits) if digits.isdigit() else 0, position)


def _pair_up(disclosed: Sequence[Ranked], notebook: Notebook) -> MatchedPairTable:
    """Return the matched pairs of what the documents disclose."""
    chosen = disclosed[:MOST_PAIRED]
    imported = [compound.smiles for compound in chosen if compound.molecule.is_imported]
    computed = notebook.compute("cut once", imported, cut_once)
    changes = find_changes(
        [compound.smiles for compound in chosen],
        lambda text: computed[text] if text in computed else cut_once(text),
    )[:MOST_CHANGES]
    rows = [
        (
            chosen[change.first].id,
            chosen[change.second].id,
            change.constant,
            change.first_group,
            change.second_group,
        )
        for change in changes
    ]
    frame = pd.DataFrame(rows, columns=list(MatchedPair.model_fields))
    return MatchedPairTable("matched_pairs", frame)
