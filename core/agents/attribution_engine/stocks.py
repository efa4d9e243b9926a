"""The stocks of a request: their rows, their events, and the order in which they are answered.

How stocks reacted to events of each type in the list, and what that makes usual for the next. What
is usual for an event is the median of the earlier events of its type in the same list, so that
nothing is known before its day; where there are too few, that of the reference's stocks. A list
that was chosen after its moves makes them look larger than they are; the days without events stand
beside them.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

import numpy as np

from core.agents.attribution_engine.decision import (
    Chances,
    Decision,
    Drift,
    Moves,
    check_drift,
    core_rows,
    decide,
    question,
)
from core.agents.attribution_engine.odd_rows import (
    OddRow,
    explain_odd,
    find_bad_benchmark,
    find_bad_prices,
    find_halts,
    find_splits,
    find_zero_prices,
    is_inverted,
    is_stale,
    jumps_by_itself,
    warn_of_odd,
    without,
)
from core.agents.attribution_engine.places import (
    PlacedEvent,
    PlacedEvents,
    TradingRows,
    find_gap,
    place_events,
    read_rows,
)
from core.agents.attribution_engine.records import Reaction, SampleTest
from core.agents.attribution_engine.schema import (
    AttributionEngineRequest,
    EventRow,
    ReturnRow,
    name_some,
    plain_ticker,
)
from core.agents.attribution_engine.settings import ConfigUsed
from core.knowledge.usual_reactions import find_usual
from core.stats.event_study import (
    AbnormalReturns,
    EstimationPlan,
    adjust_p,
    find_abnormal,
    sum_abnormal,
    tail_p,
    window_rows,
)
from core.stats.event_study_tests import SIGNLESS, EventSample, compare_events
from core.stats.event_study_variants import fill_short, follow_variance
from core.stats.fit import BoolArray, FloatArray

FEWEST_EVENTS = 5
_ABOUT = {
    "patell_z": "Patell 1976",
    "bmp_t": "Boehmer, Musumeci and Poulsen 1991",
    "kolari_pynnonen_patell": "Patell's with residual correlation, Kolari and Pynnonen 2010",
    "kolari_pynnonen_bmp": "BMP with residual correlation, Kolari and Pynnonen 2010",
    "corrado_rank": "Corrado 1989, several days after Cowan 1992",
    "generalized_sign": "Cowan 1992",
    "generalized_rank": "Kolari and Pynnonen 2011",
    "size_rank": "Corrado 1989 on absolute values",
}


@dataclass(frozen=True)
class Study:
    """Abnormal returns with their tails.

    Attributes:
        found: Abnormal returns, one a row.
        near_event: Rows 0 and +1 of every event.
        p: Two-sided tail of each day's SAR; NaN where it is not tested.
        p_fdr: The same adjusted over all tested days.
        chances: The stock's own days, to set beside ties and flags.
        short: Rows whose model is the sector's beta, for want of history.
    """

    found: AbnormalReturns
    near_event: BoolArray
    p: FloatArray
    p_fdr: FloatArray
    warnings: tuple[str, ...]
    chances: Chances
    short: BoolArray


def study_days(rows: TradingRows, events: PlacedEvents, config: ConfigUsed) -> Study:
    """Fit every day's market model and standardize its abnormal return."""
    is_near = events.near(len(rows))
    plan = EstimationPlan(config.estimation_window, config.gap, config.min_obs)
    left_out = is_near if config.exclusion != "none" else np.zeros_like(is_near)
    outlier_z = config.outlier_z if config.exclusion == "events_and_outliers" else None
    returns = find_abnormal(rows.series, left_out, plan, outlier_z=outlier_z)
    short = np.zeros_like(is_near)
    if config.short_history == "sector_beta":
        returns, short = fill_short(returns)
    if config.variance != "constant":
        returns = follow_variance(returns, config.variance)
    p = tail_p(returns.sar, returns.fits.n_obs, returns.fits.n_coefficients)
    chances = Chances(returns, is_near, events, rows.volume, config)
    warnings = []
    fitted = returns.fits.n_obs > 0
    n_flat = int((fitted & ~short & (returns.fits.market_ss == 0)).sum())
    if n_flat:
        warnings.append(
            f"constant_market: the benchmark does not move in the windows of {n_flat} days; beta "
            "is 0 there."
        )
    sector = returns.fits.sector
    n_alike = 0 if sector is None else int(((fitted & ~short) & (sector.ss == 0)).sum())
    if n_alike:
        warnings.append(
            f"factors_alike: the second factor moves with the benchmark in the windows of "
            f"{n_alike} days; there the model is that of the benchmark alone."
        )
    n_still = int((fitted & (returns.fits.sigma == 0)).sum())
    if n_still:
        warnings.append(
            f"constant_stock: the stock does not move apart from the benchmark in the windows of "
            f"{n_still} days; they are not tested."
        )
    if not returns.tested.any():
        warnings.append(
            f"no_testable_day: no day has {config.min_obs} usable rows before it (besides the "
            f"{config.gap - 1} rows just before); send at least {config.min_obs + config.gap} "
            "rows, or set config.short_history to sector_beta."
        )
    if short.any():
        warnings.append(
            f"short_history: {int(short.sum())} days have too few rows before them for a fit; "
            "their moves are measured against the benchmark itself (beta 1) and marked sector_beta."
        )
    return Study(returns, is_near, p, adjust_p(p), tuple(warnings), chances, short)


