"""Plan the assays of a product, with limits, controls and documents."""

from core.agent import Agent, Compared
from core.agents.assay_development.examples import EXAMPLES
from core.agents.assay_development.schema import AssayDevelopmentData, AssayDevelopmentRequest


def _label(request: AssayDevelopmentRequest) -> str:
    """Name a request by its product, goal and stage."""
    target = " ".join((request.target or "").split())[:40]
    kind = request.mechanism if request.modality == "other" else request.modality
    kind = " ".join((kind or "product").split())[:60]
    product = f"{target} {kind}".strip()
    goal = request.assay_goal.replace("_", " ")
    stage = request.development_stage.replace("_", " ")
    disease = " ".join(request.indication.split())[:70]
    return f"{product}: {goal} assays at {stage}, {disease}"[:200]


AGENT = Agent(
    compared=Compared("format_table", "name", ("category", "priority", "stage")),
    name="assay-development",
    title="Assay development",
    summary="Plan the assays a product needs at its stage: controls, limits, sample sizes, "
    "protocols and timeline, each number with its source.",
    icon="biotech",
    group="Strategy",
    request=AssayDevelopmentRequest,
    data=AssayDevelopmentData,
    pipeline="core.agents.assay_development.pipeline",
    report="core.agents.assay_development.report",
    label=_label,
    steps=("Read request", "Choose assays", "Size experiments", "Read evidence", "Write plan"),
    examples=EXAMPLES,
    lane="computing",
    reads_evidence=True,
    file_fields={"uploaded": "uploaded_files"},
)
