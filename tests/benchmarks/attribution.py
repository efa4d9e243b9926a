"""Times of the attribution engine beside a regression a day, printed; nothing passes or fails.

Run with `python -m tests.benchmarks.attribution [api]`. Computing time is that of the pipeline on
a validated request: reading rows, all models, moves, events, notes and tables. With `api` whole
requests are timed, too, on a served instance: from the first byte sent to the last one read.
"""

import os
import random
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import statsmodels.api as sm

from core.agents.attribution_engine.pipeline import run
from core.agents.attribution_engine.schema import AttributionEngineRequest
from core.stats.event_study import EstimationPlan, Series, find_abnormal, standardize
from tests.contexts import make_context
from tests.live import serve_api

ROWS_A_YEAR = 252
REPEATS = 7
NOW = datetime(2026, 1, 1, tzinfo=UTC)
AIMS_MS = {3: 50, 30: 150}


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def make_request(years: int) -> AttributionEngineRequest:
    """Return a simulated request: heavy tails, eight events a year, half of them with a jump."""
    n_rows = years * ROWS_A_YEAR
    draw = np.random.default_rng(years)
    market = draw.normal(0.0003, 0.013, n_rows)
    stock = 1.2 * market + 0.012 * draw.standard_t(3, n_rows)
    start = date(1990, 1, 1)
    days = [start + timedelta(days=7 * (row // 5) + row % 5) for row in range(n_rows)]
    places = sorted(random.Random(years).sample(range(80, n_rows), 8 * years))
    stock[places[::2]] += 0.25
    returns = [
        {"date": day.isoformat(), "stock": round(max(a, -0.95), 6), "market": round(b, 6)}
        for day, a, b in zip(days, stock.tolist(), market.tolist(), strict=True)
    ]
    events = [
        {
            "date": days[row].isoformat(),
            "asset": "SIMULATED",
            "event_type": "readout",
            "relationship": "own",
            "confirmed": True,
            "expected_abs_move": 0.2,
        }
        for row in places
    ]
    return AttributionEngineRequest.model_validate({"returns": returns, "events": events})


def clock_ms(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the median time of a call in milliseconds, by the wall or by the processor."""
    times = []
    for _ in range(REPEATS):
        began = clock()
        work()
        times.append((clock() - began) * 1000)
    return statistics.median(times)


def loop_days(series: Series, plan: EstimationPlan, *, library: bool) -> np.ndarray:
    """Return the standardized abnormal return of every day by one regression a day."""
    found = np.full(len(series.stock), np.nan)
    for day in range(plan.length + plan.gap - 1, len(found)):
        rows = slice(day - plan.gap - plan.length + 1, day - plan.gap + 1)
        design = np.column_stack([np.ones(plan.length), series.market[rows]])
        if library:
            fit = sm.OLS(series.stock[rows], design).fit()
            forecast = fit.get_prediction([[1.0, series.market[day]]])
            ar = series.stock[day] - forecast.predicted_mean[0]
            found[day] = ar / forecast.se_obs[0]
            continue
        solved, sse, _, _ = np.linalg.lstsq(design, series.stock[rows])
        here = np.array([1.0, series.market[day]])
        variance = sse[0] / (plan.length - 2)
        spread = variance * (1 + here @ np.linalg.solve(design.T @ design, here))
        found[day] = (series.stock[day] - here @ solved) / np.sqrt(spread)
    return found


def time_request(years: int) -> None:
    """Time the pipeline, its answer as JSON, and the rolling core beside a loop."""
    request, context = make_request(years), make_context(NOW)
    data = run(request, context)
    whole = clock_ms(lambda: run(request, context))
    processor = clock_ms(lambda: run(request, context), time.process_time)
    text = clock_ms(lambda: data.model_dump_json(by_alias=True))
    body = request.model_dump(mode="json")
    read = clock_ms(lambda: AttributionEngineRequest.model_validate(body))
    say(
        f"{years:>3} years, {len(data.daily):>5} rows, {len(data.attributions):>4} moves: "
        f"computing {whole:7.1f} ms (aim {AIMS_MS[years]}), of the processor's time "
        f"{processor:.1f} ms, reading {read:.0f} ms, "
        f"writing JSON {text:.0f} ms"
    )


def time_core(years: int) -> None:
    """Time the rolling fits beside one regression a day and print how far they differ."""
    request = make_request(years)
    series = Series(
        np.array([row.stock for row in request.returns], float),
        np.array([row.market for row in request.returns], float),
    )
    plan, every = EstimationPlan(), np.ones(len(series.stock), bool)
    ours = standardize(series, every, plan)
    rolling = clock_ms(lambda: standardize(series, every, plan))
    for name, library in (("numpy", False), ("statsmodels", True)):
        began = time.perf_counter()
        theirs = loop_days(series, plan, library=library)
        looped = (time.perf_counter() - began) * 1000
        gap = np.nanmax(np.abs(ours.sar[260:] - theirs[260:]))
        say(
            f"{years:>3} years: rolling {rolling:6.2f} ms, {name} regression a day "
            f"{looped:8.0f} ms = {looped / rolling:6.0f} times; largest difference of SAR {gap:.1e}"
        )


def time_many(stocks: int = 100, years: int = 30) -> None:
    """Time the core with exclusions for many stocks, scaled to a thousand."""
    n_rows = years * ROWS_A_YEAR
    draw = np.random.default_rng(1)
    market = draw.normal(0.0003, 0.013, n_rows)
    stock = 1.2 * market + 0.02 * draw.standard_t(3, (stocks, n_rows))
    near = np.zeros(n_rows, bool)
    began = time.perf_counter()
    for one in stock:
        find_abnormal(Series(one, market), near, EstimationPlan())
    passed = time.perf_counter() - began
    thousand = passed * 1000 / stocks
    say(f"{stocks} stocks x {years} years: {passed:.2f} s; a thousand {thousand:.1f} s")


def make_stocks(stocks: int = 10, years: int = 10) -> AttributionEngineRequest:
    """Return a simulated request of several stocks, each with its own events."""
    one = make_request(years).model_dump(mode="json")
    tickers = [f"STOCK-{place}" for place in range(stocks)]
    return AttributionEngineRequest.model_validate(
        {
            part: [{**row, "ticker": ticker} for ticker in tickers for row in one[part]]
            for part in ("returns", "events")
        }
    )


def time_stocks() -> None:
    """Time one run of ten stocks over ten years."""
    request, context = make_stocks(), make_context(NOW)
    data = run(request, context)
    whole = clock_ms(lambda: run(request, context))
    processor = clock_ms(lambda: run(request, context), time.process_time)
    text = clock_ms(lambda: data.model_dump_json(by_alias=True))
    say(
        f"{len(data.stocks)} stocks x 10 years, {len(data.daily)} rows, "
        f"{len(data.attributions)} moves: computing {whole:.0f} ms (aim 3000), of the processor's "
        f"time {processor:.0f} ms, writing JSON {text:.0f} ms"
    )


def time_api() -> None:
    """Time whole requests on a served instance, warm, one after another."""
    with tempfile.TemporaryDirectory() as folder, serve_api(Path(folder)) as app:
        headers = {"Authorization": f"Bearer {app.key()}", "Content-Type": "application/json"}
        url = f"{app.url}/v1/agents/attribution-engine"
        for years in AIMS_MS:
            body = make_request(years).model_dump_json(exclude_unset=True).encode()
            ask = urllib.request.Request(url, body, headers)

            def send(ask: urllib.request.Request = ask) -> int:
                with urllib.request.urlopen(ask, timeout=120) as answer:
                    return len(answer.read())

            size = send()
            say(
                f"{years:>3} years through the API: {clock_ms(send):.0f} ms of {len(body):,} "
                f"bytes for {size:,}; load of the machine {os.getloadavg()[0]:.1f}"
            )


def main() -> None:
    """Print all times."""
    if "api" in sys.argv[1:]:
        time_api()
    time_stocks()
    for years in AIMS_MS:
        time_request(years)
    for years in AIMS_MS:
        time_core(years)
    time_many()


if __name__ == "__main__":
    main()
