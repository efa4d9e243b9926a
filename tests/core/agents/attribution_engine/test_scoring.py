"""Simulations with planted truth, real catalysts, placebo days and the listed edge cases.

The folder of reference data comes from BPW_REFERENCE; its README says where the files are from.
The simulated scores test the rules, not the market: generator and yardstick follow one table.
"""

import json
import os
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from api.validation import read_request
from core.agents.attribution_engine import AGENT
from core.agents.attribution_engine.records import STATES
from core.errors import InvalidInput
from core.stats.event_study import EstimationPlan, Series, find_abnormal
from core.stats.event_study_variants import empirical_p

FOLDER = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "event_study"

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no reference data at {FOLDER}"),
]


@dataclass
class Score:
    """Hits and errors over all simulations."""

    true: Counter = field(default_factory=Counter)
    wrong: Counter = field(default_factory=Counter)
    missed: Counter = field(default_factory=Counter)
    leakage: Counter = field(default_factory=Counter)
    car_errors: list = field(default_factory=list)
    n_none: int = 0
    n_false: int = 0
    n_shock: int = 0
    n_days: int = 0

    def precision(self, *states):
        hits = sum(self.true[state] for state in states)
        return hits / (hits + sum(self.wrong[state] for state in states))

    def recall(self, *states):
        hits = sum(self.true[state] for state in states)
        return hits / (hits + sum(self.missed[state] for state in states))

    def macro_f1(self):
        scores = [
            2 * self.true[s] / (2 * self.true[s] + self.wrong[s] + self.missed[s]) for s in STATES
        ]
        return float(np.mean(scores))


def score(answer, change=lambda body: None):
    """Match planted items to moves within one row; ambiguous dates are left out."""
    total = Score()
    for path in sorted((FOLDER / "sim").glob("*.request.json")):
        body = json.loads(path.read_text())
        change(body)
        truth = json.loads(path.with_name(path.name.replace("request", "truth")).read_text())
        score_one(answer(body), truth, total)
    return total


def score_one(data, truth, total):
    days = {str(day): row for row, day in enumerate(data.daily.frame["date"])}
    open_moves = list(data.attributions)
    total.n_days += data.summary.n_tested
    for item in truth["items"]:
        row = days[item["move_date"]]
        near = [one for one in open_moves if abs(days[str(one.move_date)] - row) <= 1]
        state = item["state"].replace("-", "_")
        if state == "none":
            total.n_none += len(near)
            continue
        if not near:
            total.missed[state] += 1
            continue
        open_moves.remove(near[0])
        found = near[0]
        total.true[state] += found.state == state
        total.missed[state] += found.state != state
        total.wrong[found.state] += found.state != state
        total.leakage[(item["leakage_flag"], found.leakage_flag)] += 1
        total.car_errors.append(abs(found.car - item["true_car"]))
    left_out = {days[day] for day in truth["ambiguous_dates"] if day in days}
    for one in open_moves:
        rows = range(days[str(one.start_date)], days[str(one.end_date)] + 1)
        if left_out.isdisjoint(rows):
            total.wrong[one.state] += 1
            total.n_false += 1
    clear = set(truth["sector_shock_dates"]) - set(truth["ambiguous_dates"])
    total.n_shock += len(clear & {str(one.move_date) for one in data.attributions})


@pytest.fixture(scope="module")
def simulated(answer):
    return score(answer)


def test_states_leakage_and_sizes_of_the_simulations(simulated):
    others = ("confirmed", "read_through", "partial")
    assert sum(simulated.true.values()) > 150
    assert simulated.macro_f1() >= 0.98
    for score_of in (simulated.precision, simulated.recall):
        assert score_of("unexplained") >= 0.90
        assert score_of(*others) >= 0.97
    hits, false = simulated.leakage[(True, True)], simulated.leakage[(False, True)]
    missed = simulated.leakage[(True, False)]
    assert hits / (hits + false) >= 0.85
    assert hits / (hits + missed) >= 0.95
    rate = 1000 * simulated.n_false / simulated.n_days
    error = float(np.mean(simulated.car_errors))
    assert rate <= 0.35
    assert error <= 0.0035
    assert simulated.n_none == 0
    assert simulated.n_shock == 0


