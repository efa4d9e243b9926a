"""Classify beta-adjusted stock moves around biotech events."""

from core.agent import MEGABYTE, Agent, Compared
from core.agents.attribution_engine.examples import EXAMPLES
from core.agents.attribution_engine.schema import (
    AttributionEngineData,
    AttributionEngineRequest,
    label_request,
)

AGENT = Agent(
    compared=Compared("moves", "move_date", ("state", "event_type", "asset")),
    name="attribution-engine",
    title="Attribution engine",
    summary="Attribute abnormal stock moves to dated events, find unexplained moves, and test "
    "for drift before the news.",
    icon="query_stats",
    group="Data",
    request=AttributionEngineRequest,
    data=AttributionEngineData,
    pipeline="core.agents.attribution_engine.pipeline",
    report="core.agents.attribution_engine.report",
    label=label_request,
    steps=("Read rows", "Fit market models", "Find moves", "Match events", "Write result"),
    examples=EXAMPLES,
    lane="computing",
    reads_evidence=True,
    body_limit=8 * MEGABYTE,
)
