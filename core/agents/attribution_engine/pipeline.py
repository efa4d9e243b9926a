"""From daily returns and events to moves with their states."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.agents.attribution_engine.decision import Decision, find_moves
from core.agents.attribution_engine.proposing import Proposed, propose
from core.agents.attribution_engine.records import (
    STATES,
    Attribution,
    DailyRow,
    DailyTable,
    EventOutcomeRow,
    EventOutcomeTable,
    EventOutside,
    EventRef,
    EventWithoutMove,
    MoveRow,
    MoveTable,
    Narrative,
    Reaction,
    StateCounts,
    StockSummary,
    Summary,
)
from core.agents.attribution_engine.schema import (
    AttributionEngineData,
    AttributionEngineRequest,
    name_some,
)
from core.agents.attribution_engine.settings import Config, ConfigUsed, use
from core.agents.attribution_engine.stocks import (
    FEWEST_EVENTS,
    Studied,
    compare_all,
    decide_stock,
    expect_usual,
    list_reactions,
    list_stocks,
    name_second,
    say_usual,
    study_days,
    tabulate_reactions,
    warn_of_stocks,
    warn_of_strangers,
)
from core.agents.attribution_engine.wording import (
    describe_low_days,
    describe_method,
    describe_moves,
    describe_outside,
    describe_quiet,
    say_proposals,
    write_memo,
)
from core.stats.event_study import AbnormalReturns, adjust_p
from core.stats.fit import FloatArray
from core.workbench import RunContext

ROWS_A_YEAR = 252


def _tabulate_stock(studied: Studied) -> pd.DataFrame:
    returns, study, rows = studied.study.found, studied.study, studied.stock.rows
    fitted = returns.fits.n_obs > 0
    excluded = np.full(len(rows), None, dtype=object)
    excluded[~returns.keep] = "event"
    excluded[returns.outlier] = "outlier"
    excluded[~returns.series.usable] = "unusable"
    states = np.full(len(rows), None, dtype=object)
    for decision in studied.decisions:
        states[decision.move.first : decision.move.last + 1] = decision.state
    return pd.DataFrame(
        {
            "ticker": np.full(len(rows), studied.stock.ticker, dtype=object),
            "date": pd.Series([day.isoformat() for day in rows.dates], dtype=object),
            "stock": returns.series.stock,
            "market": returns.series.market,
            "sector": np.nan if returns.series.sector is None else returns.series.sector,
            "fitted": returns.fits.expected(returns.series),
            "ar": returns.ar,
            "sar": returns.sar,
            "p_value": study.p,
            "p_fdr": study.p_fdr,
            "beta": np.where(fitted, returns.fits.beta, np.nan),
            "beta_sector": _slopes_on_sector(returns),
            "sigma": returns.fits.sigma,
            "n_obs": returns.fits.n_obs,
            "excluded": excluded,
            "state": states,
        },
        columns=list(DailyRow.model_fields),
    )


def _slopes_on_sector(returns: AbnormalReturns) -> FloatArray:
    """Return every row's slope on the second factor; NaN without one."""
    fits = returns.fits
    if fits.sector is None:
        return np.full(len(fits.beta), np.nan)
    return np.where(fits.n_obs > 0, fits.sector.beta, np.nan)


def summarize(attributions: Sequence[Attribution], stocks: Sequence[Studied]) -> Summary:
    """Return the run in one glance."""
    return Summary(**_count(attributions, stocks))


def summarize_stocks(
    attributions: Sequence[Attribution], stocks: Sequence[Studied]
) -> list[StockSummary]:
    """Return every named stock in one glance, by ticker."""
    summaries = []
    for stock in stocks:
        ticker = stock.stock.ticker
        if ticker is None:
            continue
        mine = [record for record in attributions if record.ticker == ticker]
        open_moves = [record for record in mine if record.state == "unexplained"]
        worst = max(open_moves, key=lambda record: abs(record.scar), default=None)
        summaries.append(
            StockSummary(
                ticker=ticker,
                largest_unexplained=None if worst is None else worst.car,
                largest_unexplained_on=None if worst is None else worst.move_date,
                **_count(mine, [stock]),
            )
        )
    return summaries


