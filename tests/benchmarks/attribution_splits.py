"""Whether a split of few shares can be told from real falls by returns alone; printed.

`python -m tests.benchmarks.attribution_splits`: for each ratio and rule, how many of the real days
of the reference's adjusted returns would be taken for a split (all wrongly), and how many splits
are found that are planted on every 25th day. Rules: the one that marks (`possible_split`), and two
second witnesses: the price ratio itself within 1 % or .5 %, the latter with a calm benchmark.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from tests.benchmarks.attribution import say
from tests.benchmarks.attribution_placebo import BENCHMARKS, read_returns

RATIOS = (1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 2, 2, 3, 4)
FIRST, STEP = 100, 25
NEWS = 0.25
"""A log return of this size or more is looked at."""


class Day(NamedTuple):
    """A day's log returns, and what lies around it.

    Attributes:
        raw: Of the stock.
        beyond: Of the stock beyond the benchmark.
        market: Of the benchmark.
        spread: Standard deviation of calm days before.
        is_calm: Whether the days after are.
    """

    raw: float
    beyond: float
    market: float
    spread: float
    is_calm: bool


def list_days() -> Iterator[tuple[int, Day]]:
    """Yield every day of the reference that has neighbors, with its row."""
    returns = read_returns()
    market = np.log1p(returns["XBI"].to_numpy(float))
    for ticker in [name for name in returns.columns if name not in BENCHMARKS]:
        raw = np.log1p(returns[ticker].to_numpy(float))
        beyond = raw - market
        for row in range(FIRST, len(raw) - 3):
            spread = float(np.nanmedian(np.abs(beyond[row - 60 : row]))) / 0.6745
            after = float(np.sqrt(np.nanmean(beyond[row + 1 : row + 4] ** 2)))
            day = Day(raw[row], beyond[row], market[row], spread, after <= 2 * spread)
            if np.isfinite(day[:4]).all():
                yield row, day


def marked(day: Day, size: float) -> bool:
    """Return whether today's rule would mark a day as a split of this log ratio."""
    return abs(day.beyond - size) <= min(2.5 * day.spread, 0.06) and day.is_calm


def within(limit: float, flat: float) -> Callable[[Day, float], bool]:
    """Return a rule: the ratio itself so near, the benchmark so calm, and calm days after."""
    return lambda day, size: (
        abs(day.raw - size) <= limit and abs(day.market) <= flat and day.is_calm
    )


RULES: dict[str, Callable[[Day, float], bool]] = {
    "as marked": marked,
    "ratio within 1 %": within(0.01, np.inf),
    "ratio within .5 %, benchmark within .5 %": within(0.005, 0.005),
}


def main() -> None:
    """Print the table."""
    days = list(list_days())
    news = [day for _, day in days if abs(day.raw) >= NEWS]
    plain = [day for row, day in days if row % STEP == 0 and abs(day.raw) < NEWS]
    say(f"{len(days):,} days, {len(news)} of them real news; {len(plain):,} planted splits")
    for name, rule in RULES.items():
        for ratio in RATIOS:
            size = float(np.log(ratio))
            wrong = sum(rule(day, size) for day in news)
            moved = (day._replace(raw=day.raw + size, beyond=day.beyond + size) for day in plain)
            found = sum(rule(day, size) for day in moved)
            say(f"{name}, price x {ratio:.2f}: {wrong} real days, {found / len(plain):.0%} found")


if __name__ == "__main__":
    main()
