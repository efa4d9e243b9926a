"""The daily figures as a table, and the summary."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.agents.attribution_engine.records import (
    STATES,
    Attribution,
    StateCounts,
    StockSummary,
    Summary,
)
from core.agents.attribution_engine.stocks import Studied
from core.agents.attribution_engine.table_records import DailyRow, DailyTable
from core.stats.event_study import AbnormalReturns
from core.stats.fit import FloatArray

ROWS_A_YEAR = 252


def tabulate(stocks: Sequence[Studied]) -> DailyTable:
    """Return every row with its model, its abnormal return and the state of its move."""
    frames = [_tabulate_stock(stock) for stock in stocks]
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    return DailyTable("daily", frame)


def _tabulate_stock(studied: Studied) -> pd.DataFrame:
    returns, study, rows = studied.study.found, studied.study, studied.stock.rows
    fitted = returns.fits.n_obs > 0
    excluded = np.full(len(rows), None, dtype=object)
    excluded[~returns.keep] = "event"
    excluded[returns.outlier] = "outlier"
    excluded[~returns.series.usable] = "unusable"
    states = np.full(len(rows), None, dtype=object)
    for decision in studied.decisions:
        states[decision.move.first : decision.move.last + 1] = decision.state
    return pd.DataFrame(
        {
            "ticker": np.full(len(rows), studied.stock.ticker, dtype=object),
            "date": pd.Series([day.isoformat() for day in rows.dates], dtype=object),
            "stock": returns.series.stock,
            "market": returns.series.market,
            "sector": np.nan if returns.series.sector is None else returns.series.sector,
            "fitted": returns.fits.expected(returns.series),
            "ar": returns.ar,
            "sar": returns.sar,
            "p_value": study.p,
            "p_fdr": study.p_fdr,
            "beta": np.where(fitted, returns.fits.beta, np.nan),
            "beta_sector": _slopes_on_sector(returns),
            "sigma": returns.fits.sigma,
            "n_obs": returns.fits.n_obs,
            "excluded": excluded,
            "state": states,
        },
        columns=list(DailyRow.model_fields),
    )


def _slopes_on_sector(returns: AbnormalReturns) -> FloatArray:
    """Return every row's slope on the second factor; NaN without one."""
    fits = returns.fits
    if fits.sector is None:
        return np.full(len(fits.beta), np.nan)
    return np.where(fits.n_obs > 0, fits.sector.beta, np.nan)


def summarize(attributions: Sequence[Attribution], stocks: Sequence[Studied]) -> Summary:
    """Return the run in one glance."""
    return Summary(**_count(attributions, stocks))


def summarize_stocks(
    attributions: Sequence[Attribution], stocks: Sequence[Studied]
) -> list[StockSummary]:
    """Return every named stock in one glance, by ticker."""
    summaries = []
    for stock in stocks:
        ticker = stock.stock.ticker
        if ticker is None:
            continue
        mine = [record for record in attributions if record.ticker == ticker]
        open_moves = [record for record in mine if record.state == "unexplained"]
        worst = max(open_moves, key=lambda record: abs(record.scar), default=None)
        summaries.append(
            StockSummary(
                ticker=ticker,
                largest_unexplained=None if worst is None else worst.car,
                largest_unexplained_on=None if worst is None else worst.move_date,
                **_count(mine, [stock]),
            )
        )
    return summaries


def _count(attributions: Sequence[Attribution], stocks: Sequence[Studied]) -> dict[str, Any]:
    """Return the fields of a summary."""
    states = Counter(record.state for record in attributions)
    n_moves = len(attributions)
    explained = [
        record for record in attributions if record.state != "unexplained" and record.doubt is None
    ]
    n_alone = sum(not record.confounded for record in explained)
    n_tested = sum(int(stock.study.found.tested.sum()) for stock in stocks)
    n_usable = sum(int(stock.study.found.series.usable.sum()) for stock in stocks)
    years = n_tested / ROWS_A_YEAR
    days = [
        day
        for stock in stocks
        for day in stock.stock.rows.dates[:: max(1, len(stock.stock.rows) - 1)]
    ]
    return {
        "n_moves": n_moves,
        "states": StateCounts(**{state: states[state] for state in STATES}),
        "n_leakage_flags": sum(record.leakage_flag for record in attributions),
        "n_confounded": sum(record.confounded for record in attributions),
        "n_doubted": sum(record.doubt is not None for record in attributions),
        "share_explained": len(explained) / n_moves if n_moves else None,
        "share_explained_by_one_event": n_alone / n_moves if n_moves else None,
        "ties_by_chance": sum(
            stock.study.chances.of_any_tie(decision)
            for stock in stocks
            for decision in stock.decisions
        ),
        "n_rows": sum(len(stock.stock.rows) for stock in stocks),
        "n_usable": n_usable,
        "n_tested": n_tested,
        "tested_share": n_tested / n_usable if n_usable else 0.0,
        "stock_years": years,
        "unexplained_a_year": states["unexplained"] / years if years else None,
        "first_date": min(days, default=None),
        "last_date": max(days, default=None),
    }
