"""Correlation of samples of one block (a subject seen more than once), one for all genes.

Each gene's two variance components, within and between blocks, are estimated by restricted maximum
likelihood: beyond the design the squared projections of its values on the axes of the block effect
are gamma variables with mean `within + between x eigenvalue`. limma takes the trimmed mean of the
genes' correlations on Fisher's z scale.

References:
    Smyth, Michaud, Scott 2005, doi 10.1093/bioinformatics/bti270.
"""

from dataclasses import dataclass

import numpy as np

from core.stats.cooks import blocks as gene_blocks
from core.stats.fit import BoolArray, FloatArray, IntArray

_TRIM = 0.15
_ROUNDS = 21
"""limma asks statmod for 20 rounds, and statmod ends after one more."""
_MOST, _MARGIN = 0.99, 0.01
_NO_AXIS = 1e-12
"""Eigenvalues of this share of the largest are none."""
_CLOSE, _SMALLEST, _STIFF = 1e-6, 1e-3, 1e15
"""Score times step at which the fit ends, least share of the largest variance, most damping."""
_AXES = 2


@dataclass(frozen=True)
class _Axes:
    """The axes of the block effect beyond the design, one row a gene.

    Attributes:
        size: Eigenvalues, genes x blocks.
        square: Squared projections of the gene's values, genes x blocks.
        is_one: Which of them are axes at all.
        n_flat: Number of axes on which blocks have no effect.
        flat: Sum of the squared projections on these.
    """

    size: FloatArray
    square: FloatArray
    is_one: BoolArray
    n_flat: FloatArray
    flat: FloatArray

    def of(self, genes: IntArray) -> "_Axes":
        """Return the axes of some genes."""
        size, square, is_one = self.size[genes], self.square[genes], self.is_one[genes]
        return _Axes(size, square, is_one, self.n_flat[genes], self.flat[genes])


def estimate_correlation(
    values: FloatArray, weights: FloatArray, design: FloatArray, blocks: IntArray
) -> float:
    """Return the consensus correlation of samples of one block (duplicateCorrelation).

    Args:
        values: log2 counts per million, genes x samples.
        weights: Precision weights, genes x samples.
        design: Samples x coefficients, of full rank.
        blocks: Code of the block of each sample, from 0.

    Returns:
        Between -1 / (largest block - 1) and 1; 0 where no gene tells.
    """
    sizes = np.bincount(blocks)
    members = (blocks[:, None] == np.arange(len(sizes))).astype(np.float64)
    correlations = np.full(len(values), np.nan)
    with np.errstate(all="ignore"):
        for block in gene_blocks(len(values), values.shape[1] * (len(sizes) + design.shape[1])):
            axes = _find_axes(values[block], weights[block], design, members)
            within, between = _climb(axes, *_start(axes))
            correlations[block] = between / (within + between)
    finite = correlations[np.isfinite(correlations)]
    if len(finite) == 0:
        return 0.0
    least = 1.0 / (1.0 - sizes.max()) + _MARGIN
    scores = np.sort(np.arctanh(np.clip(finite, least, _MOST)))
    cut = int(len(scores) * _TRIM)
    return float(np.tanh(scores[cut : len(scores) - cut].mean()))


def correlation_matrix(blocks: IntArray, correlation: float) -> FloatArray:
    """Return the correlation of every two samples, samples x samples."""
    matrix = np.where(blocks[:, None] == blocks, correlation, 0.0)
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(matrix, dtype=np.float64)


def _find_axes(
    values: FloatArray, weights: FloatArray, design: FloatArray, members: FloatArray
) -> _Axes:
    """Return the axes of the block effect of each gene; as in statmod, blocks carry no weights."""
    root = np.sqrt(weights)
    basis = np.linalg.qr(root[:, :, None] * design)[0]
    turned = basis.transpose(0, 2, 1)
    weighted = root * values
    weighted = weighted - np.einsum("gnp,gp->gn", basis, np.einsum("gpn,gn->gp", turned, weighted))
    spread = members - basis @ (turned @ members)
    size, vectors = np.linalg.eigh(spread.transpose(0, 2, 1) @ spread)
    projected = np.einsum("gbk,gb->gk", vectors, np.einsum("gnb,gn->gb", spread, weighted))
    is_one = size > _NO_AXIS * size[:, -1:]
    square = np.where(is_one, projected**2 / np.where(is_one, size, 1.0), 0.0)
    flat = np.maximum((weighted**2).sum(axis=1) - square.sum(axis=1), 0.0)
    n_flat = (len(design) - design.shape[1] - is_one.sum(axis=1)).astype(np.float64)
    return _Axes(np.where(is_one, size, 0.0), square, is_one, n_flat, flat)