def without_floor(body):
    body["config"]["min_abs_move"] = 0


def without_beta(body):
    for row in body["returns"]:
        row["market"] = 0.0


@pytest.mark.parametrize("change", [without_floor, without_beta])
def test_without_floor_or_beta_the_states_are_worse(answer, simulated, change):
    worse = score(answer, change).macro_f1()
    assert worse < simulated.macro_f1() - 0.02


def test_exclusion_is_worth_its_place(answer, simulated):
    def keep_all(body):
        body["config"]["exclusion"] = "none"

    kept = score(answer, keep_all)
    assert kept.macro_f1() < simulated.macro_f1()


@pytest.fixture(scope="module")
def returns():
    return pd.read_csv(FOLDER / "data/biotech_returns.csv").set_index("date")


@pytest.fixture(scope="module")
def catalysts():
    return pd.read_csv(FOLDER / "data/events.csv")


def ask(returns, ticker, events, **fields):
    """Return a request for a real stock against XBI."""
    rows = [
        {
            "date": day,
            "stock": None if np.isnan(stock) else stock,
            "market": None if np.isnan(market) else market,
        }
        for day, stock, market in zip(
            returns.index, returns[ticker].tolist(), returns["XBI"].tolist(), strict=True
        )
    ]
    return {"returns": rows, "events": events, **fields}


def own(day, event_type="catalyst"):
    return {
        "date": day,
        "asset": "A",
        "event_type": event_type,
        "relationship": "own",
        "confirmed": True,
    }


@pytest.fixture(scope="module")
def real(answer, returns, catalysts):
    """The answer of every ticker with its own catalysts."""
    answers = {}
    for ticker in [name for name in returns.columns if name not in ("XBI", "IBB")]:
        mine = catalysts[catalysts["ticker"] == ticker]
        events = [own(row.announced, row.event_type) for row in mine.itertuples()]
        answers[ticker] = answer(ask(returns, ticker, events))
    return answers


def test_real_catalysts_are_found_with_their_sign(real, returns, catalysts):
    n_flags = 0
    for row in catalysts.itertuples():
        hits = [
            one
            for one in real[row.ticker].attributions
            if one.event is not None and str(one.event.date) == row.announced
        ]
        assert [one.state for one in hits[:1]] == ["confirmed"], row.event_id
        reaction = returns.loc[row.reaction_day, row.ticker]
        assert hits[0].car * reaction > 0, row.event_id
        n_flags += hits[0].leakage_flag
    assert len(catalysts) == 23
    assert n_flags <= 2


def test_unexplained_moves_a_year_are_in_the_usual_range(real):
    n_open = sum(data.summary.states.unexplained for data in real.values())
    years = sum(data.summary.stock_years for data in real.values())
    assert 5 <= n_open / years <= 9


@pytest.mark.parametrize("outlier_z", [None, 4.0])
def test_tail_of_the_empirical_p(answer, returns, outlier_z):
    """Observed share of days whose empirical p is at most 1 %, over the nominal one."""
    observed, n_days = 0, 0
    for ticker in [name for name in returns.columns if name not in ("XBI", "IBB")][::4]:
        series = Series(returns[ticker].to_numpy(float), returns["XBI"].to_numpy(float))
        nothing = np.zeros(len(returns), bool)
        found = find_abnormal(series, nothing, EstimationPlan(), outlier_z=outlier_z)
        rows = np.flatnonzero(found.tested)[::5]
        observed += int((empirical_p(found, rows.tolist()) <= 0.01).sum())
        n_days += len(rows)
    ratio = observed / n_days / 0.01
    assert 0.8 <= ratio <= 1.25


def move_rows(data):
    """Return the rows of an answer that belong to a move."""
    return data.daily.frame["state"].notna().to_numpy()


