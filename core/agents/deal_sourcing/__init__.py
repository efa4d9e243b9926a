"""Whom to call, and why: drugs shelved, unlicensed or of small owners, by what registers show."""

from core.agent import Agent, Compared
from core.agents.deal_sourcing.examples import EXAMPLES
from core.agents.deal_sourcing.schema import DealSourcingData, DealSourcingRequest


def _label(request: DealSourcingRequest) -> str:
    """Name a request by its thesis."""
    label = " ".join(request.thesis.split())
    return "".join(sign for sign in label if sign.isprintable())[:200]


AGENT = Agent(
    name="deal-sourcing",
    title="Deal sourcing",
    summary="Find assets to license or acquire that fit a thesis, and the companies, laboratories "
    "and papers behind the next ones.",
    icon="handshake",
    group="Landscape and deals",
    request=DealSourcingRequest,
    data=DealSourcingData,
    pipeline="core.agents.deal_sourcing.pipeline",
    report="core.agents.deal_sourcing.report",
    label=_label,
    steps=("Read thesis", "Find signals", "Check and write"),
    examples=EXAMPLES,
    lane="computing",
    reads_evidence=True,
    compared=Compared("deals", "title", ("deal_score", "newest_signal_on")),
)
