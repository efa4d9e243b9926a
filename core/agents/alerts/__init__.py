"""The caller's watched questions: list them, turn one on or off, watch a drug."""

from core.agent import Agent
from core.agents.alerts.examples import EXAMPLES
from core.agents.alerts.schema import AlertsData, AlertsRequest, label_request

AGENT = Agent(
    name="alerts",
    title="Alerts",
    summary="Watch saved questions and drugs, and see what is new since your last visit.",
    icon="notifications",
    group="Landscape and deals",
    request=AlertsRequest,
    data=AlertsData,
    pipeline="core.agents.alerts.pipeline",
    report="core.agents.alerts.report",
    label=label_request,
    steps=("Read request", "Read list"),
    examples=EXAMPLES,
    is_counted=False,
)
