"""From daily returns and events to moves with their states."""

import difflib
from collections.abc import Sequence

from core.agents.attribution_engine.daily import summarize, summarize_stocks, tabulate
from core.agents.attribution_engine.describe import (
    describe_low_days,
    describe_moves,
    describe_outside,
    describe_quiet,
)
from core.agents.attribution_engine.doubts import warn_of_doubts, weigh_directions
from core.agents.attribution_engine.memo import say_proposals, write_memo
from core.agents.attribution_engine.proposing import Proposed, propose
from core.agents.attribution_engine.reactions import (
    expect_usual,
    list_reactions,
    say_usual,
    tabulate_reactions,
)
from core.agents.attribution_engine.records import Narrative, Reaction, SampleTest
from core.agents.attribution_engine.schema import AttributionEngineData, AttributionEngineRequest
from core.agents.attribution_engine.settings import Config, ConfigUsed, use
from core.agents.attribution_engine.stocks import (
    Studied,
    decide_stock,
    find_stock_moves,
    list_stocks,
    name_second,
    study_stock,
    warn_of_stocks,
    warn_of_strangers,
)
from core.agents.attribution_engine.study import FEWEST_EVENTS, compare_all
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
    stocks = list_stocks(request, config)
    n_rows = sum(len(one.rows) for one in stocks)
    n_events = sum(len(one.events.inside) for one in stocks)
    context.progress("Read rows", 1, 1, f"{n_rows} trading days, {n_events} events")
    studies = []
    for place, stock in enumerate(stocks, start=1):
        studies.append(study_stock(stock, config))
        note = f"{int(studies[-1].found.tested.sum())} days tested"
        context.progress("Fit market models", place, len(stocks), note)
    pairs = list(zip(stocks, studies, strict=True))
    reacted = list_reactions(pairs, config)
    if config.usual_moves:
        stocks = [expect_usual(stock, reacted) for stock in stocks]
    moves = [find_stock_moves(study, config) for study in studies]
    context.progress("Find moves", 1, 1, f"{sum(len(one.moves) for one in moves)} moves")
    every = list(zip(stocks, studies, moves, strict=True))
    studied = [decide_stock(*one, config, uses_directions=False) for one in every]
    directions = weigh_directions(studied)
    if config.check_direction and directions.is_consistent:
        studied = [decide_stock(*one, config, uses_directions=True) for one in every]
    n_matched = sum(bool(d.matches) for one in studied for d in one.decisions)
    context.progress("Match events", 1, 1, f"{n_matched} matched")
    proposed = propose(request, studied, config, context)
    reactions = tabulate_reactions(reacted, pairs, config)
    doubts = warn_of_doubts(studied, directions, config)
    data = _assemble(request, studied, config, (proposed, reactions), doubts)
    context.progress("Write result", 1, 1, f"{len(data.warnings)} warnings")
    return data


def _assemble(
    request: AttributionEngineRequest,
    stocks: list[Studied],
    config: ConfigUsed,
    beside: tuple[Proposed, list[Reaction]],
    doubts: Sequence[str],
) -> AttributionEngineData:
    """Put the answer together."""
    proposed, reactions = beside
    second = name_second(request, stocks)
    attributions = describe_moves(stocks, config)
    low_days = [day for one in stocks for day in describe_low_days(one, config)]
    quiet = [event for one in stocks for event in describe_quiet(one, config)]
    outside = [event for one in stocks for event in describe_outside(one.stock.events)]
    summary = summarize(attributions, stocks)
    chances = {k: v for one in stocks for k, v in one.study.chances.of_reactions().items()}
    return AttributionEngineData(
        attributions=attributions,
        benchmark=request.benchmark,
        config=config,
        second_benchmark=second,
        method=describe_method(config, request.benchmark, second),
        unexplained=[record for record in attributions if record.state == "unexplained"],
        summary=summary,
        stocks=summarize_stocks(attributions, stocks),
        memo=[
            *write_memo(attributions, low_days, quiet, outside, summary, config),
            *say_proposals(proposed.proposals, summary),
        ],
        proposals=proposed.proposals,
        reactions=reactions,
        tests=_test(stocks, config),
        below_floor=low_days,
        events_without_move=quiet,
        events_outside=outside,
        daily=tabulate(stocks),
        moves=tabulate_moves(attributions),
        event_outcomes=tabulate_events(attributions, quiet, outside, chances),
        input_notes=list(request.input_notes),
        narrative=Narrative(),
        warnings=[
            *_warn_of_keys(request.config),
            *warn_of_strangers(request),
            *say_usual([one.stock for one in stocks]),
            *proposed.warnings,
            *warn_of_stocks([(one.stock, one.study) for one in stocks]),
            *doubts,
        ],
    )


def _test(stocks: list[Studied], config: ConfigUsed) -> list[SampleTest]:
    """Test all events together when at least five of them have a move."""
    moved = {
        (match.placed.ticker, match.placed.index)
        for one in stocks
        for decision in one.decisions
        for match in decision.matches
    }
    pairs = [(one.study, one.stock.events) for one in stocks]
    return compare_all(pairs, config) if len(moved) >= FEWEST_EVENTS else []


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
