"""Drugs that compete: how far, whose, what they showed, where there is room."""

from core.agent import Agent, Compared
from core.agents.competitive_landscaping.examples import EXAMPLES
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.vocabulary.sources import PATENT_SOURCES


def _label(request: CompetitiveLandscapingRequest) -> str:
    """Name a request by its query and indication."""
    label = " ".join(request.query.split())
    if request.indication:
        label = f"{label}, in {' '.join(request.indication.split())}"
    return "".join(sign for sign in label if sign.isprintable())[:200]


AGENT = Agent(
    compared=Compared(
        "drugs", "drug_name", ("stage", "company", "indication", "efficacy", "next_readout")
    ),
    name="competitive-landscaping",
    title="Competitive landscaping",
    summary="Compare the drugs on a target or in a disease: stage, results, next readouts, white "
    "space.",
    icon="stacked_bar_chart",
    group="Landscape and deals",
    request=CompetitiveLandscapingRequest,
    data=CompetitiveLandscapingData,
    pipeline="core.agents.competitive_landscaping.pipeline",
    report="core.agents.competitive_landscaping.report",
    label=_label,
    steps=("Parse query", "Gather drugs", "Rank", "Survey the field", "Write memo"),
    examples=EXAMPLES,
    lane="computing",
    reads_evidence=True,
    unread_sources=PATENT_SOURCES,
)
