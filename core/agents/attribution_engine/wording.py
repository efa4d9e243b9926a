"""Notes on moves, in plain words.

A drift before an event is called a pattern to check. No sentence says or hints that anybody did
anything: most drifts have public causes.

Records of moves and events from what was decided.
"""

from collections.abc import Sequence
from typing import Any

from core.agents.attribution_engine.decision import (
    Chances,
    Decision,
    Drift,
    Match,
    adjust_flags,
    chance_of_flag,
    core_rows,
    is_flagged,
    nearest_event,
)
from core.agents.attribution_engine.places import PlacedEvent, PlacedEvents, TradingRows
from core.agents.attribution_engine.records import (
    Attribution,
    BelowFloor,
    Chance,
    EventOutside,
    EventWithoutMove,
    FollowingEvent,
    Leakage,
    MatchedEvent,
    Proposal,
    Sensitivity,
    Summary,
)
from core.agents.attribution_engine.schema import name_some
from core.agents.attribution_engine.settings import ConfigUsed
from core.agents.attribution_engine.stocks import Studied, Study, explain_untested
from core.stats.event_study import detectable_move, sum_abnormal
from core.stats.event_study_variants import empirical_p, fit_other_slopes

_WORDS = {
    "confirmed": "explained by a confirmed event of its own",
    "read_through": "a read-through from an event of others",
    "partial": "partly explained or in doubt",
    "unexplained": "unexplained",
}


def write_memo(
    attributions: Sequence[Attribution],
    below_floor: Sequence[BelowFloor],
    quiet: Sequence[EventWithoutMove],
    outside: Sequence[EventOutside],
    summary: Summary,
    config: ConfigUsed,
) -> list[str]:
    """Write the memo's sentences, the main finding first."""
    sentences = []
    seen = [event.detectable_move for event in quiet if event.detectable_move is not None]
    if seen:
        span = " to ".join(dict.fromkeys((size(min(seen)), size(max(seen)))))
        sentences.append(
            f"{count(len(seen), 'event')} had no reported move; a one-day move of {span} would "
            "have been seen there with 80 % power."
        )
    n_early = sum(event.reason == "not_testable" for event in quiet)
    if n_early:
        sentences.append(
            f"{count(n_early, 'event')} could not be tested: a day of the event has no usable "
            "return, or too few days come before."
        )
    if below_floor:
        sentences.append(
            f"{count(len(below_floor), 'day')} stood out statistically but stayed under the "
            f"floor of {size(config.min_abs_move)}; they are listed, not reported as moves."
        )
    if outside:
        sentences.append(f"{count(len(outside), 'event')} lay outside the dates of the returns.")
    return [
        *_count_moves(attributions, summary, config),
        *_name_largest(attributions),
        *_name_unexplained(attributions, summary),
        *_name_flags(attributions),
        *_name_chance(summary),
        *_name_shared(summary),
        *sentences,
    ]


def _count_moves(
    attributions: Sequence[Attribution], summary: Summary, config: ConfigUsed
) -> list[str]:
    """Say how many moves there are, by state."""
    if summary.n_tested == 0:
        return ["No day could be tested: the returns are too few for a market model."]
    limits = f"{size(config.min_abs_move)} beyond the benchmark and {config.sig_z:g} deviations"
    tested = (
        f"{summary.n_tested:,} of {summary.n_usable:,} usable days were tested "
        f"({summary.stock_years:.1f} stock-years)"
    )
    if not attributions:
        return [f"No day reached both limits ({limits}); {tested}."]
    counts = summary.states.model_dump()
    parts = [f"{number} {_WORDS[state]}" for state, number in counts.items() if number]
    moves = count(summary.n_moves, "move")
    return [f"{moves} reached both limits ({limits}): {', '.join(parts)}; {tested}."]


def _day(record: Attribution) -> str:
    """Return a move's day, behind its stock where there are several."""
    return f"{record.ticker} {record.move_date}" if record.ticker else str(record.move_date)


