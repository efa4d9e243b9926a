"""Rows of the request in the order of their dates, as arrays, with what is odd about them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from core.agents.attribution_engine.input_checks import PERCENT_LIKELY, median_size
from core.agents.attribution_engine.schema import ReturnRow
from core.stats.event_study import Series
from core.stats.fit import FloatArray

_HUGE = 10.0
_GAP_DAYS = 10
_THIN_SHARE = 0.2
_NAMED = 5
_OR_SECTOR = " or second factor"


@dataclass(frozen=True)
class TradingRows:
    """The trading days, oldest first.

    Attributes:
        dates: One a row, strictly increasing.
        series: Returns of stock and benchmark.
        volume: Shares traded, NaN where not given.
        warnings: What is odd about the rows.
    """

    dates: tuple[date, ...]
    series: Series
    volume: FloatArray
    warnings: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of trading days."""
        return len(self.dates)


def read_rows(returns: Sequence[ReturnRow]) -> TradingRows:
    """Sort the rows by date, drop exact repeats and note what is odd."""
    by_date = {row.date: row for row in returns}
    dates = tuple(sorted(by_date))
    ordered = [by_date[day] for day in dates]
    stock, market = _column([row.stock for row in ordered]), _column([r.market for r in ordered])
    sector = _column([row.sector for row in ordered])
    series = Series(stock, market, sector if np.isfinite(sector).any() else None)
    n_repeats = len(returns) - len(dates)
    warnings = [
        *_warn_of_repeats(returns, n_repeats),
        *_warn_of_values(dates, series),
        *_warn_of_gaps(dates),
    ]
    volume = _column([row.volume for row in ordered])
    return TradingRows(dates, series, volume, tuple(warnings))


def _column(values: Sequence[float | None]) -> FloatArray:
    """Return a column with NaN for null; minus zero becomes zero."""
    return np.array([np.nan if value is None else value + 0.0 for value in values], dtype=float)


def _warn_of_repeats(returns: Sequence[ReturnRow], n_repeats: int) -> list[str]:
    if n_repeats == 0:
        return []
    times = Counter(row.date for row in returns)
    repeated = sorted(day for day, number in times.items() if number > 1)
    return [
        f"duplicate_date: {n_repeats} rows repeat a date with the same values and were dropped "
        f"({name_days(repeated)})."
    ]


def _warn_of_values(dates: Sequence[date], series: Series) -> list[str]:
    """Note missing, huge, large and unchanged returns."""
    warnings = []
    n_missing = int((~series.usable).sum())
    if n_missing:
        warnings.append(
            f"unusable_rows: {n_missing} rows lack a return of stock or benchmark"
            f"{_OR_SECTOR if series.sector is not None else ''}; they are not read as 0 and count "
            "in no estimate."
        )
    for name, values in series._asdict().items():
        if values is None:
            continue
        finite = values[np.isfinite(values)]
        huge = [dates[int(row)] for row in np.flatnonzero(values > _HUGE)]
        if huge:
            warnings.append(
                f"huge_return: {name} gains over 1,000 % on {name_days(huge)}; is a split not "
                "adjusted for?"
            )
        if len(finite) and median_size(finite.tolist()) > PERCENT_LIKELY:
            warnings.append(
                f"looks_like_percent: the median size of {name} is over {PERCENT_LIKELY:g}; "
                "returns are fractions, 0.012 means 1.2 %."
            )
    stock = series.stock[np.isfinite(series.stock)]
    if len(stock) and (stock == 0).mean() > _THIN_SHARE:
        warnings.append(
            f"thin_trading: {(stock == 0).mean():.0%} of the stock's returns are exactly 0; beta "
            "is drawn toward 0 where trading is thin (see beta_dimson)."
        )
    return warnings


def _warn_of_gaps(dates: Sequence[date]) -> list[str]:
    gaps = [
        f"{before} to {after}"
        for before, after in zip(dates, dates[1:], strict=False)
        if (after - before).days > _GAP_DAYS
    ]
    if not gaps:
        return []
    more = f" and {len(gaps) - _NAMED} more" if len(gaps) > _NAMED else ""
    return [
        f"calendar_gap: no rows for more than {_GAP_DAYS} calendar days: "
        f"{', '.join(gaps[:_NAMED])}{more}; windows count rows, not days."
    ]


def name_days(days: Sequence[date]) -> str:
    """Return the first days in words, and how many more there are."""
    named = ", ".join(day.isoformat() for day in days[:_NAMED])
    return f"{named} and {len(days) - _NAMED} more" if len(days) > _NAMED else named
