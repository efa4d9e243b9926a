"""The order of a clustered heat map."""

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from core.stats.projection import MOST_OPTIMAL, leaf_order


def test_alike_rows_lie_together_as_in_scipy() -> None:
    draw = np.random.default_rng(7)
    shapes = draw.normal(size=(3, 12))
    kinds = np.repeat(range(3), 6)[draw.permutation(18)]
    values = shapes[kinds] * draw.uniform(1, 5, (18, 1)) + draw.normal(scale=0.05, size=(18, 12))
    ordered = kinds[leaf_order(values)]
    assert sorted(leaf_order(values).tolist()) == list(range(18))
    assert np.count_nonzero(np.diff(ordered)) == 2
    values = np.random.default_rng(3).normal(size=(25, 9))
    tree = linkage(values, method="average", metric="correlation", optimal_ordering=True)
    assert leaf_order(values).tolist() == leaves_list(tree).tolist()


def test_rows_without_spread_and_few_or_many_rows_have_an_order() -> None:
    flat = np.vstack([np.ones((4, 5)), np.arange(5.0)])
    assert sorted(leaf_order(flat).tolist()) == list(range(5))
    assert [leaf_order(np.ones((n, 3))).tolist() for n in (0, 1, 2)] == [[], [0], [0, 1]]
    many = np.random.default_rng(1).normal(size=(MOST_OPTIMAL + 5, 4))
    assert sorted(leaf_order(many).tolist()) == list(range(len(many)))
