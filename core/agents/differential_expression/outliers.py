"""Warnings of genes that a method calls although a single count drives them."""

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.calls import Calls
from core.agents.differential_expression.methods import FittedMethods
from core.agents.differential_expression.model import Model
from core.agents.differential_expression.universe import Universe
from core.stats.count_outliers import CountOutliers, find_count_outliers

_NAMED = 1000


def warn_of_outliers(
    study: Study, model: Model, universe: Universe, fitted: FittedMethods, calls: Calls
) -> tuple[str, ...]:
    """Name the genes that edgeR or limma-voom call with a count over the limit, and its sample.

    DESeq2 itself gives such genes no p-value, or replaces the count.
    """
    called = {
        method.name: flags
        for method, flags in zip(fitted.methods, calls.called, strict=True)
        if method.name != "DESeq2" and flags.any()
    }
    if not called:
        return ()
    found = _outliers(model, universe, fitted)
    genes: dict[int, list[str]] = {}
    for name, flags in called.items():
        for gene in (flags & found.is_outlier).nonzero()[0]:
            genes.setdefault(int(gene), []).append(name)
    if not genes:
        return ()
    named = ", ".join(
        f"{universe.gene_ids[gene]} ({study.sample_ids[found.sample[gene]]}; {' and '.join(names)})"
        for gene, names in sorted(genes.items())[:_NAMED]
    )
    whose = "1 gene is" if len(genes) == 1 else f"{len(genes):,} genes are"
    return (
        f"count_outliers: {whose} called although a single count stands out (Cook's distance over "
        f"DESeq2's limit); look at the sample named before believing the call: {named}.",
    )


def _outliers(model: Model, universe: Universe, fitted: FittedMethods) -> CountOutliers:
    """Return the genes by DESeq2's fit where it ran, else by a quick fit of its model."""
    for method in fitted.methods:
        tests = method.tests
        if tests.outlier is not None and tests.outlier_sample is not None:
            return CountOutliers(tests.outlier, tests.outlier_sample)
    return find_count_outliers(universe.counts, model.design, universe.size_factors, None)
