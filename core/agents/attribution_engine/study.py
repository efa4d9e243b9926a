"""The statistics of a run: abnormal returns, their tails, and all events together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.agents.attribution_engine.chances import Chances
from core.agents.attribution_engine.places import PlacedEvent, PlacedEvents
from core.agents.attribution_engine.records import SampleTest
from core.agents.attribution_engine.rows import TradingRows
from core.agents.attribution_engine.settings import ConfigUsed
from core.agents.attribution_engine.silence import core_rows
from core.stats.event_study import (
    AbnormalReturns,
    EstimationPlan,
    adjust_p,
    find_abnormal,
    tail_p,
)
from core.stats.event_study_short import fill_short
from core.stats.event_study_tests import SIGNLESS, EventSample, compare_events
from core.stats.event_study_variance import follow_variance
from core.stats.event_study_windows import sum_abnormal, window_rows
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
        warnings: What could not be tested.
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
    return Study(returns, is_near, p, adjust_p(p), _warn(returns, short, config), chances, short)


def _warn(returns: AbnormalReturns, short: BoolArray, config: ConfigUsed) -> tuple[str, ...]:
    """Say what could not be tested, and where the model is degenerate."""
    warnings = []
    fitted = returns.fits.n_obs > 0
    n_flat = int((fitted & ~short & (returns.fits.market_ss == 0)).sum())
    if n_flat:
        warnings.append(
            f"constant_market: the benchmark does not move in the windows of {n_flat} days; beta "
            "is 0 there."
        )
    n_alike = _count_alike(returns, fitted & ~short)
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
    return tuple(warnings)


def _count_alike(returns: AbnormalReturns, rows: BoolArray) -> int:
    """Return on how many rows the second factor says nothing beside the first."""
    sector = returns.fits.sector
    return 0 if sector is None else int((rows & (sector.ss == 0)).sum())


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
    tests = compare_events(_gather(testable, config))
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


def _gather(
    testable: Sequence[tuple[AbnormalReturns, PlacedEvent]], config: ConfigUsed
) -> EventSample:
    """Return the events side by side, each by the model of its own row."""
    length = config.estimation_window
    cars = []
    residual = np.full((len(testable), length), np.nan)
    window = np.full((len(testable), config.max_lag + 1), np.nan)
    for index, (returns, event) in enumerate(testable):
        row, fits = event.row or 0, returns.fits
        days = list(core_rows(event, len(returns.ar), config))
        cars.append(sum_abnormal(returns, row, days))
        used = window_rows(returns, row)
        both = np.concatenate([used, days])
        beyond = fits.residuals(returns.series, row, both)
        residual[index, used - (row - returns.plan.gap - length + 1)] = beyond[: len(used)]
        window[index, : len(days)] = beyond[len(used) :]
    car, scar = np.array([[car.car, car.scar] for car in cars]).T
    n_obs = np.array([returns.fits.n_obs[event.row or 0] for returns, event in testable], float)
    fitted = [returns.fits.n_coefficients[event.row or 0] for returns, event in testable]
    return EventSample(car, scar, n_obs, residual, window, np.array(fitted, float))
