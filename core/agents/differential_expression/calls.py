"""Which genes each method calls, as tables: consensus, reasons, outliers, further comparisons.

The three methods, each run on the same genes; one that fails does not stop the others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.gene_names import Names
from core.agents.differential_expression.model import Model, rebase
from core.agents.differential_expression.records import (
    METHODS,
    SUFFIXES,
    Consensus,
    ConsensusRow,
    ConsensusTable,
    ContrastResult,
    CountOutlier,
    DegRow,
    DegTable,
    MethodName,
    MethodResult,
    Overlap,
    TopGene,
)
from core.agents.differential_expression.schema import Contrast, DifferentialExpressionRequest
from core.agents.differential_expression.universe import Universe
from core.errors import AnalysisError
from core.stats.cooks import CountOutliers, find_count_outliers
from core.stats.deseq2 import TrendKind, call_deseq2, fit_deseq2, fit_pydeseq2
from core.stats.dispersion import DispersionTrend
from core.stats.edger import fit_edger
from core.stats.fit import (
    LIBRARY_FAILURES,
    BoolArray,
    FloatArray,
    GeneTests,
    call_significant,
    count_overlaps,
    find_consensus,
)
from core.stats.voom import fit_voom, fit_voom_samples
from core.workbench import RunContext

Fit = Callable[[Universe, Model, DifferentialExpressionRequest], "FittedMethod"]
STEP = "Fit methods"


@dataclass(frozen=True)
class FittedMethod:
    """One method's tests; `trend` only for DESeq2, and only where its curve was found.

    `is_turned` tells that the comparison group was the base level of the fit.
    """

    name: MethodName
    tests: GeneTests
    trend: DispersionTrend | None = None
    trend_kind: TrendKind | None = None
    is_turned: bool = False


@dataclass(frozen=True)
class FittedMethods:
    """The methods that came through, in the order DESeq2, edgeR, limma-voom."""

    methods: tuple[FittedMethod, ...]
    warnings: tuple[str, ...]

    @property
    def trend(self) -> DispersionTrend | None:
        """Return DESeq2's dispersion trend, if there is one."""
        return next((fitted.trend for fitted in self.methods if fitted.trend), None)

    def tests_of(self, name: MethodName) -> GeneTests | None:
        """Return the tests of a method, if it came through."""
        return next((fitted.tests for fitted in self.methods if fitted.name == name), None)

    @property
    def trend_kind(self) -> TrendKind | None:
        """Return the kind of that trend; None where DESeq2 did not run."""
        return next((fitted.trend_kind for fitted in self.methods if fitted.trend_kind), None)


def threshold_of(request: DifferentialExpressionRequest) -> float:
    """Return the absolute log2 fold change under the null hypothesis."""
    return request.log2fc_cutoff if request.lfc_test == "threshold" else 0.0


def _fit_deseq2(
    universe: Universe, model: Model, request: DifferentialExpressionRequest
) -> FittedMethod:
    given = universe.counts, model.design, universe.size_factors
    threshold = threshold_of(request)
    try:
        fit = fit_deseq2(
            *given, threshold=threshold, alpha=request.filter_alpha, effect=model.effect
        )
    except LIBRARY_FAILURES:
        if model.effect is not None and model.effect.by_ratio:
            raise
        fit = fit_pydeseq2(*given, threshold=threshold, alpha=request.filter_alpha)
    return FittedMethod("DESeq2", fit.tests, fit.trend, fit.kind, fit.is_turned)


def _fit_edger(
    universe: Universe, model: Model, request: DifferentialExpressionRequest
) -> FittedMethod:
    tests = fit_edger(
        universe.counts,
        model.design,
        universe.tmm,
        flavor=request.edger_flavor,
        threshold=threshold_of(request),
        n_columns=_columns_together(model),
    )
    return FittedMethod("edgeR", tests)


