"""What happened within a window, once, with its day, its score and what it belongs to."""

from core.agent import Agent, Compared
from core.agents.new_developments.examples import EXAMPLES
from core.agents.new_developments.schema import EXPORTS, NewDevelopmentsData, NewDevelopmentsRequest


def _label(request: NewDevelopmentsRequest) -> str:
    """Name a request by what it asks for and its window."""
    texts = (request.query, request.target, request.modality, request.indication)
    parts = [" ".join(text.split()) for text in texts if text]
    parts += [request.stage_focus] if request.stage_focus != "any" else []
    label = f"{', '.join(parts) or 'Everything'}, {request.lookback_days} days"
    return "".join(sign for sign in label if sign.isprintable())[-200:]


AGENT = Agent(
    name="new-developments",
    title="New developments",
    summary="Follow approvals, trials, labels, deals and patents on drugs, targets and companies, "
    "each event once.",
    icon="campaign",
    group="Landscape and deals",
    request=NewDevelopmentsRequest,
    data=NewDevelopmentsData,
    pipeline="core.agents.new_developments.pipeline",
    report="core.agents.new_developments.report",
    label=_label,
    steps=("Read filters", "Find events", "Write briefs"),
    examples=EXAMPLES,
    lane="computing",
    exports=EXPORTS,
    exporter="core.agents.new_developments.exports",
    reads_evidence=True,
    compared=Compared("catalysts", "title", ("signal_score", "date", "company", "stage")),
)