def _count(attributions: Sequence[Attribution], stocks: Sequence[Studied]) -> dict[str, Any]:
    """Return the fields of a summary."""
    states = Counter(record.state for record in attributions)
    n_moves = len(attributions)
    explained = [
        record for record in attributions if record.state != "unexplained" and record.doubt is None
    ]
    n_alone = sum(not record.confounded for record in explained)
    n_tested = sum(int(stock.study.found.tested.sum()) for stock in stocks)
    n_usable = sum(int(stock.study.found.series.usable.sum()) for stock in stocks)
    years = n_tested / ROWS_A_YEAR
    days = [
        day
        for stock in stocks
        for day in stock.stock.rows.dates[:: max(1, len(stock.stock.rows) - 1)]
    ]
    return {
        "n_moves": n_moves,
        "states": StateCounts(**{state: states[state] for state in STATES}),
        "n_leakage_flags": sum(record.leakage_flag for record in attributions),
        "n_confounded": sum(record.confounded for record in attributions),
        "n_doubted": sum(record.doubt is not None for record in attributions),
        "share_explained": len(explained) / n_moves if n_moves else None,
        "share_explained_by_one_event": n_alone / n_moves if n_moves else None,
        "ties_by_chance": sum(
            stock.study.chances.of_any_tie(decision)
            for stock in stocks
            for decision in stock.decisions
        ),
        "n_rows": sum(len(stock.stock.rows) for stock in stocks),
        "n_usable": n_usable,
        "n_tested": n_tested,
        "tested_share": n_tested / n_usable if n_usable else 0.0,
        "stock_years": years,
        "unexplained_a_year": states["unexplained"] / years if years else None,
        "first_date": min(days, default=None),
        "last_date": max(days, default=None),
    }


_OF_EVENT = ("asset", "event_type", "relationship", "lag")
_AS_RECORDED = [name for name in MoveRow.model_fields if name in Attribution.model_fields]


def tabulate_moves(attributions: Sequence[Attribution]) -> MoveTable:
    """Return one row a move."""
    rows = [_flatten(record) for record in attributions]
    frame = pd.DataFrame(rows, columns=list(MoveRow.model_fields))
    return MoveTable("moves", frame.astype({"lag": "Int64"}))


def _flatten(record: Attribution) -> Mapping[str, object]:
    event, leakage = record.event, record.leakage
    return {
        **{name: getattr(record, name) for name in _AS_RECORDED},
        **{
            name: getattr(record, name).isoformat()
            for name in ("move_date", "start_date", "end_date")
        },
        **{name: getattr(event, name, None) for name in _OF_EVENT},
        "event_date": None if event is None else event.date.isoformat(),
        "leakage_car": None if leakage is None else leakage.car,
        "volume_ratio": None if leakage is None else leakage.volume_ratio,
        "leakage_z": None if leakage is None else leakage.z,
        "chance_of_tie": record.chance.tie,
        "chance_of_flag": record.chance.flag,
        "flag_fdr": record.chance.flag_fdr,
        "chance_note": record.chance.note,
    }


def tabulate_events(
    attributions: Sequence[Attribution],
    quiet: Sequence[EventWithoutMove],
    outside: Sequence[EventOutside],
    chances: Mapping[tuple[str | None, int], float],
) -> EventOutcomeTable:
    """Return one row an event: first those in the data by trading day, then those outside.

    `quiet`: events without one. `outside`: events outside the data. `chances`: stock and event's
    position -> share of days that react as much, where it can be tested.
    """
    rows: dict[tuple[str | None, int], Mapping[str, object]] = {}
    for record in attributions:
        for index, event in enumerate(record.events_in_window):
            outcome = record.state if index == 0 else "beside_another"
            row = _describe(event, outcome, record.move_date.isoformat(), record.car, None)
            key = (event.ticker, event.index)
            if key not in rows or (index == 0 and rows[key]["outcome"] == "beside_another"):
                rows[key] = row
    for move in quiet:
        rows[move.ticker, move.index] = _describe(
            move, move.reason, None, move.car, move.detectable_move
        )
    for late in outside:
        rows[late.ticker, late.index] = _describe(late, late.reason, None, None, None)
    ordered = sorted(
        rows.items(), key=lambda row: (row[0][0] or "", str(row[1]["row_date"] or "~"), row[0][1])
    )
    frame = pd.DataFrame([row for _, row in ordered], columns=list(EventOutcomeRow.model_fields))
    frame["chance"] = np.array([chances.get(key, np.nan) for key, _ in ordered], dtype=float)
    frame["chance_fdr"] = adjust_p(frame["chance"].to_numpy())
    return EventOutcomeTable("events", frame)


