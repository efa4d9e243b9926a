"""How alike compounds are: pairs over a threshold, nearest neighbors, clusters, a plane.

Fingerprints are Morgan's of radius 2 folded to 2,048 bits; likeness is Tanimoto's. All pairs of a
set are counted block by block as products of bit matrices, so no table of all pairs is ever held.

A structure as a question: which compounds contain it, which are like it.

References:
    Rogers, Hahn 2010, doi 10.1021/ci100050t; Butina 1999, doi 10.1021/ci9803381.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
from rdkit import Chem
from rdkit.Chem import rdFingerprintGenerator
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, eigsh

from core.chemistry.structures import parse_smiles
from core.errors import InvalidInput

RADIUS, N_BITS = 2, 2048
FINGERPRINT = f"Morgan, radius {RADIUS}, {N_BITS} bits"
THRESHOLD = 0.7
CLUSTER_DISTANCE = 0.35
_BLOCK = 1_024
_FEW_COLUMNS = 256
"""Up to so many bits in use all components are found, which is quick and cannot fail."""
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
    return stack_bits([read_bits(text) for text in smiles])


def stack_bits(packed: Sequence[bytes]) -> Bits:
    """Return packed fingerprints as rows."""
    return np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(-1, N_BITS // 8)


@lru_cache(maxsize=20_000)
def read_bits(text: str) -> bytes:
    """Return the packed bits of one compound; a run asks for the same ones several times.

    Raises:
        ValueError: It cannot be read.
    """
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
    parts = [(np.zeros((2, 0), dtype=np.int64), np.zeros(0, dtype=np.float32))]
    for start in range(0, len(order), _BLOCK):
        rows = slice(start, start + _BLOCK)
        end = int(np.searchsorted(counts, counts[rows][-1] / threshold, side="right"))
        for begin in range(start, end, _BLOCK):
            columns = slice(begin, min(begin + _BLOCK, end))
            both = bits[rows] @ bits[columns].T
            either = counts[rows][:, None] + counts[columns][None, :] - both
            pairs = np.nonzero((both >= threshold * either) & (either > 0))
            places = np.stack((pairs[0] + start, pairs[1] + begin))
            values = both[pairs] / either[pairs]
            once = places[0] < places[1]
            parts.append((np.sort(order[places[:, once]], axis=0), values[once]))
    places = np.concatenate([where for where, _ in parts], axis=1)
    likeness = np.concatenate([values for _, values in parts])
    ranks = np.lexsort((places[1], places[0], -likeness))
    return list(map(Pair, *places[:, ranks].tolist(), likeness[ranks].tolist()))


def find_neighbors(fingerprints: Bits, near_pairs: Sequence[Pair] = ()) -> list[Pair]:
    """Return each compound's best neighbor, once a pair, highest first.

    Args:
        fingerprints: One a row.
        near_pairs: All pairs over some threshold, highest first, where they are known already: only
            compounds without any are then held against all others.
    """
    best: dict[int, tuple[int, float]] = {}
    for pair in near_pairs:
        for index, other in ((pair.first, pair.second), (pair.second, pair.first)):
            best_pair = best.get(index)
            if best_pair is None or (best_pair[1] == pair.tanimoto and other < best_pair[0]):
                best[index] = (other, pair.tanimoto)
    left = np.array(
        [index for index in range(len(fingerprints)) if index not in best], dtype=np.int64
    )
    best |= _find_best(fingerprints, left) if len(fingerprints) > 1 else {}
    pairs = {
        (min(index, other), max(index, other)): likeness
        for index, (other, likeness) in best.items()
    }
    ordered = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return [Pair(first, second, value) for (first, second), value in ordered]


def _find_best(fingerprints: Bits, queries: npt.NDArray[np.int64]) -> dict[int, tuple[int, float]]:
    """Return the best neighbor of some compounds; the earlier one wins a tie."""
    best_by_query: dict[int, tuple[int, float]] = {}
    for start in range(0, len(queries), _BLOCK):
        rows = queries[start : start + _BLOCK]
        lines = np.arange(len(rows))
        best, where = np.full(len(rows), -1.0, np.float32), np.full(len(rows), -1, np.int64)
        for begin in range(0, len(fingerprints), _BLOCK):
            likeness = measure_likeness(fingerprints[rows], fingerprints[begin : begin + _BLOCK])
            is_self = (rows >= begin) & (rows < begin + likeness.shape[1])
            likeness[lines[is_self], rows[is_self] - begin] = -1.0
            columns = likeness.argmax(axis=1)
            is_better = likeness[lines, columns] > best
            best = np.where(is_better, likeness[lines, columns], best)
            where = np.where(is_better, columns + begin, where)
        best_by_query |= zip(
            rows.tolist(), zip(where.tolist(), best.tolist(), strict=True), strict=True
        )
    return best_by_query


def cluster(n_compounds: int, nearby_pairs: Sequence[Pair]) -> list[int]:
    """Return the cluster of each compound, numbered by size, the largest first.

    Args:
        n_compounds: How many there are.
        nearby_pairs: Pairs within the distance of a cluster; from the most crowded compound on,
            each takes its free neighbors.
    """
    neighbors: list[list[int]] = [[] for _ in range(n_compounds)]
    for pair in nearby_pairs:
        neighbors[pair.first].append(pair.second)
        neighbors[pair.second].append(pair.first)
    order = sorted(range(n_compounds), key=lambda index: (-len(neighbors[index]), index))
    taken = [-1] * n_compounds
    groups: list[list[int]] = []
    for center in order:
        if taken[center] >= 0:
            continue
        members = [center, *(index for index in neighbors[center] if taken[index] < 0)]
        for member in members:
            taken[member] = len(groups)
        groups.append(members)
    ranks = sorted(range(len(groups)), key=lambda index: (-len(groups[index]), min(groups[index])))
    renamed = {old: new for new, old in enumerate(ranks)}
    return [renamed[index] for index in taken]


def lay_out(fingerprints: Bits) -> npt.NDArray[np.float64]:
    """Return two coordinates a compound: the first principal components of the bits.

    The sign of a component is that which makes its largest loading positive.
    """
    if len(fingerprints) < 3:
        points = np.zeros((len(fingerprints), 2))
        points[:, 0] = np.arange(len(fingerprints))
        return points
    bits = _unpack(fingerprints)
    bits = bits[:, bits.any(axis=0)]
    sums = bits.sum(axis=0, dtype=np.float64)
    shared = (bits.T @ bits).astype(np.float64)  # counts, so nothing is rounded
    vectors = _find_largest(shared - np.outer(sums, sums) / len(bits))
    loadings = vectors[:, ::-1]
    largest = loadings[np.abs(loadings).argmax(axis=0), np.arange(loadings.shape[1])]
    loadings = loadings * np.where(largest < 0, -1.0, 1.0)
    points = bits.astype(np.float64) @ loadings - (sums / len(bits)) @ loadings
    return np.asarray(points, dtype=np.float64)


def _find_largest(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the vectors of the two largest eigenvalues, the largest last."""
    last = len(matrix) - 1
    if last >= _FEW_COLUMNS:
        with suppress(ArpackError):
            values, vectors = eigsh(matrix, k=2, which="LA", v0=np.ones(len(matrix)))
            return np.asarray(vectors[:, np.argsort(values)])
    _, vectors = eigh(matrix, subset_by_index=(max(last - 1, 0), last))
    return np.asarray(vectors)


