"""pydeseq2's per-gene estimates, computed for blocks of genes at once.

pydeseq2 fits gene by gene in Python. These are the same estimates (same likelihood, same start,
same tolerance) written over genes x samples arrays.

References:
    Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8, methods section.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from pydeseq2.default_inference import DefaultInference
from pydeseq2.utils import irls_solver

from core.stats.dispersion_likelihood import DispersionProblem, estimate_dispersions
from core.stats.fit import BoolArray, FloatArray

RIDGE = 1e-6
_CELLS_AT_ONCE = 1_000_000
_MOST_STEPS = 250


class BlockInference(DefaultInference):  # type: ignore[misc]
    """Estimates over blocks of genes. Arrays follow pydeseq2: samples x genes."""

    def __init__(self) -> None:
        """Stay on one processor."""
        super().__init__(n_cpus=1)

    def lin_reg_mu(
        self,
        counts: npt.NDArray[np.int64],
        size_factors: FloatArray,
        design_matrix: FloatArray,
        min_mu: float,
    ) -> FloatArray:
        """Return fitted means of a linear model of normalized counts, samples x genes."""
        normalized = counts / size_factors[:, None]
        fitted = design_matrix @ np.linalg.lstsq(design_matrix, normalized)[0]
        return np.asarray(np.maximum(size_factors[:, None] * fitted, min_mu), dtype=np.float64)

    def alpha_mle(  # noqa: PLR0913, PLR0917 (pydeseq2's signature)
        self,
        counts: npt.NDArray[np.int64],
        design_matrix: FloatArray,
        mu: FloatArray,
        alpha_hat: FloatArray,
        min_disp: float,
        max_disp: float,
        prior_disp_var: float | None = None,
        cr_reg: bool = True,
        prior_reg: bool = False,
        optimizer: str = "",
    ) -> tuple[FloatArray, BoolArray]:
        """Return the dispersion of each gene that maximizes its adjusted likelihood."""
        estimates = np.empty(counts.shape[1])
        for block in _blocks(counts.shape):
            estimates[block] = estimate_dispersions(
                DispersionProblem(
                    counts=np.ascontiguousarray(counts[:, block].T, dtype=np.float64),
                    mu=np.ascontiguousarray(mu[:, block].T),
                    design=design_matrix,
                    prior_variance=prior_disp_var if prior_reg else None,
                    prior_mean=np.log(alpha_hat[block]),
                ),
                lowest=np.log(min_disp),
                highest=np.log(max_disp),
            )
        return estimates, np.ones(len(estimates), dtype=np.bool_)

    def irls(  # noqa: PLR0913, PLR0917 (pydeseq2's signature)
        self,
        counts: npt.NDArray[np.int64],
        size_factors: FloatArray,
        design_matrix: FloatArray,
        disp: FloatArray,
        min_mu: float,
        beta_tol: float,
        min_beta: float = -30,
        max_beta: float = 30,
        optimizer: str = "L-BFGS-B",
        maxiter: int = _MOST_STEPS,
    ) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
        """Fit the coefficients of every gene by iteratively reweighted least squares.

        Returns:
            Coefficients (genes x p, natural log), means and hat diagonals (samples x genes),
            and whether each gene converged.
        """
        n_samples, n_genes = counts.shape
        beta = np.empty((n_genes, design_matrix.shape[1]))
        hat = np.empty((n_samples, n_genes))
        converged = np.empty(n_genes, dtype=np.bool_)
        for block in _blocks(counts.shape):
            values = np.ascontiguousarray(counts[:, block].T, dtype=np.float64)
            dispersions = disp[block]
            solved, settled = _iterate(
                values, size_factors, design_matrix, dispersions, (min_mu, beta_tol, max_beta)
            )
            for gene in np.flatnonzero(~settled):
                solved[gene], _, _, settled[gene] = irls_solver(
                    values[gene], size_factors, design_matrix, dispersions[gene], min_mu, beta_tol
                )
            beta[block], converged[block] = solved, settled
            mu = np.maximum(size_factors * np.exp(solved @ design_matrix.T), min_mu)
            hat[:, block] = _hat_diagonal(mu, dispersions, design_matrix).T
        return beta, (size_factors * np.exp(beta @ design_matrix.T)).T, hat, converged

    def wald_test(  # noqa: PLR0913, PLR0917 (pydeseq2's signature)
        self,
        design_matrix: FloatArray,
        disp: FloatArray,
        lfc: FloatArray,
        mu: FloatArray,
        ridge_factor: FloatArray,
        contrast: FloatArray,
        lfc_null: float,
        alt_hypothesis: str | None = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return NaN for p and statistic, which are ours, and the standard error of each gene."""
        means = mu.T
        information = weigh_design(means / (1 + means * disp[:, None]), design_matrix)
        leverage = np.linalg.inv(information + ridge_factor) @ contrast
        variance = np.einsum("gi,gij,gj->g", leverage, information, leverage)
        missing = np.full(len(disp), np.nan)
        return missing, missing.copy(), np.sqrt(variance)


