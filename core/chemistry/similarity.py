"""How alike compounds are: pairs over a threshold, nearest neighbors, clusters, a plane.

Fingerprints are Morgan's of radius 2 folded to 2,048 bits; likeness is Tanimoto's. All pairs of a
set are counted block by block as products of bit matrices, so no table of all pairs is ever held.

References:
    Rogers, Hahn 2010, doi 10.1021/ci100050t; Butina 1999, doi 10.1021/ci9803381.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
from rdkit.Chem import rdFingerprintGenerator
from scipy.linalg import eigh

from core.chemistry.structures import parse_smiles

RADIUS, N_BITS = 2, 2048
FINGERPRINT = f"Morgan, radius {RADIUS}, {N_BITS} bits"
THRESHOLD = 0.7
CLUSTER_DISTANCE = 0.35
_BLOCK = 1_024
Bits = npt.NDArray[np.uint8]
"""Compounds x 256 bytes."""
FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two compounds by position, `first` < `second`, and their Tanimoto likeness."""

    first: int
    second: int
    tanimoto: float


def read_fingerprints(smiles: Sequence[str]) -> Bits:
    """Return the fingerprints of readable SMILES.

    Raises:
        ValueError: One cannot be read.
    """
    rows = np.zeros((len(smiles), N_BITS // 8), dtype=np.uint8)
    for place, text in enumerate(smiles):
        rows[place] = np.frombuffer(_read_bits(text), dtype=np.uint8)
    return rows


@lru_cache(maxsize=20_000)
def _read_bits(text: str) -> bytes:
    """Return the packed bits of one compound; a run asks for the same ones several times."""
    molecule = parse_smiles(text)
    if molecule is None:
        raise ValueError(f"no structure: {text[:80]}")
    return np.packbits(_generator().GetFingerprintAsNumPy(molecule)).tobytes()


@cache
def _generator() -> rdFingerprintGenerator.FingerprintGenerator64:
    return rdFingerprintGenerator.GetMorganGenerator(radius=RADIUS, fpSize=N_BITS)


def measure_likeness(first: Bits, second: Bits) -> FloatArray:
    """Return the Tanimoto likeness of every compound of one set to every one of another."""
    left, right = _unpack(first), _unpack(second)
    both = left @ right.T
    either = left.sum(axis=1)[:, None] + right.sum(axis=1)[None, :] - both
    likeness: FloatArray = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    return likeness


def find_pairs(fingerprints: Bits, threshold: float = THRESHOLD) -> list[Pair]:
    """Return the pairs at or over a threshold, highest first, ties by position.

    Likeness is at most the ratio of the numbers of bits, so with compounds in order of their bits
    most blocks of the table are passed over.

    Args:
        fingerprints: One a row.
        threshold: Least likeness, above 0.
    """
    counts = np.unpackbits(fingerprints, axis=1).sum(axis=1, dtype=np.int64)
    order = np.argsort(counts, kind="stable")
    bits, counts = _unpack(fingerprints[order]), counts[order].astype(np.float32)
    found: list[Pair] = []
    for start in range(0, len(order), _BLOCK):
        rows = slice(start, start + _BLOCK)
        end = int(np.searchsorted(counts, counts[rows][-1] / threshold, side="right"))
        for begin in range(start, end, _BLOCK):
            columns = slice(begin, min(begin + _BLOCK, end))
            both = bits[rows] @ bits[columns].T
            either = counts[rows][:, None] + counts[columns][None, :] - both
            near = np.nonzero((both >= threshold * either) & (either > 0))
            values = (both[near] / either[near]).tolist()
            for row, column, value in zip(near[0] + start, near[1] + begin, values, strict=True):
                if row < column:
                    first, second = sorted((int(order[row]), int(order[column])))
                    found.append(Pair(first, second, value))
    return sorted(found, key=lambda pair: (-pair.tanimoto, pair.first, pair.second))


def find_neighbors(fingerprints: Bits) -> list[Pair]:
    """Return each compound's best neighbor, once a pair, highest first."""
    n = len(fingerprints)
    best, where = np.full(n, -1.0, dtype=np.float32), np.full(n, -1, dtype=np.int64)
    for start, begin, likeness in _blocks(fingerprints):
        if start == begin:
            np.fill_diagonal(likeness, -1.0)
        _keep_best(best, where, start, begin, likeness)
        if start != begin:
            _keep_best(best, where, begin, start, likeness.T)
    pairs = {
        (min(one, int(other)), max(one, int(other))): float(best[one])
        for one, other in enumerate(where)
        if other >= 0
    }
    ordered = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return [Pair(first, second, value) for (first, second), value in ordered]


def _keep_best(
    best: FloatArray,
    where: npt.NDArray[np.int64],
    start: int,
    begin: int,
    likeness: FloatArray,
) -> None:
    """Note better neighbors of the rows among the columns; the earlier one wins a tie."""
    columns = likeness.argmax(axis=1)
    values = likeness[np.arange(len(likeness)), columns]
    rows = slice(start, start + len(likeness))
    is_better = (values > best[rows]) & (values >= 0)
    is_better |= (values == best[rows]) & (columns + begin < where[rows])
    best[rows] = np.where(is_better, values, best[rows])
    where[rows] = np.where(is_better, columns + begin, where[rows])


def cluster(n_compounds: int, near: Sequence[Pair]) -> list[int]:
    """Return the cluster of each compound, numbered by size, the largest first.

    Args:
        n_compounds: How many there are.
        near: Pairs within the distance of a cluster; from the most crowded compound on, each takes
            its free neighbors.
    """
    neighbors: list[list[int]] = [[] for _ in range(n_compounds)]
    for pair in near:
        neighbors[pair.first].append(pair.second)
        neighbors[pair.second].append(pair.first)
    order = sorted(range(n_compounds), key=lambda one: (-len(neighbors[one]), one))
    taken = [-1] * n_compounds
    groups: list[list[int]] = []
    for center in order:
        if taken[center] >= 0:
            continue
        members = [center, *(one for one in neighbors[center] if taken[one] < 0)]
        for one in members:
            taken[one] = len(groups)
        groups.append(members)
    ranks = sorted(range(len(groups)), key=lambda one: (-len(groups[one]), min(groups[one])))
    renamed = {old: new for new, old in enumerate(ranks)}
    return [renamed[one] for one in taken]


def lay_out(fingerprints: Bits) -> npt.NDArray[np.float64]:
    """Return two coordinates a compound: the first principal components of the bits.

    The sign of a component is that which makes its largest loading positive.
    """
    if len(fingerprints) < 3:
        points = np.zeros((len(fingerprints), 2))
        points[:, 0] = np.arange(len(fingerprints))
        return points
    bits = np.unpackbits(fingerprints, axis=1).astype(np.float64)
    bits = bits[:, bits.any(axis=0)]
    centered = bits - bits.mean(axis=0)
    last = centered.shape[1] - 1
    both = (max(last - 1, 0), last)
    _, vectors = eigh(centered.T @ centered, subset_by_index=both)
    loadings = vectors[:, ::-1]
    largest = loadings[np.abs(loadings).argmax(axis=0), np.arange(loadings.shape[1])]
    return np.asarray(centered @ (loadings * np.where(largest < 0, -1.0, 1.0)), dtype=np.float64)


def _unpack(rows: Bits) -> FloatArray:
    return np.unpackbits(rows, axis=1).astype(np.float32)


def _blocks(fingerprints: Bits) -> Iterator[tuple[int, int, FloatArray]]:
    """Yield the upper triangle of the likeness in blocks with the places of their corners."""
    for start in range(0, len(fingerprints), _BLOCK):
        rows = fingerprints[start : start + _BLOCK]
        for begin in range(start, len(fingerprints), _BLOCK):
            yield start, begin, measure_likeness(rows, fingerprints[begin : begin + _BLOCK])