def _fit_voom(
    universe: Universe, model: Model, request: DifferentialExpressionRequest
) -> FittedMethod:
    fit = fit_voom if model.samples is None else partial(fit_voom_samples, samples=model.samples)
    tests = fit(
        universe.counts,
        model.design,
        universe.tmm,
        flavor=request.limma_flavor,
        threshold=threshold_of(request),
        n_columns=_columns_together(model),
    )
    return FittedMethod("limma-voom", tests)


def _columns_together(model: Model) -> int:
    """Return how many last columns of the design one test takes together."""
    return model.effect.n_columns if model.effect is not None and model.effect.by_ratio else 1


FITS: Mapping[MethodName, Fit] = {
    "DESeq2": _fit_deseq2,
    "edgeR": _fit_edger,
    "limma-voom": _fit_voom,
}


def fit_tests(
    universe: Universe, model: Model, request: DifferentialExpressionRequest
) -> dict[MethodName, GeneTests]:
    """Return the tests of every method asked for, without what only a report needs.

    Raises:
        LIBRARY_FAILURES: A method could not be fitted.
    """
    tests_by_method: dict[MethodName, GeneTests] = {}
    for name in METHODS:
        if request.method not in (name, "all"):
            continue
        if name == "DESeq2":
            tests_by_method[name] = call_deseq2(
                universe.counts,
                model.design,
                universe.size_factors,
                threshold=threshold_of(request),
                alpha=request.filter_alpha,
                effect=model.effect,
            )
        else:
            tests_by_method[name] = FITS[name](universe, model, request).tests
    return tests_by_method


def fit_methods(
    universe: Universe,
    model: Model,
    request: DifferentialExpressionRequest,
    context: RunContext,
) -> FittedMethods:
    """Run the methods asked for.

    Raises:
        AnalysisError: Every one of them failed.
    """
    names = [name for name in METHODS if request.method in (name, "all")]
    fitted: list[FittedMethod] = []
    failures: list[str] = []
    for done, name in enumerate(names):
        context.progress(STEP, done, len(names), f"{name} on {len(universe.gene_ids)} genes")
        try:
            fitted.append(FITS[name](universe, model, request))
        except LIBRARY_FAILURES as error:
            reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
            if "/" in reason or "\\" in reason:
                reason = type(error).__name__
            failures.append(
                f"method_failed: {name} could not be fitted ({reason}); the other methods stand."
            )
    context.progress(STEP, len(names), len(names), f"{len(fitted)} of {len(names)} completed")
    if not fitted:
        raise AnalysisError("No method could be fitted to these counts. " + " ".join(failures))
    notes = [note for method in fitted for note in method.tests.notes]
    return FittedMethods(tuple(fitted), (*failures, *notes))


def _explain_call(method: FittedMethod, gene: int, log2fc_cutoff: float) -> str:
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


_NAMED = 10


@dataclass(frozen=True)
class Calls:
    """The results of all methods, their consensus, and the significant genes of each method."""

    results: tuple[MethodResult, ...]
    consensus: Consensus
    called: tuple[BoolArray, ...]


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
    outliers = _find_by_fit(model, universe, fitted)
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


def _find_by_fit(model: Model, universe: Universe, fitted: FittedMethods) -> CountOutliers:
    """Return the genes by DESeq2's fit where it ran, else by a quick fit of its model."""
    for method in fitted.methods:
        tests = method.tests
        if tests.outlier is not None and tests.outlier_sample is not None:
            return CountOutliers(tests.outlier, tests.outlier_sample)
    return find_count_outliers(universe.counts, model.design, universe.size_factors, None)


@dataclass(frozen=True)
class Further:
    """One further comparison with its fits and calls."""

    contrast: Contrast
    fitted: FittedMethods
    calls: Calls


