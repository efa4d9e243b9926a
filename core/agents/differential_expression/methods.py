"""The three methods, each run on the same genes; one that fails does not stop the others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from core.agents.differential_expression.model import Model
from core.agents.differential_expression.records import METHODS, MethodName
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.agents.differential_expression.universe import Universe
from core.errors import AnalysisError
from core.stats.deseq2 import TrendKind, call_deseq2, fit_deseq2, fit_pydeseq2
from core.stats.dispersion import DispersionTrend
from core.stats.edger import fit_edger
from core.stats.fit import LIBRARY_FAILURES, GeneTests
from core.stats.voom import fit_voom
from core.stats.voom_samples import fit_voom_samples
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