def _describe(
    event: EventRef,
    outcome: str,
    move_date: str | None,
    car: float | None,
    detectable: float | None,
) -> Mapping[str, object]:
    echoed = [name for name in EventOutcomeRow.model_fields if name in EventRef.model_fields]
    return {
        **event.model_dump(mode="json", include=set(echoed)),
        "outcome": outcome,
        "move_date": move_date,
        "car": car,
        "detectable_move": detectable,
    }


_CORE = ("own_confirmed", "own_weak", "own_excessive", "split", "bad_price")
_FEWEST_SIGNED = 3
_SHARE_AGAINST = 1 / 3


def _find_telling(studied: Sequence[Studied]) -> frozenset[int]:
    """Return the directions of event types (1, -1) that a list bears out by its own moves.

    Types tell none where moves go both ways and a third or more of at least 3 go against: they are
    then used loosely ("approval" for any decision). Bad news has few such uses: it only tells
    none where its own moves are mixed, too, or three or more go against it.
    """
    signs = [
        (match.placed.direction, match.placed.direction * decision.move.sign)
        for stock in studied
        for decision in stock.decisions
        if (match := decision.match) is not None and match.basis in _CORE
    ]
    every = [sign for _, sign in signs if sign]
    bad = [sign for direction, sign in signs if direction < 0]
    if len(every) < _FEWEST_SIGNED or not _is_mixed(every):
        return frozenset((1, -1))
    is_loose = _is_mixed(bad) or bad.count(-1) >= _FEWEST_SIGNED
    return frozenset() if is_loose else frozenset((-1,))


def _is_mixed(signs: Sequence[float]) -> bool:
    """Return whether moves go both ways and many against."""
    n_against = sum(sign < 0 for sign in signs)
    return 0 < n_against < len(signs) and n_against >= _SHARE_AGAINST * len(signs)


def warn_of_doubts(studied: Sequence[Studied], config: ConfigUsed) -> list[str]:
    """Name moves against the direction of their event, and moves far above what was expected."""
    moves = [(stock, decision) for stock in studied for decision in stock.decisions]
    against: dict[bool, list[str]] = {True: [], False: []}
    for move in moves:
        match = move[1].match
        if match is None or match.lag > config.max_lag:
            continue
        if match.placed.direction * move[1].move.sign < 0:
            kind = match.placed.event.event_type[:60].strip()
            against[match.basis == "own_against"].append(f"{_name_day(*move)} ({kind})")
    large = [
        f"{_name_day(*move)} ({move[1].ratio or 0:.0f} times)"
        for move in moves
        if move[1].doubt == "far_above_expected"
    ]
    warnings = []
    if against[True]:
        warnings.append(
            "move_against_event: a move against the usual direction of its event does not count "
            f"as explained by it: {name_some(against[True])}."
        )
    if against[False]:
        why = "config.check_direction is false"
        if config.check_direction:
            why = "the list has moves in both directions, so event types imply no direction"
        warnings.append(
            "directions_not_used: moves against the usual direction of their event count as "
            f"explained, because {why}: {name_some(against[False])}."
        )
    if large:
        warnings.append(
            f"move_far_above_expected: more than {config.overshoot_ratio:g} times the expected "
            f"move, so only partly explained: {name_some(large)}; check these returns for splits "
            "and wrong prices, and the expected moves."
        )
    return warnings


