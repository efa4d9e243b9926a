"""Log-likelihoods of negative binomial fits, by which nested designs are compared.

References:
    Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8 (likelihood-ratio test).
"""

import numpy as np
from scipy.stats import nbinom

from core.stats.coefficients import fit_coefficients
from core.stats.cooks import GeneModel, blocks
from core.stats.fit import FloatArray, IntArray


def log_likelihood(
    counts: IntArray, model: GeneModel, dispersion: FloatArray, beta: FloatArray
) -> FloatArray:
    """Return the log-likelihood of each gene.

    Args:
        counts: Genes x samples.
        model: Design and size factors.
        dispersion: One a gene.
        beta: Natural-log coefficients, genes x p.
    """
    found = np.empty(len(counts))
    for block in blocks(*counts.shape):
        mu = model.size_factors * np.exp(beta[block] @ model.design.T)
        size = 1.0 / dispersion[block, None]
        with np.errstate(all="ignore"):
            logs = np.asarray(nbinom.logpmf(counts[block], size, size / (size + mu)))
        found[block] = logs.sum(axis=1)
    return found


def fit_reduced(
    counts: IntArray, model: GeneModel, dispersion: FloatArray, base_mean: FloatArray
) -> FloatArray:
    """Return natural-log coefficients of a reduced design, genes x p.

    DESeq2 fits an intercept alone by the mean of the normalized counts instead of by
    iteration, so this does, too.
    """
    if model.design.shape[1] == 1 and (model.design == 1).all():
        return np.asarray(np.log(base_mean)[:, None], dtype=np.float64)
    return fit_coefficients(counts, model.size_factors, model.design, dispersion).values
