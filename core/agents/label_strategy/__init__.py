"""A label before it is written: draft indication, precedents, warnings, gaps, scenarios."""

from core.agent import Agent, Compared
from core.agents.label_strategy.examples import EXAMPLES
from core.agents.label_strategy.schema import LabelStrategyData, LabelStrategyRequest


def _label(request: LabelStrategyRequest) -> str:
    """Name a request by asset, indication and agency."""
    label = f"{request.asset_name} in {request.indication} ({request.geography})"
    return "".join(sign for sign in " ".join(label.split()) if sign.isprintable())[:200]


AGENT = Agent(
    compared=Compared("uses", "asset", ("line", "biomarker", "age", "approval_type", "version_on")),
    name="label-strategy",
    title="Label strategy",
    summary="Draft an indication from precedent labels, narrow, base and broad, with likely "
    "warnings and evidence gaps.",
    icon="label",
    group="Strategy",
    request=LabelStrategyRequest,
    data=LabelStrategyData,
    pipeline="core.agents.label_strategy.pipeline",
    report="core.agents.label_strategy.report",
    label=_label,
    steps=("Read setting", "Gather labels", "Write strategy"),
    examples=EXAMPLES,
    lane="computing",
    reads_evidence=True,
)
