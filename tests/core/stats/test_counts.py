"""Filter and factors on small tables worked by hand."""

import numpy as np
from edgepython import calc_norm_factors, filter_by_expr

from core.stats.counts import (
    estimate_size_factors,
    estimate_tmm_factors,
    filter_low_counts,
    smallest_sample_size,
)
from tests.rows import over_rows

TWO_GROUPS = np.array([[1.0, 0], [1, 0], [1, 1], [1, 1]])


def test_a_gene_needs_the_count_in_enough_samples():
    counts = np.array([[10, 10, 0, 0], [10, 9, 9, 0], [3, 3, 3, 3]])
    counts = np.vstack([1_000_000 - counts.sum(axis=0), counts])
    assert filter_low_counts(counts, TWO_GROUPS, 10).tolist() == [True, True, False, False]
    groups = np.column_stack([np.ones(40), np.repeat([0.0, 1.0], 20)])
    counts = np.array([[10] * 17 + [0] * 23, [10] * 16 + [0] * 24])
    counts = np.vstack([1_000_000 - counts.sum(axis=0), counts])
    assert filter_low_counts(counts, groups, 10).tolist() == [True, True, False]


@over_rows(
    ("columns", "expected"),
    [
        ([[0, 0, 0, 1, 1, 1]], 3.0),
        ([[0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1]], 2.0),
        ([[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]], 1 / (1 / 3 + 1 / 4)),
        ([[0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 4, 5]][1:], 1 / (1 / 6 + 6.25 / 17.5)),
    ],
)
def test_the_smallest_sample_is_one_over_the_largest_leverage(columns, expected):
    design = np.column_stack([np.ones(6), *np.array(columns, dtype=float)])
    assert np.isclose(smallest_sample_size(design), expected, rtol=1e-12)


@over_rows("design", ["groups", "crossed", "crossed with batch", "large"])
def test_the_filter_is_that_of_edgepython(design):
    draw = np.random.default_rng(8)
    n_each = 20 if design == "large" else 3
    group, cell = np.repeat([0.0, 0, 1, 1], n_each), np.repeat([0.0, 1, 0, 1], n_each)
    columns = [np.ones(4 * n_each), group]
    if design != "groups":
        columns += [cell, group * cell]
    if design == "crossed with batch":
        columns.append(np.arange(4 * n_each) % 2)
    matrix = np.column_stack(columns)
    counts = draw.negative_binomial(2, 0.1, (2000, 4 * n_each)) * draw.integers(0, 2, (2000, 1))
    counts[:500, group == 0] = 0
    theirs = filter_by_expr(counts, design=matrix, max_n_samples=np.inf)
    assert np.array_equal(filter_low_counts(counts, matrix, 10), theirs)
    assert 0 < theirs.sum() < len(theirs)


def test_size_factors_are_median_ratios_of_all_or_positive_counts():
    counts = np.array([[10, 20], [100, 200], [30, 60]])
    factors, used_poscounts = estimate_size_factors(counts)
    assert np.allclose(factors, [1 / np.sqrt(2), np.sqrt(2)])
    assert not used_poscounts
    counts = np.array([[0, 20, 20], [100, 0, 100], [30, 60, 0]])
    factors, used_poscounts = estimate_size_factors(counts)
    assert used_poscounts
    assert np.isclose(np.exp(np.log(factors).mean()), 1)


def test_tmm_factors_multiply_to_one():
    counts = np.random.default_rng(0).negative_binomial(5, 0.05, size=(300, 4))
    assert np.isclose(estimate_tmm_factors(counts).prod(), 1)


@over_rows(("n_genes", "level"), [(2000, 40.0), (300, 1.5), (40, 4.0)])
def test_tmm_factors_are_those_of_edgepython_to_the_last_bit(n_genes, level):
    draw = np.random.default_rng(n_genes)
    mean = level * np.exp(draw.normal(0, 1, (n_genes, 1))) * np.exp(draw.normal(0, 0.5, 9))
    mean[:, 4:] *= np.where(draw.random((n_genes, 1)) < 0.4, 3.0, 1.0)
    counts = draw.poisson(mean)
    counts[: n_genes // 20] = 0
    with np.errstate(all="ignore"):
        theirs = calc_norm_factors(counts.astype(np.float64), method="TMM")
    assert np.array_equal(estimate_tmm_factors(counts), theirs)
    assert np.ptp(theirs) > 0.01
