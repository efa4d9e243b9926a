"""Differential gene expression from raw counts by DESeq2, edgeR and limma-voom."""

from core.agent import MEGABYTE, Agent, Compared
from core.agents.differential_expression.examples import EXAMPLES
from core.agents.differential_expression.schema import (
    FILE_FIELDS,
    DifferentialExpressionData,
    DifferentialExpressionRequest,
    label_request,
)

AGENT = Agent(
    compared=Compared("consensus", "gene_id", ("direction", "is_consensus")),
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
    label=label_request,
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
    file_fields=FILE_FIELDS,
)