def fit_contrasts(
    request: DifferentialExpressionRequest,
    study: Study,
    model: Model,
    genes: tuple[Universe, Names],
    context: RunContext,
) -> tuple[Further, ...]:
    """Fit every further comparison that is asked for.

    Raises:
        AnalysisError: No method could be fitted for one of them.
    """
    contrasts = []
    universe, symbols = genes
    for number, contrast in enumerate(request.contrasts, start=1):
        fitted = fit_methods(universe, rebase(model, study, contrast), request, context)
        calls = call_genes(universe, fitted, request, symbols, suffix=f"-contrast-{number}")
        contrasts.append(Further(contrast, fitted, calls))
    return tuple(contrasts)


def list_contrasts(contrasts: Sequence[Further]) -> list[ContrastResult]:
    """Return the further comparisons as the answer writes them."""
    return [
        ContrastResult(
            name=further.contrast.name,
            reference_group=further.contrast.reference_group,
            comparison_group=further.contrast.comparison_group,
            method_results=list(further.calls.results),
            consensus=further.calls.consensus,
        )
        for further in contrasts
    ]


def warn_of_contrasts(contrasts: Sequence[Further]) -> tuple[str, ...]:
    """Return the warnings of the further fits that the first one need not have, too."""
    notes = [note for further in contrasts for note in further.fitted.warnings]
    return tuple(dict.fromkeys(notes))


def describe_contrasts(contrasts: Sequence[Further]) -> list[str]:
    """Return a sentence on each further comparison."""
    sentences = []
    for further in contrasts:
        calls = ", ".join(
            f"{result.method} {result.n_up:,} higher and {result.n_down:,} lower"
            for result in further.calls.results
        )
        agreed = further.calls.consensus
        together = (
            f"; {agreed.n_consensus_significant:,} genes in all" if agreed.n_methods > 1 else ""
        )
        sentences.append(f"{further.contrast.name}: {calls}{together}.")
    return sentences


_TOP = 20


def call_genes(
    universe: Universe,
    fitted: FittedMethods,
    request: DifferentialExpressionRequest,
    symbols: Names,
    suffix: str = "",
) -> Calls:
    """Apply the cut-offs to every method and find what all of them agree on.

    `symbols`: symbol of each gene, None where there is none. `suffix`: behind the names of the
    tables, where the run has several comparisons.
    """
    called = [
        call_significant(
            method.tests.log2_fc,
            method.tests.padj,
            fdr_cutoff=request.fdr_cutoff,
            log2fc_cutoff=request.called_change,
        )
        for method in fitted.methods
    ]
    ids = np.array(universe.gene_ids, dtype=object)
    named = pd.DataFrame({"gene_id": ids, "symbol": symbols})
    results = tuple(
        _describe_method(method, flags, named, universe.base_mean, suffix)
        for method, flags in zip(fitted.methods, called, strict=True)
    )
    stacked = np.vstack(called)
    reasons = np.full(stacked.shape[1], None, dtype=object)
    signs = np.sign(np.vstack([method.tests.log2_fc for method in fitted.methods]))
    for gene in np.flatnonzero(stacked.any(axis=0)):
        parts = [
            f"{method.name}: {_explain_call(method, int(gene), request.called_change)}"
            for method, flags in zip(fitted.methods, called, strict=True)
            if not flags[gene]
        ]
        if not parts and len(set(signs[:, gene])) > 1:
            parts = ["the methods disagree about the direction"]
        reasons[gene] = "; ".join(parts) or None
    together = find_consensus(
        called,
        [method.tests.log2_fc for method in fitted.methods],
        has_direction=request.test == "comparison",
    )
    overlaps = [
        Overlap(methods=[fitted.methods[index].name for index in members], n_genes=n_genes)
        for members, n_genes in count_overlaps(called).items()
    ]
    consensus = Consensus(
        genes=[str(name) for name in named["gene_id"][together]],
        n_consensus_significant=int(together.sum()),
        n_methods=len(fitted.methods),
        overlaps=overlaps,
        table=ConsensusTable(
            f"consensus{suffix}",
            _compare(fitted.methods, called, together, named.assign(reason=reasons)),
        ),
    )
    return Calls(results, consensus, tuple(called))


