"""The figures of a run as Vega-Lite specifications with their data inside, for page and print."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from core.agents.attribution_engine.records import Attribution, StockSummary
from core.agents.attribution_engine.schema import AttributionEngineData
from core.agents.attribution_engine.settings import ConfigUsed
from core.reports.document import Chart
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
    """Return first and last day of the leakage check of the flagged moves of a stock."""
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


_WIDTH = 560
_SHORT, _MOST_TICKS = 5, 12
_MOST_PATHS = 9
_INK, _QUIET = "#17222B", "#9AA5AC"
_STATES = alt.Scale(
    domain=[STATE_WORDS[state] for state in STATE_COLORS], range=list(STATE_COLORS.values())
)
_SHAPES = alt.Scale(
    domain=[STATE_WORDS[state] for state in STATE_COLORS],
    range=["circle", "triangle-up", "square", "diamond", "cross"],
)
_PERCENT = "%"
_MONTHS = alt.Axis(format="%b %Y", labelOverlap=True)


def _plain(frame: pd.DataFrame, names: Sequence[str]) -> alt.InlineData:
    """Return columns of a table as data inside a specification."""
    columns = frame[list(names)].copy()
    if "day" in columns:
        columns["day"] = columns["day"].dt.strftime("%Y-%m-%d")
    numbers = columns.select_dtypes("number").columns
    columns[numbers] = columns[numbers].round(5)
    rows: list[Any] = columns.astype(object).where(columns.notna(), None).to_dict(orient="records")
    return alt.InlineData(values=rows)


def draw_moves(
    data: AttributionEngineData, daily: pd.DataFrame, moves: pd.DataFrame, outcomes: pd.DataFrame
) -> Chart:
    """Draw the stock against its fitted path over the abnormal return of every day."""
    days = trace_days(daily, data.config)
    points = mark_moves(moves, days)
    above = _draw_paths(days, points, mark_events(outcomes, days))
    shades = [{"from": a, "to": b} for a, b in shade_leakage(data.attributions, daily)]
    if shades:
        rects = alt.Chart(alt.InlineData(values=shades))
        rects = rects.mark_rect(color=STATE_COLORS["partial"], opacity=0.25)
        above = alt.layer(rects.encode(x="from:T", x2="to:T"), above)
    shown = days.assign(low=-days["z_limit"], word=days["state"].map(STATE_WORDS))
    shown["word"] = shown["word"].fillna(STATE_WORDS["no move"])
    names = ["day", "ar", "low", "z_limit", "word"]
    base = alt.Chart(_plain(shown, names)).properties(width=_WIDTH, height=140)
    x = alt.X("day:T", title=None, axis=_MONTHS)
    band = base.mark_area(color=_QUIET, opacity=0.25).encode(x=x, y="low:Q", y2="z_limit:Q")
    bars = base.mark_bar(size=1.2).encode(
        x=x,
        y=alt.Y("ar:Q", title="abnormal return", axis=alt.Axis(format=_PERCENT)),
        color=alt.Color("word:N", title=None, scale=_STATES),
        tooltip=["day:T", alt.Tooltip("ar:Q", format=".1%"), "word:N"],
    )
    floor = data.config.min_abs_move
    rules = (
        alt.Chart(alt.InlineData(values=[{"at": floor}, {"at": -floor}]))
        .mark_rule(strokeDash=[2, 2], color=_INK)
        .encode(y="at:Q")
    )
    chart = alt.vconcat(above, alt.layer(band, bars, rules), spacing=6).resolve_scale(x="shared")
    caption = (
        "Above: what 1 in the stock has become (dark) and what beta and alpha alone would have "
        "given (light), from the first tested day; moves by state with the word, events without "
        "a move as gray crosses. Below: abnormal return of each day in a band of "
        f"{data.config.sig_z:g} of its standard deviations, dotted lines at the floor of "
        f"{data.config.min_abs_move:.1%}. Shaded: rows of the leakage check of flagged moves."
    )
    alt_text = f"Stock and fitted path with {len(points)} moves over daily abnormal returns."
    return Chart.build(chart, caption, alt_text, points=2 * len(days))


def _draw_paths(days: pd.DataFrame, points: pd.DataFrame, quiet: pd.DataFrame) -> Any:
    x = alt.X("day:T", title=None, axis=alt.Axis(labels=False, ticks=False))
    paths = days[["stock_path", "fitted_path"]].to_numpy(float)
    low, high = _bounds(paths[np.isfinite(paths) & (paths > 0)])
    log = alt.Scale(type="log", domain=[low, high], nice=False, clamp=True)
    few = alt.Axis(values=_log_ticks(low, high), format="~g")
    base = alt.Chart(_plain(days, ["day", "stock_path", "fitted_path"])).properties(
        width=_WIDTH, height=210
    )
    stock = base.mark_line(color=_INK, strokeWidth=1.2).encode(
        x=x, y=alt.Y("stock_path:Q", title="growth of $1 (log)", scale=log, axis=few)
    )
    fitted = base.mark_line(color=_QUIET, strokeWidth=1.2).encode(
        x=x, y=alt.Y("fitted_path:Q", scale=log)
    )
    marks = alt.Chart(_plain(points, ["day", "height", "word", "move_date", "car"])).encode(
        x=x, y=alt.Y("height:Q", scale=log)
    )
    dots = marks.mark_point(filled=True, size=60, opacity=1).encode(
        color=alt.Color("word:N", title=None, scale=_STATES),
        shape=alt.Shape("word:N", title=None, scale=_SHAPES),
        tooltip=["move_date:N", "word:N", alt.Tooltip("car:Q", format=".1%")],
    )
    crosses = (
        alt.Chart(_plain(quiet, ["day", "height", "word"]))
        .mark_point(shape="cross", size=40, color=_QUIET)
        .encode(x=x, y=alt.Y("height:Q", scale=log), tooltip=["day:T", "word:N"])
    )
    layers = [stock, fitted, crosses, dots]
    if len(points) <= MOST_WORDS:
        layers.append(marks.mark_text(dy=-10, fontSize=8).encode(text="word:N"))
    return alt.layer(*layers)


def _bounds(values: FloatArray) -> tuple[float, float]:
    """Return the ends of a log axis that is as long as the values reach, with a margin."""
    if len(values) == 0:
        return 0.9, 1.1
    margin = (values.max() / values.min()) ** 0.05
    return float(values.min() / max(margin, 1.02)), float(values.max() * max(margin, 1.02))


def _log_ticks(low: float, high: float) -> list[float]:
    """Return the labels of a log axis: 1, 2, 5 of each decade, even steps on a short one.

    >>> _log_ticks(0.04, 2.3), _log_ticks(0.78, 1.5)
    ([0.05, 0.1, 0.2, 0.5, 1.0, 2.0], [0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4])
    """
    if high / low < _SHORT:
        decade = 10 ** np.floor(np.log10((high - low) / 3))
        step = next(s for s in (decade, 2 * decade, 5 * decade) if (high - low) / s <= _MOST_TICKS)
        ticks = step * np.arange(np.ceil(low / step), high / step)
    else:
        decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)))
        ticks = np.outer(decades, (1, 2, 5)).ravel()
    inside = [float(f"{tick:.3g}") for tick in ticks if low <= tick <= high]
    return inside[:: 1 + len(inside) // _MOST_TICKS]


def draw_paths(attributions: Sequence[Attribution], daily: pd.DataFrame) -> Chart | None:
    """Draw the cumulative abnormal return around the flagged and the largest moves."""
    picked = pick_paths(attributions, _MOST_PATHS)
    if not picked:
        return None
    rows: list[dict[str, object]] = []
    names = []
    for attribution in picked:
        names.append(f"{attribution.move_date} {STATE_WORDS[attribution.state]}")
        rows += [{**row, "move": names[-1]} for row in trace_car(attribution, daily)]
    base = alt.Chart()
    x = alt.X("rel:Q", title=None)
    percent = alt.Axis(format=_PERCENT)
    band = base.mark_area(color=_QUIET, opacity=0.25).encode(x=x, y="low:Q", y2="high:Q")
    line = base.mark_line(color=_INK).encode(x=x, y=alt.Y("car:Q", title=None, axis=percent))
    leak = (
        base.mark_rect(color=STATE_COLORS["partial"], opacity=0.12)
        .transform_filter("datum.leak")
        .encode(x="min(rel):Q", x2="max(rel):Q")
    )
    chart = (
        alt.layer(leak, band, line, data=alt.InlineData(values=rows))
        .properties(width=180, height=120)
        .facet(facet=alt.Facet("move:N", title=None, sort=names), columns=3)
        .resolve_scale(y="independent")
    )
    caption = (
        "Cumulative abnormal return from ten trading days before to ten after the event (or the "
        "move, without one), flagged and largest moves; gray: 95 % band around no effect; "
        "shaded: rows of the leakage check."
    )
    return Chart.build(chart, caption, "Small line charts around moves.", points=len(rows))


def draw_states(stocks: Sequence[StockSummary]) -> Chart:
    """Draw the moves of every stock by state."""
    rows: list[Any] = [
        {"stock": stock.ticker, "state": STATE_WORDS[state], "moves": number}
        for stock in stocks
        for state, number in stock.states.model_dump().items()
    ]
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("moves:Q", title="moves"),
            y=alt.Y("stock:N", title=None, axis=alt.Axis(labelOverlap=False)),
            color=alt.Color("state:N", title=None, scale=_STATES),
            tooltip=["stock:N", "state:N", "moves:Q"],
        )
        .properties(width=_WIDTH, height=max(80, 20 * len(stocks)))
    )
    caption = "Moves of every stock by state."
    return Chart.build(chart, caption, f"Bars of {len(stocks)} stocks.", points=len(rows))


def draw_sizes(attributions: Sequence[Attribution], ratio: float) -> Chart | None:
    """Draw realized over expected size.

    `ratio`: share of the expected size below which a move is partial.
    """
    rows = compare_sizes(attributions)
    if not rows:
        return None
    most = max(max(float(str(row["expected"])), float(str(row["realized"]))) for row in rows) * 1.05
    lines = [
        {"x": 0.0, "y": 0.0, "line": "as expected"},
        {"x": most, "y": most, "line": "as expected"},
        {"x": 0.0, "y": 0.0, "line": f"{ratio:g} times"},
        {"x": most, "y": most * ratio, "line": f"{ratio:g} times"},
    ]
    dashes = alt.Scale(domain=["as expected", f"{ratio:g} times"], range=[[1, 0], [5, 4]])
    guides = (
        alt.Chart(alt.InlineData(values=lines))
        .mark_line(color=_QUIET)
        .encode(x="x:Q", y="y:Q", strokeDash=alt.StrokeDash("line:N", title=None, scale=dashes))
    )
    percent = alt.Axis(format=_PERCENT)
    dots = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=alt.X("expected:Q", title="expected size", axis=percent),
            y=alt.Y("realized:Q", title="realized size", axis=percent),
            color=alt.Color("state:N", title=None, scale=_STATES),
            tooltip=["date:N", "state:N", "expected:Q", "realized:Q"],
            shape=alt.Shape("state:N", title=None, scale=_SHAPES),
        )
    )
    chart = alt.layer(guides, dots).properties(width=320, height=260)
    caption = (
        "Expected against realized size of the moves: on the line as expected, below the dashed "
        f"one less than {ratio:g} times."
    )
    return Chart.build(chart, caption, "Scatter of realized over expected.", points=len(rows))


def draw_strip(daily: pd.DataFrame) -> Chart:
    """Draw which rows are kept out of estimation, and the residual deviation over time."""
    shown = daily.assign(day=as_days(daily["date"]))
    left_out = shown[shown["excluded"].notna()]
    x = alt.X("day:T", title=None, axis=_MONTHS)
    sigma = (
        alt.Chart(_plain(shown, ["day", "sigma"]))
        .mark_line(color=_INK)
        .encode(
            x=x,
            y=alt.Y("sigma:Q", title="residual deviation a day", axis=alt.Axis(format=".1%")),
        )
        .properties(width=_WIDTH, height=110)
    )
    ticks = (
        alt.Chart(_plain(left_out, ["day", "excluded"]))
        .mark_tick(thickness=1.2, size=14)
        .encode(
            x=x,
            y=alt.Y("excluded:N", title=None),
            color=alt.Color("excluded:N", legend=None),
            tooltip=["day:T", "excluded:N"],
        )
        .properties(width=_WIDTH, height=60)
    )
    caption = (
        f"Residual standard deviation of each day's model, and the {len(left_out):,} rows "
        "excluded from estimation (at events, outliers, unusable)."
    )
    chart = alt.vconcat(sigma, ticks, spacing=6).resolve_scale(x="shared", color="independent")
    alt_text = "Line of the residual deviation over ticks of excluded rows."
    return Chart.build(chart, caption, alt_text, points=len(shown) + len(left_out))
