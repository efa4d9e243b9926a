"""Which rows of a table lie beside each other: the order of a clustered heat map."""

import numpy as np

MOST_OPTIMAL = 300
"""Rows up to which neighbors are ordered optimally: the search grows with their cube."""


def leaf_order(values: np.ndarray) -> np.ndarray:
    """Return the rows in the order of the leaves of a hierarchical clustering.

    Distance is 1 - Pearson's correlation, clusters are joined by average linkage, and up to
    `MOST_OPTIMAL` rows the leaves are turned so that neighbors are as alike as can be. A row
    without spread correlates with nothing (distance 1).

    Args:
        values: Rows x columns, finite, such as genes x samples on a log scale.

    Returns:
        Positions of the rows, each once.

    References:
        Eisen 1998, doi:10.1073/pnas.95.25.14863; Bar-Joseph 2001,
        doi:10.1093/bioinformatics/17.suppl_1.S22.

    >>> leaf_order(np.array([[1.0, 2, 3], [3, 2, 1], [2, 4, 6], [6, 4, 2]])).tolist()
    [0, 2, 3, 1]
    """
    if len(values) < 3:
        return np.arange(len(values))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    centered = values - values.mean(axis=1, keepdims=True)
    spread = np.linalg.norm(centered, axis=1, keepdims=True)
    unit = np.divide(centered, spread, out=np.zeros_like(centered), where=spread > 0)
    distance = np.clip(1 - unit @ unit.T, 0, 2)
    np.fill_diagonal(distance, 0)
    close = squareform((distance + distance.T) / 2, checks=False)
    tree = linkage(close, method="average", optimal_ordering=len(values) <= MOST_OPTIMAL)
    return np.asarray(leaves_list(tree))
