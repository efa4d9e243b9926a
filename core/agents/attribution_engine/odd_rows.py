"""Rows whose return no news made: unadjusted splits, wrong prices, and halts written as zeros.

Such rows are set aside as if they were missing, with a warning, whether or not an event is near:
an event on such a day cannot be tested. A fall to half its price looks like a
split in a column of returns (of 108 days over 30 % of 21 real, adjusted stocks 10 do), so a row is
only set aside when the days after it are calm, and either its volume
is that of any day or the ratio is 5 or more, which none of those days was. A wrong price shows as
two returns that undo each other, each about a factor of 2 or more: both are set aside. Other
splits are doubted in a warning: the ratio alone is no second witness, since a split's day has a
return of its own (a ratio within 1 % of 1/2 finds 28 % of planted splits and takes a real fall for
one, one within .5 % on a day of a flat benchmark finds 6 %;
`python -m tests.benchmarks.attribution_splits`).

An own event on the day is a second witness. A fall that fits its expected size, or its bad news
where no size is expected, stays a move and is doubted in a warning; a price that jumps and comes
back is then only set aside from a factor of 5 on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Literal, NamedTuple

import numpy as np

from core.agents.attribution_engine.places import PlacedEvent, TradingRows
from core.agents.attribution_engine.schema import name_some
from core.stats.fit import FloatArray

RATIOS = (1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 20, 25, 30, 35, 40, 50, 60, 75, 80, 100)
"""Shares after a split for each before it; a reverse split is the other way round."""
_SLACK = 2.5
_MOST_SLACK = 0.06
_ROWS_BEFORE, _ROWS_AFTER = 60, 3
_FEWEST_BEFORE = 10
_CALM = 2.0
_VOLUME_BEFORE = 20
_MOST_VOLUME = 3.0
_NAMED = 5
_HALT_ROWS = 2
_REOPENING = 0.2
_SURE = 5
"""From this ratio on returns alone tell a split."""
_UNDONE = 1.9
"""From this factor on a price that jumps and comes back is wrong: twice, less a day of noise. Of
21 real, adjusted stocks one rose by a factor of 1.8 and fell back the next day."""
_MOST_SLACK_BACK = 0.1
"""Largest logarithm of what a jump and its way back leave, two days of usual noise."""
_ROWS_WRONG = 5
"""Most rows between a jump and its return."""
_MOST_TIMES_EXPECTED = 2
"""Up to this many times its expected move an event accounts for a fall."""
_TOLD = 2
"""From this ratio on a return alone is reported: 3-for-2 is the size of too much real news."""


OwnEvents = Mapping[int, Sequence[PlacedEvent]]


class OddRow(NamedTuple):
    """A row that is set aside.

    Attributes:
        reason: What it looks like.
        ratio: Price after over price before, for a split or a wrong price.
        is_sure: Whether it is set aside; else it is only told.
        is_open: Whether only the direction of an own event makes it a move.
    """

    row: int
    reason: Literal["split", "halt", "bad_price"]
    ratio: float | None = None
    is_sure: bool = True
    is_open: bool = False


def find_halts(rows: TradingRows) -> list[OddRow]:
    """Return the rows without trade just before a large return: a halt that is written as zeros.

    Two rows in a line with a return of exactly 0 while the benchmark moves, or one without
    volume, before a return of 20 % or more.
    """
    stock, market, volume = rows.series.stock, rows.series.market, rows.volume
    still = (stock == 0) & (np.nan_to_num(market) != 0)
    odd_rows: list[OddRow] = []
    for row in np.flatnonzero(np.abs(np.nan_to_num(stock)) >= _REOPENING).tolist():
        first = row
        while first > 0 and still[first - 1]:
            first -= 1
        untraded = bool((volume[first:row] == 0).any())
        traded = bool((volume[first:row] > 0).any())
        if untraded or (row - first >= _HALT_ROWS and not traded):
            odd_rows += [OddRow(index, "halt") for index in range(first, row)]
    return odd_rows


def find_bad_prices(rows: TradingRows, events: OwnEvents) -> list[OddRow]:
    """Return the rows of a jump in price and of its way back: (1 + r1)(1 + r2) is nearly 1.

    The rows between them are calm; they stand at the wrong level, but their returns do not.

    `events`: the company's own events by the rows on which they can move the stock.
    """
    change = _log_changes(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = np.log1p(rows.series.stock)
    huge = np.flatnonzero(np.isfinite(change) & (np.abs(change) >= np.log(_UNDONE))).tolist()
    wrong: list[OddRow] = []
    for row, back in zip(huge, huge[1:], strict=False):
        spread = _spread(change, row)
        slack = min(_SLACK * 2**0.5 * (spread or 1.0), _MOST_SLACK_BACK)
        left = min(abs(logs[row] + logs[back]) for logs in (change, plain))
        is_undone = back - row <= _ROWS_WRONG and left <= slack
        if is_undone and (not wrong or row > wrong[-1].row):
            days = (row, back)
            is_news = any(day in events for day in days)
            is_sure = not is_news or min(abs(change[day]) for day in days) >= np.log(_SURE)
            wrong += [OddRow(d, "bad_price", float(np.exp(change[d])), is_sure) for d in days]
    return wrong


def _log_changes(rows: TradingRows) -> FloatArray:
    """Return the logarithm of each day's price ratio beyond the benchmark."""
    stock, market = rows.series.stock, rows.series.market
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log1p(stock) - np.log1p(np.nan_to_num(market)), dtype=np.float64)