def compare_all(
    stocks: Sequence[tuple[Study, PlacedEvents]], config: ConfigUsed
) -> list[SampleTest]:
    """Test the core windows of all testable events together, those of several stocks too."""
    testable = [
        (study.found, event)
        for study, events in stocks
        for event in events.inside
        if study.found.tested[event.row or 0] and not study.short[event.row or 0]
    ]
    if len(testable) < FEWEST_EVENTS:
        return []
    length = config.estimation_window
    cars = []
    residual = np.full((len(testable), length), np.nan)
    window = np.full((len(testable), config.max_lag + 1), np.nan)
    for index, (returns, listed) in enumerate(testable):
        row, fits = listed.row or 0, returns.fits
        days = list(core_rows(listed, len(returns.ar), config))
        cars.append(sum_abnormal(returns, row, days))
        used = window_rows(returns, row)
        both = np.concatenate([used, days])
        beyond = fits.residuals(returns.series, row, both)
        residual[index, used - (row - returns.plan.gap - length + 1)] = beyond[: len(used)]
        window[index, : len(days)] = beyond[len(used) :]
    car, scar = np.array([[car.car, car.scar] for car in cars]).T
    n_obs = np.array([returns.fits.n_obs[listed.row or 0] for returns, listed in testable], float)
    fitted = [returns.fits.n_coefficients[listed.row or 0] for returns, listed in testable]
    tests = compare_events(EventSample(car, scar, n_obs, residual, window, np.array(fitted, float)))
    about = f"rows 0 to +{config.max_lag} of {len(testable)} events"
    return [
        SampleTest(
            name=name,
            statistic=result.statistic,
            p_value=result.p_value,
            n_events=len(testable),
            about=f"{_ABOUT[name]}: {_asks(name)} {about}"
            f"{'' if name in SIGNLESS else '; good and bad news cancel'}.",
        )
        for name, result in tests.items()
        if np.isfinite(result.statistic)
    ]


def _asks(name: str) -> str:
    return "size of the abnormal return in" if name in SIGNLESS else "mean abnormal return of"


@dataclass(frozen=True)
class Stock:
    """One stock with its events, before anything is estimated.

    Attributes:
        ticker: As given; None where the rows name none.
        rows: Its trading days, odd rows taken out.
        odd: Rows that were taken out or are doubted.
        events: Its events and those that concern every stock.
        is_inverted: Whether its returns look as if they had the wrong sign.
    """

    ticker: str | None
    rows: TradingRows
    odd: tuple[OddRow, ...]
    events: PlacedEvents
    is_inverted: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Studied:
    """A stock with its moves and what explains them."""

    stock: Stock
    study: Study
    moves: Moves
    decisions: tuple[Decision, ...]
    drifts: tuple[Drift | None, ...]


