"""From daily returns and events to moves with their states."""

import difflib

from core.agents.attribution_engine.daily import summarize, tabulate
from core.agents.attribution_engine.decision import Decision, decide
from core.agents.attribution_engine.describe import (
    describe_low_days,
    describe_moves,
    describe_outside,
    describe_quiet,
)
from core.agents.attribution_engine.leakage import check_drift
from core.agents.attribution_engine.memo import write_memo
from core.agents.attribution_engine.moves import Moves, find_moves
from core.agents.attribution_engine.places import PlacedEvents, place_events
from core.agents.attribution_engine.records import Narrative, SampleTest
from core.agents.attribution_engine.rows import TradingRows, read_rows
from core.agents.attribution_engine.schema import AttributionEngineData, AttributionEngineRequest
from core.agents.attribution_engine.settings import Config, ConfigUsed, use
from core.agents.attribution_engine.silence import find_quiet
from core.agents.attribution_engine.study import FEWEST_EVENTS, Study, compare_all, study_days
from core.agents.attribution_engine.tables import tabulate_events, tabulate_moves
from core.agents.attribution_engine.wording import describe_method
from core.workbench import RunContext


def run(request: AttributionEngineRequest, context: RunContext) -> AttributionEngineData:
    """Run the agent.

    Args:
        request: The validated request.
        context: Progress of the run.
    """
    config = use(request.config, request.unexplained_window)
    rows = read_rows(request.returns)
    events = place_events(request.events, rows)
    context.progress("Read rows", 1, 1, f"{len(rows)} trading days, {len(events.inside)} events")
    study = study_days(rows, events, config)
    context.progress("Fit market models", 1, 1, f"{int(study.found.tested.sum())} days tested")
    moves = find_moves(study.found, config)
    context.progress("Find moves", 1, 1, f"{len(moves.moves)} moves")
    decisions = [decide(move, events, config) for move in moves.moves]
    context.progress("Match events", 1, 1, f"{sum(bool(d.matches) for d in decisions)} matched")
    data = _assemble(request, rows, events, study, moves, decisions)
    context.progress("Write result", 1, 1, f"{len(data.warnings)} warnings")
    return data


def _assemble(
    request: AttributionEngineRequest,
    rows: TradingRows,
    events: PlacedEvents,
    study: Study,
    moves: Moves,
    decisions: list[Decision],
) -> AttributionEngineData:
    """Check for drift and put the answer together."""
    config = use(request.config, request.unexplained_window)
    drifts = [check_drift(one, study.found, study.near_event, config) for one in decisions]
    attributions = describe_moves(decisions, drifts, study, rows, config)
    low_days = describe_low_days(moves, events, study, rows, config)
    quiet = describe_quiet(find_quiet(decisions, moves, events, study.found, config))
    outside = describe_outside(events)
    summary = summarize(attributions, decisions, rows, study)
    return AttributionEngineData(
        attributions=attributions,
        benchmark=request.benchmark,
        config=config,
        method=describe_method(config, request.benchmark),
        unexplained=[record for record in attributions if record.state == "unexplained"],
        summary=summary,
        memo=write_memo(attributions, low_days, quiet, outside, summary, config),
        tests=_test(decisions, study, events, config),
        below_floor=low_days,
        events_without_move=quiet,
        events_outside=outside,
        daily=tabulate(rows, study, decisions),
        moves=tabulate_moves(attributions),
        event_outcomes=tabulate_events(attributions, quiet, outside, study.chances.of_reactions()),
        input_notes=list(request.input_notes),
        narrative=Narrative(),
        warnings=[
            *_warn_of_keys(request.config),
            *rows.warnings,
            *events.warnings,
            *study.warnings,
        ],
    )


def _test(
    decisions: list[Decision], study: Study, events: PlacedEvents, config: ConfigUsed
) -> list[SampleTest]:
    """Test all events together when at least five of them have a move."""
    moved = {match.placed.index for decision in decisions for match in decision.matches}
    return compare_all(study, events, config) if len(moved) >= FEWEST_EVENTS else []


def _warn_of_keys(config: Config) -> list[str]:
    """Name settings that are not known, and the nearest known one."""
    known = list(Config.model_fields)
    warnings = []
    for name in sorted(config.__pydantic_extra__):
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        shown = " ".join(name.split())[:40]
        warnings.append(f"unknown_config_key: {shown!r} is no setting and was ignored; {hint}.")
    return warnings
