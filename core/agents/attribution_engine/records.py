"""Records inside the answer: moves, events, tests, and the tables of days, moves and events."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from core.records.table import Table
from core.records.wire import Answer

State = Literal["confirmed", "read_through", "partial", "unexplained"]
CalendarDay = date
Count = Annotated[int, Field(ge=0)]
Probability = Annotated[float, Field(ge=0, le=1)]


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


Doubt = Literal["against_direction", "far_above_expected", "possible_bad_price", "possible_split"]


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


STATES: tuple[State, ...] = ("confirmed", "read_through", "partial", "unexplained")


class EventRef(Answer):
    """An event of the request, with its place in the rows."""

    index: Count = Field(description="Position in the request's `events`.")
    date: CalendarDay
    row_date: CalendarDay | None = Field(
        description="First trading day on which the news could move the stock; null outside."
    )
    last_close_on: CalendarDay | None = Field(
        default=None,
        description="Last trading day of the data that had closed when the news came, by the hours "
        "of the stock's exchange where the time is known.",
    )
    ticker: str | None = Field(description="The stock for which it is looked at.")
    asset: str
    event_type: str
    relationship: str
    is_own: bool = Field(description="Whether the event is the company's own.")
    confirmed: bool
    expected_abs_move: float | None = Field(description="As a fraction; null when not given.")
    usual_direction: Literal["up", "down"] | None = Field(
        default=None, description="Which way the type of an own event usually moves the stock."
    )
    session: Literal["pre", "regular", "after"] | None = Field(
        description="As given, or from announced_at."
    )
    source: JsonValue = Field(description="As given.")
    other: dict[str, JsonValue] = Field(description="Further fields of the event as given.")


class MatchedEvent(EventRef):
    """An event beside a move."""

    lag: int = Field(
        description="Rows from the event row to the first row of the move; negative when the "
        "move began earlier."
    )


class FollowingEvent(EventRef):
    """The event that an unexplained move comes before."""

    rows_after: Count = Field(description="Rows from the last row of the move to the event row.")
    chance: Probability = Field(
        description="Share of this stock's days without an event that come as closely before an "
        "own event, in a direction that it does not contradict."
    )


class Leakage(Answer):
    """Abnormal return over the rows before an event."""

    car: float = Field(description="Cumulative abnormal return, a fraction.")
    z: float = Field(description="CAR over its exact standard deviation.")
    n_days: Count = Field(description="Rows summed; rows of other events are not.")
    from_date: CalendarDay = Field(alias="from", description="First row looked at.")
    to_date: CalendarDay = Field(alias="to", description="Last row looked at.")
    volume_ratio: float | None = Field(
        description="Geometric mean of volume over those rows, over that of the 60 rows before; "
        "null without volumes."
    )
    volume_chance: Probability | None = Field(
        description="Share of the stock's days before which volume rises as much."
    )


class Chance(Answer):
    """What chance alone would have made of a move, from all dates of the stock."""

    tie: Probability = Field(
        description="Chance that the events of the list, put on any dates of the stock, would "
        "have tied this move at least as firmly; for an unexplained move: tied it at all."
    )
    flag: Probability | None = Field(
        description="Share of the stock's days before which it drifts as much in that direction, "
        "or that come as closely before an own event; null where no such check was made."
    )
    flag_fdr: Probability | None = Field(
        description="`flag` adjusted over all moves of the list that were checked (BH)."
    )
    note: str = Field(description="The same in one sentence.")


class Sensitivity(Answer):
    """The same model by other estimators: beside the figures, never in their place."""

    beta_huber: float | None = Field(description="Slope by Huber's M-estimator.")
    beta_dimson: float | None = Field(
        description="Sum of slopes on the day before, the same day and the day after."
    )
    sigma_with_outliers: float | None = Field(
        description="Residual standard deviation when no outlier is removed."
    )


class Attribution(Answer):
    """One move and what explains it."""

    ticker: str | None = Field(description="Whose move it is; null where the rows name none.")
    move_date: CalendarDay = Field(description="Row of the largest abs(AR) within the move.")
    state: State
    car: float = Field(description="Cumulative abnormal return over the move, a fraction.")
    scar: float = Field(description="CAR over its exact standard deviation.")
    residual: float = Field(
        description="CAR less the expected move in its direction, for a matched own or "
        "read-through event with an expected move; else the CAR."
    )
    leakage_flag: bool = Field(
        description="A pattern to check: significant drift in the move's direction before its "
        "event, or an unexplained move closer before an own event than chance easily makes."
    )
    note: str = Field(description="One sentence on event, timing, size and what came before.")
    start_date: CalendarDay
    end_date: CalendarDay
    n_days: Count
    ar: float = Field(description="Abnormal return on move_date, a fraction.")
    sar: float = Field(description="AR on move_date over its standard deviation.")
    p_value: Probability = Field(
        description="Tail of sar in Student t, n_obs - 2 df (- 3 df with two factors)."
    )
    p_empirical: Probability = Field(
        description="(1 + estimation rows that stand out as much) / (1 + n_obs)."
    )
    p_fdr: Probability = Field(description="p_value adjusted over all tested days (BH).")
    event: MatchedEvent | None = Field(description="The event behind the state.")
    events_in_window: list[MatchedEvent] = Field(
        description="Every event in the move's window, the best match first."
    )
    doubt: Doubt | None = Field(
        default=None,
        description="Why the event hardly explains the move: it goes against the usual direction "
        "of its type (a rise at a complete response letter), is far above the expected move, or "
        "may be an unadjusted split or a wrong price; the latter two without an event, too.",
    )
    confounded: bool = Field(description="Whether several events lie in the window.")
    precedes: FollowingEvent | None = Field(
        description="For an unexplained move: the event that follows within leakage_window rows."
    )
    expected_abs_move: float | None
    ratio: float | None = Field(description="abs(car) over expected_abs_move.")
    alpha: float = Field(description="Of the market model of the move's first row.")
    beta: float
    beta_sector: float | None = Field(
        description="Slope on the second factor; null in a model of one."
    )
    sigma: float = Field(description="Residual standard deviation of that model, a fraction.")
    n_obs: Count = Field(description="Rows to which it was fitted.")
    model: Literal["market_model", "sector_beta"] = Field(
        description="sector_beta: the history is too short for a fit, so beta is 1 and alpha 0 "
        "against the benchmark, with sigma from the rows there are."
    )
    leakage: Leakage | None = Field(
        description="Drift before the matched event; null without one or with under 5 rows."
    )
    chance: Chance
    sensitivity: Sensitivity


class BelowFloor(Answer):
    """A significant day that is too small to be reported as a move."""

    ticker: str | None = None
    date: CalendarDay
    ar: float = Field(description="Abnormal return, a fraction.")
    sar: float
    p_value: Probability
    event: MatchedEvent | None = Field(description="The nearest event whose core holds the day.")


class EventWithoutMove(EventRef):
    """An event to which no move is tied."""

    reason: Literal["no_reaction", "below_floor", "not_testable"] = Field(
        description="No significant day, a significant day under the floor, or a day of its "
        "window that cannot be tested."
    )
    detail: str = Field(
        default="", description="Why the event cannot be tested; empty for the other reasons."
    )
    car: float | None = Field(description="Abnormal return over the event's core rows.")
    scar: float | None
    detectable_move: float | None = Field(
        description="Smallest one-day abnormal move that would have been reported with 80 % "
        "power on the event row, a fraction; null where nothing can be tested."
    )


class EventOutside(EventRef):
    """An event outside the rows."""

    reason: Literal["before_first_row", "after_last_row"]


class SampleTest(Answer):
    """A test of all testable events together."""

    name: Literal[
        "patell_z",
        "bmp_t",
        "kolari_pynnonen_patell",
        "kolari_pynnonen_bmp",
        "corrado_rank",
        "generalized_sign",
        "generalized_rank",
        "size_rank",
    ]
    statistic: float
    p_value: Probability = Field(description="Two-sided, standard normal (bmp: t, n - 1 df).")
    n_events: Count
    about: str = Field(description="What is tested, and its reference.")


class StateCounts(Answer):
    """Moves by state."""

    confirmed: Count
    read_through: Count
    partial: Count
    unexplained: Count


class Summary(Answer):
    """The run in one glance."""

    n_moves: Count
    states: StateCounts
    n_leakage_flags: Count
    n_confounded: Count = Field(description="Moves with several events in their window.")
    n_doubted: Count = Field(
        default=0,
        description="Moves against the direction of their event, far above expected, or perhaps "
        "splits or wrong prices.",
    )
    share_explained: Probability | None = Field(
        description="Moves that are neither unexplained nor in doubt, of all; null without moves."
    )
    share_explained_by_one_event: Probability | None = Field(
        description="The same without the confounded ones."
    )
    ties_by_chance: float = Field(
        ge=0,
        description="Moves that the events of the list would be tied to on any dates of the "
        "stock: the sum over all moves of the chance of a tie.",
    )
    n_rows: Count
    n_usable: Count = Field(description="Rows with both returns.")
    n_tested: Count = Field(description="Rows with a market model.")
    tested_share: Probability = Field(description="Tested of usable rows.")
    stock_years: float = Field(ge=0, description="Tested rows / 252.")
    unexplained_a_year: float | None = Field(description="Unexplained moves a stock-year.")
    first_date: CalendarDay | None
    last_date: CalendarDay | None


class StockSummary(Summary):
    """One stock of a run in one glance."""

    ticker: str
    largest_unexplained: float | None = Field(
        description="CAR of the unexplained move with the largest abs(SCAR), a fraction."
    )
    largest_unexplained_on: CalendarDay | None


class Reaction(Answer):
    """How stocks reacted to the list's confirmed own events of one type, over the core rows."""

    event_type: str = Field(description="In lower case.")
    n_events: Count = Field(description="Events that can be tested, of all stocks.")
    median_abs_move: float = Field(description="Median abs(CAR), a fraction.")
    lower_quartile: float
    upper_quartile: float
    share_up: Probability = Field(description="Share with a CAR above 0.")
    share_moved: Probability = Field(description="Share over both limits.")
    median_without_event: float | None = Field(
        description="Median abs(CAR) over as many rows on days away from events."
    )


class Proposal(Answer):
    """A dated event of the evidence held, near an unexplained move; it explains nothing yet."""

    ticker: str | None
    move_date: CalendarDay
    car: float = Field(description="Of the move, a fraction.")
    lag: int = Field(description="Rows from the event row to the first row of the move.")
    date: CalendarDay
    asset: str = Field(description="Drugs of the event as its records write them.")
    event_type: str
    relationship: Literal["own", "partner", "competitor"] = Field(
        description="competitor: of a drug on a target of the company's drugs."
    )
    region: str = Field(description="Whose decision it is; empty where that does not apply.")
    companies: list[str]
    records: list[str] = Field(description="Evidence records that report it.")
    url: str = Field(description="Address of the first of them; empty where it has none.")
    chance: Probability = Field(
        description="Chance that an event in the evidence of its kind and relationship would "
        "lie as near, or nearer, were their dates any of the stock's."
    )
    n_alike: Count = Field(
        description="Events of that kind in the evidence within the tested days."
    )
    note: str


class Narrative(Answer):
    """How the sentences were made."""

    mode: Literal["rules"] = Field(default="rules", description="Composed by rules.")