def list_stocks(request: AttributionEngineRequest, config: ConfigUsed) -> list[Stock]:
    """Return the stocks of a request, by ticker."""
    by_given: dict[str | None, list[ReturnRow]] = defaultdict(list)
    for row in request.returns:
        by_given[row.ticker].append(row)
    by_ticker: dict[str | None, list[ReturnRow]] = defaultdict(list)
    for given, returns in by_given.items():
        by_ticker[plain_ticker(given)] += returns
    stocks = sorted(by_ticker.items(), key=lambda entry: entry[0] or "") or [(None, [])]
    return [_read_stock(ticker, returns, request.events, config) for ticker, returns in stocks]


def _read_stock(
    ticker: str | None,
    returns: Sequence[ReturnRow],
    events: Sequence[EventRow],
    config: ConfigUsed,
) -> Stock:
    rows = read_rows(returns, ticker, config.exchange)
    mine = [
        (index, event)
        for index, event in enumerate(events)
        if ticker is None or event.ticker is None or plain_ticker(event.ticker) == ticker
    ]
    if not config.set_aside:
        placed = place_events(mine, rows, ticker)
        return Stock(ticker, rows, (), placed, False, (*rows.warnings, *placed.warnings))
    first = (*find_halts(rows), *find_zero_prices(rows), *find_bad_benchmark(rows))
    rows = without(rows, first)
    placed = place_events(mine, rows, ticker)
    own_events = placed.own_by_row(config.max_lag)
    wrong = find_bad_prices(rows, own_events)
    cleaned = without(rows, wrong)
    jumps = {jump.row for jump in wrong}
    splits = [s for s in find_splits(cleaned, own_events) if s.row not in jumps]
    odd = (*first, *wrong, *splits)
    warnings = [*rows.warnings, *warn_of_odd(rows, odd), *placed.warnings]
    inverted = is_inverted(rows)
    if inverted:
        warnings.append(
            "looks_inverted: the stock moves against its benchmark on most days; check the sign of "
            "the returns. No move counts as confirmed."
        )
    return Stock(ticker, without(cleaned, splits), odd, placed, inverted, tuple(warnings))


def explain_untested(stock: Stock, study: Study, placed: PlacedEvent, rows: Sequence[int]) -> str:
    """Say why a reaction to an event cannot be tested on its rows; "" where it can."""
    if placed.missed_on is not None:
        return (
            f"The stock has no return on {placed.missed_on}, on which the "
            f"{stock.rows.calendar.exchange.name} trades; the next one shows no move."
        )
    for row in rows:
        if not study.found.tested[row]:
            return _explain_untested(stock, study, row)
    day = stock.rows.dates[rows[0]]
    missing = find_gap(stock.rows, rows[0], rows[-1])
    if missing is not None:
        return (
            f"There is no row of {missing}, on which the {stock.rows.calendar.exchange.name} "
            "trades."
        )
    if is_stale(stock.rows, rows[0]):
        return f"The price of the stock does not change around {day}, as if it did not trade."
    jumps = [row for row in rows if jumps_by_itself(stock.rows, row)]
    if jumps:
        return (
            f"The benchmark itself moved {stock.rows.series.market[jumps[0]]:+.1%} on "
            f"{stock.rows.dates[jumps[0]]}; check that the columns are not swapped."
        )
    return ""


