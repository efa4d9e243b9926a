"""Why some methods call a gene and others do not."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.agents.differential_expression.methods import FittedMethod
from core.stats.fit import BoolArray

Names = npt.NDArray[np.object_]


def explain_disagreement(
    methods: Sequence[FittedMethod], called: Sequence[BoolArray], log2fc_cutoff: float
) -> Names:
    """Return why each gene that any method calls is no consensus gene; None for the others.

    Args:
        methods: The completed methods.
        called: Significant genes of each.
        log2fc_cutoff: Smallest absolute log2 fold change of a significant gene.
    """
    stacked = np.vstack(called)
    reasons = np.full(stacked.shape[1], None, dtype=object)
    signs = np.sign(np.vstack([method.tests.log2_fc for method in methods]))
    for gene in np.flatnonzero(stacked.any(axis=0)):
        parts = [
            f"{method.name}: {_explain(method, int(gene), log2fc_cutoff)}"
            for method, flags in zip(methods, called, strict=True)
            if not flags[gene]
        ]
        if not parts and len(set(signs[:, gene])) > 1:
            parts = ["the methods disagree about the direction"]
        reasons[gene] = "; ".join(parts) or None
    return reasons


def _explain(method: FittedMethod, gene: int, log2fc_cutoff: float) -> str:
    """Return why one method does not call a gene."""
    tests = method.tests
    change, padj = tests.log2_fc[gene], tests.padj[gene]
    if np.isnan(change):
        return "not estimated"
    if np.isnan(tests.pvalue[gene]):
        return "count outlier"
    if np.isnan(padj):
        return "set aside by independent filtering"
    if abs(change) < log2fc_cutoff:
        return f"|log2FC| {abs(change):.2f}"
    return f"padj {padj:.2g}"
