"""Tests of sets of genes: competitive, self-contained, by ranks, and by over-representation.

References:
    Wu, Smyth 2012, doi 10.1093/nar/gks461 (camera, with a correlation of 0.01 between genes);
    Wu et al. 2010, doi 10.1093/bioinformatics/btq401 (rotation tests, of which fry is the limit).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pylimma import camera, camera_pr, fry
from scipy.stats import hypergeom

from core.stats.fit import BoolArray, FloatArray, IntArray, adjust_pvalues, quiet

Index = Mapping[str, IntArray]
"""Positions of the genes of each set, by its name."""


@dataclass(frozen=True)
class SetTests:
    """One test, one entry a set in the order of the index.

    Attributes:
        pvalue: Two-sided where the test has a direction.
        padj: Adjusted by Benjamini and Hochberg over all sets.
        is_up: Whether the set's genes are higher; all false for a test without a direction.
    """

    pvalue: FloatArray
    padj: FloatArray
    is_up: BoolArray


def camera_tests(
    values: FloatArray, weights: FloatArray, design: FloatArray, index: Index
) -> SetTests:
    """Test by camera whether a set changes more than the other genes do.

    `values`: log2 counts per million, genes x samples. `weights`: precision of each. `design`:
    samples x p; the last coefficient is tested.
    """
    with quiet():
        table = camera(values, dict(index), design=design, weights=weights, sort=False)
    return _take(table, index)


def fry_tests(
    values: FloatArray, weights: FloatArray, design: FloatArray, index: Index
) -> SetTests:
    """Test by fry whether the genes of a set change at all; arguments as of `camera_tests`."""
    with quiet():
        table = fry(values, dict(index), design=design, weights=weights, sort="none")
    return _take(table, index)


def ranked_tests(statistic: FloatArray, index: Index) -> SetTests:
    """Test by camera whether a set's genes stand apart in a ranked list.

    `statistic`: signed test statistic, one a gene; genes without one leave the list.
    """
    is_finite = np.isfinite(statistic)
    positions = np.cumsum(is_finite) - 1
    kept_sets = {name: positions[genes[is_finite[genes]]] for name, genes in index.items()}
    usable = {name: genes for name, genes in kept_sets.items() if len(genes)}
    with quiet():
        table = camera_pr(statistic[is_finite], usable, sort=False)
    return _take(table, index)


def overlap_tests(called: BoolArray, index: Index) -> SetTests:
    """Test by the hypergeometric distribution whether a set holds more called genes than chance.

    `called`: one flag a tested gene.
    """
    n_genes, n_called = len(called), int(called.sum())
    sizes = np.array([len(genes) for genes in index.values()])
    hits = np.array([int(called[genes].sum()) for genes in index.values()])
    pvalue = np.asarray(hypergeom.sf(hits - 1, n_genes, sizes, n_called), dtype=np.float64)
    return SetTests(pvalue, adjust_pvalues(pvalue), np.zeros(len(pvalue), dtype=np.bool_))


def leading_genes(
    statistic: FloatArray, genes: IntArray, *, is_up: bool, most: int
) -> Sequence[int]:
    """Return the genes of a set that move most in its direction, strongest first."""
    signed = statistic[genes] * (1.0 if is_up else -1.0)
    moving = np.flatnonzero(signed > 0)
    order = moving[np.lexsort((genes[moving], -signed[moving]))]
    return [int(genes[index]) for index in order[:most]]


def _take(table: pd.DataFrame, index: Index) -> SetTests:
    """Return the tests of a table of pylimma in the order of the index."""
    table = table.reindex(list(index))
    pvalue = table["p_value"].to_numpy(dtype=np.float64)
    is_up = table["direction"].eq("Up").to_numpy()
    return SetTests(pvalue, adjust_pvalues(pvalue), np.asarray(is_up, dtype=np.bool_))
