"""The daily figures as a table, and the summary."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.agents.attribution_engine.decision import Decision
from core.agents.attribution_engine.records import STATES, Attribution, StateCounts, Summary
from core.agents.attribution_engine.rows import TradingRows
from core.agents.attribution_engine.study import Study
from core.agents.attribution_engine.table_records import DailyRow, DailyTable

ROWS_A_YEAR = 252


def tabulate(rows: TradingRows, study: Study, decisions: Sequence[Decision]) -> DailyTable:
    """Return every row with its model, its abnormal return and the state of its move."""
    found = study.found
    fitted = found.fits.n_obs > 0
    excluded = np.full(len(rows), None, dtype=object)
    excluded[~found.keep] = "event"
    excluded[found.outlier] = "outlier"
    excluded[~found.series.usable] = "unusable"
    states = np.full(len(rows), None, dtype=object)
    for decision in decisions:
        states[decision.move.first : decision.move.last + 1] = decision.state
    frame = pd.DataFrame(
        {
            "date": pd.Series([day.isoformat() for day in rows.dates], dtype=object),
            "stock": found.series.stock,
            "market": found.series.market,
            "fitted": found.fits.alpha + found.fits.beta * found.series.market,
            "ar": found.ar,
            "sar": found.sar,
            "p_value": study.p,
            "p_fdr": study.p_fdr,
            "beta": np.where(fitted, found.fits.beta, np.nan),
            "sigma": found.fits.sigma,
            "n_obs": found.fits.n_obs,
            "excluded": excluded,
            "state": states,
        },
        columns=list(DailyRow.model_fields),
    )
    return DailyTable("daily", frame)


def summarize(
    attributions: Sequence[Attribution],
    decisions: Sequence[Decision],
    rows: TradingRows,
    study: Study,
) -> Summary:
    """Return the run in one glance."""
    states = Counter(record.state for record in attributions)
    n_moves = len(attributions)
    n_explained = n_moves - states["unexplained"]
    n_shared = sum(record.confounded for record in attributions)
    n_tested, n_usable = int(study.found.tested.sum()), int(study.found.series.usable.sum())
    years = n_tested / ROWS_A_YEAR
    return Summary(
        n_moves=n_moves,
        states=StateCounts(**{state: states[state] for state in STATES}),
        n_leakage_flags=sum(record.leakage_flag for record in attributions),
        n_confounded=n_shared,
        share_explained=n_explained / n_moves if n_moves else None,
        share_explained_by_one_event=(n_explained - n_shared) / n_moves if n_moves else None,
        ties_by_chance=sum(study.chances.of_any_tie(one) for one in decisions),
        n_rows=len(rows),
        n_usable=n_usable,
        n_tested=n_tested,
        tested_share=n_tested / n_usable if n_usable else 0.0,
        stock_years=years,
        unexplained_a_year=states["unexplained"] / years if years else None,
        first_date=rows.dates[0] if rows.dates else None,
        last_date=rows.dates[-1] if rows.dates else None,
    )