def _blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Yield slices of genes that keep an array of genes x samples near eight megabytes."""
    n_samples, n_genes = shape
    size = max(1, _CELLS_AT_ONCE // max(n_samples, 1))
    for start in range(0, n_genes, size):
        yield slice(start, min(start + size, n_genes))


def weigh_design(weights: FloatArray, design: FloatArray) -> FloatArray:
    """Return X'WX of every gene, genes x p x p.

    Args:
        weights: Genes x samples.
        design: Samples x p.
    """
    n_samples, n_columns = design.shape
    products = (design[:, :, None] * design[:, None, :]).reshape(n_samples, -1)
    return np.asarray((weights @ products).reshape(-1, n_columns, n_columns), dtype=np.float64)


def _hat_diagonal(mu: FloatArray, disp: FloatArray, design: FloatArray) -> FloatArray:
    """Return the leverage of every count, genes x samples."""
    weights = mu / (1 + mu * disp[:, None])
    inverse = np.linalg.inv(weigh_design(weights, design) + RIDGE * np.eye(design.shape[1]))
    return np.asarray(
        np.einsum("ni,gij,nj->gn", design, inverse, design, optimize=True) * weights,
        dtype=np.float64,
    )


def _iterate(
    counts: FloatArray,
    size_factors: FloatArray,
    design: FloatArray,
    disp: FloatArray,
    limits: tuple[float, float, float],
) -> tuple[FloatArray, BoolArray]:
    """Run IRLS on all genes, leaving out those that have settled.

    Args:
        counts: Genes x samples.
        size_factors: One a sample.
        design: Samples x p.
        disp: Dispersion of each gene.
        limits: Smallest mean, tolerance of the deviance, largest coefficient.

    Returns:
        Coefficients, genes x p, and whether each gene settled within the limits.
    """
    min_mu, tolerance, max_beta = limits
    orthogonal, triangular = np.linalg.qr(design)
    start = np.log(counts / size_factors + 0.1) @ orthogonal
    beta = np.linalg.solve(triangular, start.T).T
    settled = np.zeros(len(counts), dtype=np.bool_)
    active = np.arange(len(counts))
    deviance = np.full(len(counts), 1000.0)
    for _ in range(_MOST_STEPS):
        solved = _step(counts[active], size_factors, design, disp[active], beta[active], min_mu)
        inside = (np.abs(solved) <= max_beta).all(axis=1)
        active, solved = active[inside], solved[inside]
        beta[active] = solved
        mu = np.maximum(size_factors * np.exp(solved @ design.T), min_mu)
        new = _deviance(counts[active], mu, disp[active])
        is_done = np.abs(new - deviance[active]) / (np.abs(new) + 0.1) <= tolerance
        deviance[active] = new
        settled[active[is_done]] = True
        active = active[~is_done]
        if len(active) == 0:
            break
    return beta, settled


def _step(
    counts: FloatArray,
    size_factors: FloatArray,
    design: FloatArray,
    disp: FloatArray,
    beta: FloatArray,
    min_mu: float,
) -> FloatArray:
    """Take one step of reweighted least squares in every gene."""
    mu = np.maximum(size_factors * np.exp(beta @ design.T), min_mu)
    weights = mu / (1.0 + mu * disp[:, None])
    working = np.log(mu / size_factors) + (counts - mu) / mu
    information = weigh_design(weights, design) + RIDGE * np.eye(design.shape[1])
    target = (weights * working) @ design
    return np.asarray(np.linalg.solve(information, target[:, :, None])[:, :, 0], dtype=np.float64)


def _deviance(counts: FloatArray, mu: FloatArray, disp: FloatArray) -> FloatArray:
    """Return -2 log likelihood of every gene, without the terms that do not change."""
    alpha = disp[:, None]
    terms = counts * np.log(mu / (1 + mu * alpha)) - np.log1p(mu * alpha) / alpha
    return np.asarray(-2 * terms.sum(axis=1), dtype=np.float64)