def _name_day(stock: Studied, decision: Decision) -> str:
    """Return the day of a move, behind its stock where there are several."""
    day = stock.stock.rows.dates[decision.move.peak]
    return f"{stock.stock.ticker} {day}" if stock.stock.ticker else str(day)


def run(request: AttributionEngineRequest, context: RunContext) -> AttributionEngineData:
    """Run the agent."""
    config = use(request.config, request.unexplained_window)
    stocks = list_stocks(request, config)
    n_rows = sum(len(stock.rows) for stock in stocks)
    n_events = sum(len(stock.events.inside) for stock in stocks)
    context.progress("Read rows", 1, 1, f"{n_rows} trading days, {n_events} events")
    studies = []
    for index, stock in enumerate(stocks, start=1):
        studies.append(study_days(stock.rows, stock.events, config))
        note = f"{int(studies[-1].found.tested.sum())} days tested"
        context.progress("Fit market models", index, len(stocks), note)
    pairs = list(zip(stocks, studies, strict=True))
    reacted = list_reactions(pairs, config)
    if config.usual_moves:
        stocks = [expect_usual(stock, reacted) for stock in stocks]
    moves = [find_moves(study.found, config) for study in studies]
    context.progress("Find moves", 1, 1, f"{sum(len(move.moves) for move in moves)} moves")
    every = list(zip(stocks, studies, moves, strict=True))
    studied = [decide_stock(*arguments, config, frozenset()) for arguments in every]
    telling = _find_telling(studied) if config.check_direction else frozenset[int]()
    inside = [event for stock in stocks for event in stock.events.inside]
    if telling and any(event.direction for event in inside):
        studied = [decide_stock(*arguments, config, telling) for arguments in every]
    n_matched = sum(bool(d.matches) for stock in studied for d in stock.decisions)
    context.progress("Match events", 1, 1, f"{n_matched} matched")
    proposed = propose(request, studied, config, context)
    reactions = tabulate_reactions(reacted, pairs, config)
    doubts = warn_of_doubts(studied, config)
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
    low_days = [day for stock in stocks for day in describe_low_days(stock, config)]
    quiet = [event for stock in stocks for event in describe_quiet(stock, config)]
    outside = [event for stock in stocks for event in describe_outside(stock.stock.events)]
    summary = summarize(attributions, stocks)
    chances = {k: v for stock in stocks for k, v in stock.study.chances.of_reactions().items()}
    moved = {
        (match.placed.ticker, match.placed.index)
        for stock in stocks
        for decision in stock.decisions
        for match in decision.matches
    }
    pairs = [(stock.study, stock.stock.events) for stock in stocks]
    frames = [_tabulate_stock(stock) for stock in stocks]
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
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
        tests=compare_all(pairs, config) if len(moved) >= FEWEST_EVENTS else [],
        below_floor=low_days,
        events_without_move=quiet,
        events_outside=outside,
        daily=DailyTable("daily", frame),
        moves=tabulate_moves(attributions),
        event_outcomes=tabulate_events(attributions, quiet, outside, chances),
        input_notes=list(request.input_notes),
        narrative=Narrative(),
        warnings=[
            *_warn_of_keys(request.config),
            *warn_of_strangers(request),
            *say_usual([stock.stock for stock in stocks]),
            *proposed.warnings,
            *warn_of_stocks([(stock.stock, stock.study) for stock in stocks]),
            *doubts,
        ],
    )


def _warn_of_keys(config: Config) -> list[str]:
    """Name settings that are not known, and the nearest known one."""
    fields = list(Config.model_fields)
    warnings = []
    for name in sorted(config.__pydantic_extra__):
        close_matches = difflib.get_close_matches(name, fields, n=1, cutoff=0.5)
        hint = (
            f"did you mean {close_matches[0]}?"
            if close_matches
            else f"known are {', '.join(fields)}"
        )
        shown = " ".join(name.split())[:40]
        warnings.append(f"unknown_config_key: {shown!r} is no setting and was ignored; {hint}.")
    return warnings