def _name_largest(attributions: Sequence[Attribution]) -> list[str]:
    """Tell of the largest move."""
    if not attributions:
        return []
    largest = max(attributions, key=lambda record: abs(record.car))
    return [f"The largest move is {percent(largest.car)} on {_day(largest)}. {largest.note}"]


def _name_unexplained(attributions: Sequence[Attribution], summary: Summary) -> list[str]:
    """List the days without an event, and how usual so many are."""
    open_moves = [record for record in attributions if record.state == "unexplained"]
    if not open_moves:
        return []
    if len({record.ticker for record in attributions}) > 1:
        open_moves.sort(key=lambda record: -abs(record.scar))  # of many stocks the largest first
    named = name_some([f"{_day(record)} ({percent(record.car)})" for record in open_moves], 8)
    rate = f"{summary.unexplained_a_year or 0:.1f} a stock-year"
    return [
        f"Moves that no event in the list explains ({rate}): {named}. An event that is "
        "missing from the list, such as earnings, looks the same; at the default limits 5 to 9 a "
        "year are usual for a biotech stock when only its catalysts are listed."
    ]


def _name_flags(attributions: Sequence[Attribution]) -> list[str]:
    """Name the patterns to check."""
    flagged = [record for record in attributions if record.leakage_flag]
    if not flagged:
        return []
    days = name_some([_day(record) for record in flagged], 8)
    return [
        f"{count(len(flagged), 'move')} came with a pattern to check (drift in the same direction "
        f"before the event, or a move shortly before one): {days}. Public news, sector "
        "drift and chance produce such patterns too; a flag is a reason to check and no finding."
    ]


def _name_chance(summary: Summary) -> list[str]:
    """Say how many ties the list would make by chance."""
    n_tied = summary.n_moves - summary.states.unexplained
    if not n_tied:
        return []
    by_chance = summary.ties_by_chance
    return [
        f"{count(n_tied, 'move')} {'is' if n_tied == 1 else 'are'} tied to an event; the same "
        f"events on any dates of the stock would tie {by_chance:.1f} "
        f"({share(by_chance / summary.n_moves)} of all moves) by chance."
    ]


def say_proposals(proposals: Sequence[Proposal], summary: Summary) -> list[str]:
    """Say how many unexplained moves have a dated record beside them, and the least likely one."""
    if not proposals:
        return []
    moves = {(proposal.ticker, proposal.move_date) for proposal in proposals}
    best = min(proposals, key=lambda proposal: proposal.chance)
    return [
        f"{count(len(moves), 'unexplained move')} of {summary.states.unexplained} "
        f"{'has' if len(moves) == 1 else 'have'} a dated event in the evidence on its days or "
        "just before; nothing of it is counted as explained. The least likely by chance "
        f"({share(best.chance)}): {best.note}"
    ]


def _name_shared(summary: Summary) -> list[str]:
    """Say how many moves have more than one event."""
    if not summary.n_confounded:
        return []
    return [
        f"{count(summary.n_confounded, 'move')} had several events in the window, so that their "
        "cause is not settled; they are counted apart in the share explained."
    ]


_LONGEST = 120
_TO_CHECK = "a pattern to check, which often has public causes"


def percent(value: float) -> str:
    """Return a fraction as a signed percentage.

    >>> percent(0.1234), percent(-0.05)
    ('+12.3 %', '-5.0 %')
    """
    return f"{100 * value:+.1f} %"


def size(value: float) -> str:
    """Return a fraction as a percentage without sign."""
    return f"{100 * abs(value):.1f} %"