def find_splits(rows: TradingRows, events: OwnEvents) -> list[OddRow]:
    """Return the rows whose return is that of a split or a reverse split.

    `events`: the company's own events by the rows on which they can move the stock.
    """
    change = _log_changes(rows)
    usual = np.log(np.array(RATIOS))
    sizes = np.concatenate([-usual[::-1], usual])
    odd_rows = []
    for row in np.flatnonzero(np.isfinite(change) & (np.abs(change) > 0.3)).tolist():
        nearest = float(sizes[np.argmin(np.abs(sizes - change[row]))])
        spread = _spread(change, row)
        if spread is None or abs(nearest - change[row]) > min(_SLACK * spread, _MOST_SLACK):
            continue
        traded = _traded(rows.volume, row, float(np.exp(change[row])))
        if traded is not None and traded > _MOST_VOLUME:
            continue
        # Unusually large days after a row speak for news; those of later own events do not count.
        days = range(row + 1, min(row + 1 + _ROWS_BEFORE, len(change)))
        undisturbed = [day for day in days if all((e.row or 0) <= row for e in events.get(day, ()))]
        after = np.abs(change[undisturbed[:_ROWS_AFTER]])
        after = after[np.isfinite(after)]
        if len(after) and float(np.sqrt((after**2).mean())) > _CALM * spread:
            continue
        fit = _fit_news(float(rows.series.stock[row]), events.get(row, ()))
        is_sure = traded is not None or abs(nearest) >= np.log(_SURE) - 1e-9
        if is_sure or abs(nearest) >= np.log(_TOLD) - 1e-9:
            odd_rows.append(
                OddRow(
                    row, "split", float(np.exp(nearest)), is_sure and not fit, fit == "direction"
                )
            )
    return odd_rows


def _fit_news(change: float, events: Sequence[PlacedEvent]) -> Literal["size", "direction", ""]:
    """Return what makes a fall the reaction to an own event: its expected size or its bad news."""
    if change >= 0:
        return ""
    bad = [event for event in events if event.direction <= 0]
    if any(-change <= _MOST_TIMES_EXPECTED * (event.expected or 0) for event in bad):
        return "size"
    return "direction" if any(e.direction < 0 and not e.expected for e in bad) else ""


def _spread(change: FloatArray, row: int) -> float | None:
    """Return the usual size of a day before a row, as a standard deviation of calm days."""
    before = change[max(0, row - _ROWS_BEFORE) : row]
    before = before[np.isfinite(before)]
    if len(before) < _FEWEST_BEFORE:
        return None
    return float(np.median(np.abs(before)) / 0.6745)


