"""Moves and events as flat tables, for spreadsheets and pages."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.agents.attribution_engine.records import (
    Attribution,
    EventOutside,
    EventRef,
    EventWithoutMove,
)
from core.agents.attribution_engine.table_records import (
    EventOutcomeRow,
    EventOutcomeTable,
    MoveRow,
    MoveTable,
)
from core.stats.event_study import adjust_p

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
        "move_date": record.move_date.isoformat(),
        "start_date": record.start_date.isoformat(),
        "end_date": record.end_date.isoformat(),
        "event_date": None if event is None else event.date.isoformat(),
        "asset": None if event is None else event.asset,
        "event_type": None if event is None else event.event_type,
        "relationship": None if event is None else event.relationship,
        "lag": None if event is None else event.lag,
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

    Args:
        attributions: The moves.
        quiet: Events without one.
        outside: Events outside the data.
        chances: Stock and event's position -> share of days that react as much, where it can
            be tested.
    """
    rows: dict[tuple[str | None, int], Mapping[str, object]] = {}
    for record in attributions:
        for place, event in enumerate(record.events_in_window):
            outcome = record.state if place == 0 else "beside_another"
            row = _describe(event, outcome, record.move_date.isoformat(), record.car, None)
            key = (event.ticker, event.index)
            if key not in rows or (place == 0 and rows[key]["outcome"] == "beside_another"):
                rows[key] = row
    for one in quiet:
        rows[one.ticker, one.index] = _describe(one, one.reason, None, one.car, one.detectable_move)
    for late in outside:
        rows[late.ticker, late.index] = _describe(late, late.reason, None, None, None)
    ordered = sorted(
        rows.items(), key=lambda one: (one[0][0] or "", str(one[1]["row_date"] or "~"), one[0][1])
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
    return {
        "index": event.index,
        "date": event.date.isoformat(),
        "row_date": None if event.row_date is None else event.row_date.isoformat(),
        "ticker": event.ticker,
        "asset": event.asset,
        "event_type": event.event_type,
        "relationship": event.relationship,
        "confirmed": event.confirmed,
        "expected_abs_move": event.expected_abs_move,
        "outcome": outcome,
        "move_date": move_date,
        "car": car,
        "detectable_move": detectable,
    }
