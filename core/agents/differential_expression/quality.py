"""What a reader checks before believing a table of genes: samples, trends, batches and swaps."""

from collections.abc import Sequence
from typing import Literal, cast

import numpy as np

from core.agents.differential_expression.alignment import Study, count_groups
from core.agents.differential_expression.calls import FittedMethod, FittedMethods
from core.agents.differential_expression.counts import CountMatrix
from core.agents.differential_expression.model import Model
from core.agents.differential_expression.records import (
    HistogramBin,
    LibrarySize,
    MeanSpreadTrend,
    Pca,
    PcaAssociation,
    PcaPoint,
    SampleDistances,
    SampleGrouping,
    SampleQc,
    TrendPoint,
)
from core.agents.differential_expression.universe import Universe
from core.stats.counts import log_cpm
from core.stats.design import Covariate, covariate_columns
from core.stats.dispersion import stabilize_variance
from core.stats.fit import FloatArray, IntArray, Trend
from core.stats.projection import explain, measure_distances, project_samples
from core.tables.text import show

_LEVEL = 0.01
_LEAST_SHARE = 0.2
_MOST_COLUMNS = 50
_SEPARATED = 0.75
_FEWEST_PAIRS = 2
_FEWEST_OF_GROUP = 3
_TWO_GROUPS = 2
_SEX_COLUMNS = ("sex", "gender")
_SEXES = {"f": "f", "female": "f", "w": "f", "woman": "f", "m": "m", "male": "m", "man": "m"}
_FEMALE_GENE = ("XIST", "ENSG00000229807")
_MALE_GENE = ("RPS4Y1", "ENSG00000129824")
"""Symbols and Ensembl ids of genes that only cells with two X, or with a Y, express."""
_EXPRESSED_CPM = 1.0
_OTHER_SHARE = 0.1


def associate(study: Study, model: Model, scores: FloatArray) -> list[PcaAssociation]:
    """Return how much of each component each metadata column explains.

    `scores`: samples x components.
    """
    associations = []
    intercept = np.ones((len(scores), 1))
    for name, values in _usable(study):
        columns = np.column_stack(covariate_columns(_as_covariate(name, values)))
        for number, component in enumerate(scores.T, start=1):
            alone = explain(component, columns, intercept)
            beyond = explain(component, columns, model.design)
            is_known = np.isfinite(alone.pvalue)
            associations.append(
                PcaAssociation(
                    column=name,
                    component=number,
                    variance_share=alone.share,
                    pvalue=alone.pvalue if is_known else None,
                    share_beyond_design=beyond.share,
                    pvalue_beyond_design=beyond.pvalue if np.isfinite(beyond.pvalue) else None,
                )
            )
    return associations


def _usable(study: Study) -> list[tuple[str, tuple[str, ...]]]:
    """Return the columns that group samples, or hold numbers: no constants, no ids, no gaps."""
    chosen = []
    for name, values in study.metadata.items():
        distinct = set(values)
        groups = 1 < len(distinct) <= len(values) // 2
        if "" not in distinct and (groups or (len(distinct) > 1 and _are_numbers(values))):
            chosen.append((name, values))
    return chosen[:_MOST_COLUMNS]


def _are_numbers(values: Sequence[str]) -> bool:
    """Return whether every value is a finite number."""
    try:
        return bool(np.isfinite([float(value) for value in values]).all())
    except ValueError:
        return False


def _as_covariate(name: str, values: tuple[str, ...]) -> Covariate:
    """Return a column as a term: numbers that hardly repeat as a number, else as a factor."""
    is_numeric = len(set(values)) > len(values) // 2 and _are_numbers(values)
    return Covariate(name, values, is_numeric=is_numeric)


def suggest(study: Study, model: Model, quality: SampleQc) -> tuple[str, ...]:
    """Return the warnings that name a column or sample to look at."""
    strict = _LEVEL / max(len(quality.pca_associations), 1)
    warnings, seen = [], _in_model(model)
    for association in quality.pca_associations:
        pvalue, share = association.pvalue_beyond_design, association.share_beyond_design
        if association.column in seen or pvalue is None or pvalue >= strict or share < _LEAST_SHARE:
            continue
        seen.add(association.column)
        warnings.append(
            f"batch_not_in_model: column {association.column!r} is not in your model and explains "
            f"{share:.0%} of what the design leaves of component {association.component}; consider "
            "it as a covariate."
        )
    return (
        *warnings,
        *_find_pairs(study, model),
        *_find_sex_mismatch(study),
        *_find_swaps(study, quality),
    )


def _in_model(model: Model) -> set[str]:
    """Return the columns of the design."""
    return {term.name for term in model.terms}


