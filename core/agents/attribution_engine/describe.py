"""Records of moves and events from what was decided."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from core.agents.attribution_engine.chances import (
    Chances,
    Drift,
    adjust_flags,
    chance_of_flag,
    is_flagged,
)
from core.agents.attribution_engine.decision import Decision, Match, find_quiet, nearest_event
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
    Sensitivity,
)
from core.agents.attribution_engine.settings import ConfigUsed
from core.agents.attribution_engine.stocks import Studied, Study, explain_untested
from core.agents.attribution_engine.wording import say_chance, write_note
from core.stats.event_study_variants import empirical_p, fit_other_slopes


def _refer(placed: PlacedEvent) -> dict[str, Any]:
    """Return the fields of an event as every record of one carries them."""
    event = placed.event
    named = {} if event.ticker is None else {"ticker": event.ticker}
    return {
        "index": placed.index,
        "ticker": placed.ticker,
        "date": event.date,
        "row_date": placed.row_on,
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
        _describe_move(decision, drift, studied, config, _Figures(*beside))
        for decision, drift, beside in zip(studied.decisions, studied.drifts, figures, strict=True)
    ]


class _Figures(NamedTuple):
    """What is computed for all moves at once."""

    chance: Chance
    huber: float
    dimson: float
    tail: float


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
    figures: _Figures,
) -> Attribution:
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
        p_empirical=float(figures.tail),
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
        chance=figures.chance,
        sensitivity=Sensitivity(
            beta_huber=_known(figures.huber),
            beta_dimson=_known(figures.dimson),
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
    """Return the events of a stock to which no move is tied."""
    explain = partial(explain_untested, studied.stock, studied.study)
    quiet = find_quiet(
        studied.decisions, studied.moves, studied.stock.events, studied.study.found, explain, config
    )
    return [
        EventWithoutMove(
            reason=event.reason,
            detail=event.detail,
            car=None if event.size is None else event.size.car,
            scar=None if event.size is None else event.size.scar,
            detectable_move=event.detectable,
            **_refer(event.placed),
        )
        for event in quiet
    ]


def describe_outside(events: PlacedEvents) -> list[EventOutside]:
    """Return the events outside the data."""
    return [
        EventOutside(reason=event.outside, **_refer(event))
        for event in events.outside
        if event.outside is not None
    ]
