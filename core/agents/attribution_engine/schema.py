"""Request and answer of attribution-engine, word for word as specified, and unusable returns.

Pure Python: requests are checked before any statistics library is loaded.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from operator import attrgetter
from statistics import median
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from core.agents.attribution_engine.records import (
    Attribution,
    BelowFloor,
    DailyTable,
    EventOutcomeTable,
    EventOutside,
    EventWithoutMove,
    MoveTable,
    Narrative,
    Proposal,
    Reaction,
    SampleTest,
    StockSummary,
    Summary,
)
from core.agents.attribution_engine.settings import Config, ConfigUsed
from core.records.free_fields import check_free
from core.records.wire import NOT_BLANK, WHOLE, AgentData, Request

PERCENT_SURE = 0.5
PERCENT_LIKELY = 0.1
_LARGEST = 1e6
_COLUMNS = ("stock", "market", "sector")
_BLOCK, _MOST_CHANGE = 40, 25
"""Rows whose usual size is compared, and how much more it may be than that of others."""
_FEWEST_PRICES = 20
"""So many different returns are never all gains, so prices under 1 are recognized, too."""


def name_some(items: Sequence[object], most: int = 5, mark: str = ", ") -> str:
    """Return the first items, and how many more there are."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return mark.join(map(str, items[:most])) + more


def median_size(values: Iterable[float]) -> float:
    """Return the median of the absolute values."""
    return median(abs(value) for value in values)


def plain_ticker(ticker: str | None) -> str | None:
    """Return a ticker as it is compared: without outer blanks, in capitals.

    >>> plain_ticker(" srpt "), plain_ticker(None)
    ('SRPT', None)
    """
    return None if ticker is None else " ".join(ticker.split()).upper()


_LENGTH = len("YYYY-MM-DD")
_YEARS = range(2, 9999)


def _read_date(value: object) -> object:
    """Return a calendar date from YYYY-MM-DD; a date stays as it is."""
    if type(value) is date:
        return value
    if not isinstance(value, str):
        raise PydanticCustomError("wrong_type", "must be a date as text, YYYY-MM-DD")
    try:
        if len(value) != _LENGTH or value[4] != "-" or value[7] != "-":
            raise ValueError(value)
        return date.fromisoformat(value)
    except ValueError:
        raise PydanticCustomError(
            "value_malformed", "must be a day of the calendar, written YYYY-MM-DD"
        ) from None


def _read_instant(value: object) -> object:
    """Return an instant with its zone from ISO 8601 text."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            value = None
    if not isinstance(value, datetime) or value.tzinfo is None or value.year not in _YEARS:
        raise PydanticCustomError(
            "value_malformed",
            "must be an instant with its zone, for example 2020-05-15T16:05:00-04:00",
        )
    return value


Day = Annotated[date, BeforeValidator(_read_date)]
"""A calendar day; the wire form is YYYY-MM-DD and nothing else."""

Instant = Annotated[datetime, BeforeValidator(_read_instant)]
"""An instant with its zone, ISO 8601."""


Session = Literal["pre", "regular", "after"]
OWN = frozenset({"own", "self", "company", "issuer", "sponsor"})
"""Words of `relationship` for the company's own events."""
Ticker = Annotated[str, Field(max_length=30, pattern=NOT_BLANK)]
_MOST_ROWS = 50_000
_MOST_EVENTS = 5_000


def _state_minimum(schema: dict[str, Any]) -> None:
    """Say in the JSON schema that a return is never below -1 (checked with the whole column)."""
    for option in schema["anyOf"]:
        if option.get("type") == "number":
            option["minimum"] = -1


Fraction = Annotated[float | None, Field(json_schema_extra=_state_minimum)]


