"""The Cox-Reid adjusted likelihood of negative binomial dispersions, and its maximum.

References:
    Cox, Reid 1987, doi 10.1111/j.2517-6161.1987.tb01422.x; McCarthy, Chen, Smyth 2012,
    doi 10.1093/nar/gks042; Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln

from core.stats.fit import BoolArray, FloatArray

_GRID = 16
_STEPS = 60
_SETTLED = 1e-9
_FIRST_GAIN = 1e-6
_NO_GAIN = 1e-6
"""A gain of less than this share of the log likelihood leaves the start as it is, as in R."""


@dataclass(frozen=True)
class DispersionProblem:
    """What the dispersions of a block of genes are estimated from.

    Attributes:
        counts: Genes x samples.
        mu: Fitted means, genes x samples.
        design: Samples x p.
        prior_variance: Variance of log dispersion around its trend; None without a prior.
        prior_mean: Log of the start without a prior, of the trend with one; one a gene.
    """

    counts: FloatArray
    mu: FloatArray
    design: FloatArray
    prior_variance: float | None
    prior_mean: FloatArray

    def pick(self, genes: BoolArray) -> "DispersionProblem":
        """Return the problem of some genes."""
        return DispersionProblem(
            self.counts[genes],
            self.mu[genes],
            self.design,
            self.prior_variance,
            self.prior_mean[genes],
        )

    def _information(self, weights: FloatArray) -> FloatArray:
        n_samples, n_columns = self.design.shape
        products = self.design[:, :, None] * self.design[:, None, :]
        flat = weights @ products.reshape(n_samples, -1)
        return np.asarray(flat.reshape(-1, n_columns, n_columns), dtype=np.float64)

    def value(self, log_alpha: FloatArray) -> FloatArray:
        """Return the adjusted log likelihood at one log dispersion a gene."""
        alpha = np.exp(log_alpha)[:, None]
        size = 1.0 / alpha
        scaled = np.log1p(self.mu * alpha)
        terms = gammaln(self.counts + size) - self.counts * np.log(self.mu + size)
        likelihood = (terms - size * scaled).sum(axis=1)
        likelihood -= self.counts.shape[1] * gammaln(size[:, 0])
        information = self._information(self.mu / (1.0 + self.mu * alpha))
        likelihood -= 0.5 * np.linalg.slogdet(information)[1]
        if self.prior_variance is not None:
            likelihood -= (log_alpha - self.prior_mean) ** 2 / (2 * self.prior_variance)
        return np.asarray(likelihood, dtype=np.float64)

    def slope(self, log_alpha: FloatArray) -> FloatArray:
        """Return the derivative of `value` by log dispersion."""
        alpha = np.exp(log_alpha)[:, None]
        size = 1.0 / alpha
        grown = 1.0 + self.mu * alpha
        terms = (
            digamma(self.counts + size) - np.log(grown) - (self.counts - self.mu) / (size * grown)
        )
        by_size = terms.sum(axis=1) - self.counts.shape[1] * digamma(size[:, 0])
        weights = self.mu / grown
        inverse = np.linalg.inv(self._information(weights))
        curvature = np.einsum("gij,gji->g", inverse, self._information(weights**2))
        slope = -size[:, 0] * by_size + 0.5 * alpha[:, 0] * curvature
        if self.prior_variance is not None:
            slope -= (log_alpha - self.prior_mean) / self.prior_variance
        return np.asarray(slope, dtype=np.float64)


def estimate_dispersions(
    problem: DispersionProblem, *, lowest: float, highest: float
) -> FloatArray:
    """Return the dispersion of each gene that maximizes its adjusted likelihood.

    The best point of a coarse grid is refined by the root of the slope between its neighbors.

    Args:
        problem: A block of genes.
        lowest: Smallest log dispersion.
        highest: Largest log dispersion.
    """
    grid = np.linspace(lowest, highest, _GRID)
    n_genes = len(problem.counts)
    values = np.stack([problem.value(np.full(n_genes, point)) for point in grid])
    best = values.argmax(axis=0)
    left = grid[np.maximum(best - 1, 0)]
    right = grid[np.minimum(best + 1, _GRID - 1)]
    log_alpha = _find_root(problem, left, right)
    if problem.prior_variance is None:
        log_alpha = np.where(_is_worth_moving(problem, log_alpha), log_alpha, problem.prior_mean)
    return np.exp(log_alpha)


def _is_worth_moving(problem: DispersionProblem, log_alpha: FloatArray) -> BoolArray:
    """Mark the genes whose estimate leaves its start, by DESeq2's two rules of stopping.

    The search ends at its start where a first step along the slope gains less than 1e-6, and its
    result is dropped where it gains less than a millionth of the log likelihood.
    """
    start = problem.prior_mean
    before = problem.value(start)
    gained = problem.value(log_alpha) >= before + np.abs(before) * _NO_GAIN
    return np.asarray(gained & (problem.slope(start) ** 2 >= _FIRST_GAIN), dtype=np.bool_)


def _find_root(problem: DispersionProblem, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return where the slope falls through zero, or the end of the interval it points to.

    Regula falsi with halved weights (Illinois), each gene on its own interval.
    """
    left, right = left.copy(), right.copy()
    left_slope, right_slope = problem.slope(left), problem.slope(right)
    root = np.where(left_slope <= 0, left, right)
    active = (left_slope > 0) & (right_slope < 0)
    side = np.zeros(len(left))
    for _ in range(_STEPS):
        if not active.any():
            break
        part = problem.pick(active)
        low, high = left[active], right[active]
        low_slope, high_slope = left_slope[active], right_slope[active]
        middle = (low * high_slope - high * low_slope) / (high_slope - low_slope)
        slope = part.slope(middle)
        rises, was = slope > 0, side[active]
        left[active] = np.where(rises, middle, low)
        right[active] = np.where(rises, high, middle)
        left_slope[active] = np.where(rises, slope, np.where(was < 0, low_slope / 2, low_slope))
        right_slope[active] = np.where(rises, np.where(was > 0, high_slope / 2, high_slope), slope)
        side[active] = np.where(rises, 1.0, -1.0)
        moved = np.abs(middle - root[active])
        root[active] = middle
        active[np.flatnonzero(active)[(moved < _SETTLED) | (slope == 0)]] = False
    return root