def _start(axes: _Axes) -> tuple[FloatArray, FloatArray]:
    """Return first variances within and between blocks by least squares; NaN where none can be."""
    n_all = axes.n_flat + axes.is_one.sum(axis=1)
    sum_x, sum_y = axes.size.sum(axis=1), axes.square.sum(axis=1) + axes.flat
    spread = n_all * (axes.size**2).sum(axis=1) - sum_x**2
    between = (n_all * (axes.size * axes.square).sum(axis=1) - sum_x * sum_y) / spread
    within = (sum_y - between * sum_x) / n_all
    means = within[:, None] + between[:, None] * axes.size
    is_below = (np.where(axes.is_one, means, 0.0) < 0).any(axis=1)
    is_below |= (axes.n_flat > 0) & (within < 0)
    within, between = np.where(is_below, sum_y / n_all, within), np.where(is_below, 0.0, between)
    can = (axes.is_one.sum(axis=1) >= _AXES) & (spread > 1e-15 * n_all**2)
    return np.where(can, within, np.nan), np.where(can, between, np.nan)


def _deviance(axes: _Axes, within: FloatArray, between: FloatArray) -> FloatArray:
    """Return the gamma deviance but for what no parameter changes; infinite below zero."""
    means = within[:, None] + between[:, None] * axes.size
    parts = np.where(axes.is_one, axes.square / means + np.log(means), 0.0)
    flat = np.where(axes.n_flat > 0, axes.flat / within + axes.n_flat * np.log(within), 0.0)
    is_below = (axes.is_one & (means < 0)).any(axis=1) | ((axes.n_flat > 0) & (within < 0))
    deviances = np.where(is_below, np.inf, 2.0 * (parts.sum(axis=1) + flat))
    return np.asarray(deviances, dtype=np.float64)


def _inform(axes: _Axes, within: FloatArray, between: FloatArray) -> FloatArray:
    """Return genes x (information aa, ab, bb; scores a, b) of within (a) and between (b)."""
    means = within[:, None] + between[:, None] * axes.size
    squares = np.where(axes.is_one, means**2, 0.0)
    alone = np.where(axes.n_flat > 0, within**2, 0.0)
    least = np.maximum(squares.max(axis=1), alone) * _SMALLEST
    weight = np.where(axes.is_one, 1.0 / np.maximum(squares, least[:, None]), 0.0)
    flat = np.where(axes.n_flat > 0, 1.0 / np.maximum(alone, least), 0.0)
    gap = axes.square - means
    return np.column_stack(
        [
            weight.sum(axis=1) + axes.n_flat * flat,
            (weight * axes.size).sum(axis=1),
            (weight * axes.size**2).sum(axis=1),
            (weight * gap).sum(axis=1) + (axes.flat - axes.n_flat * within) * flat,
            (weight * axes.size * gap).sum(axis=1),
        ]
    )


def _climb(axes: _Axes, within: FloatArray, between: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fit the gamma means by Fisher scoring, damped where the deviance would rise.

    Args:
        axes: Of all genes.
        within: First variances within blocks; NaN leaves a gene out.
        between: First variances between blocks.

    Returns:
        Both variances, NaN where the fit fails.
    """
    deviance, damping = _deviance(axes, within, between), np.zeros(len(within))
    active = np.flatnonzero(np.isfinite(deviance))
    for step in range(_ROUNDS):
        information = _inform(axes.of(active), within[active], between[active])
        if step == 0:
            damping[active] = (information[:, 0] + information[:, 2]) / 4.0
        last = np.full((len(active), 2), np.nan)
        pending, is_first = np.arange(len(active)), True
        while len(pending):
            genes, weights = active[pending], information[pending]
            steps = _solve(weights, damping[genes])
            now = _deviance(
                axes.of(genes), within[genes] + steps[:, 0], between[genes] + steps[:, 1]
            )
            is_better = now <= deviance[genes]
            taken = genes[is_better]
            within[taken] += steps[is_better, 0]
            between[taken] += steps[is_better, 1]
            deviance[taken] = now[is_better]
            last[pending[is_better]] = steps[is_better]
            if is_first:
                damping[taken] /= 10.0
            failed = np.isnan(now)
            within[genes[failed]] = np.nan
            stiff = damping[genes] > _STIFF * np.maximum(weights[:, 0], weights[:, 2])
            pending = pending[~is_better & ~failed & ~stiff]
            damping[active[pending]] *= 2.0
            is_first = False
        gain = (information[:, 3:] * last).sum(axis=1)
        active = active[gain >= _CLOSE]
    return within, between


def _solve(information: FloatArray, damping: FloatArray) -> FloatArray:
    """Return the damped step of each gene, genes x 2; NaN where there is none."""
    aa, ab, bb, a, b = information.T
    aa, bb = aa + damping, bb + damping
    determinant = aa * bb - ab**2
    steps = np.column_stack([bb * a - ab * b, aa * b - ab * a]) / determinant[:, None]
    return np.where((determinant > 0)[:, None], steps, np.nan)
