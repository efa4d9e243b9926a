"""A sector beside the market, from the file to the move, its path and its words."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from core.agents.attribution_engine.charts import trace_car
from core.agents.attribution_engine.market_files import read_market
from core.errors import InvalidInput

EVENT, SHOCK = 400, 300


def draw_sector(n):
    return np.random.default_rng(12).normal(0, 0.012, n).round(6)


@pytest.fixture
def told(story):
    """A stock that follows its sector, a sector shock without news, and a move with news."""
    one = story().jump(EVENT, 0.2).event(EVENT, expected_abs_move=0.2)
    sector = draw_sector(one.n_rows)
    sector[SHOCK] = 0.09
    one.stock = (one.stock + 1.5 * sector).round(6)
    rows = [{**row, "sector": s} for row, s in zip(one.returns(), sector.tolist(), strict=True)]
    return one, rows


def test_a_move_of_the_sector_is_no_move_of_the_stock(told, answer):
    one, rows = told
    alone = answer(one.body())
    both = answer(one.body(returns=rows))
    shock = one.days[SHOCK]
    assert shock in [move.move_date for move in alone.attributions]
    assert [(move.move_date, move.state) for move in both.attributions] == [
        (one.days[EVENT], "confirmed")
    ]
    assert both.second_benchmark == "sector"
    assert alone.second_benchmark is None
    assert alone.attributions[0].beta_sector is None


def test_the_model_of_a_move_is_least_squares_on_both(told, answer):
    one, rows = told
    move = answer(one.body(returns=rows, second_benchmark="XBI")).attributions[0]
    window = slice(EVENT - 260, EVENT - 10)
    frame = pd.DataFrame(rows)[["stock", "market", "sector"]].to_numpy()
    kept = [row for row in range(*window.indices(500)) if row != SHOCK]
    fits = [
        sm.OLS(frame[places, 0], sm.add_constant(frame[places, 1:])).fit()
        for places in (kept, list(range(*window.indices(500))))
    ]
    fit = fits[0] if move.n_obs == len(kept) else fits[1]
    found = [move.alpha, move.beta, move.beta_sector, move.sigma]
    assert found == pytest.approx([*fit.params, np.sqrt(fit.scale)], abs=1e-10)


def test_daily_table_path_and_method_follow_both_factors(told, answer):
    one, rows = told
    data = answer(one.body(returns=rows))
    daily = data.daily.frame
    tested = daily["sar"].notna()
    gap = daily["stock"] - daily["fitted"] - daily["ar"]
    assert gap[tested].abs().max() < 1e-12
    move = data.attributions[0]
    path = {row["rel"]: row["car"] for row in trace_car(move, daily)}
    assert path[0] - path[-1] == pytest.approx(move.car, abs=1e-9)
    method = answer(one.body(returns=rows, benchmark="SPY", second_benchmark="XBI")).method
    assert "against SPY and XBI as a second factor" in method
    assert "alpha + beta M + gamma S + e" in method
    assert "gamma" not in answer(one.body()).method


def test_a_sector_that_is_missing_or_a_copy_is_told(told, answer):
    one, rows = told
    data = answer(one.body(returns=[{**rows[0], "sector": None}, *rows[1:]]))
    assert any("stock or benchmark or second factor" in text for text in data.warnings)
    assert data.summary.n_usable == len(rows) - 1
    copied = [{**row, "sector": row["market"]} for row in rows]
    data = answer(one.body(returns=copied))
    assert any(text.startswith("factors_alike:") for text in data.warnings)
    assert data.attributions[0].car == answer(one.body()).attributions[0].car


def test_a_column_named_sector_beside_the_benchmark_is_the_second_factor():
    lines = ["date,stock,market,sector"]
    lines += [f"2020-01-{day:02},0.0{day % 7},-0.01,0.02" for day in range(1, 20)]
    lines.append("2020-01-20,-0.01,0.01,")
    found = read_market("\n".join(lines))
    assert found.rows[0]["sector"] == 0.02
    assert found.rows[-1]["sector"] is None
    assert any("second factor" in note for note in found.notes)
    alone = read_market(
        "\n".join(line.rsplit(",", 2)[0] + "," + line.split(",")[3] for line in lines)
    )
    assert "sector" not in alone.rows[0]


def test_prices_in_the_sector_are_refused(told, answer):
    one, rows = told
    with pytest.raises((InvalidInput, ValueError), match="sector column looks like prices"):
        answer(one.body(returns=[{**row, "sector": 80.0 + k} for k, row in enumerate(rows)]))
