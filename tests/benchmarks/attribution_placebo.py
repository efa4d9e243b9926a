"""How often chance alone ties a move to an event, or flags it, on real stocks; printed.

Run with `python -m tests.benchmarks.attribution_placebo`. Every stock of the reference gets own,
confirmed events on drawn dates (seed printed), so that every tie and every flag is chance. The
same is asked of the product's own figures: what it calls the chance of a tie or a flag, added
over all moves, must come to about the number that was counted.
"""

import os
import random
import sys
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd

from core.agents.attribution_engine.pipeline import run
from core.agents.attribution_engine.records import Attribution
from core.agents.attribution_engine.schema import AttributionEngineRequest
from core.agents.attribution_engine.settings import Config, Variance
from core.stats.event_study import EstimationPlan, Series, find_abnormal
from core.stats.event_study_variants import empirical_p
from tests.benchmarks.attribution import NOW, ROWS_A_YEAR, say
from tests.contexts import make_context

SEED = 30
RATES = (4, 12, 40)
BENCHMARKS = ("XBI", "IBB")


class _Storm(NamedTuple):
    """Days in which every stock moved."""

    first: str
    last: str

    def __contains__(self, day: object) -> bool:
        return self.first <= str(day) <= self.last


STORM = _Storm("2020-02-24", "2020-04-30")


def read_returns() -> pd.DataFrame:
    """Return the reference's daily returns, one column a stock, by date."""
    folder = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "event_study"
    return pd.read_csv(folder / "data/biotech_returns.csv").set_index("date")


def ask(returns: pd.DataFrame, ticker: str, days: list[str]) -> AttributionEngineRequest:
    """Return a request with own events on these days."""
    pair = returns[[ticker, "XBI"]].astype(object)
    pair = pair.where(pair.notna(), None)
    rows = [
        {"date": day, "stock": stock, "market": market} for day, stock, market in pair.itertuples()
    ]
    event = {"asset": "DRAWN", "event_type": "drawn", "relationship": "own", "confirmed": True}
    events = [{"date": day, "session": "pre", **event} for day in days]
    return AttributionEngineRequest.model_validate({"returns": rows, "events": events})


def measure(returns: pd.DataFrame, rate: int) -> str:
    """Return one line: ties and flags by chance at so many events a year."""
    draw = random.Random(f"{SEED}-{rate}")
    moves: list[Attribution] = []
    n_events, false, said = 0, 0, 0.0
    for ticker in [name for name in returns.columns if name not in BENCHMARKS]:
        known = returns.index[returns[ticker].notna()]
        chosen = draw.sample(range(300, len(known)), rate * (len(known) - 300) // ROWS_A_YEAR)
        data = run(ask(returns, ticker, [known[row] for row in sorted(chosen)]), make_context(NOW))
        moves += data.attributions
        n_events += len(chosen)
        said += data.summary.ties_by_chance
        false += int((data.event_outcomes.frame["chance_fdr"] <= 0.1).sum())
    n_tied = {state: sum(one.state == state for one in moves) for state in ("confirmed", "partial")}
    open_moves = [one for one in moves if one.state == "unexplained"]
    tied = [one for one in moves if one.event is not None]
    flagged = sum(one.leakage_flag for one in open_moves)
    drift = sum(one.leakage_flag for one in tied)
    return (
        f"{rate:>3} a year, {n_events:>5} events, {len(moves)} moves: tied confirmed "
        f"{n_tied['confirmed'] / len(moves):.1%} of moves, partial "
        f"{n_tied['partial'] / len(moves):.1%} (ties {len(tied)}, chance said {said:.0f}); "
        f"unexplained flagged {flagged / len(open_moves):.1%}, tied flagged "
        f"{drift / max(1, len(tied)):.1%}; events with q <= .1: {false}"
    )


def measure_tails(returns: pd.DataFrame) -> str:
    """Return how many days have an empirical p of at most .01, and of at most .05."""
    found_p = []
    for ticker in [name for name in returns.columns if name not in BENCHMARKS]:
        series = Series(returns[ticker].to_numpy(float), returns["XBI"].to_numpy(float))
        found = find_abnormal(series, np.zeros(len(returns), bool), EstimationPlan())
        found_p.append(empirical_p(found, np.flatnonzero(found.tested).tolist()))
    p = np.concatenate(found_p)
    return (
        f"p_empirical of {len(p):,} days: <= .01 on {(p <= 0.01).mean():.2%}, <= .05 on "
        f"{(p <= 0.05).mean():.2%}"
    )


def measure_storm(returns: pd.DataFrame, variance: str) -> str:
    """Return moves a stock-year, and those of the spring of 2020, by one kind of variance."""
    n_moves, years, n_storm, storm_years = 0, 0.0, 0, 0.0
    for ticker in [name for name in returns.columns if name not in BENCHMARKS]:
        request = ask(returns, ticker, []).model_copy(update={"config": Config(variance=variance)})
        data = run(request, make_context(NOW))
        n_moves += data.summary.n_moves
        years += data.summary.stock_years
        n_storm += sum(str(one.move_date) in STORM for one in data.attributions)
        days = data.daily.frame
        inside = days["date"].between(STORM.first, STORM.last) & days["sar"].notna()
        storm_years += float(inside.sum()) / ROWS_A_YEAR
    return (
        f"variance {variance}: {n_moves / years:.1f} moves a stock-year, "
        f"{n_storm / storm_years:.1f} from {STORM.first} to {STORM.last}"
    )


def main() -> None:
    """Print the table."""
    returns = read_returns()
    say(f"seed {SEED}; {len(returns.columns) - len(BENCHMARKS)} stocks, {len(returns)} rows each")
    say(measure_tails(returns))
    for rate in RATES:
        say(measure(returns, rate))
    for variance in get_args(Variance):
        say(measure_storm(returns, variance))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
