"""The stocks of a request: their rows, their events, and the order in which they are answered."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.agents.attribution_engine.decision import Decision, decide, question
from core.agents.attribution_engine.leakage import Drift, check_drift
from core.agents.attribution_engine.moves import Moves, find_moves
from core.agents.attribution_engine.odd_rows import (
    OddRow,
    explain_odd,
    find_bad_prices,
    find_halts,
    find_splits,
    warn_of_odd,
    without,
)
from core.agents.attribution_engine.places import PlacedEvents, place_events
from core.agents.attribution_engine.rows import TradingRows, read_rows
from core.agents.attribution_engine.schema import AttributionEngineRequest, EventRow, ReturnRow
from core.agents.attribution_engine.settings import ConfigUsed
from core.agents.attribution_engine.study import Study, study_days
from core.agents.attribution_engine.tickers import plain_ticker


@dataclass(frozen=True)
class Stock:
    """One stock with its events, before anything is estimated.

    Attributes:
        ticker: As given; None where the rows name none.
        rows: Its trading days, odd rows taken out.
        odd: Rows that were taken out or are doubted.
        events: Its events and those that concern every stock.
        warnings: What is odd about both.
    """

    ticker: str | None
    rows: TradingRows
    odd: tuple[OddRow, ...]
    events: PlacedEvents
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
    rows = read_rows(returns)
    mine = [
        (index, event)
        for index, event in enumerate(events)
        if ticker is None or event.ticker is None or plain_ticker(event.ticker) == ticker
    ]
    halts = find_halts(rows) if config.set_aside else []
    rows = without(rows, halts)
    placed = place_events(mine, rows, ticker)
    own_events = placed.own_by_row(config.max_lag)
    wrong = find_bad_prices(rows, own_events) if config.set_aside else []
    cleaned = without(rows, wrong)
    jumps = {jump.row for jump in wrong}
    splits = find_splits(cleaned, own_events) if config.set_aside else []
    splits = [split for split in splits if split.row not in jumps]
    odd = (*halts, *wrong, *splits)
    warnings = (*rows.warnings, *warn_of_odd(rows, odd), *placed.warnings)
    return Stock(ticker, without(cleaned, splits), odd, placed, tuple(warnings))


def explain_untested(stock: Stock, study: Study, row: int) -> str:
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


def study_stock(stock: Stock, config: ConfigUsed) -> Study:
    """Fit every day's market model of a stock."""
    return study_days(stock.rows, stock.events, config)


def decide_stock(
    stock: Stock, study: Study, moves: Moves, config: ConfigUsed, *, uses_directions: bool
) -> Studied:
    """Match a stock's moves with its events and look at what came before."""
    decisions = tuple(
        question(decide(move, stock.events, config, uses_directions=uses_directions), stock.odd)
        for move in moves.moves
    )
    left_out = study.near_event.copy()
    left_out[[odd.row for odd in stock.odd]] = True
    drifts = tuple(check_drift(decision, study.found, left_out, config) for decision in decisions)
    return Studied(stock, study, moves, decisions, drifts)


def find_stock_moves(study: Study, config: ConfigUsed) -> Moves:
    """Find the moves of a stock."""
    return find_moves(study.found, config)


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
    more = f" and {len(strangers) - 5} more" if len(strangers) > 5 else ""
    return [
        f"ticker_without_returns: events of {', '.join(strangers[:5])}{more} have no returns "
        "and were skipped; returns exist for "
        f"{', '.join(sorted(str(ticker) for ticker in return_tickers)[:10])}."
    ]
