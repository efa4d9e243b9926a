"""Classify beta-adjusted stock moves around biotech events."""

from core.agent import MEGABYTE, Agent, Compared
from core.agents.attribution_engine.examples import EXAMPLES
from core.agents.attribution_engine.schema import AttributionEngineData, AttributionEngineRequest


def _label(request: AttributionEngineRequest) -> str:
    """Name a request by its dates, events and benchmark."""
    days = [row.date for row in request.returns]
    span = f"{min(days)} to {max(days)}" if days else "no returns"
    own = {event.asset for event in request.events if event.relationship == "own"}
    assets = ", ".join(" ".join(asset.split())[:40] for asset in sorted(own)[:2])
    events = f"{len(request.events)} events" if len(request.events) != 1 else "1 event"
    named = f" of {assets}{' and others' if len(own) > 2 else ''}" if assets else ""
    return f"{span}, {events}{named}, against {' '.join(request.benchmark.split())}"[:200]


AGENT = Agent(
    compared=Compared("moves", "move_date", ("state", "event_type", "asset")),
    name="attribution-engine",
    title="Attribution engine",
    summary="Which abnormal stock moves dated events explain, which they do not, and whether the "
    "stock drifted before the news.",
    icon="query_stats",
    group="Data",
    request=AttributionEngineRequest,
    data=AttributionEngineData,
    pipeline="core.agents.attribution_engine.pipeline",
    report="core.agents.attribution_engine.report",
    label=_label,
    steps=("Read rows", "Fit market models", "Find moves", "Match events", "Write result"),
    examples=EXAMPLES,
    lane="computing",
    reads_evidence=True,
    body_limit=8 * MEGABYTE,
)
