"""From two tables to three gene tables and what they agree on."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import pandas as pd

from core.agents.differential_expression.alignment import Study, align_samples
from core.agents.differential_expression.calls import (
    Calls,
    FittedMethods,
    Further,
    call_genes,
    describe_contrasts,
    fit_contrasts,
    fit_methods,
    list_contrasts,
    list_outliers,
    threshold_of,
    warn_of_contrasts,
    warn_of_outliers,
)
from core.agents.differential_expression.certificate import certify, describe_certificate
from core.agents.differential_expression.counts import (
    CountMatrix,
    SampleSheet,
    read_counts,
    read_metadata,
)
from core.agents.differential_expression.gene_names import Names, find_symbols, warn_of_symbols
from core.agents.differential_expression.gene_sets import (
    describe_gene_sets,
    find_gene_sets,
    read_gene_sets,
    warn_of_gene_sets,
)
from core.agents.differential_expression.model import (
    Model,
    build_model,
    describe_samples,
    warn_of_samples,
)
from core.agents.differential_expression.quality import assess_quality, suggest, warn_of_quality
from core.agents.differential_expression.r_script import write_r_script
from core.agents.differential_expression.records import (
    Certificate,
    CountOutlier,
    FilterSettings,
    GeneCounts,
    GeneList,
    GeneSetResults,
    GenesNotTested,
    MethodResult,
    Narrative,
    RunSettings,
    SampleQc,
    StrongestGenes,
    Summary,
)
from core.agents.differential_expression.schema import (
    DifferentialExpressionData,
    DifferentialExpressionRequest,
    RequestEcho,
)
from core.agents.differential_expression.universe import FILE as NORMALIZED
from core.agents.differential_expression.universe import (
    Universe,
    add_surrogates,
    choose_universe,
    list_surrogates,
    warn_of_structure,
    write_normalized,
    write_ranking,
)
from core.stats.counts import (
    LARGE_GROUP,
    LARGE_GROUP_SHARE,
    MIN_TOTAL_COUNT,
    required_samples,
)
from core.stats.projection import leaf_order
from core.workbench import RunContext

_CLOSE_AGREEMENT = 0.8

_MOST_GROUPS = 10


def _describe_comparison(
    request: DifferentialExpressionRequest, study: Study, universe: Universe
) -> str:
    """Say what was compared."""
    n_comparison = int(study.is_comparison.sum())
    n_reference = study.groups.count(request.reference_group)
    adjusting = [*request.covariates, *([request.paired_column] if request.paired_column else [])]
    adjusted = f", adjusted for {', '.join(adjusting)}" if adjusting else ""
    compared = (
        f"{n_comparison} {request.comparison_group} samples were compared with {n_reference} "
        f"{request.reference_group} samples"
    )
    if request.test == "lrt":
        sizes = [f"{study.groups.count(level)} {level}" for level in study.levels[:_MOST_GROUPS]]
        more = ", …" if len(study.levels) > _MOST_GROUPS else ""
        compared = f"{len(study.groups)} samples ({', '.join(sizes)}{more}) were compared"
    return (
        f"{compared}{adjusted}: {len(universe.gene_ids):,} of {len(study.gene_ids):,} genes have "
        "enough reads to be tested."
    )


def _describe_design(study: Study, model: Model) -> list[str]:
    """Say what is tested where it is not the difference of the only two groups."""
    if model.effect is None:
        return []
    others = study.levels[2:]
    helped = (
        f"; samples of {', '.join(others[:10])} are in the model and help to estimate how much "
        "genes vary"
        if others and model.reduced is None
        else ""
    )
    reduced = f" ({model.formula} against {model.reduced})" if model.reduced else ""
    return [f"Tested is {model.said}{reduced}{helped}."]


def _describe_method(result: MethodResult, request: DifferentialExpressionRequest) -> str:
    """Say how many genes one method calls."""
    if request.test == "lrt":
        return (
            f"{result.method} calls {result.n_significant:,} genes (adjusted p below "
            f"{request.fdr_cutoff:g}); a test of several coefficients has no direction."
        )
    return (
        f"{result.method} calls {result.n_significant:,} genes (adjusted p below "
        f"{request.fdr_cutoff:g}, at least {2**request.log2fc_cutoff:.3g}-fold): "
        f"{result.n_up:,} higher and {result.n_down:,} lower in {request.comparison_group}."
    )


def _describe_agreement(calls: Calls) -> list[str]:
    """Say how far the methods agree."""
    if len(calls.results) == 1:
        return []
    n_consensus = calls.consensus.n_consensus_significant
    n_any = sum(overlap.n_genes for overlap in calls.consensus.overlaps)
    if n_any == 0:
        return ["No method calls a gene at these cut-offs."]
    share = n_consensus / n_any
    verdict = "agree closely" if share >= _CLOSE_AGREEMENT else "differ in part"
    return [
        f"The {len(calls.results)} methods {verdict}: {n_consensus:,} of the {n_any:,} genes that "
        f"any of them calls ({share:.0%}) are called by all with the same sign."
    ]


def _describe_strongest(calls: Calls, request: DifferentialExpressionRequest) -> list[str]:
    """Name the genes with the smallest adjusted p of the first method."""
    first = calls.results[0]
    if request.test == "lrt":
        return []
    sentences = []
    for word, genes in (("higher", first.top_up), ("lower", first.top_down)):
        if genes:
            named = ", ".join(
                f"{(gene.symbol or gene.gene_id)[:60]} ({gene.log2FC:+.1f})" for gene in genes[:5]
            )
            sentences.append(
                f"Most certainly {word} in {request.comparison_group} by {first.method} "
                f"(log2 fold change): {named}."
            )
    return sentences


MOST_GENES = 60
MOST_CELLS = 30_000


def pick_strongest(universe: Universe, sample_ids: tuple[str, ...], calls: Calls) -> StrongestGenes:
    """Return normalized counts of the genes that the methods call most surely.

    The methods take turns, each giving its next gene higher and lower, so that every method's
    strongest genes are among them.
    """
    tops = [top for result in calls.results for top in (result.top_up, result.top_down)]
    longest = max((len(top) for top in tops), default=0)
    turns = [top[turn].gene_id for turn in range(longest) for top in tops if turn < len(top)]
    most = max(1, min(MOST_GENES, MOST_CELLS // max(len(sample_ids), 1)))
    names = list(dict.fromkeys(turns))[:most]
    position = {gene: row for row, gene in enumerate(universe.gene_ids)}
    rows = [position[name] for name in names]
    values = np.round(universe.counts[rows] / universe.size_factors, 2)
    called = {gene.gene_id: gene.symbol for top in tops for gene in top}
    centered = np.log2(values + 1)
    centered -= centered.mean(axis=1, keepdims=True)
    return StrongestGenes(
        sample_ids=list(sample_ids),
        genes=[
            GeneCounts(gene_id=name, symbol=called[name], normalized_counts=row.tolist())
            for name, row in zip(names, values, strict=True)
        ],
        clustered_genes=[names[row] for row in leaf_order(centered)],
        clustered_samples=[sample_ids[row] for row in leaf_order(centered.T)] if names else [],
    )


_EMULATES = {"DESeq2": "DESeq2 1.38.3", "limma-voom": "limma 3.54.1"}
_EDGER = {"v4": "edgeR 4.5.1 QL", "legacy_v3": "edgeR 3.40.2 QL"}
_LIBRARIES = ("pydeseq2", "edgepython", "pylimma", "numpy", "scipy", "statsmodels")


@dataclass(frozen=True)
class Parts:
    """What the steps gave."""

    matrix: CountMatrix
    sheet: SampleSheet
    study: Study
    model: Model
    universe: Universe
    symbols: Names
    fitted: FittedMethods
    calls: Calls
    quality: SampleQc
    further: tuple[Further, ...]
    gene_sets: GeneSetResults | None
    certificate: Certificate | None


def assemble(
    request: DifferentialExpressionRequest, context: RunContext, parts: Parts
) -> DifferentialExpressionData:
    """Put the answer together and keep the R script as a file of the run."""
    script = _save_files(request, context, parts)
    study, model, universe = parts.study, parts.model, parts.universe
    outliers = list_outliers(study, model, universe, parts.fitted, parts.calls)
    plain = request.model_dump(exclude={"counts_csv", "metadata_csv", "gene_sets_gmt"})
    return DifferentialExpressionData(
        query_id=context.query_id,
        run_uuid=context.run_uuid,
        input=(
            RequestEcho(
                counts_csv=parts.matrix.described, metadata_csv=parts.sheet.described, **plain
            )
        ),
        summary=Summary(
            comparison=parts.model.said,
            methods_completed=[result.method for result in parts.calls.results],
            significant_by_method={
                result.method: result.n_significant for result in parts.calls.results
            },
        ),
        sample_qc=parts.quality,
        method_results=list(parts.calls.results),
        consensus=parts.calls.consensus,
        contrasts=list_contrasts(parts.further),
        gene_set_results=parts.gene_sets,
        certificate=parts.certificate,
        strongest_genes=pick_strongest(parts.universe, parts.study.sample_ids, parts.calls),
        genes_not_tested=GenesNotTested(
            all_zero=_list_genes("genes-all-zero", parts.universe.all_zero),
            low_count=_list_genes("genes-low-count", parts.universe.low_count),
        ),
        settings=_describe_settings(request, parts),
        findings=[
            *[
                _describe_comparison(request, study, universe),
                *_describe_design(study, model),
                *(_describe_method(result, request) for result in parts.calls.results),
                *_describe_agreement(parts.calls),
                *_describe_strongest(parts.calls, request),
            ],
            *describe_contrasts(parts.further),
            *describe_samples(study, parts.fitted.tests_of("limma-voom"), request),
            *describe_gene_sets(parts.gene_sets, request),
            *describe_certificate(parts.certificate),
        ],
        narrative=Narrative(),
        r_script=script,
        count_outliers=outliers,
        warnings=_collect_warnings(parts, outliers, request, context.seed),
    )


def _save_files(request: DifferentialExpressionRequest, context: RunContext, parts: Parts) -> str:
    """Keep the R script, the rankings and the normalized counts as files; return the script."""
    layouts = (parts.matrix.layout, parts.sheet.layout)
    main = (request.reference_group, request.comparison_group, parts.fitted.methods)
    further = [
        (
            contrast.contrast.reference_group,
            contrast.contrast.comparison_group,
            contrast.fitted.methods,
        )
        for contrast in parts.further
    ]
    script = write_r_script(request, parts.study, parts.model, layouts, [main, *further])
    context.save_file("run.R", script.encode("utf-8"), "text/x-r")
    for method in parts.fitted.methods:
        content = write_ranking(parts.universe.gene_ids, method.tests)
        context.save_file(f"{method.name}.rnk", content, "text/tab-separated-values")
    normalized = write_normalized(parts.universe, parts.study.sample_ids)
    context.save_file(NORMALIZED, normalized, "application/vnd.apache.parquet")
    return script


def _list_genes(name: str, genes: tuple[str, ...]) -> GeneList:
    """Return gene IDs as a table that is written as an array of strings."""
    return GeneList(name, pd.DataFrame({"gene_id": pd.Series(genes, dtype=object)}))


def _describe_settings(request: DifferentialExpressionRequest, parts: Parts) -> RunSettings:
    """Return every setting behind the numbers."""
    releases = {**_EMULATES, "edgeR": _EDGER[request.edger_flavor]}
    completed = [result.method for result in parts.calls.results]
    trend = parts.fitted.trend
    voom = parts.fitted.tests_of("limma-voom")
    weights = None if voom is None else voom.sample_weights
    return RunSettings(
        emulates={name: releases[name] for name in completed},
        libraries={name: version(name) for name in _LIBRARIES},
        design=parts.model.formula,
        terms=list(parts.model.terms),
        filter=FilterSettings(
            min_count=request.min_count,
            min_total_count=MIN_TOTAL_COUNT,
            large_group=LARGE_GROUP,
            large_group_share=LARGE_GROUP_SHARE,
            design=parts.model.filter_formula,
            required_samples=required_samples(parts.model.filter_design),
        ),
        independent_filter_alpha=request.filter_alpha,
        size_factors="poscounts" if parts.universe.used_poscounts else "ratio",
        dispersion_trend=parts.fitted.trend_kind,
        transformation="vst" if trend else "log2_cpm",
        lfc_threshold=threshold_of(request),
        effect=parts.model.said,
        intrablock_correlation=None if voom is None else voom.block_correlation,
        sample_weights={}
        if weights is None
        else dict(zip(parts.study.sample_ids, weights.tolist(), strict=True)),
        surrogates=list_surrogates(parts.model),
        reduced_design=parts.model.reduced,
    )


def _collect_warnings(
    parts: Parts,
    outliers: Sequence[CountOutlier],
    request: DifferentialExpressionRequest,
    seed: int,
) -> list[str]:
    """Return all warnings in the order of the steps.

    What no column explains is told only where no column does.
    """
    hints = suggest(parts.study, parts.model, parts.quality)
    is_explained = any(hint.startswith("batch_not_in_model") for hint in hints)
    hidden = warn_of_structure(parts.universe, parts.model, request, seed)
    return [
        *parts.sheet.warnings,
        *parts.matrix.warnings,
        *parts.study.warnings,
        *parts.model.warnings,
        *parts.universe.warnings,
        *dict.fromkeys((*parts.fitted.warnings, *warn_of_contrasts(parts.further))),
        *warn_of_gene_sets(parts.gene_sets, request),
        *warn_of_outliers(outliers),
        *warn_of_quality(parts.study),
        *hints,
        *(() if is_explained and not request.surrogate_variables else hidden),
        *warn_of_samples(request),
        *warn_of_symbols(parts.universe.gene_ids, parts.symbols),
    ]


def run(request: DifferentialExpressionRequest, context: RunContext) -> DifferentialExpressionData:
    """Run the agent.

    Raises:
        InvalidInput: The tables cannot answer the question; the message says why.
        AnalysisError: No method could be fitted.
    """
    context.progress("Read tables", 0, 2, "metadata")
    sheet = read_metadata(request, context)
    context.progress("Read tables", 1, 2, "count matrix")
    matrix = read_counts(request, sheet, context)
    context.progress("Read tables", 2, 2, f"{len(matrix.gene_ids)} genes")
    sets = read_gene_sets(request, context)
    study = align_samples(matrix, sheet, request)
    model = build_model(study, sheet, request)
    context.progress("Match samples", 1, 1, f"{len(study.sample_ids)} samples, {model.formula}")
    universe = choose_universe(study, model, request.min_count)
    context.progress("Filter genes", 1, 1, f"{len(universe.gene_ids)} genes to test")
    model = add_surrogates(model, universe, request)
    fitted = fit_methods(universe, model, request, context)
    symbols = find_symbols(universe.gene_ids, context.resolver, matrix.symbols)
    calls = call_genes(universe, fitted, request, symbols)
    further = fit_contrasts(request, study, model, (universe, symbols), context)
    context.progress("Find consensus", 1, 1, f"{len(calls.consensus.genes)} consensus genes")
    quality = assess_quality(matrix, study, model, universe, fitted)
    context.progress("Check quality", 1, 1, f"{len(study.sample_ids)} samples")
    gene_sets = find_gene_sets(sets, (universe, symbols), model, (fitted, calls), request, context)
    certificate = certify(study, universe, model, calls, request, context)
    parts = Parts(
        matrix=matrix,
        sheet=sheet,
        study=study,
        model=model,
        universe=universe,
        symbols=symbols,
        fitted=fitted,
        calls=calls,
        quality=quality,
        further=further,
        gene_sets=gene_sets,
        certificate=certificate,
    )
    data = assemble(request, context, parts)
    context.progress("Write result", 1, 1, f"{len(data.warnings)} warnings")
    return data