def _traded(volume: FloatArray, row: int, ratio: float) -> float | None:
    """Return the value traded on a row over that of the days before; None without volume."""
    before = volume[max(0, row - _VOLUME_BEFORE) : row]
    before = before[np.isfinite(before) & (before > 0)]
    if not np.isfinite(volume[row]) or len(before) < _FEWEST_BEFORE:
        return None
    return float(volume[row] * ratio / np.median(before))


def without(rows: TradingRows, odd: Sequence[OddRow]) -> TradingRows:
    """Return the rows with the stock's return taken out where a row is odd."""
    aside = [row.row for row in odd if row.is_sure]
    if not aside:
        return rows
    stock = rows.series.stock.copy()
    stock[aside] = np.nan
    return replace(rows, series=rows.series._replace(stock=stock))


def warn_of_odd(rows: TradingRows, odd: Sequence[OddRow]) -> list[str]:
    """Say which rows were set aside, why, and what to do."""
    halts = [rows.dates[row.row] for row in odd if row.reason == "halt"]
    warnings = []
    sure = [row for row in odd if row.reason == "split" and row.is_sure]
    if sure:
        warnings.append(
            f"looks_like_split: {_name_splits(rows, sure)}: the return looks like an unadjusted "
            "split, and the days after it are calm, so it was set aside. Send adjusted returns, or "
            "set config.set_aside to false if it was news."
        )
    wrong = [row for row in odd if row.reason == "bad_price" and row.is_sure]
    if wrong:
        warnings.append(
            f"looks_like_bad_price: {_name_jumps(rows, wrong)}: the price jumps and comes "
            "back, as a wrong price does, so both returns were set aside. Send corrected returns, "
            "or set config.set_aside to false if both were real."
        )
    jumps = [row for row in odd if row.reason == "bad_price" and not row.is_sure]
    if jumps:
        warnings.append(
            f"possible_bad_price: {_name_jumps(rows, jumps)}: the price jumps and comes back, as a "
            "wrong price does, but an event of the company falls on these days, so both returns "
            "stay; check the prices."
        )
    odd_rows = [row for row in odd if row.reason == "split" and not row.is_sure]
    if odd_rows:
        warnings.append(
            f"possible_split: {_name_splits(rows, odd_rows)}: the return may be an unadjusted "
            "split or news; returns alone do not show which, so it stays a move. Send adjusted "
            "returns."
        )
    if halts:
        warnings.append(
            f"looks_like_halt: returns of exactly 0 on {name_some(halts)} just before a large one "
            "were read as days without trade, so that news meets the day on which trade resumed."
        )
    return warnings


def explain_odd(odd: OddRow, day: date) -> str:
    """Say why a row was set aside."""
    if odd.reason == "halt":
        return f"Trading looks halted on {day}."
    if odd.reason == "bad_price":
        return (
            f"The return of {day} was set aside: the price jumps and comes back, as a wrong "
            "price does."
        )
    return (
        f"The return of {day} was set aside: it looks like an unadjusted "
        f"{say_ratio(odd.ratio or 1)}."
    )


def _name_jumps(rows: TradingRows, wrong: Sequence[OddRow]) -> str:
    pairs = [
        f"{rows.dates[first.row]} and {rows.dates[second.row]} (price x {first.ratio or 1:.3g} "
        "and back)"
        for first, second in zip(wrong[::2], wrong[1::2], strict=True)
    ]
    return name_some(pairs, _NAMED, "; ")


def _name_splits(rows: TradingRows, splits: Sequence[OddRow]) -> str:
    named = [f"{rows.dates[split.row]} ({say_ratio(split.ratio or 1)})" for split in splits]
    return name_some(named, _NAMED, "; ")


def say_ratio(ratio: float) -> str:
    """Write a ratio of prices as a split.

    >>> say_ratio(0.5), say_ratio(10.0), say_ratio(2 / 3)
    ('2-for-1 split', '1-for-10 reverse split', '3-for-2 split')
    """
    shares = ratio if ratio > 1 else 1 / ratio
    words = "3-for-2" if abs(shares - 1.5) < 1e-9 else f"{shares:.0f}-for-1"
    if ratio < 1:
        return f"{words} split"
    return "2-for-3 reverse split" if "3-for-2" in words else f"1-for-{shares:.0f} reverse split"
