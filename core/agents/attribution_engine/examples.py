"""Requests that run as they stand: simulated returns of no real company, made by rule."""

import random
from datetime import date, timedelta

from core.agent import Example

_FIRST = date(2021, 1, 4)
_ROWS = 520
Jumps = dict[int, float]
Event = dict[str, object]


def _trading_days(n_rows: int) -> list[date]:
    """Return weekdays from the first Monday of 2021 on."""
    return [_FIRST + timedelta(days=7 * (row // 5) + row % 5) for row in range(n_rows)]


def _returns(seed: int, jumps: Jumps) -> list[dict[str, object]]:
    """Return simulated simple returns: beta 1.2, daily noise 1.3 %, and jumps by row."""
    noise = random.Random(seed)  # noqa: S311
    rows: list[dict[str, object]] = []
    for row, day in enumerate(_trading_days(_ROWS)):
        market = noise.gauss(0.0003, 0.012)
        stock = 1.2 * market + noise.gauss(0.0, 0.013) + jumps.get(row, 0.0)
        rows.append({"date": day.isoformat(), "stock": round(stock, 6), "market": round(market, 6)})
    return rows


def _event(row: int, event_type: str, expected: float, **fields: object) -> Event:
    """Return an own confirmed event on a row; fields change it."""
    return {
        "date": _trading_days(_ROWS)[row].isoformat(),
        "asset": "EXAMPLE-A",
        "event_type": event_type,
        "relationship": "own",
        "confirmed": True,
        "expected_abs_move": expected,
        "session": "pre",
        "source": "simulated",
        **fields,
    }


_YEAR = (
    _event(180, "phase 2 readout", 0.25),
    _event(240, "phase 3 readout", 0.2, asset="EXAMPLE-B", relationship="competitor"),
    _event(310, "partner exit", 0.15, confirmed=False),
    _event(360, "conference abstract", 0.1),
    _event(420, "FDA decision", 0.3, session="after"),
)
_YEAR_JUMPS: Jumps = {180: 0.27, 240: -0.16, 275: 0.14, 310: -0.17, 421: -0.11}
_DRIFT: Jumps = {row: 0.022 for row in range(291, 299)}
_DRIFT_JUMPS: Jumps = {**_DRIFT, 300: 0.24, 446: 0.15}

EXAMPLES = (
    Example(
        name="two-years",
        title="Two years with five events (simulated)",
        request={"returns": _returns(21, _YEAR_JUMPS), "events": list(_YEAR)},
    ),
    Example(
        name="drift-before-event",
        title="Drift before a readout (simulated)",
        request={
            "returns": _returns(22, _DRIFT_JUMPS),
            "events": [
                _event(300, "phase 3 readout", 0.25),
                _event(450, "FDA decision", 0.2),
            ],
        },
    ),
    Example(
        name="no-events",
        title="Moves without an event list (simulated)",
        request={
            "returns": _returns(23, {200: 0.2, 330: -0.18}),
            "events": [],
            "config": {"sig_z": 3.0, "min_abs_move": 0.08},
        },
    ),
)