class ReturnRow(Request):
    """One trading day; further fields are accepted and ignored."""

    model_config = {**Request.model_config, "extra": "allow"}
    __pydantic_extra__: dict[str, JsonValue]

    date: Day = Field(description="Trading day, YYYY-MM-DD.", examples=["2020-05-15"])
    stock: Fraction = Field(
        description="Simple return of the stock as a fraction; null where there is none.",
        examples=[0.012],
    )
    market: Fraction = Field(
        description="Simple return of the benchmark as a fraction; null where there is none.",
        examples=[0.004],
    )
    sector: Fraction = Field(
        default=None,
        description="Simple return of a second factor as a fraction, where the model is to hold "
        "the sector constant in addition to the market; null where there is none.",
        examples=[0.006],
    )
    ticker: Ticker | None = Field(
        default=None,
        description="Whose return it is, where a request holds several stocks.",
        examples=["STOCK-A"],
    )
    volume: Annotated[float | None, Field(ge=0, le=1e15)] = Field(
        default=None,
        description="Shares traded on the day, where known: a second sign of what came before "
        "news, and what distinguishes a split from news.",
        examples=[1250000],
    )


class EventRow(Request):
    """One dated event; further fields are kept and echoed."""

    model_config = {**Request.model_config, "extra": "allow"}
    __pydantic_extra__: dict[str, JsonValue]

    date: Day = Field(
        description="Day of the news, YYYY-MM-DD; a closed day counts for the next trading day.",
        examples=["2020-05-15"],
    )
    asset: str = Field(max_length=500, description="What it concerns.", examples=["ASSET-1"])
    event_type: str = Field(
        max_length=500, description="What happened.", examples=["phase 3 readout"]
    )
    relationship: str = Field(
        max_length=100,
        description="own (also self, company, issuer, sponsor), or whose event it is: competitor, "
        "class, sector, partner.",
        examples=["own"],
    )
    confirmed: bool = Field(description="Whether the event is confirmed, not a rumor.")
    expected_abs_move: float | None = Field(
        default=None,
        ge=0,
        le=1e6,
        description="Expected size of the move as a fraction; 0 or null when not known.",
        examples=[0.2],
    )
    session: Session | None = Field(
        default=None,
        description="When on that day: after (the close) counts for the next trading day.",
    )
    announced_at: Instant | None = Field(
        default=None,
        description="Instant with zone; after the close of the exchange, earlier on half days, it "
        "counts for the next trading day.",
        examples=["2020-05-15T16:05:00-04:00"],
    )
    source: JsonValue = Field(default=None, description="Where it is written; echoed.")
    ticker: Ticker | None = Field(
        default=None,
        description="For which stock it is looked at; needed for own events of several stocks, "
        "while one of others without it concerns all of them.",
        examples=["STOCK-A"],
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_free({**self.__pydantic_extra__, "source": self.source})
        return self


class CompanyOfStock(Request):
    """The company behind a stock, whose held events are set beside unexplained moves."""

    ticker: Ticker | None = Field(
        default=None, description="As in the rows; absent where they name none."
    )
    name: str = Field(
        max_length=200,
        pattern=NOT_BLANK,
        description="Name or ticker under which the company is known.",
        examples=["Sarepta"],
    )


class AttributionEngineRequest(Request):
    """Daily returns of a stock and its benchmark, and the events to set beside them."""

    returns: list[ReturnRow] = Field(
        max_length=_MOST_ROWS,
        description="Daily simple returns as fractions, one row a trading day, in any order.",
    )
    events: list[EventRow] = Field(
        max_length=_MOST_EVENTS, description="Dated events of the company and of others."
    )
    benchmark: str = Field(
        default="XBI",
        min_length=1,
        max_length=100,
        description="Label of the benchmark; its returns are in the rows.",
        examples=["XBI"],
    )
    second_benchmark: Annotated[str | None, Field(min_length=1, max_length=100)] = Field(
        default=None,
        description="Label of the second factor, whose returns are `sector` of the rows.",
        examples=["XBI"],
    )
    unexplained_window: Annotated[
        int,
        Field(
            ge=0,
            le=250,
            description="Rows after an event in which a late move is still tied to it; a move "
            "with no event in so many rows before it is unexplained.",
            examples=[5],
        ),
        WHOLE,
    ] = 5
    config: Config = Field(default_factory=Config, description="Settings of the event study.")
    companies: list[CompanyOfStock] = Field(
        default_factory=list,
        max_length=100,
        description="Companies whose events in the evidence are proposed for unexplained "
        "moves; without one nothing is looked up.",
    )
    input_notes: list[Annotated[str, Field(max_length=500)]] = Field(
        default_factory=list,
        max_length=20,
        description="How the returns were made from prices or files; echoed.",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_rows(self.returns)
        _check_tickers(self.returns, self.events)
        _check_returns(self.returns)
        return self


def _fault(code: str, field: str, reason: str) -> PydanticCustomError:
    """Return what is wrong, where, and how to fix it."""
    return PydanticCustomError(code, "{reason}", {"reason": reason, "field": field})


def _check_tickers(rows: Sequence[ReturnRow], events: Sequence[EventRow]) -> None:
    """Refuse rows and events that cannot be told apart by stock."""
    tickers = {plain_ticker(ticker) for ticker in {row.ticker for row in rows}}
    if None in tickers and len(tickers) > 1:
        position = next(index for index, row in enumerate(rows) if row.ticker is None)
        reason = "is needed in every row when other rows name one"
        raise _fault("missing_field", f"returns[{position}].ticker", reason)
    if len(tickers) < 2:
        return
    for position, event in enumerate(events):
        if event.ticker is None and event.relationship.strip().casefold() in OWN:
            reason = "is needed: the request holds several stocks, and this event is one's own"
            raise _fault("missing_field", f"events[{position}].ticker", reason)


def _check_returns(rows: Sequence[ReturnRow]) -> None:
    """Refuse prices, percents, returns that no price can make, and two returns of one day."""
    by_ticker: dict[str | None, list[ReturnRow]] = defaultdict(list)
    for row in sorted(rows, key=attrgetter("date")):
        by_ticker[row.ticker].append(row)
    for mine in by_ticker.values():
        for name in _COLUMNS:
            stated = [value for value in map(attrgetter(name), mine) if value is not None]
            if stated:
                _check_scale(name, stated)
                _check_unit(name, stated)
    for name in _COLUMNS:
        for index, value in enumerate(map(attrgetter(name), rows)):
            if value is not None and not -1 <= value <= _LARGEST:
                raise _fault(
                    "value_out_of_range",
                    f"returns[{index}].{name}",
                    "must be a simple return as a fraction, not below -1 (a loss of everything) "
                    f"and not above {_LARGEST:g}",
                )
    tickers = {ticker: plain_ticker(ticker) for ticker in by_ticker}
    keys = [(tickers[row.ticker], row.date) for row in rows]
    if len(set(keys)) < len(keys):
        _check_repeats(rows, keys)


def _check_repeats(rows: Sequence[ReturnRow], keys: Sequence[tuple[str | None, date]]) -> None:
    """Refuse two different rows of one stock and day."""
    values_of = attrgetter(*_COLUMNS)
    firsts: dict[tuple[str | None, date], int] = {}
    for index, (row, key) in enumerate(zip(rows, keys, strict=True)):
        first = firsts.setdefault(key, index)
        if values_of(rows[first]) != values_of(row):
            raise _fault(
                "duplicate_date",
                f"returns[{index}].date",
                f"{row.date} occurs with different values in rows {first} and {index}; send one "
                "row a trading day of one stock",
            )


def _check_scale(name: str, values: Sequence[float]) -> None:
    """Refuse a column of prices or percents."""
    positive = all(value > 0 for value in values)
    if positive and (median(values) > 1 or len(set(values)) >= _FEWEST_PRICES):
        raise _fault(
            "looks_like_prices",
            "returns",
            f"the {name} column looks like prices (all positive); send daily "
            "simple returns as fractions: price today / price yesterday - 1",
        )
    if median_size(values) > PERCENT_SURE:
        raise _fault(
            "looks_like_percent",
            "returns",
            f"the {name} column looks like percent (median size over {PERCENT_SURE:g}); divide "
            "by 100: 0.012 means 1.2 %",
        )


def _check_unit(name: str, values: Sequence[float]) -> None:
    """Refuse a column, oldest first, whose unit changes on the way."""
    moved = [abs(value) for value in values if value]
    blocks = [moved[at : at + _BLOCK] for at in range(0, len(moved) - _BLOCK + 1, _BLOCK)]
    sizes = [sorted(block)[_BLOCK // 2] for block in blocks]
    if sizes and max(sizes) > PERCENT_LIKELY and max(sizes) > _MOST_CHANGE * min(sizes):
        raise _fault(
            "looks_like_percent",
            "returns",
            f"part of the {name} column looks like percent: its usual size changes "
            f"{max(sizes) / min(sizes):.0f} times; divide those rows by 100",
        )


def _check_rows(rows: list[ReturnRow]) -> None:
    """Refuse further fields that hold too much, once for all rows: a check a row would cost more.

    Raises:
        PydanticCustomError: As `check_free`, with the row's place.
    """
    for index, row in enumerate(rows):
        if not row.__pydantic_extra__:
            continue
        try:
            check_free(row.__pydantic_extra__)
        except PydanticCustomError as fault:
            where = {"field": f"returns[{index}]"}
            raise PydanticCustomError(fault.type, fault.message_template, where) from None


def label_request(request: AttributionEngineRequest) -> str:
    """Name a request by its dates, events and benchmark."""
    against = " and ".join(
        " ".join(label.split()) for label in (request.benchmark, request.second_benchmark) if label
    )
    days = [row.date for row in request.returns]
    span = f"{min(days)} to {max(days)}" if days else "no returns"
    own_assets = {event.asset for event in request.events if event.relationship == "own"}
    assets = ", ".join(" ".join(asset.split())[:40] for asset in sorted(own_assets)[:2])
    events = f"{len(request.events)} events" if len(request.events) != 1 else "1 event"
    stocks = sorted({row.ticker for row in request.returns if row.ticker})
    if len(stocks) > 1:
        first = f"{', '.join(stocks[:6])}{' and others' if len(stocks) > 6 else ''}"
        label = f"{len(stocks)} stocks ({first}), {span}, {len(request.events)} events"
        return f"{label}, against {against}"[:200]
    named = f" of {assets}{' and others' if len(own_assets) > 2 else ''}" if assets else ""
    return f"{span}, {events}{named}, against {against}"[:200]


class AttributionEngineData(AgentData):
    """Which moves the events explain, which they do not, and what came before them."""

    attributions: list[Attribution] = Field(description="One record a move, by move_date.")
    benchmark: str = Field(description="Benchmark as labeled in the request.")
    second_benchmark: str | None = Field(
        description="The second factor as labeled, or `sector`; null for a model of one."
    )
    config: ConfigUsed
    method: str = Field(description="Model, windows, floor and exclusion with the numbers used.")
    unexplained: list[Attribution] = Field(
        description="The records of `attributions` with state unexplained, again."
    )
    summary: Summary
    stocks: list[StockSummary] = Field(
        description="The run by stock, where the rows name tickers; by ticker."
    )
    memo: list[str] = Field(description="What was found, in plain sentences made by rules.")
    proposals: list[Proposal] = Field(
        description="Dated events in the evidence near unexplained moves, by stock and move, "
        "the least likely by chance first; none is counted as explained."
    )
    reactions: list[Reaction] = Field(
        description="Sizes of reactions by type of event in the list, the most frequent first."
    )
    tests: list[SampleTest] = Field(
        description="Tests over all events together; empty with fewer than 5 events that moved."
    )
    below_floor: list[BelowFloor] = Field(
        description="Significant days whose abnormal return is under the magnitude floor."
    )
    events_without_move: list[EventWithoutMove] = Field(
        description="Events in the data to which no move is tied, with the smallest move that "
        "would have been seen."
    )
    events_outside: list[EventOutside] = Field(
        description="Events before the first or after the last usable row."
    )
    daily: DailyTable = Field(description="Every row with its model and abnormal return.")
    moves: MoveTable = Field(description="The records of `attributions` as a flat table.")
    event_outcomes: EventOutcomeTable = Field(description="Every event and what became of it.")
    input_notes: list[str] = Field(description="How the returns were made, as given.")
    narrative: Narrative
    warnings: list[str] = Field(description="One sentence each: code, colon, what and why.")
