"""What was found, in plain sentences that follow from the numbers by rules."""

from core.agents.differential_expression.alignment import Study
from core.agents.differential_expression.calls import Calls
from core.agents.differential_expression.model import Model
from core.agents.differential_expression.records import MethodResult
from core.agents.differential_expression.schema import DifferentialExpressionRequest
from core.agents.differential_expression.universe import Universe

_CLOSE_AGREEMENT = 0.8

_MOST_GROUPS = 10


def describe_findings(
    request: DifferentialExpressionRequest,
    study: Study,
    model: Model,
    universe: Universe,
    calls: Calls,
) -> list[str]:
    """Return the findings, most important first."""
    return [
        _describe_comparison(request, study, universe),
        *_describe_design(study, model),
        *(_describe_method(result, request) for result in calls.results),
        *_describe_agreement(calls),
        *_describe_strongest(calls, request),
    ]


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
