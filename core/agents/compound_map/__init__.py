"""Every structure that patents on a target draw, with its proof, and the map of them."""

from core.agent import Agent
from core.agents.compound_map.examples import EXAMPLES
from core.agents.compound_map.schema import EXPORTS, CompoundMapData, CompoundMapRequest


def _label(request: CompoundMapRequest) -> str:
    """Name a request by its target and what was uploaded with it."""
    label = " ".join(request.target.split())
    if request.file_ids:
        label = f"{label}, {len(request.file_ids)} own documents"
    if request.compounds_file_id:
        label = f"{label}, own compounds"
    return "".join(sign for sign in label if sign.isprintable())[:200]


AGENT = Agent(
    name="compound-map",
    title="Compound map",
    summary="Compounds disclosed in patents on a target: owners, similarity, claims, white space.",
    icon="scatter_plot",
    group="Landscape and deals",
    request=CompoundMapRequest,
    data=CompoundMapData,
    pipeline="core.agents.compound_map.pipeline",
    report="core.agents.compound_map.report",
    label=_label,
    steps=("Find patents", "Read drawings", "Read structures", "Compare", "Map", "Write result"),
    examples=EXAMPLES,
    lane="computing",
    allowance_s=900,
    file_fields={"patents": "file_ids", "compounds": "compounds_file_id"},
    exports=EXPORTS,
    exporter="core.agents.compound_map.exports",
    reads_evidence=True,
)