def _explain_untested(stock: Stock, study: Study, row: int) -> str:
    """Say why a row cannot be tested."""
    series, day = stock.rows.series, stock.rows.dates[row]
    aside = next((odd for odd in stock.odd if odd.row == row and odd.is_sure), None)
    if aside is not None:
        return explain_odd(aside, day)
    if not np.isfinite(series.stock[row]):
        return f"The stock has no return on {day}."
    if not np.isfinite(series.market[row]):
        return f"The benchmark has no return on {day}."
    if not series.usable_at(row):
        return f"The second factor has no return on {day}."
    if study.found.fits.n_obs[row] == 0:
        return f"Too few usable rows come before {day} for a market model."
    return f"The stock does not move apart from the benchmark before {day}."


def name_second(request: AttributionEngineRequest, stocks: Sequence[Studied]) -> str | None:
    """Return the label of the second factor; None where no stock has one."""
    if all(stock.stock.rows.series.sector is None for stock in stocks):
        return None
    return request.second_benchmark or "sector"


def decide_stock(
    stock: Stock, study: Study, moves: Moves, config: ConfigUsed, telling: Collection[int]
) -> Studied:
    """Match a stock's moves with its events and look at what came before.

    `telling`: directions of event types (1, -1) against which no move counts as explained.
    """
    decisions = tuple(
        question(
            decide(move, stock.events, config, telling),
            stock.odd,
            is_inverted=stock.is_inverted,
        )
        for move in moves.moves
    )
    left_out = study.near_event.copy()
    left_out[[odd.row for odd in stock.odd if odd.reason != "benchmark"]] = True
    drifts = tuple(check_drift(decision, study.found, left_out, config) for decision in decisions)
    return Studied(stock, study, moves, decisions, drifts)


def warn_of_stocks(stocks: Sequence[tuple[Stock, Study]]) -> list[str]:
    """Return what is odd, with the ticker behind the code where there are several stocks."""
    if len(stocks) < 2:
        return [text for stock, study in stocks for text in (*stock.warnings, *study.warnings)]
    by_code: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for stock, study in stocks:
        for text in (*stock.warnings, *study.warnings):
            code, _, message = text.partition(": ")
            by_code[code].append((stock.ticker or "", message))
    warnings = []
    for code, messages in by_code.items():
        (first, message), others = messages[0], [ticker for ticker, _ in messages[1:]]
        more = f" Likewise {', '.join(dict.fromkeys(others))}." if others else ""
        warnings.append(f"{code}: {first}: {message}{more}")
    return warnings


def warn_of_strangers(request: AttributionEngineRequest) -> list[str]:
    """Name tickers of events that no row of returns has."""
    return_tickers = {
        plain_ticker(ticker) for ticker in {row.ticker for row in request.returns}
    } - {None}
    if not return_tickers:
        return []
    event_tickers = {plain_ticker(event.ticker) for event in request.events} - {None}
    strangers = sorted(str(ticker) for ticker in event_tickers - return_tickers)
    if not strangers:
        return []
    return [
        f"ticker_without_returns: events of {name_some(strangers)} have no returns "
        "and were skipped; returns exist for "
        f"{', '.join(sorted(str(ticker) for ticker in return_tickers)[:10])}."
    ]


FEWEST = 5
"""Earlier events of a type that a usual size needs."""
Pair = tuple[Stock, Study]


class Reacted(NamedTuple):
    """An event's abnormal return over its core rows."""

    kind: str
    day: date
    ticker: str | None
    place: int
    car: float
    is_significant: bool


def list_reactions(stocks: Sequence[Pair], config: ConfigUsed) -> list[Reacted]:
    """Return the reactions to all confirmed own events that can be tested, by day."""
    reactions = []
    for stock, study in stocks:
        for placed in stock.events.inside:
            row = placed.row or 0
            if not (placed.is_own and placed.event.confirmed and study.found.tested[row]):
                continue
            rows = list(core_rows(placed, len(stock.rows), config))
            size = sum_abnormal(study.found, row, rows)
            is_significant = abs(size.scar) >= config.sig_z and abs(size.car) >= config.min_abs_move
            kind, day = plain_kind(placed.event.event_type), stock.rows.dates[row]
            reactions.append(
                Reacted(kind, day, placed.ticker, placed.index, size.car, is_significant)
            )
    return sorted(
        reactions, key=lambda reaction: (reaction.day, reaction.ticker or "", reaction.place)
    )