def _unpack(rows: Bits) -> FloatArray:
    return np.unpackbits(rows, axis=1).astype(np.float32)


LONGEST_QUERY = 400
LEAST_LIKENESS = 0.4
MOST_QUERY_ATOMS = 100


@dataclass(frozen=True, slots=True)
class Query:
    """A structure that is asked for.

    Attributes:
        text: SMARTS, or SMILES where likeness is asked for.
        is_like: Whether likeness is asked for.
    """

    text: str
    is_like: bool


def read_query(text: str, *, is_like: bool) -> Query:
    """Return a question.

    Raises:
        InvalidInput: The text is no structure, or too large a one.
    """
    plain = text.strip()
    if len(plain) > LONGEST_QUERY:
        raise InvalidInput(f"a structure to search has at most {LONGEST_QUERY} characters")
    molecule = parse_smiles(plain) if is_like else Chem.MolFromSmarts(plain)
    if molecule is None or not 0 < molecule.GetNumAtoms() <= MOST_QUERY_ATOMS:
        kind = "SMILES" if is_like else "SMARTS or SMILES"
        raise InvalidInput(f"this is no {kind} of a structure that can be searched")
    return Query(plain, is_like)


def search(query: Query, smiles: Sequence[str]) -> list[int]:
    """Return the places of compounds that contain a structure, or are like it (0.4 and more)."""
    if query.is_like:
        likeness = measure_likeness(read_fingerprints([query.text]), read_fingerprints(smiles))[0]
        return [index for index, value in enumerate(likeness) if value >= LEAST_LIKENESS]
    pattern = Chem.MolFromSmarts(query.text)
    molecules = (parse_smiles(text) for text in smiles)
    return [
        index
        for index, molecule in enumerate(molecules)
        if molecule is not None and molecule.HasSubstructMatch(pattern)
    ]
