"""Further comparisons of groups of one condition, each from the same samples and genes."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.calls import Calls, call_genes
from core.agents.differential_expression.disagreement import Names
from core.agents.differential_expression.methods import FittedMethods, fit_methods
from core.agents.differential_expression.model import Model, rebase
from core.agents.differential_expression.records import ContrastResult
from core.agents.differential_expression.schema import Contrast, DifferentialExpressionRequest
from core.agents.differential_expression.universe import Universe
from core.workbench import RunContext


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

    Args:
        request: Names them.
        study: Samples of all groups.
        model: The design of the first comparison.
        genes: The tested genes and their symbols.
        context: Hears of the progress.

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
