"""The event-study core beside R 4.2, estudy2 0.10 and a published table.

The folder of reference data comes from BPW_REFERENCE; its README says how the tables were made.
"""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.stats.event_study import (
    EstimationPlan,
    Series,
    find_abnormal,
    standardize,
    sum_abnormal,
    tail_p,
)
from core.stats.event_study_tests import EventSample, compare_events, mean_correlation, rank_days
from core.stats.event_study_variants import fit_other_slopes

FOLDER = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "event_study"
NEAR = 1e-8
"""Against R; the tables are printed to twelve digits."""

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no reference data at {FOLDER}"),
]


def read(name):
    return pd.read_csv(FOLDER / name, skipinitialspace=True)


@pytest.fixture(scope="module")
def returns():
    return read("data/biotech_returns.csv").set_index("date")


def study(returns, ticker, benchmark):
    series = Series(returns[ticker].to_numpy(float), returns[benchmark].to_numpy(float))
    return standardize(series, series.usable, EstimationPlan())


def test_parameters_equal_r(returns):
    gaps = []
    for row in read("expected/R_params.csv").itertuples():
        found = study(returns, row.ticker, row.benchmark)
        day = returns.index.get_loc(row.mapped_day)
        fits = found.fits
        assert fits.n_obs[day] == row.n
        ours = [fits.alpha[day], fits.beta[day], fits.sigma[day], fits.market_ss[day]]
        gaps.append(np.abs(np.array(ours) - [row.alpha, row.beta, row.sigma, row.sxx]))
    assert len(gaps) == 46
    assert np.max(gaps) < NEAR


def test_windows_equal_r(returns):
    gaps = []
    for row in read("expected/R_windows.csv").itertuples():
        found = study(returns, row.ticker, row.benchmark)
        day = returns.index.get_loc(row.mapped_day)
        ours = sum_abnormal(found, day, np.arange(day + row.w0, day + row.w1 + 1)[: row.n_days])
        assert ours.n_days == row.n_days
        p = tail_p(np.array([ours.scar]), found.fits.n_obs[[day]])[0]
        gaps.append(np.abs([ours.car - row.car, ours.scar - row.scar, p - row.p_t]))
    assert len(gaps) == 230
    assert np.max(gaps) < NEAR


def test_single_days_equal_r(returns):
    gaps = []
    for row in read("expected/R_days.csv").itertuples():
        found = study(returns, row.ticker, row.benchmark)
        day = returns.index.get_loc(row.mapped_day)
        ours = sum_abnormal(found, day, [day + row.day])
        gaps.append(np.abs([ours.car - row.ar, ours.scar - row.sar]))
        if row.day == 0:
            gaps.append(np.abs([found.ar[day] - row.ar, found.sar[day] - row.sar]))
    assert np.max(gaps) < NEAR


def test_estudy2_example_in_the_textbook_convention():
    """One calendar window up to 13 March 2020, then five days by the same model."""
    rates = read("data/estudy2_rates.csv").set_index("date")
    params = read("expected/estudy2_params.csv").set_index("ticker")
    last = rates.index.get_loc("2020-03-13")
    gaps = []
    days = read("expected/estudy2_days.csv")
    for row in days[days["ticker"].isin(params.index)].itertuples():
        series = Series(rates[row.ticker].to_numpy(float), rates["GSPC"].to_numpy(float))
        plan = EstimationPlan(length=last + 1, gap=1)
        found = standardize(series, series.usable, plan)
        ours = sum_abnormal(found, last + 1, [rates.index.get_loc(row.date)])
        fits = found.fits
        expected = params.loc[row.ticker]
        gaps.append(
            np.abs(
                [
                    fits.alpha[last + 1] - expected["alpha"],
                    fits.beta[last + 1] - expected["beta"],
                    fits.sigma[last + 1] - expected["sigma"],
                    ours.car - row.ar,
                    ours.scar - row.sar_textbook,
                ]
            )
        )
    assert np.max(gaps) < NEAR


def test_published_astrazeneca_figures():
    table = read("data/azn_gspc_returns.csv")
    published = json.loads((FOLDER / "expected/azn_published.json").read_text())
    series = Series(table["AZN"].to_numpy(float), table["^GSPC"].to_numpy(float))
    day = int(np.flatnonzero(table["Date"] == "2026-07-14")[0])
    found = standardize(series, series.usable, EstimationPlan(length=200))
    assert found.fits.alpha[day] == pytest.approx(published["alpha"], abs=NEAR)
    assert found.fits.beta[day] == pytest.approx(published["beta"], abs=NEAR)
    car = sum_abnormal(found, day, [day - 1, day, day + 1]).car
    assert car == pytest.approx(published["car_m1_p1"], abs=NEAR)


