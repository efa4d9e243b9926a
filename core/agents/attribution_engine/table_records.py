"""Tables inside the answer: daily figures, moves and events, one row each."""

from typing import Literal

from pydantic import Field

from core.agents.attribution_engine.records import (
    CalendarDay,
    Count,
    Doubt,
    Probability,
    State,
)
from core.records.table import Table
from core.records.wire import Answer


class DailyRow(Answer):
    """One trading day."""

    ticker: str | None
    date: CalendarDay
    stock: float | None = Field(description="Return of the stock, a fraction.")
    market: float | None = Field(description="Return of the benchmark, a fraction.")
    sector: float | None = Field(description="Return of the second factor, where there is one.")
    fitted: float | None = Field(description="alpha + beta x market (+ beta_sector x sector).")
    ar: float | None = Field(description="Abnormal return; null where the day is not tested.")
    sar: float | None
    p_value: Probability | None
    p_fdr: Probability | None
    beta: float | None
    beta_sector: float | None
    sigma: float | None
    n_obs: Count
    excluded: Literal["event", "outlier", "unusable"] | None = Field(
        description="Why the row is excluded from estimation windows."
    )
    state: State | None = Field(description="State of the move that the row belongs to.")


class DailyTable(Table):
    """Every row of the request, by date."""

    row_model = DailyRow


class MoveRow(Answer):
    """One move, flat: the records of `attributions` as a table."""

    ticker: str | None
    move_date: CalendarDay
    state: State
    car: float
    scar: float
    residual: float
    leakage_flag: bool
    start_date: CalendarDay
    end_date: CalendarDay
    n_days: Count
    ar: float
    sar: float
    p_value: Probability
    p_empirical: Probability
    p_fdr: Probability
    event_date: CalendarDay | None
    asset: str | None
    event_type: str | None
    relationship: str | None
    lag: int | None
    expected_abs_move: float | None
    ratio: float | None
    confounded: bool
    doubt: Doubt | None = None
    leakage_car: float | None
    leakage_z: float | None
    alpha: float
    beta: float
    beta_sector: float | None
    sigma: float
    n_obs: Count
    model: str
    volume_ratio: float | None
    chance_of_tie: Probability
    chance_of_flag: Probability | None
    flag_fdr: Probability | None
    chance_note: str
    note: str


class MoveTable(Table):
    """Every move, by date."""

    row_model = MoveRow


Outcome = Literal[
    "confirmed",
    "read_through",
    "partial",
    "beside_another",
    "no_reaction",
    "below_floor",
    "not_testable",
    "before_first_row",
    "after_last_row",
]


class EventOutcomeRow(Answer):
    """One event and what became of it."""

    index: Count = Field(description="Position in the request's `events`.")
    date: CalendarDay
    row_date: CalendarDay | None
    ticker: str | None
    asset: str
    event_type: str
    relationship: str
    confirmed: bool
    expected_abs_move: float | None
    outcome: Outcome = Field(
        description="State of the move it decides; beside_another when another event in "
        "the window decides; else why there is no move."
    )
    move_date: CalendarDay | None = Field(description="The move in whose window it lies.")
    car: float | None = Field(description="Of that move, or of the event's core rows.")
    chance: Probability | None = Field(
        description="Share of the stock's days away from events whose largest abs(SAR) of rows 0 "
        "to max_lag is as large as the event's; null where nothing can be tested."
    )
    chance_fdr: Probability | None = Field(
        description="`chance` adjusted over all events of the list that can be tested (BH)."
    )
    detectable_move: float | None = Field(
        description="For an event without a move: the smallest one seen with 80 % power."
    )


class EventOutcomeTable(Table):
    """Every event, by its trading day."""

    row_model = EventOutcomeRow