def plain_kind(event_type: str) -> str:
    """Return a type as types are compared.

    >>> plain_kind("  Phase 3  Readout ")
    'phase 3 readout'
    """
    return " ".join(event_type.casefold().split())


def tabulate_reactions(
    reacted: Sequence[Reacted], stocks: Sequence[Pair], config: ConfigUsed
) -> list[Reaction]:
    """Return one row a type, the most frequent first, beside days without events."""
    by_kind: dict[str, list[Reacted]] = defaultdict(list)
    for reaction in reacted:
        by_kind[reaction.kind].append(reaction)
    sizes = []
    for _, study in stocks:
        sums = np.concatenate([[0.0], np.cumsum(np.nan_to_num(study.found.ar))])
        day = np.flatnonzero(study.chances.quiet_days)
        stop = np.minimum(day + config.max_lag + 1, len(sums) - 1)
        sizes.append(np.abs(sums[stop] - sums[day]))
    quiet = np.concatenate([[], *sizes])
    usual = float(np.median(quiet)) if len(quiet) else None
    rows = []
    for kind, some in by_kind.items():
        low, middle, high = np.quantile([abs(reaction.car) for reaction in some], [0.25, 0.5, 0.75])
        rows.append(
            Reaction(
                event_type=kind,
                n_events=len(some),
                median_abs_move=float(middle),
                lower_quartile=float(low),
                upper_quartile=float(high),
                share_up=sum(reaction.car > 0 for reaction in some) / len(some),
                share_moved=sum(reaction.is_significant for reaction in some) / len(some),
                median_without_event=usual,
            )
        )
    return sorted(rows, key=lambda row: (-row.n_events, row.event_type))


def expect_usual(stock: Stock, reacted: Sequence[Reacted]) -> Stock:
    """Return a stock whose events without an expected move have the usual one of their type.

    Own confirmed events of a type that the list has too few of have that of the reference.
    """
    inside = tuple(_with_usual(placed, reacted) for placed in stock.events.inside)
    events = PlacedEvents(inside, stock.events.outside, stock.events.warnings)
    return replace(stock, events=events)


def _with_usual(placed: PlacedEvent, reacted: Sequence[Reacted]) -> PlacedEvent:
    if placed.event.expected_abs_move or placed.row_on is None:
        return placed
    kind = plain_kind(placed.event.event_type)
    # Events of the last core window before the day are left out: they may not have ended.
    earlier = [
        abs(reaction.car)
        for reaction in reacted
        if reaction.kind == kind and (placed.row_on - reaction.day).days > 7
    ]
    usual = float(np.median(earlier)) if len(earlier) >= FEWEST else None
    reaction = (
        find_usual(kind) if usual is None and (placed.is_own and placed.event.confirmed) else None
    )
    if reaction is not None:
        return replace(placed, usual=reaction.median_abs_move, usual_kind=kind)
    return replace(placed, usual=usual)


def say_usual(stocks: Sequence[Stock]) -> list[str]:
    """Say which events have the reference's usual move, and what that rests on."""
    kinds = Counter(event.usual_kind for stock in stocks for event in stock.events.inside)
    warnings = []
    for kind in sorted(kind for kind in kinds if kind is not None):
        usual = find_usual(kind)
        if usual is not None:
            warnings.append(
                f"usual_move_of_reference: {kind} ({kinds[kind]} of the list): where no expected "
                f"move is given and the list has fewer than {FEWEST} earlier ones, it is "
                f"{100 * usual.median_abs_move:.1f} %, the median size over {usual.n_events} such "
                f"events of {usual.n_stocks} biotech stocks from {usual.since[:4]} to "
                f"{usual.until[:4]} (without an event {100 * usual.median_without_event:.1f} %)."
            )
    return warnings
