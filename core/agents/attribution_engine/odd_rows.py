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

An own event on the day is no second witness: a fall that fits its expected size stays a move that
it explains; any other that may be a split or a wrong price is explained only in part.

A price of a few cents moves by whole cents: its zeros are usual days and its steps large, so a halt
needs a run of zeros that the stock's own share of zeros makes rare, and a split or a wrong price a
multiple of a usual day.
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
_USUAL_VOLUME = 2.0
"""Up to this many times the shares of a usual day no news moves a price by a third or more."""
_NAMED = 5
_HALT_ROWS = 2
_ROWS_ZEROS = 250
_REOPENING, _LEAST_REOPENING = 0.2, 0.05
_RARE = 1e-4
"""A run of zeros with at most this chance, by the share of zeros before it, is no trade."""
_LARGE = 5.0
"""Usual days that a split or a wrong price is at least; of 23 real catalysts the least is 15."""
_SURE = 5
"""From this ratio on returns alone tell a split."""
_NEVER = 20
"""From this ratio on no news moves a price in a day."""
_MOST_SPREAD = 0.05
"""A stock that moves more on a usual day is priced too low for a split that lowers its price."""
_BENCHMARK_ALONE, _BENCHMARK_LEAST = 8.0, 0.1
"""Usual days, and size, from which a return of the benchmark is wrong: of 2011 to 2020 the largest
of XBI and IBB is 7.6 usual days."""
_NO_INDEX = 0.25
"""From this size on it is wrong even where the stock moves, too."""
_BENCHMARK_JUMP, _JUMP_LEAST = 5.0, 0.05
"""From here on no event's day says that the stock did not react."""
_INVERTED_SHARE, _INVERTED_Z = -0.15, -4.0
"""Days with the benchmark less those against it, as a share and in deviations, from which the sign
of the returns is wrong."""
_UNDONE = 1.9
"""From this factor on a price that jumps and comes back is wrong: twice, less a day of noise. Of
21 real, adjusted stocks one rose by a factor of 1.8 and fell back the next day."""
_MOST_SLACK_BACK = 0.1
"""Largest logarithm of what a jump and its way back leave, two days of usual noise."""
_MOST_NEWS = float(np.log(2.5))
"""Largest logarithm that they leave where news of one of the days is in it."""
_ROWS_WRONG = 5
"""Most rows between a jump and its return."""
_MOST_TIMES_EXPECTED = 1.5
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
        is_open: Whether an event explains it only in part.
    """

    row: int
    reason: Literal["split", "halt", "bad_price", "level", "benchmark", "zero_price"]
    ratio: float | None = None
    is_sure: bool = True
    is_open: bool = False


def find_halts(rows: TradingRows) -> list[OddRow]:
    """Return the rows without trade just before a large return: a halt that is written as zeros.

    Two rows or more in a line with a return of exactly 0 while the benchmark moves, which is rare
    for the stock, or one without volume, before a return of 20 % or more, or of 5 % or more that is
    large for the stock.
    """
    stock, volume = rows.series.stock, rows.volume
    change = _log_changes(rows)
    odd_rows: list[OddRow] = []
    reopened = (np.abs(np.nan_to_num(stock[1:])) >= _LEAST_REOPENING) & (stock[:-1] == 0)
    for row in (np.flatnonzero(reopened) + 1).tolist():
        first, _ = _still(rows, row - 1)
        usual = _spread(change, first) or np.inf
        if abs(stock[row]) < min(_REOPENING, _LARGE * usual):
            continue
        untraded = bool((volume[first:row] == 0).any())
        traded = bool((volume[first:row] > 0).any())
        if untraded or (not traded and _is_rare(rows, first, row)):
            odd_rows += [OddRow(index, "halt") for index in range(first, row)]
    return odd_rows


def _still(rows: TradingRows, row: int) -> tuple[int, int]:
    """Return the run of zeros around a row while the benchmark moves: first row, and end."""
    still = (rows.series.stock == 0) & (np.nan_to_num(rows.series.market) != 0)
    first = stop = row + 1
    while first > 0 and still[first - 1]:
        first -= 1
    while stop < len(still) and still[stop]:
        stop += 1
    return first, stop


def _is_rare(rows: TradingRows, first: int, stop: int) -> bool:
    """Return whether so many zeros in a line are rare for the stock."""
    before = rows.series.stock[max(0, first - _ROWS_ZEROS) : first]
    before = before[np.isfinite(before)]
    share = (1 + (before == 0).sum()) / (2 + len(before))
    return stop - first >= _HALT_ROWS and bool(share ** (stop - first) <= _RARE)


def is_stale(rows: TradingRows, row: int) -> bool:
    """Return whether the price stands still around a row, as if the stock did not trade."""
    if rows.series.stock[row] != 0:
        return False
    first, stop = _still(rows, row)
    return _is_rare(rows, first, stop) and not (rows.volume[first:stop] > 0).any()


def find_bad_benchmark(rows: TradingRows) -> list[OddRow]:
    """Return the rows on which the benchmark moves as no index of many stocks does.

    Where it moves less than that, but far more than usual and more than the stock, what the stock
    did beyond it is the benchmark's own move: no event explains it for sure.
    """
    market = rows.series.market
    odd_rows = []
    for row in np.flatnonzero(np.abs(np.nan_to_num(market)) >= _JUMP_LEAST).tolist():
        size, usual = abs(market[row]), _spread(market, row) or np.inf
        is_alone = jumps_by_itself(rows, row)
        least = _BENCHMARK_LEAST if is_alone else _NO_INDEX
        is_sure = bool(size >= max(least, _BENCHMARK_ALONE * usual))
        if is_alone or is_sure:
            odd_rows.append(OddRow(row, "benchmark", None, is_sure, not is_sure))
    return odd_rows


def jumps_by_itself(rows: TradingRows, row: int) -> bool:
    """Return whether the benchmark moves far more than usual on a row, and the stock stays behind.

    In a shock of the sector the stock goes along; its own part can be measured.
    """
    stock, market = rows.series.stock, rows.series.market
    size = abs(market[row])
    is_alone = size >= _JUMP_LEAST and not abs(stock[row]) >= size / 2
    return bool(is_alone and size >= _BENCHMARK_JUMP * (_spread(market, row) or 0.0))


def is_inverted(rows: TradingRows) -> bool:
    """Return whether the stock moves against its benchmark, clearly: a sign that is wrong."""
    usable = rows.series.usable
    signs = np.sign(rows.series.stock[usable]) * np.sign(rows.series.market[usable])
    n_days = int((signs != 0).sum())
    if n_days < _ROWS_BEFORE:
        return False
    mean = float(signs.sum()) / n_days
    return mean <= _INVERTED_SHARE and mean * n_days**0.5 <= _INVERTED_Z


def find_bad_prices(rows: TradingRows, events: OwnEvents) -> list[OddRow]:
    """Return the rows of a jump in price and of its way back: (1 + r1)(1 + r2) is nearly 1.

    The rows between them are calm; they stand at the wrong level, but their returns do not. A
    price of 0 (a return of -1) that the stock leaves again is wrong, too.

    `events`: the company's own events by the rows on which they can move the stock.
    """
    change = _log_changes(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = np.log1p(rows.series.stock)
    huge = np.flatnonzero(np.isfinite(change) & (np.abs(change) >= np.log(_UNDONE))).tolist()
    huge = [row for row in huge if abs(change[row]) >= _LARGE * (_spread(change, row) or 0.0)]
    wrong: list[OddRow] = []
    for row, back in zip(huge, huge[1:], strict=False):
        days = (row, back)
        if back - row > _ROWS_WRONG or change[row] * change[back] > 0:
            continue
        slack = min(_SLACK * 2**0.5 * (_spread(change, row) or 1.0), _MOST_SLACK_BACK)
        left = min(abs(logs[row] + logs[back]) for logs in (change, plain))
        if left > _MOST_NEWS or (wrong and row <= wrong[-1].row):
            continue
        is_huge = min(abs(change[day]) for day in days) >= np.log(_SURE)
        is_sure = is_huge or (left <= slack and not any(day in events for day in days))
        wrong += [
            OddRow(day, "bad_price", float(np.exp(change[day])), is_sure, not is_sure)
            for day in days
        ]
    return wrong


def find_zero_prices(rows: TradingRows) -> list[OddRow]:
    """Return the rows on which the price falls to 0 and those on which it leaves it again."""
    stock = rows.series.stock
    traded = np.flatnonzero(np.isfinite(stock) & (stock != 0)).tolist()
    pairs = zip(traded, traded[1:], strict=False)
    return [
        OddRow(row, "zero_price")
        for before, after in pairs
        if stock[before] == -1
        for row in (before, after)
    ]


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
        if spread is None or abs(change[row]) < _LARGE * spread:
            continue
        is_near = abs(nearest - change[row]) <= min(_SLACK * spread, _MOST_SLACK)
        size = abs(nearest) if is_near else abs(float(change[row]))
        shares = _traded(rows.volume, row, 1.0)
        is_untraded = shares is not None and shares <= _USUAL_VOLUME
        if size < np.log(_TOLD if is_near else _SURE) - 1e-9 and not is_untraded:
            continue
        # Of a rise the shares count alone: at a price in another unit their value rises with it.
        traded = _traded(rows.volume, row, min(1.0, float(np.exp(change[row]))))
        most = _MOST_VOLUME if change[row] > 0 else _USUAL_VOLUME
        if traded is not None and traded > most and size < np.log(_NEVER):
            continue
        is_calm = is_untraded or _is_calm_after(change, row, spread, events)
        if size < np.log(_NEVER) and not is_calm:
            continue
        fits = _fits_news(float(rows.series.stock[row]), events.get(row, ()))
        is_sure = is_near and (traded is not None or size >= np.log(_SURE) - 1e-9)
        is_sure = is_sure and size >= np.log(_TOLD) - 1e-9
        is_bad_news = any(event.direction < 0 for event in events.get(row, ())) and nearest < 0
        is_cheap = nearest < 0 and not is_sure and spread >= _MOST_SPREAD
        odd_rows.append(
            OddRow(
                row,
                "split" if is_near else "level",
                float(np.exp(nearest if is_near else change[row])),
                is_sure and not fits and not is_bad_news,
                not fits and not is_cheap,
            )
        )
    return odd_rows


def _is_calm_after(change: FloatArray, row: int, spread: float, events: OwnEvents) -> bool:
    """Return whether no unusually large days follow, which speak for news.

    Those of later own events do not count.
    """
    days = range(row + 1, min(row + 1 + _ROWS_BEFORE, len(change)))
    undisturbed = [day for day in days if all((e.row or 0) <= row for e in events.get(day, ()))]
    after = np.abs(change[undisturbed[:_ROWS_AFTER]])
    after = after[np.isfinite(after)]
    return len(after) == 0 or float(np.sqrt((after**2).mean())) <= _CALM * spread


def _fits_news(change: float, events: Sequence[PlacedEvent]) -> bool:
    """Return whether a fall has about the size that an own event was expected to have."""
    return change < 0 and any(
        event.direction <= 0 and -change <= _MOST_TIMES_EXPECTED * (event.expected or 0)
        for event in events
    )


def _spread(change: FloatArray, row: int) -> float | None:
    """Return the usual size of a day before a row, as a standard deviation of calm days."""
    before = change[max(0, row - _ROWS_BEFORE) : row]
    before = before[np.isfinite(before)]
    if len(before) < _FEWEST_BEFORE:
        return None
    usual = float(np.median(np.abs(before)) / 0.6745)
    # A price that stands still on most days has steps that its median does not show.
    steps = np.clip(before, -1, 1)
    return usual or float(np.sqrt((steps**2).mean()))


def _traded(volume: FloatArray, row: int, ratio: float) -> float | None:
    """Return the value traded on a row over that of the days before; None without volume."""
    before = volume[max(0, row - _VOLUME_BEFORE) : row]
    before = before[np.isfinite(before) & (before > 0)]
    if not np.isfinite(volume[row]) or len(before) < _FEWEST_BEFORE:
        return None
    return float(volume[row] * ratio / np.median(before))


def without(rows: TradingRows, odd: Sequence[OddRow]) -> TradingRows:
    """Return the rows with the return taken out where a row is odd: the stock's or benchmark's."""
    aside = [row.row for row in odd if row.is_sure and row.reason != "benchmark"]
    wrong = [row.row for row in odd if row.is_sure and row.reason == "benchmark"]
    if not aside and not wrong:
        return rows
    stock, market = rows.series.stock.copy(), rows.series.market.copy()
    stock[aside], market[wrong] = np.nan, np.nan
    return replace(rows, series=rows.series._replace(stock=stock, market=market))


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
            "stay as moves, which no event confirms; check the prices."
        )
    odd_rows = [row for row in odd if row.reason == "split" and not row.is_sure]
    if odd_rows:
        warnings.append(
            f"possible_split: {_name_splits(rows, odd_rows)}: the return may be an unadjusted "
            "split or news; returns alone do not show which, so it stays a move. Send adjusted "
            "returns."
        )
    levels = [row for row in odd if row.reason == "level"]
    if levels:
        named = [f"{rows.dates[row.row]} (price x {row.ratio or 1:.3g})" for row in levels]
        warnings.append(
            f"possible_level_shift: {name_some(named, _NAMED, '; ')}: the price moves to another "
            "level and the days after it are calm, as after a change of currency or of adjustment; "
            "the return stays a move, which no event confirms. Check the prices."
        )
    zeros = [rows.dates[row.row] for row in odd if row.reason == "zero_price"]
    if zeros:
        warnings.append(
            f"price_of_zero: the price falls to 0 and leaves it again on {name_some(zeros)}; these "
            "returns were set aside."
        )
    benchmarks = [rows.dates[r.row] for r in odd if r.reason == "benchmark" and r.is_sure]
    if benchmarks:
        warnings.append(
            f"looks_like_bad_benchmark: on {name_some(benchmarks)} the benchmark moves more than "
            f"{_BENCHMARK_ALONE:g} times as much as on its usual days, so its returns were set "
            "aside. Check that stock and benchmark are not swapped, or set config.set_aside to "
            "false if these were real."
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
    if odd.reason == "zero_price":
        return f"The return of {day} was set aside: the price falls to 0 and leaves it again."
    if odd.reason == "benchmark":
        return f"The benchmark's return of {day} was set aside: no index moves so much in a day."
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