def _find_pairs(study: Study, model: Model) -> tuple[str, ...]:
    """Propose a paired design where a column pairs every sample with one of the other group."""
    warnings = []
    for name, values in study.metadata.items():
        groups: dict[str, list[bool]] = {}
        for value, is_comparison in zip(values, study.is_comparison.tolist(), strict=True):
            groups.setdefault(value, []).append(is_comparison)
        is_paired = (
            len(study.levels) == _TWO_GROUPS
            and len(groups) >= _FEWEST_PAIRS
            and all(sorted(group) == [False, True] for group in groups.values())
        )
        if is_paired and name not in _in_model(model):
            warnings.append(
                f"paired_design: column {name!r} pairs each sample with one of the other group "
                f"({len(groups)} pairs); as a covariate it makes the comparison paired, which "
                "usually finds more."
            )
    return tuple(warnings)


def _find_sex_mismatch(study: Study) -> tuple[str, ...]:
    """Warn of samples whose XIST and RPS4Y1 counts contradict the metadata."""
    column = next((name for name in study.metadata if name.lower() in _SEX_COLUMNS), None)
    female, male = _counts_of(study, _FEMALE_GENE), _counts_of(study, _MALE_GENE)
    if column is None or female is None or male is None:
        return ()
    depth = study.counts.sum(axis=0) / 1e6
    wrong = []
    for index, written in enumerate(study.metadata[column]):
        x_like, y_like = female[index] / depth[index], male[index] / depth[index]
        if max(x_like, y_like) < _EXPRESSED_CPM:
            continue
        if min(x_like, y_like) > _OTHER_SHARE * max(x_like, y_like):
            continue
        if _SEXES.get(written.lower(), "") not in ("", "f" if x_like > y_like else "m"):
            wrong.append(study.sample_ids[index])
    if not wrong:
        return ()
    return (
        f"sex_mismatch: XIST and RPS4Y1 counts contradict column {column!r} in {show(wrong)}; the "
        "samples may have been swapped.",
    )


def _counts_of(study: Study, names: tuple[str, str]) -> IntArray | None:
    """Return the counts of a gene by symbol or by Ensembl id without its version."""
    for index, gene in enumerate(study.gene_ids):
        if gene.split(".")[0].upper() in names:
            return np.asarray(study.counts[index], dtype=np.int64)
    return None


def _find_swaps(study: Study, quality: SampleQc) -> tuple[str, ...]:
    """Warn of samples that lie nearer to the other group where the groups lie apart."""
    if quality.sample_distances is None:
        return ()
    distances = np.array(quality.sample_distances.matrix)
    groups = np.array(study.groups)
    other = groups[:, None] != groups[None, :]
    if min(study.groups.count(level) for level in study.levels) < _FEWEST_OF_GROUP:
        return ()
    is_own = ~other & ~np.eye(len(other), dtype=bool)
    to_own = np.where(is_own, distances, 0).sum(axis=1) / is_own.sum(axis=1)
    to_other = np.where(other, distances, 0).sum(axis=1) / other.sum(axis=1)
    strangers = np.flatnonzero(to_other < to_own)
    if len(strangers) == 0 or 1 - len(strangers) / len(other) < _SEPARATED:
        return ()
    names = show([study.sample_ids[index] for index in strangers])
    return (
        f"sample_swap: nearer to the other group than to their own: {names}; check whether labels "
        "were exchanged.",
    )


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
    values = (
        stabilize_variance(universe.counts / universe.size_factors, fitted.trend)
        if fitted.trend is not None
        else log_cpm(universe.counts, universe.tmm)
    )
    samples = study.sample_ids
    projection = project_samples(values)
    points = [
        PcaPoint(sample_id=sample, group=group, pc1=float(pc1), pc2=float(pc2))
        for sample, group, (pc1, pc2) in zip(
            study.sample_ids, study.groups, projection.scores, strict=True
        )
    ]
    shares = [float(min(max(share, 0.0), 1.0)) for share in projection.variance_share]
    depth = study.counts.sum(axis=0)
    detected = (study.counts > 0).sum(axis=0)
    n_genes = max(len(study.gene_ids) - len(universe.all_zero), 1)
    return SampleQc(
        group_counts=count_groups(study),
        n_genes_input=matrix.n_genes_input,
        n_genes_numeric=matrix.n_genes_numeric,
        n_samples_used=len(samples),
        n_genes_all_zero=len(universe.all_zero),
        n_genes_low_count=len(universe.low_count),
        n_genes_tested=len(universe.gene_ids),
        library_sizes=[
            LibrarySize(
                sample_id=sample,
                group=study.groups[index],
                library_size=int(depth[index]),
                n_genes_detected=int(detected[index]),
                detection_rate=float(detected[index] / n_genes),
            )
            for index, sample in enumerate(study.sample_ids)
        ],
        size_factors=dict(zip(samples, map(float, universe.size_factors), strict=True)),
        tmm_factors=dict(zip(samples, map(float, universe.tmm), strict=True)),
        pca=Pca(points=points, variance_share=shares),
        pca_associations=associate(study, model, projection.scores),
        sample_groupings=[
            SampleGrouping(
                column=name, is_numeric=_as_covariate(name, values).is_numeric, values=list(values)
            )
            for name, values in _usable(study)
        ],
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