def _describe_method(
    method: FittedMethod,
    significant: BoolArray,
    named: pd.DataFrame,
    base_mean: FloatArray,
    suffix: str,
) -> MethodResult:
    """Return one method's table, counts and strongest genes."""
    tests = method.tests
    missing = np.full(len(named), np.nan)
    is_deseq2 = method.name == "DESeq2"
    reasons = np.full(len(tests.padj), None, dtype=object)
    reasons[np.isnan(tests.padj)] = "independent_filter" if is_deseq2 else "not_estimated"
    reasons[np.isnan(tests.pvalue)] = "outlier" if is_deseq2 else "not_estimated"
    reasons[np.isnan(tests.log2_fc)] = "not_estimated"
    frame = pd.DataFrame(
        {
            "gene_id": named["gene_id"],
            "symbol": named["symbol"],
            "base_mean": base_mean,
            "log2FC": tests.log2_fc,
            "lfc_se": tests.lfc_se,
            "stat": tests.stat,
            "pvalue": tests.pvalue,
            "padj": tests.padj,
            "significant": significant,
            "na_reason": list(reasons),
            "dispersion": tests.extra.get("dispersion", missing),
            "log2FC_shrunken": tests.extra.get("log2FC_shrunken", missing),
            "log_cpm": tests.extra.get("log_cpm", missing),
            "ave_expr": tests.extra.get("ave_expr", missing),
        },
        columns=list(DegRow.model_fields),
    ).replace([np.inf, -np.inf], np.nan)
    called = frame[significant]
    up, down = called[called["log2FC"] > 0], called[called["log2FC"] < 0]
    return MethodResult(
        method=method.name,
        n_tested=len(frame),
        n_significant=len(up) + len(down),
        n_up=len(up),
        n_down=len(down),
        table=DegTable(method.name + suffix, frame),
        top_up=_pick_top(up),
        top_down=_pick_top(down),
    )


def _pick_top(called: pd.DataFrame) -> list[TopGene]:
    """Return the first genes by padj, then absolute change, then ID."""
    ordered = called.assign(size=-called["log2FC"].abs()).sort_values(["padj", "size", "gene_id"])
    return [
        TopGene(gene_id=gene, symbol=symbol, log2FC=change, padj=padj)
        for gene, symbol, change, padj in ordered[["gene_id", "symbol", "log2FC", "padj"]]
        .head(_TOP)
        .itertuples(index=False)
    ]


def _compare(
    methods: Sequence[FittedMethod],
    called: Sequence[BoolArray],
    together: BoolArray,
    texts: pd.DataFrame,
) -> pd.DataFrame:
    """Return the genes that any method calls, with every method's change and padj."""
    n_significant = np.vstack(called).sum(axis=0)
    chosen = np.flatnonzero(n_significant)
    signs = np.sign(np.vstack([method.tests.log2_fc for method in methods]))[:, chosen]
    direction = np.where((signs > 0).all(axis=0), "up", "mixed").astype(object)
    direction[(signs < 0).all(axis=0)] = "down"
    columns: dict[str, object] = {
        "gene_id": texts["gene_id"].to_numpy()[chosen],
        "symbol": texts["symbol"].to_numpy()[chosen],
        "direction": direction,
        "n_significant": n_significant[chosen],
        "is_consensus": together[chosen],
        "reason": texts["reason"].to_numpy()[chosen],
    }
    for name, suffix in SUFFIXES.items():
        tests = next((method.tests for method in methods if method.name == name), None)
        missing = np.full(len(chosen), np.nan)
        columns[f"log2FC_{suffix}"] = missing if tests is None else tests.log2_fc[chosen]
        columns[f"padj_{suffix}"] = missing if tests is None else tests.padj[chosen]
    return pd.DataFrame(columns, columns=list(ConsensusRow.model_fields))
