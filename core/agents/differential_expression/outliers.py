"""Warnings of genes that a method calls although a single count drives them."""

from collections.abc import Sequence

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.calls import Calls
from core.agents.differential_expression.methods import FittedMethods
from core.agents.differential_expression.model import Model
from core.agents.differential_expression.records import CountOutlier, MethodName
from core.agents.differential_expression.universe import Universe
from core.stats.count_outliers import CountOutliers, find_count_outliers

_NAMED = 10


def list_outliers(
    study: Study, model: Model, universe: Universe, fitted: FittedMethods, calls: Calls
) -> list[CountOutlier]:
    """Return the genes that edgeR or limma-voom call with a count over the limit, and its sample.

    DESeq2 itself gives such genes no p-value, or replaces the count.
    """
    called = {
        method.name: flags
        for method, flags in zip(fitted.methods, calls.called, strict=True)
        if method.name != "DESeq2" and flags.any()
    }
    if not called:
        return []
    outliers = _outliers(model, universe, fitted)
    genes: dict[int, list[MethodName]] = {}
    for name, flags in called.items():
        for gene in (flags & outliers.is_outlier).nonzero()[0]:
            genes.setdefault(int(gene), []).append(name)
    return [
        CountOutlier(
            gene_id=universe.gene_ids[gene],
            sample_id=study.sample_ids[outliers.sample[gene]],
            methods=names,
        )
        for gene, names in sorted(genes.items())
    ]


def warn_of_outliers(outliers: Sequence[CountOutlier]) -> tuple[str, ...]:
    """Say how many such genes there are, and name the first."""
    if not outliers:
        return ()
    named = ", ".join(
        f"{outlier.gene_id} ({outlier.sample_id}; {' and '.join(outlier.methods)})"
        for outlier in outliers[:_NAMED]
    )
    more = (
        f" and {len(outliers) - _NAMED:,} more, all in count_outliers" if outliers[_NAMED:] else ""
    )
    whose = "1 gene is" if len(outliers) == 1 else f"{len(outliers):,} genes are"
    return (
        f"count_outliers: {whose} called although a single count stands out (Cook's distance over "
        f"DESeq2's limit); look at the sample named before believing the call: {named}{more}.",
    )


def _outliers(model: Model, universe: Universe, fitted: FittedMethods) -> CountOutliers:
    """Return the genes by DESeq2's fit where it ran, else by a quick fit of its model."""
    for method in fitted.methods:
        tests = method.tests
        if tests.outlier is not None and tests.outlier_sample is not None:
            return CountOutliers(tests.outlier, tests.outlier_sample)
    return find_count_outliers(universe.counts, model.design, universe.size_factors, None)
