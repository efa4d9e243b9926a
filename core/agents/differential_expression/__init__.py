"""Differential gene expression from raw counts by DESeq2, edgeR and limma-voom."""

from core.agent import MEGABYTE, Agent
from core.agents.differential_expression.examples import EXAMPLES
from core.agents.differential_expression.schema import (
    DifferentialExpressionData,
    DifferentialExpressionRequest,
)


def _label(request: DifferentialExpressionRequest) -> str:
    """Name a request by its comparison and method."""
    comparison = f"{request.comparison_group} vs {request.reference_group}"
    adjusted = f", adjusted for {', '.join(request.covariates)}" if request.covariates else ""
    method = "three methods" if request.method == "all" else request.method
    return f"{comparison}{adjusted} ({method})"[:200]


AGENT = Agent(
    name="differential-expression",
    title="Differential expression",
    summary="Which genes change between two groups of RNA-seq samples, by DESeq2, edgeR and "
    "limma-voom, and what the three agree on.",
    icon="genetics",
    group="Data",
    request=DifferentialExpressionRequest,
    data=DifferentialExpressionData,
    pipeline="core.agents.differential_expression.pipeline",
    report="core.agents.differential_expression.report",
    label=_label,
    steps=(
        "Read tables",
        "Match samples",
        "Filter genes",
        "Fit methods",
        "Find consensus",
        "Check quality",
        "Write result",
    ),
    examples=EXAMPLES,
    lane="computing",
    allowance_s=300,
    body_limit=64 * MEGABYTE,
    file_fields={"counts": "count_file_id", "metadata": "metadata_file_id"},
)
