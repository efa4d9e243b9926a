"""Records of moves and events from what was decided."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from core.agents.attribution_engine.chances import (
    Chances,
    adjust_flags,
    chance_of_flag,
    is_flagged,
)
from core.agents.attribution_engine.decision import Decision, Match
from core.agents.attribution_engine.leakage import Drift
from core.agents.attribution_engine.moves import Moves
from core.agents.attribution_engine.places import PlacedEvent, PlacedEvents
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
from core.agents.attribution_engine.rows import TradingRows
from core.agents.attribution_engine.settings import ConfigUsed
from core.agents.attribution_engine.silence import QuietEvent, nearest_event
from core.agents.attribution_engine.study import Study
from core.agents.attribution_engine.wording import say_chance, write_note
from core.stats.event_study_variants import empirical_p, fit_other_slopes


def _refer(placed: PlacedEvent) -> dict[str, Any]:
    """Return the fields of an event as every record of one carries them."""
    event = placed.event
    return {
        "index": placed.index,
        "date": event.date,
        "row_date": placed.row_on,
        "asset": event.asset,
        "event_type": event.event_type,
        "relationship": event.relationship,
        "is_own": placed.is_own,
        "confirmed": event.confirmed,
        "expected_abs_move": placed.expected,
        "session": placed.session,
        "source": event.source,
        "other": dict(event.__pydantic_extra__),
    }


def _describe_match(match: Match) -> MatchedEvent:
    return MatchedEvent(lag=match.lag, **_refer(match.placed))


def describe_moves(
    decisions: Sequence[Decision],
    drifts: Sequence[Drift | None],
    study: Study,
    rows: TradingRows,
    config: ConfigUsed,
) -> list[Attribution]:
    """Return one record a move, by date."""
    found = study.found
    slopes = fit_other_slopes(found, [decision.move.first for decision in decisions])
    tails = empirical_p(found, [decision.move.peak for decision in decisions])
    chances = _describe_chances(decisions, drifts, study.chances)
    figures = zip(chances, slopes.huber.tolist(), slopes.dimson.tolist(), tails, strict=True)
    return [
        _describe_move(decision, drift, study, rows, config, _Figures(*beside))
        for decision, drift, beside in zip(decisions, drifts, figures, strict=True)
    ]


class _Figures(NamedTuple):
    """What is computed for all moves at once."""

    chance: Chance
    huber: float
    dimson: float
    tail: float


def _describe_chances(
    decisions: Sequence[Decision], drifts: Sequence[Drift | None], chances: Chances
) -> list[Chance]:
    """Return what chance alone would have made of every move."""
    flags = [chance_of_flag(*pair, chances) for pair in zip(decisions, drifts, strict=True)]
    ties = [chances.of_tie(decision) for decision in decisions]
    figures = zip(decisions, ties, flags, adjust_flags(flags), strict=True)
    return [
        Chance(tie=tie, flag=flag, flag_fdr=fdr, note=say_chance(decision, tie, flag, fdr))
        for decision, tie, flag, fdr in figures
    ]


def _describe_move(
    decision: Decision,
    drift: Drift | None,
    study: Study,
    rows: TradingRows,
    config: ConfigUsed,
    figures: _Figures,
) -> Attribution:
    move, match, found = decision.move, decision.match, study.found
    fits = found.fits
    return Attribution(
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
        ar=float(found.ar[move.peak]),
        sar=float(found.sar[move.peak]),
        p_value=float(study.p[move.peak]),
        p_empirical=float(figures.tail),
        p_fdr=float(study.p_fdr[move.peak]),
        event=None if match is None else _describe_match(match),
        events_in_window=[_describe_match(one) for one in decision.matches],
        confounded=len(decision.matches) > 1,
        precedes=_describe_following(decision, study.chances),
        expected_abs_move=None if match is None else match.placed.expected,
        ratio=decision.ratio,
        alpha=float(fits.alpha[move.first]),
        beta=float(fits.beta[move.first]),
        sigma=float(fits.sigma[move.first]),
        n_obs=int(fits.n_obs[move.first]),
        leakage=None if drift is None else _describe_drift(drift, rows),
        chance=figures.chance,
        sensitivity=Sensitivity(
            beta_huber=_known(figures.huber),
            beta_dimson=_known(figures.dimson),
            sigma_with_outliers=_known(float(found.sigma_with_outliers[move.first])),
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


def _describe_drift(drift: Drift, rows: TradingRows) -> Leakage:
    return Leakage(
        car=drift.size.car,
        z=drift.size.scar,
        n_days=drift.size.n_days,
        from_date=rows.dates[drift.first],
        to_date=rows.dates[drift.last],
    )


def describe_low_days(
    moves: Moves, events: PlacedEvents, study: Study, rows: TradingRows, config: ConfigUsed
) -> list[BelowFloor]:
    """Return the significant days under the floor, by date."""
    records = []
    for row in moves.below_floor.tolist():
        near = nearest_event(row, events, config)
        lag = 0 if near is None or near.row is None else row - near.row
        records.append(
            BelowFloor(
                date=rows.dates[row],
                ar=float(study.found.ar[row]),
                sar=float(study.found.sar[row]),
                p_value=float(study.p[row]),
                event=None if near is None else MatchedEvent(lag=lag, **_refer(near)),
            )
        )
    return records


def describe_quiet(quiet: Sequence[QuietEvent]) -> list[EventWithoutMove]:
    """Return the events to which no move is tied."""
    return [
        EventWithoutMove(
            reason=event.reason,
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
