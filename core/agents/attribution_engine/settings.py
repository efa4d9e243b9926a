"""The settings of a run: what a request may give, and what was used."""

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from core.records.free_fields import check_free
from core.records.wire import WHOLE, Answer, Request
from core.vocabulary.exchanges import ExchangeCode

Exclusion = Literal["events_and_outliers", "events", "none"]
Variance = Literal["constant", "ewma", "garch"]
ShortHistory = Literal["none", "sector_beta"]
MIN_OBS = 60

SigZ = Annotated[float, Field(ge=0, le=1000)]
Floor = Annotated[float, Field(ge=0, le=100)]


class Config(Request):
    """Settings of the event study; an unknown key is named in a warning."""

    model_config = {**Request.model_config, "extra": "allow"}
    __pydantic_extra__: dict[str, JsonValue]

    sig_z: SigZ = Field(
        default=2.58,
        description="abs(SAR) from which a day is significant (limit included).",
        examples=[2.58],
    )
    min_abs_move: Floor = Field(
        default=0.05,
        description="Magnitude floor: abs(AR) from which a significant day counts, a fraction "
        "(limit included).",
        examples=[0.05],
    )
    estimation_window: Annotated[int, Field(ge=10, le=5000), WHOLE] = Field(
        default=250, description="Rows of the window to which a day's market model is fitted."
    )
    gap: Annotated[int, Field(ge=1, le=1000), WHOLE] = Field(
        default=11, description="The last row of that window lies this many rows before the day."
    )
    min_obs: Annotated[int | None, Field(ge=10, le=5000), WHOLE] = Field(
        default=None,
        description="Usable rows the window needs; 60, or the window's length if that is less.",
    )
    max_lag: Annotated[int, Field(ge=0, le=50), WHOLE] = Field(
        default=1, description="Rows after the event row in which a move still meets the event."
    )
    leakage_window: Annotated[int, Field(ge=0, le=250), WHOLE] = Field(
        default=10, description="First row before the event row that the leakage check looks at."
    )
    outlier_z: Annotated[float, Field(gt=0, le=1000)] = Field(
        default=4.0, description="abs(SAR) above which a row is excluded from later estimations."
    )
    partial_ratio: Annotated[float, Field(ge=0, le=100)] = Field(
        default=0.5, description="Realized over expected move below which a move is partial."
    )
    overshoot_ratio: Annotated[float, Field(ge=1, le=1000)] = Field(
        default=5.0,
        description="Realized over the event's own expected move above which a move is only "
        "partly explained. Were moves normal with the expected move as their mean size, fewer "
        "than 1 in 10,000 would exceed 5 times; a wrong price or an unadjusted split does.",
    )
    check_direction: bool = Field(
        default=True,
        description="Whether an own event explains no move against the usual direction of its "
        "type (a complete response letter explains no rise).",
    )
    exclusion: Exclusion = Field(
        default="events_and_outliers", description="Rows excluded from estimation windows."
    )
    usual_moves: bool = Field(
        default=False,
        description="Whether an event without an expected move is compared with the median size "
        "of at "
        "least 5 earlier confirmed own events of its type in the list or, with fewer, of such "
        "events of the reference's stocks where 20 or more are known.",
    )
    variance: Variance = Field(
        default="constant",
        description="Residual variance of a day: that of its window, or one that follows the days "
        "just before (ewma with decay .94, or garch(1,1)).",
    )
    set_aside: bool = Field(
        default=True,
        description="Whether returns of splits that are not adjusted for, and zeros of halts, are "
        "set aside as if they were missing.",
    )
    short_history: ShortHistory = Field(
        default="none",
        description="What days with too short a history for a fit are measured by: nothing, or "
        "the benchmark itself (beta 1), with a mark.",
    )
    exchange: ExchangeCode = Field(
        default="XNYS",
        description="Exchange of the stock (market identifier code), whose trading days, half "
        "days and clock place the news; a ticker that names its own, such as ROG.SW, has that.",
    )
    flag_chance: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.1,
        description="An unexplained move before an own event is flagged when at most this share "
        "of the stock's days without an event comes as closely before one.",
    )

    @property
    def usable_rows_needed(self) -> int:
        """Return how many usable rows an estimation window needs."""
        return min(MIN_OBS, self.estimation_window) if self.min_obs is None else self.min_obs

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_free(self.__pydantic_extra__)
        if self.usable_rows_needed > self.estimation_window:
            raise PydanticCustomError(
                "value_out_of_range",
                "must lie between 10 and estimation_window ({length})",
                {"length": self.estimation_window, "field": "config.min_obs"},
            )
        return self


class ConfigUsed(Answer):
    """Every setting that was used."""

    sig_z: float = Field(description="Significance threshold of abs(SAR).")
    min_abs_move: float = Field(description="Magnitude floor of abs(AR), a fraction.")
    estimation_window: int
    gap: int
    min_obs: int
    max_lag: int
    leakage_window: int
    outlier_z: float
    partial_ratio: float
    overshoot_ratio: float = 5.0
    check_direction: bool = True
    exclusion: Exclusion
    usual_moves: bool
    variance: Variance
    set_aside: bool
    short_history: ShortHistory
    exchange: ExchangeCode = "XNYS"
    flag_chance: float
    unexplained_window: int = Field(description="From the request, next to config.")


def use(config: Config, unexplained_window: int) -> ConfigUsed:
    """Return all settings with their defaults written out."""
    plain = config.model_dump(include=set(Config.model_fields))
    plain["min_obs"] = config.usable_rows_needed
    return ConfigUsed(unexplained_window=unexplained_window, **plain)