def test_exclusion_gives_the_measured_share_of_move_days(returns):
    """Design note, section 5: shares of days by limit, sigma raw and after exclusion."""
    tickers = [name for name in returns.columns if name not in ("XBI", "IBB")]
    events = read("data/events.csv")
    counts = {"raw": np.zeros(4), "excluded": np.zeros(4)}
    limits = np.array([1.96, 2.58, 3.0, 4.0])
    n_days = {"raw": 0, "excluded": 0}
    for ticker in tickers:
        near = np.zeros(len(returns), bool)
        for day in events.loc[events.ticker == ticker, "mapped_day"]:
            place = returns.index.get_loc(day)
            near[place : place + 2] = True
        series = Series(returns[ticker].to_numpy(float), returns["XBI"].to_numpy(float))
        for name, outlier_z in (("raw", None), ("excluded", 4.0)):
            found = find_abnormal(series, near, EstimationPlan(), outlier_z=outlier_z)
            sar = np.abs(found.sar[260:][~near[260:]])
            counts[name] += (sar[:, None] >= limits).sum(axis=0)
            n_days[name] += len(sar)
    shares = {name: counts[name] / n_days[name] for name in counts}
    assert shares["raw"] == pytest.approx([0.044, 0.022, 0.016, 0.008], abs=0.0005)
    assert shares["excluded"] == pytest.approx([0.074, 0.039, 0.027, 0.014], abs=0.001)


def gather(returns, events, days):
    """Estimation residuals and abnormal returns of some days around each event."""
    cars, n_obs, residual, window = [], [], [], []
    for event in events.itertuples():
        found = study(returns, event.ticker, "XBI")
        day, fits = returns.index.get_loc(event.mapped_day), found.fits
        beyond = found.series.stock - fits.alpha[day] - fits.beta[day] * found.series.market
        cars.append(sum_abnormal(found, day, [day, day + 1]))
        n_obs.append(fits.n_obs[day])
        residual.append(beyond[day - 260 : day - 10])
        padded = np.full(len(days), np.nan)
        around = beyond[day + days[0] : day + days[-1] + 1]
        padded[: len(around)] = around
        window.append(padded)
    car, scar = np.array([[one.car, one.scar] for one in cars]).T
    return EventSample(car, scar, np.array(n_obs), np.array(residual), np.array(window))


def test_sample_tests_equal_r(returns):
    """The stored set is called odd and holds all events."""
    expected = read("expected/R_sample_tests.csv").set_index("set").loc["odd"]
    events = read("data/events.csv")
    assert int(expected["N"]) == len(events)
    sample = gather(returns, events, range(2))
    ours = compare_events(sample)
    assert mean_correlation(sample.residual) == pytest.approx(expected["rbar"], abs=NEAR)
    columns = {
        "patell_z": "patell_z",
        "bmp_t": "bmp_t",
        "kolari_pynnonen_patell": "kp_patell",
        "kolari_pynnonen_bmp": "kp_bmp",
        "generalized_sign": "gen_sign_z",
    }
    for test, column in columns.items():
        assert ours[test].statistic == pytest.approx(expected[column], abs=NEAR), test
    assert abs(ours["corrado_rank"].statistic) < 6


def test_ranks_equal_r(returns):
    days = read("expected/R_days.csv")
    events = read("data/events.csv")
    ranks = rank_days(gather(returns, events, range(-10, 11)))[:, 250:]
    for place, event in enumerate(events.itertuples()):
        expected = days.loc[days["event_id"] == event.event_id, "rankU"].to_numpy()
        assert ranks[place, : len(expected)] == pytest.approx(expected, abs=1e-9)


def test_other_slopes_equal_the_stored_variants(returns):
    gaps = []
    stored = read("expected/robust_variants.csv").set_index("event_id")
    for event in read("data/events.csv").itertuples():
        found = study(returns, event.ticker, "XBI")
        day = returns.index.get_loc(event.mapped_day)
        row = stored.loc[event.event_id]
        gaps.append(
            [
                fit_other_slopes(found, [day]).huber[0] - row["b_huber"],
                fit_other_slopes(found, [day]).dimson[0] - row["b_dimson"],
                found.fits.beta[day] - row["b_ols"],
            ]
        )
    worst = np.abs(gaps).max(axis=0)
    assert worst.max() < 1e-6
