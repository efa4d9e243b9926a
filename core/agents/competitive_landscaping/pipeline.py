"""From a query in plain words to the drugs that compete, and what that means."""

from core.agents.competitive_landscaping.assemble import assemble, survey
from core.agents.competitive_landscaping.gathering import find_drugs, understand
from core.agents.competitive_landscaping.ranking import Mode, Ranked, merge, rank
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.agents.competitive_landscaping.scope import Candidate, Scope
from core.workbench import RunContext

MODES: dict[str, tuple[Mode, ...]] = {
    "clinical": ("clinical",),
    "preclinical": ("preclinical",),
    "both": ("clinical", "preclinical"),
}


def run(request: CompetitiveLandscapingRequest, context: RunContext) -> CompetitiveLandscapingData:
    """Run the agent.

    Args:
        request: The validated request.
        context: Evidence, names, the clock and progress.
    """
    asked = understand(request, context)
    context.progress("Parse query", 1, 1, f"{len(asked.query.words)} words not understood")
    found = find_drugs(asked, request, context)
    context.progress("Gather drugs", 1, 1, f"{len(found.candidates)} drugs")
    ranked, by_mode = _rank(found.candidates, found.scope, request, context)
    context.progress("Rank", 1, 1, f"{len(ranked)} rows")
    land = survey(asked, found, ranked, by_mode, context.evidence, context.now.date())
    context.progress("Survey the field", 1, 1, f"{len(land.memo.places)} places")
    data = assemble(request, land, context)
    context.progress("Write memo", 1, 1, f"{len(data.sources)} sources")
    return data


def _rank(
    candidates: list[Candidate],
    scope: Scope,
    request: CompetitiveLandscapingRequest,
    context: RunContext,
) -> tuple[list[Ranked], dict[Mode, int]]:
    """Return the drugs by rank, merged where both modes are run, and drugs per mode."""
    lists = {
        mode: rank(candidates, scope, mode, context.now.date())
        for mode in MODES[request.query_type]
    }
    counts = {mode: len(found) for mode, found in lists.items()}
    return merge(lists.get("clinical", []), lists.get("preclinical", [])), counts
