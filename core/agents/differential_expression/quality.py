"""Sample quality: depths, factors, how alike samples are, and whether the p-values look right."""

from collections.abc import Sequence
from typing import Literal, cast

import numpy as np

from core.agents.differential_expression.alignment import Study, count_groups
from core.agents.differential_expression.counts import CountMatrix
from core.agents.differential_expression.hints import associate, list_groupings
from core.agents.differential_expression.methods import FittedMethod, FittedMethods
from core.agents.differential_expression.model import Model
from core.agents.differential_expression.quality_records import (
    HistogramBin,
    LibrarySize,
    MeanSpreadTrend,
    Pca,
    PcaPoint,
    SampleDistances,
    SampleQc,
    TrendPoint,
)
from core.agents.differential_expression.universe import Universe
from core.stats.counts import log_cpm
from core.stats.dispersion import DispersionTrend, stabilize_variance
from core.stats.fit import FloatArray, Trend
from core.stats.projection import Projection, measure_distances, project_samples

_BINS = 20
_TREND_POINTS = 2000
MOST_SAMPLES = 200


def assess_quality(
    matrix: CountMatrix, study: Study, model: Model, universe: Universe, fitted: FittedMethods
) -> SampleQc:
    """Describe the samples and genes that were used.

    Returns:
        The specification's fields and the points of every quality figure.
    """
    values = _transform(universe, fitted.trend)
    samples = study.sample_ids
    projection = project_samples(values)
    return SampleQc(
        group_counts=count_groups(study),
        n_genes_input=matrix.n_genes_input,
        n_genes_numeric=matrix.n_genes_numeric,
        n_samples_used=len(samples),
        n_genes_all_zero=len(universe.all_zero),
        n_genes_low_count=len(universe.low_count),
        n_genes_tested=len(universe.gene_ids),
        library_sizes=_measure_libraries(study, len(universe.all_zero)),
        size_factors=dict(zip(samples, map(float, universe.size_factors), strict=True)),
        tmm_factors=dict(zip(samples, map(float, universe.tmm), strict=True)),
        pca=_describe_projection(projection, study),
        pca_associations=associate(study, model, projection.scores),
        sample_groupings=list_groupings(study),
        sample_distances=_distances(values, samples),
        dispersion_trend=[
            _thin(method, method.tests.trend) for method in fitted.methods if method.tests.trend
        ],
        pvalue_histogram=[entry for method in fitted.methods for entry in _count_bins(method)],
    )


def warn_of_quality(study: Study) -> tuple[str, ...]:
    """Return the warning about distances that are left out above 200 samples."""
    if len(study.sample_ids) <= MOST_SAMPLES:
        return ()
    return (
        f"distances_omitted: sample distances are listed for up to {MOST_SAMPLES} samples; these "
        f"are {len(study.sample_ids)}.",
    )


def _transform(universe: Universe, trend: DispersionTrend | None) -> FloatArray:
    """Return values on a scale on which samples can be compared."""
    if trend is not None:
        return stabilize_variance(universe.counts / universe.size_factors, trend)
    return log_cpm(universe.counts, universe.tmm)


def _measure_libraries(study: Study, n_all_zero: int) -> list[LibrarySize]:
    """Return depth and detected genes of each sample."""
    depth = study.counts.sum(axis=0)
    detected = (study.counts > 0).sum(axis=0)
    n_genes = max(len(study.gene_ids) - n_all_zero, 1)
    return [
        LibrarySize(
            sample_id=sample,
            group=study.groups[index],
            library_size=int(depth[index]),
            n_genes_detected=int(detected[index]),
            detection_rate=float(detected[index] / n_genes),
        )
        for index, sample in enumerate(study.sample_ids)
    ]


def _describe_projection(projection: Projection, study: Study) -> Pca:
    """Return the samples on two principal components."""
    points = [
        PcaPoint(sample_id=sample, group=group, pc1=float(pc1), pc2=float(pc2))
        for sample, group, (pc1, pc2) in zip(
            study.sample_ids, study.groups, projection.scores, strict=True
        )
    ]
    shares = [float(min(max(share, 0.0), 1.0)) for share in projection.variance_share]
    return Pca(points=points, variance_share=shares)


def _distances(values: FloatArray, samples: Sequence[str]) -> SampleDistances | None:
    """Return sample distances to four decimals, unless there are too many samples."""
    if len(samples) > MOST_SAMPLES:
        return None
    matrix = np.round(measure_distances(values), 4).tolist()
    return SampleDistances(sample_ids=list(samples), matrix=matrix)


def _thin(method: FittedMethod, trend: Trend) -> MeanSpreadTrend:
    """Return a trend's genes in the order of x, evenly thinned."""
    finite = np.flatnonzero(
        np.isfinite(trend.x) & np.isfinite(trend.raw) & np.isfinite(trend.curve)
    )
    order = finite[np.argsort(trend.x[finite], kind="stable")]
    if len(order) > _TREND_POINTS:
        order = order[np.linspace(0, len(order) - 1, _TREND_POINTS).round().astype(np.int64)]
    points = [
        TrendPoint(
            x=float(trend.x[index]),
            raw=float(trend.raw[index]),
            curve=float(trend.curve[index]),
            final=float(trend.final[index]) if np.isfinite(trend.final[index]) else None,
        )
        for index in order
    ]
    name = cast("Literal['DESeq2', 'limma-voom']", method.name)
    return MeanSpreadTrend(method=name, n_genes=len(trend.x), points=points)


def _count_bins(method: FittedMethod) -> list[HistogramBin]:
    """Return the method's p-values in bins of 0.05."""
    pvalue = method.tests.pvalue
    counted, edges = np.histogram(pvalue[~np.isnan(pvalue)], bins=_BINS, range=(0.0, 1.0))
    return [
        HistogramBin(
            method=method.name,
            bin_start=float(edges[index]),
            bin_end=float(edges[index + 1]),
            n_genes=int(n_genes),
        )
        for index, n_genes in enumerate(counted)
    ]