def test_placebo_days_are_confirmed_as_often_as_days_move(answer, returns, catalysts, real):
    """1,000 seeded days far from every catalyst, entered as own confirmed events.

    An event meets moves on its row and the next one, so that the base rate is the share of such
    pairs of rows that hold a move; beside it the same for single rows (`max_lag` 0).
    """
    draw = random.Random(20260101)
    tickers = list(real)
    places = {row: place for place, row in enumerate(returns.index)}
    pool = []
    for ticker in tickers:
        near = {places[day] for day in catalysts.loc[catalysts.ticker == ticker, "mapped_day"]}
        rows = [r for r in range(300, len(returns) - 2) if all(abs(r - k) > 20 for k in near)]
        pool += [(ticker, row) for row in rows]
    chosen = set(draw.sample(pool, 1000))
    for max_lag in (1, 0):
        base, hits = [], 0
        for ticker in tickers:
            mine = [row for name, row in pool if name == ticker]
            moved = move_rows(real[ticker])
            base += [bool(moved[row : row + max_lag + 1].any()) for row in mine]
            rows = [row for name, row in chosen if name == ticker]
            body = ask(returns, ticker, [own(returns.index[row]) for row in sorted(rows)])
            data = answer(body, config={"max_lag": max_lag})
            hits += len(
                {
                    event.index
                    for one in data.attributions
                    if one.state == "confirmed"
                    for event in one.events_in_window
                    if event.lag <= max_lag
                }
            )
        share, rate = hits / 1000, float(np.mean(base))
        assert abs(share - rate) <= 0.01


EDGE = json.loads((FOLDER / "expected/edge_cases.json").read_text()) if FOLDER.is_dir() else []


def change_rows(body, case):
    """Apply the change of a listed edge case to a simulated request."""
    rows = body["returns"]
    match case["case"]:
        case "returns shorter than min_obs + gap":
            body["returns"] = rows[:40]
        case "unsorted rows":
            random.Random(1).shuffle(rows)
        case "duplicate date, same values":
            rows.append(dict(rows[5]))
        case "duplicate date, different values":
            rows.append({**rows[5], "stock": rows[5]["stock"] + 0.01})
        case "percent scale":
            for row in rows:
                row.update(stock=row["stock"] * 100, market=row["market"] * 100)
        case "events empty":
            body["events"] = []
        case "event after last row":
            last = pd.Timestamp(rows[-1]["date"]) + pd.Timedelta(days=30)
            body["events"].append(own(str(last.date())))
        case "bad date":
            rows[17]["date"] = "2020-02-30"
        case _:
            raise AssertionError(f"an edge case that no test knows: {case['case']}")


@pytest.fixture
def body():
    return json.loads((FOLDER / "sim/sim_102_hard.request.json").read_text())


@pytest.mark.parametrize("case", EDGE, ids=lambda case: case["case"])
def test_listed_edge_cases(answer, body, case):
    plain = answer(body)
    change_rows(body, case)
    if "422 naming" in case["expect"] or "422 with" in case["expect"] or "percent" in case["case"]:
        with pytest.raises(InvalidInput) as caught:
            read_request(AGENT.request, body)
        field = caught.value.record().details[0].field
        assert field in ("returns", "returns[17].date", f"returns[{len(body['returns']) - 1}].date")
        return
    data = answer(body)
    if case["expect"].startswith("same output"):
        assert data.model_dump_json() == plain.model_dump_json()
    elif "same output" in case["expect"]:
        assert data.attributions == plain.attributions
        assert data.warnings[0].startswith("duplicate_date:")
    elif case["case"] == "events empty":
        assert {one.state for one in data.attributions} == {"unexplained"}
        assert data.unexplained == data.attributions
        assert data.attributions
    elif case["case"] == "event after last row":
        assert [event.reason for event in data.events_outside] == ["after_last_row"]
        assert data.attributions == plain.attributions
    else:
        assert (data.attributions, data.unexplained) == ([], [])
        assert any(text.startswith("no_testable_day:") for text in data.warnings)


def test_all_listed_edge_cases_are_there():
    assert len(EDGE) == 8
