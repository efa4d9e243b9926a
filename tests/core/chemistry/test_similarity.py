"""Likeness of compounds against RDKit's own, and the order of what comes out."""

import numpy as np
import pytest
from rdkit import Chem, DataStructs
from rdkit.Chem import rdFingerprintGenerator

from core.chemistry.similarity import (
    cluster,
    find_neighbors,
    find_pairs,
    lay_out,
    measure_likeness,
    read_fingerprints,
)

CORES = ["c1ccc2ncccc2c1", "c1ccc2[nH]ccc2c1", "c1ccc(-c2ccccn2)cc1"]
SMILES = [f"{'C' * n}N{core}" for core in CORES for n in range(1, 9)]


@pytest.fixture(scope="module")
def likeness():
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    prints = [generator.GetFingerprint(Chem.MolFromSmiles(text)) for text in SMILES]
    return np.array([DataStructs.BulkTanimotoSimilarity(one, prints) for one in prints])


def test_pairs_and_best_neighbors_are_those_of_rdkit(likeness):
    prints = read_fingerprints(SMILES)
    assert np.allclose(measure_likeness(prints, prints), likeness, atol=1e-6)
    found = find_pairs(prints, 0.5)
    rows, columns = np.nonzero(np.triu(likeness >= 0.5, 1))
    assert {(one.first, one.second) for one in found} == set(
        zip(rows.tolist(), columns.tolist(), strict=True)
    )
    assert [one.tanimoto for one in found] == sorted((p.tanimoto for p in found), reverse=True)
    np.fill_diagonal(likeness, -1)
    expected = {tuple(sorted((row, int(likeness[row].argmax())))) for row in range(len(SMILES))}
    found = {(one.first, one.second) for one in find_neighbors(read_fingerprints(SMILES))}
    assert found == expected


def test_neighbors_are_the_same_whatever_pairs_are_known():
    prints = read_fingerprints([*SMILES, *SMILES[:5], "CCO", "OP(=O)(O)O"])
    alone = find_neighbors(prints)
    for threshold in (0.2, 0.5, 0.65, 0.9, 1.0):
        assert find_neighbors(prints, find_pairs(prints, threshold)) == alone
    assert find_neighbors(prints[:1]) == find_neighbors(prints[:0]) == []


def test_clusters_are_numbered_by_size_and_need_structures():
    pairs = find_pairs(read_fingerprints(SMILES), 0.6)
    numbers = cluster(len(SMILES), pairs)
    sizes = np.bincount(numbers)
    assert list(sizes) == sorted(sizes, reverse=True)
    assert cluster(3, []) == [0, 1, 2]
    with pytest.raises(ValueError, match="no structure"):
        read_fingerprints(["CC", "nothing"])


def test_the_plane_is_the_same_twice_and_bears_small_or_equal_sets():
    prints = read_fingerprints(SMILES)
    assert np.array_equal(lay_out(prints), lay_out(prints))
    assert lay_out(prints).shape == (len(SMILES), 2)
    assert lay_out(prints[:1]).shape == (1, 2)
    assert lay_out(prints[:0]).shape == (0, 2)
    one = np.packbits(np.random.default_rng(1).random((1, 2048)) < 0.4, axis=1)
    assert np.allclose(lay_out(np.repeat(one, 20, axis=0)), 0, atol=1e-9)


def test_the_plane_of_many_bits_is_that_of_the_whole_decomposition():
    drawn = np.random.default_rng(1).random((90, 2048))
    bits = drawn < np.where(np.arange(90)[:, None] % 3, 0.2, 0.4) * np.linspace(0.5, 1.5, 2048)
    centered = bits - bits.mean(axis=0)
    _, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    points = lay_out(np.packbits(bits, axis=1))
    assert np.allclose(np.linalg.norm(points, axis=0), sizes[:2], atol=1e-9)
    assert np.allclose(centered @ centered.T @ points, points * sizes[:2] ** 2, atol=1e-6)
