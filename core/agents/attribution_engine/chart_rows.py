"""What the figures show, as plain rows: paths, bars, bands and markers."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.agents.attribution_engine.records import Attribution, StockSummary
from core.agents.attribution_engine.settings import ConfigUsed
from core.stats.fit import FloatArray

Row = Mapping[str, object]
STATE_COLORS = {
    "confirmed": "#0B6E6E",
    "read_through": "#5B5FA8",
    "partial": "#8A6D00",
    "unexplained": "#C2571A",
    "no move": "#55636B",
}
STATE_WORDS = {
    "confirmed": "confirmed",
    "read_through": "read-through",
    "partial": "partial",
    "unexplained": "unexplained",
    "no move": "no move",
}
"""How a state is written next to its color."""
PATH_ROWS = 10
MOST_WORDS = 15
"""Moves up to which each marker carries its word; more words would cover each other."""
MOST_SHADES = 60
_NORMAL = 1.96


def as_days(texts: "pd.Series[str]") -> "pd.Series[pd.Timestamp]":
    """Return YYYY-MM-DD texts as days; to the second, for nanoseconds end in the year 2262."""
    return pd.Series(np.array(texts.to_list(), dtype="datetime64[s]"), index=texts.index)


def trace_days(daily: pd.DataFrame, config: ConfigUsed) -> pd.DataFrame:
    """Return the daily table with the two cumulative paths and the limit of significance.

    Args:
        daily: The table `daily`.
        config: Settings used.

    Returns:
        Copy with `day` (timestamp), `stock_path` and `fitted_path` (what 1 at the first tested
        day has become; missing returns count as no change; both stand at 1 before it), and
        `z_limit` (smallest significant abs(AR) of the day, NaN where not tested).
    """
    tested = daily["sar"].notna().to_numpy()
    start = int(np.argmax(tested)) if tested.any() else len(daily)
    later = np.arange(len(daily)) >= start

    def compound(values: "pd.Series[float]") -> FloatArray:
        steps = np.where(later, 1 + values.fillna(0).to_numpy(float), 1.0)
        return np.asarray(np.cumprod(steps))

    ratio = (daily["ar"].abs() / daily["sar"].abs()).replace([np.inf, -np.inf], np.nan)
    return daily.assign(
        day=as_days(daily["date"]),
        stock_path=compound(daily["stock"]),
        fitted_path=compound(daily["fitted"].where(daily["stock"].notna())),
        z_limit=config.sig_z * ratio,
    )


def mark_events(outcomes: pd.DataFrame, days: pd.DataFrame) -> pd.DataFrame:
    """Return one marker an event in the data that no move rests on, on the stock's path.

    Args:
        outcomes: The table `events`.
        days: From `trace_days`.
    """
    quiet = outcomes["row_date"].notna() & ~outcomes["outcome"].isin(list(STATE_COLORS))
    inside = outcomes[quiet]
    height = days.set_index("date")["stock_path"]
    return inside.assign(
        day=as_days(inside["row_date"]),
        height=inside["row_date"].map(height).astype(float),
        word=inside["outcome"].str.replace("_", " "),
    )


def mark_moves(moves: pd.DataFrame, days: pd.DataFrame) -> pd.DataFrame:
    """Return one marker a move, on the stock's path."""
    height = days.set_index("date")["stock_path"]
    return moves.assign(
        day=as_days(moves["move_date"]),
        height=moves["move_date"].map(height).astype(float),
        word=moves["state"].map(STATE_WORDS),
    )


def shade_leakage(
    attributions: Sequence[Attribution], daily: pd.DataFrame
) -> list[tuple[str, str]]:
    """Return first and last day of the leakage check of the flagged moves of a stock.

    Args:
        attributions: Moves of any stocks.
        daily: The table `daily` of the stock.
    """
    tickers = {None, *daily["ticker"]}
    return [
        (move.leakage.from_date.isoformat(), move.leakage.to_date.isoformat())
        for move in attributions
        if move.leakage_flag and move.leakage is not None and move.ticker in tickers
    ][:MOST_SHADES]


def trace_car(record: Attribution, daily: pd.DataFrame) -> list[Row]:
    """Return the cumulative abnormal return around a move, by the model of its first row.

    Args:
        record: The move; day 0 is its event's trading day, else its first day.
        daily: The table `daily`.

    Returns:
        One row a trading day from -10 to +10: `rel`, `car`, `low` and `high` (95 % band around 0,
        without the small term of the benchmark's distance), `leak` (in the leakage window).
    """
    rows = {day: row for row, day in enumerate(daily["date"])}
    center_day = record.event.row_date if record.event else record.start_date
    center = rows[(center_day or record.start_date).isoformat()]
    first, stop = max(0, center - PATH_ROWS), min(len(daily), center + PATH_ROWS + 1)
    window = daily.iloc[first:stop]
    expected = record.alpha + record.beta * window["market"]
    if record.beta_sector is not None:
        expected = expected + record.beta_sector * window["sector"]
    beyond = (window["stock"] - expected).fillna(0.0)
    length = np.arange(1, len(window) + 1)
    band = _NORMAL * record.sigma * np.sqrt(length + length**2 / record.n_obs)
    leakage = record.leakage
    limits = (str(leakage.from_date), str(leakage.to_date)) if leakage else ("", "")
    return [
        {
            "rel": first + index - center,
            "car": float(car),
            "low": -float(half),
            "high": float(half),
            "leak": limits[0] <= day <= limits[1],
        }
        for index, (car, half, day) in enumerate(
            zip(beyond.cumsum(), band, window["date"], strict=True)
        )
    ]


def pick_paths(attributions: Sequence[Attribution], most: int) -> list[Attribution]:
    """Return the moves whose path is drawn: flagged ones first, then the largest; by date."""
    ranked = sorted(
        attributions, key=lambda attribution: (not attribution.leakage_flag, -abs(attribution.car))
    )
    return sorted(ranked[:most], key=lambda attribution: attribution.move_date)


def count_states(stocks: Sequence[StockSummary]) -> list[Row]:
    """Return how many moves of each state every stock has."""
    return [
        {"stock": stock.ticker, "state": STATE_WORDS[state], "moves": number}
        for stock in stocks
        for state, number in stock.states.model_dump().items()
    ]


def compare_sizes(attributions: Sequence[Attribution]) -> list[Row]:
    """Return expected and realized size of every move that has an expected one."""
    return [
        {
            "expected": attribution.expected_abs_move,
            "realized": abs(attribution.car),
            "state": STATE_WORDS[attribution.state],
            "date": attribution.move_date.isoformat(),
        }
        for attribution in attributions
        if attribution.expected_abs_move is not None
    ]