def share(value: float) -> str:
    """Return a share as a percentage.

    >>> share(0.1234), share(0.0004)
    ('12 %', 'under 0.1 %')
    """
    if value < 0.001:
        return "under 0.1 %"
    return f"{100 * value:.1f} %" if value < 0.095 else f"{100 * value:.0f} %"


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "row"), count(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def name_event(placed: PlacedEvent) -> str:
    """Name an event by what happened, to what, when, and whose it is."""
    event = placed.event
    words = " ".join(f"{event.event_type} of {event.asset}".split())
    short = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    sure = "confirmed" if event.confirmed else "not confirmed"
    whose = "own" if placed.is_own else " ".join(event.relationship.split())[:40]
    return f"{short} on {event.date} ({whose}, {sure})"


def write_note(decision: Decision, drift: Drift | None, config: ConfigUsed) -> str:
    """Write the note of a move: one sentence."""
    match = decision.match
    clauses = _explain(decision, match, config) if match else _leave_open(decision, config)
    if len(decision.matches) > 1:
        others = len(decision.matches) - 1
        second = name_event(decision.matches[1].placed)
        more = f" and {count(others - 1, 'more event')}" if others > 1 else ""
        clauses.append(f"also in the window: {second}{more}, so the cause is not alone")
    if drift is not None and drift.is_flagged:
        days = count(drift.size.n_days, "trading day")
        clauses.append(
            f"{percent(drift.size.car)} beyond the benchmark over {days} before the event "
            f"(z {drift.size.scar:.1f}), {_TO_CHECK}"
        )
    return "; ".join(clauses) + "."


def _explain(decision: Decision, match: Match, config: ConfigUsed) -> list[str]:
    move = percent(decision.move.size.car)
    return [
        f"{_OPENINGS[match.basis]} {name_event(match.placed)}, {_say_lag(match)}",
        *_say_size(decision, match, move, config),
    ]


_OPENINGS = {
    "own_confirmed": "Explained by",
    "other_confirmed": "Read-through from",
    "own_weak": "Partly explained by",
    "own_against": "Against the usual direction of",
    "split": "Perhaps an unadjusted split, or explained by",
    "bad_price": "Perhaps a wrong price, or explained by",
    "own_excessive": "Far larger than expected from",
    "other_excessive": "Far larger than expected from",
    "own_unconfirmed": "Only an unconfirmed own event is near:",
    "other_unconfirmed": "Only an unconfirmed event of others is near:",
    "late": "Late after",
}


def _say_lag(match: Match) -> str:
    """Say when the move came, counted from the first trading day of the news."""
    lag, placed = match.lag, match.placed
    day = f"its trading day {placed.row_on}" if placed.row_on != placed.event.date else "that day"
    if lag == 0:
        return f"on {day}"
    if lag > 0:
        return f"{count(lag, 'trading day')} after {day}"
    return f"beginning {count(-lag, 'trading day')} before {day}"


def _say_size(decision: Decision, match: Match, move: str, config: ConfigUsed) -> list[str]:
    """Set the expected beside the realized move."""
    expected, ratio = match.placed.expected, decision.ratio
    if expected is None or ratio is None:
        return [f"moved {move} with no expected move given"]
    size_text = f"moved {move} where {size(expected)} was expected ({ratio:.2f} times)"
    if match.basis == "own_weak":
        return [f"{size_text}, less than {config.partial_ratio:g} times"]
    if match.basis in ("own_excessive", "other_excessive"):
        return [
            f"{size_text}, more than {config.overshoot_ratio:g} times; check the return for a "
            "split or a wrong price, and the expected move"
        ]
    if match.basis == "own_against":
        return [size_text]
    return (
        [f"{size_text}, an overshoot of {size(abs(decision.residual))}"]
        if ratio > 1
        else [size_text]
    )


_SUSPECTED = {
    "split": "an unadjusted split",
    "level": "a change of currency or adjustment",
    "bad_price": "a wrong price",
}


def _leave_open(decision: Decision, config: ConfigUsed) -> list[str]:
    move = percent(decision.move.size.car)
    clauses = [
        f"Moved {move} with no event on its days or in the "
        f"{count(config.unexplained_window, 'trading day')} before"
    ]
    if decision.odd is not None:
        clauses.append(f"the return may be {_SUSPECTED[decision.odd.reason]}; check the prices")
    following = decision.following
    if following is not None and following.row is not None:
        rows = following.row - decision.move.last
        check = f", {_TO_CHECK}" if following.is_own else ""
        clauses.append(
            f"precedes {name_event(following)} by {count(rows, 'row')}{check}; an event "
            "after a move does not explain it"
        )
    return clauses


def say_chance(
    decision: Decision,
    tie: float,
    flag: float | None,
    flag_fdr: float | None,
    volume: tuple[float | None, float | None],
) -> str:
    """Say how often chance alone would have made the tie, and what a flag rests on."""
    if decision.match is not None:
        text = f"chance match with random dates {share(tie)}"
    else:
        text = f"chance match of any event with random dates {share(tie)}"
    ratio, often = volume
    if ratio is not None and often is not None:
        rise = f"volume before it was {ratio:.1f} times the usual"
        text += f"; {rise}, as before {share(often)} of its days"
    if flag is None:
        return f"Chance: {text}."
    if decision.match is not None and flag >= 1:
        return f"Chance: {text}; no drift in its direction before the event."
    what = "so much drift" if decision.match is not None else "so near an own event"
    over = "" if flag_fdr is None else f", {share(flag_fdr)} over the list"
    return f"Chance: {text}; {what} on {share(flag)} of its days{over}."


def describe_method(config: ConfigUsed, benchmark: str, second: str | None = None) -> str:
    """Describe the method with the numbers used."""
    kept_out = {
        "events_and_outliers": "rows 0 and +1 of every event and past rows with abs(SAR) over "
        f"{config.outlier_z:g} are excluded from estimation (at most 3 fits)",
        "events": "rows 0 and +1 of every event are excluded from estimation",
        "none": "no row is excluded from estimation",
    }[config.exclusion]
    label = " ".join(benchmark.split())
    against = ""
    if config.check_direction:
        against = (
            ", as it is for a move against the usual direction of an own event's type unless the "
            "moves of the list go both ways"
        )
    follows = {
        "constant": "",
        "ewma": " Its variance follows the days before by weights that decay by .94.",
        "garch": " Its variance follows the days before by GARCH(1,1), fitted to the series.",
    }[config.variance]
    beside, model = "", "alpha + beta M + e"
    if second is not None:
        beside = f" and {' '.join(second.split())} as a second factor"
        model = "alpha + beta M + gamma S + e"
    return (
        f"Sector beta-adjusted market model against {label}{beside}, with expected-move residual "
        f"and economic magnitude floor. R = {model} is fitted by least squares for every "
        f"day to {config.estimation_window} rows ending {config.gap} rows before it (at least "
        f"{config.min_obs} usable); {kept_out}.{follows} A day moves when its standardized "
        f"abnormal return reaches {config.sig_z:g} and its abnormal return reaches the floor of "
        f"{size(config.min_abs_move)}; neighboring days of one sign are one move, whose CAR has "
        "the exact variance of a window. An event meets a move on its event row or up to "
        f"{count(config.max_lag, 'row')} later, and late up to "
        f"{count(config.unexplained_window, 'row')}; below {config.partial_ratio:g} of the "
        f"expected move, and above {config.overshoot_ratio:g} times an event's own one, the state "
        f"is partial{against}. Leakage check: the CAR of rows "
        f"-{config.leakage_window} to -2 before the event row by both limits in the move's "
        "direction, or an unexplained move before an own event as close as at most "
        f"{share(config.flag_chance)} of the stock's days without an event come; a flag is a "
        "pattern to check, never a finding about anybody. Chances are shares of the stock's own "
        "days: of ties for the events of the list on any dates, adjusted over the list by "
        "Benjamini-Hochberg for flags and reactions. Times of announcement are read by the clock "
        "of the stock's exchange and the close of each of its days, half days included "
        f"({config.exchange} where a ticker names none)."
    )


def _refer(placed: PlacedEvent) -> dict[str, Any]:
    """Return the fields of an event as every record of one carries them."""
    event = placed.event
    named = {} if event.ticker is None else {"ticker": event.ticker}
    return {
        "index": placed.index,
        "ticker": placed.ticker,
        "date": event.date,
        "row_date": placed.row_on,
        "last_close_on": placed.last_close_on,
        "asset": event.asset,
        "event_type": event.event_type,
        "relationship": event.relationship,
        "is_own": placed.is_own,
        "confirmed": event.confirmed,
        "expected_abs_move": placed.expected,
        "usual_direction": {1: "up", -1: "down"}.get(placed.direction),
        "session": placed.session,
        "source": event.source,
        "other": {**named, **event.__pydantic_extra__},
    }


def _describe_match(match: Match) -> MatchedEvent:
    return MatchedEvent(lag=match.lag, **_refer(match.placed))


def describe_moves(stocks: Sequence[Studied], config: ConfigUsed) -> list[Attribution]:
    """Return one record a move, by stock and date."""
    every = [_describe_chances(stock) for stock in stocks]
    adjusted = iter(adjust_flags([flag for flags in every for _, flag in flags]))
    records = []
    for studied, chances in zip(stocks, every, strict=True):
        beside = [
            Chance(
                tie=tie,
                flag=flag,
                flag_fdr=fdr,
                note=say_chance(decision, tie, flag, fdr, _rise(decision, studied.study)),
            )
            for decision, (tie, flag), fdr in zip(
                studied.decisions, chances, adjusted, strict=False
            )
        ]
        records += _describe_stock(studied, beside, config)
    return records


def _describe_stock(
    studied: Studied, chances: Sequence[Chance], config: ConfigUsed
) -> list[Attribution]:
    """Return the records of one stock."""
    returns = studied.study.found
    slopes = fit_other_slopes(returns, [decision.move.first for decision in studied.decisions])
    tails = empirical_p(returns, [decision.move.peak for decision in studied.decisions])
    figures = zip(chances, slopes.huber.tolist(), slopes.dimson.tolist(), tails, strict=True)
    return [
        _describe_move(decision, drift, studied, config, beside)
        for decision, drift, beside in zip(studied.decisions, studied.drifts, figures, strict=True)
    ]


def _describe_chances(studied: Studied) -> list[tuple[float, float | None]]:
    """Return the chance of every move's tie, and of what its flag rests on."""
    chances = studied.study.chances
    return [
        (chances.of_tie(decision), chance_of_flag(decision, drift, chances))
        for decision, drift in zip(studied.decisions, studied.drifts, strict=True)
    ]


def _describe_move(
    decision: Decision,
    drift: Drift | None,
    studied: Studied,
    config: ConfigUsed,
    figures: tuple[Chance, float, float, float],
) -> Attribution:
    chance, huber, dimson, tail = figures
    study, rows = studied.study, studied.stock.rows
    move, match, returns = decision.move, decision.match, study.found
    fits = returns.fits
    return Attribution(
        ticker=studied.stock.ticker,
        move_date=rows.dates[move.peak],
        state=decision.state,
        car=move.size.car,
        scar=move.size.scar,
        residual=decision.residual,
        leakage_flag=is_flagged(decision, drift, study.chances, config),
        note=write_note(decision, drift, config),
        start_date=rows.dates[move.first],
        end_date=rows.dates[move.last],
        n_days=move.size.n_days,
        ar=float(returns.ar[move.peak]),
        sar=float(returns.sar[move.peak]),
        p_value=float(study.p[move.peak]),
        p_empirical=float(tail),
        p_fdr=float(study.p_fdr[move.peak]),
        event=None if match is None else _describe_match(match),
        events_in_window=[_describe_match(other) for other in decision.matches],
        doubt=decision.doubt,
        confounded=len(decision.matches) > 1,
        precedes=_describe_following(decision, study.chances),
        expected_abs_move=None if match is None else match.placed.expected,
        ratio=decision.ratio,
        alpha=float(fits.alpha[move.first]),
        beta=float(fits.beta[move.first]),
        beta_sector=None if fits.sector is None else float(fits.sector.beta[move.first]),
        sigma=float(fits.sigma[move.first]),
        n_obs=int(fits.n_obs[move.first]),
        model="sector_beta" if study.short[move.first] else "market_model",
        leakage=None if drift is None else _describe_drift(drift, decision, study, rows),
        chance=chance,
        sensitivity=Sensitivity(
            beta_huber=_known(huber),
            beta_dimson=_known(dimson),
            sigma_with_outliers=_known(float(returns.sigma_with_outliers[move.first])),
        ),
    )


def _known(value: float | None) -> float | None:
    """Return a number, or None for none (NaN differs from itself)."""
    return value if value is not None and value == value else None  # noqa: PLR0124


def _describe_following(decision: Decision, chances: Chances) -> FollowingEvent | None:
    following = decision.following
    if following is None or following.row is None:
        return None
    last = decision.move.last
    chance = chances.of_preceding(last, following)
    return FollowingEvent(rows_after=following.row - last, chance=chance, **_refer(following))


def _rise(decision: Decision, study: Study) -> tuple[float | None, float | None]:
    """Return how far volume rose before a move's event, and how usual that is."""
    row = decision.match.placed.row if decision.match else None
    return (None, None) if row is None else study.chances.of_volume(row)


def _describe_drift(drift: Drift, decision: Decision, study: Study, rows: TradingRows) -> Leakage:
    ratio, chance = _rise(decision, study)
    return Leakage(
        volume_ratio=ratio,
        volume_chance=chance,
        car=drift.size.car,
        z=drift.size.scar,
        n_days=drift.size.n_days,
        from_date=rows.dates[drift.first],
        to_date=rows.dates[drift.last],
    )


def describe_low_days(studied: Studied, config: ConfigUsed) -> list[BelowFloor]:
    """Return the significant days of a stock under the floor, by date."""
    records = []
    study, rows, events = studied.study, studied.stock.rows, studied.stock.events
    for row in studied.moves.below_floor.tolist():
        event = nearest_event(row, events, config)
        lag = 0 if event is None or event.row is None else row - event.row
        records.append(
            BelowFloor(
                ticker=studied.stock.ticker,
                date=rows.dates[row],
                ar=float(study.found.ar[row]),
                sar=float(study.found.sar[row]),
                p_value=float(study.p[row]),
                event=None if event is None else MatchedEvent(lag=lag, **_refer(event)),
            )
        )
    return records


def describe_quiet(studied: Studied, config: ConfigUsed) -> list[EventWithoutMove]:
    """Return the events in the data to which no move of a stock is tied, by row."""
    decisions, returns = studied.decisions, studied.study.found
    tied = {match.placed.index for decision in decisions for match in decision.matches}
    low = set(studied.moves.below_floor.tolist())
    records = []
    for placed in studied.stock.events.inside:
        if placed.index in tied or placed.row is None:
            continue
        rows = core_rows(placed, len(returns.ar), config)
        # An event whose session is known reacts on its row; another may on any core row.
        needed = rows if placed.session is None else rows[:1]
        detail = explain_untested(studied.stock, studied.study, placed, needed)
        if detail:
            nothing = {"car": None, "scar": None, "detectable_move": None}
            records.append(
                EventWithoutMove(reason="not_testable", detail=detail, **nothing, **_refer(placed))
            )
            continue
        size = sum_abnormal(returns, placed.row, list(rows))
        limits = {"sig_z": config.sig_z, "min_abs_move": config.min_abs_move}
        records.append(
            EventWithoutMove(
                reason="no_reaction" if low.isdisjoint(rows) else "below_floor",
                detail="",
                car=size.car,
                scar=size.scar,
                detectable_move=detectable_move(returns, placed.row, **limits),
                **_refer(placed),
            )
        )
    return records


def describe_outside(events: PlacedEvents) -> list[EventOutside]:
    """Return the events outside the data."""
    return [
        EventOutside(reason=event.outside, **_refer(event))
        for event in events.outside
        if event.outside is not None
    ]
