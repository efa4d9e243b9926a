"""Planted market faults: none is confirmed, none is called no reaction, few days look halted."""

from datetime import timedelta

import numpy as np
import pytest

ROW = 300
"""Row of the planted fault, and of the event."""


def rows(s, **columns):
    """Return the request's rows with these values in place of a story's."""
    body = s.body()
    for name, values in columns.items():
        for row, value in zip(body["returns"], values, strict=True):
            row[name] = value
    return body


def level(s, *steps):
    """Multiply the price from these rows on, as a vendor's error does."""
    for row, ratio in steps:
        s.stock[row] = round((1 + s.stock[row]) * ratio - 1, 6)
    return s.body()


def spike(ratio, n_rows=1):
    return lambda s: level(s, (ROW, ratio), (ROW + n_rows, 1 / ratio))


def split(ratio):
    return lambda s: level(s, (ROW, ratio))


def silent(value, n_rows, reaction=None):
    """Return rows of zeros or nulls from the event on, and the return on the day after them."""

    def plant(s):
        if reaction is not None:
            s.jump(ROW + n_rows, reaction)
        body = s.body()
        for row in body["returns"][ROW : ROW + n_rows]:
            row["stock"] = value
        return body

    return plant


def gap(n_rows, reaction=None):
    """Leave the rows of the event out."""

    def plant(s):
        if reaction is not None:
            s.jump(ROW + n_rows, reaction)
        body = s.body()
        del body["returns"][ROW : ROW + n_rows]
        return body

    return plant


def gap_after(s):
    body = s.body()
    del body["returns"][ROW + 1]
    return body


def without_benchmark(s):
    body = s.jump(ROW, 0.4).body()
    body["returns"][ROW]["market"] = None
    return body


def closed_benchmark(s):
    body = s.jump(ROW, 0.4).body()
    body["returns"][ROW]["market"] = 0.0
    return body


def wrong_benchmark(s):
    s.market[ROW], s.market[ROW + 1] = 9.0, -0.9
    return s.body()


def wrong_benchmark_with_news(s):
    s.market[ROW], s.market[ROW + 1] = 1.0, -0.5
    s.stock[ROW] = 0.55
    return s.body()


def swapped(s, size=0.3):
    s.jump(ROW, size)
    return rows(s, stock=s.market.tolist(), market=s.stock.tolist())


def traded(body):
    """Give every row the volume of a usual day."""
    for row in body["returns"]:
        row["volume"] = 1_000_000
    return body


def inverted(s):
    return rows(s.jump(ROW, 0.3), stock=(-s.stock).tolist())


def penny(s, seed):
    """A price of a few cents that moves by whole cents."""
    draw = np.random.default_rng(seed)
    price = 6 + np.cumsum(draw.choice([-1, 0, 0, 0, 1], len(s.stock)))
    price = np.abs(price - 3) + 3
    s.stock[1:] = (price[1:] / price[:-1] - 1).round(6)
    return s.body()


def year_typo(s):
    body = s.jump(ROW, 0.3).body()
    row = body["returns"][ROW]
    row["date"] = f"2{row['date'][1:].replace('020', '120', 1)}"
    return body


def weekends(s):
    """Rows of zeros on Saturdays and Sundays; the news comes on a Saturday."""
    body = s.jump(ROW, 0.3).body()
    for event in body["events"]:
        event["date"] = (s.days[ROW] - timedelta(days=2)).isoformat()
    for week in range(100):
        for day in (5, 6):
            on = s.days[0] + timedelta(days=7 * week + day)
            body["returns"].append({"date": on.isoformat(), "stock": 0.0, "market": 0.0})
    return body


def late_listing(s):
    body = s.body()
    for row in body["returns"][: ROW + 20]:
        row["stock"] = None
    return body


def delisted(value):
    def plant(s):
        body = s.body()
        for row in body["returns"][ROW - 30 :]:
            row["stock"] = value
        return body

    return plant


def worthless(s):
    s.stock[ROW] = -1.0
    return s.body()


def constant(s):
    s.stock[:] = 0.001
    return s.body()


def repeated(s):
    body = s.jump(ROW, 0.3).body()
    body["returns"] += body["returns"][ROW - 3 : ROW + 3]
    return body


def newest_first(s):
    body = s.jump(ROW, 0.3).body()
    body["returns"].reverse()
    return body


UNTESTABLE = {
    **{f"x{ratio:g} and back": spike(ratio) for ratio in (100, 10, 2, 0.5, 0.01)},
    "x100 for four days": spike(100, 4),
    "x3 and back with news": lambda s: spike(3)(s.jump(ROW, 0.4)),
    "x100 and back with news": lambda s: spike(100)(s.jump(ROW, 0.4)),
    "x2 for three days": spike(2, 3),
    **{f"{1 / ratio:.0f}-for-1 split": split(ratio) for ratio in (0.5, 1 / 3, 0.25, 0.2)},
    **{f"{1 / ratio:.0f}-for-1 split": split(ratio) for ratio in (0.1, 0.05, 0.01)},
    **{f"1-for-{ratio} reverse split": split(ratio) for ratio in (2, 3, 4, 8, 10, 25, 100)},
    "in yen": split(110),
    "in yen, restless days after": lambda s: split(110)(s.jump(ROW + 1, 0.08).jump(ROW + 2, -0.1)),
    "in yen, usual volume": lambda s: traded(split(110)(s)),
    "in another unit, usual volume": lambda s: traded(split(7.8)(s)),
    "another level, usual volume": lambda s: traded(split(2.5)(s)),
    "spin-off, usual volume": lambda s: traded(split(0.62)(s)),
    "price of 0 and back": worthless,
    "no return of the benchmark": without_benchmark,
    "wrong price of the benchmark": wrong_benchmark,
    "wrong price of the benchmark with news": wrong_benchmark_with_news,
    "columns swapped": swapped,
    "columns swapped, small news": lambda s: swapped(s, 0.12),
    "wrong sign": inverted,
    "no return on the day": silent(None, 1),
    "no return for 3 days": silent(None, 3),
    "no return for 12 days": silent(None, 12),
    "stale price for 3 days": silent(0.0, 3),
    "stale price for 12 days": silent(0.0, 12),
    "no row on the day": gap(1),
    "no row on the day after": gap_after,
    "no row for 3 days": gap(3),
    "no row for 12 days": gap(12),
    "year of a row": year_typo,
    "listed later": late_listing,
    "delisted, zeros": delisted(0.0),
    "delisted, nulls": delisted(None),
    "constant": constant,
}
"""Faults after which an event's day says nothing about a reaction."""


@pytest.mark.parametrize("event_type", ["readout", "phase 3 success", None])
@pytest.mark.parametrize("name", UNTESTABLE)
def test_a_fault_on_an_events_day_is_no_reaction_to_it(answer, story, name, event_type):
    s = story()
    if event_type is not None:
        s.event(ROW, event_type=event_type)
    data = answer(UNTESTABLE[name](s))
    states = [record.state for record in data.attributions]
    assert not {"confirmed", "read_through"} & set(states)
    outcomes = data.event_outcomes.frame["outcome"].tolist()
    assert not {"no_reaction", "below_floor"} & set(outcomes)


REACTION = {
    "zeros for 3 days": silent(0.0, 3, -0.4),
    "zeros for 12 days": silent(0.0, 12, 0.3),
    "zeros for 3 days, small news": silent(0.0, 3, 0.1),
    **{f"nulls for {days} days": silent(None, days, -0.3) for days in (1, 3, 12)},
    **{f"no rows for {days} days": gap(days, 0.3) for days in (1, 3, 12)},
    "benchmark closed": closed_benchmark,
    "days repeated": repeated,
    "newest day first": newest_first,
    "rows on weekends": weekends,
}
"""Faults that leave a reaction to be seen."""


@pytest.mark.parametrize("name", REACTION)
def test_a_fault_beside_a_reaction_does_not_hide_it(answer, story, name):
    s = story()
    assert s.days[ROW].isoweekday() == 1
    data = answer(REACTION[name](s.event(ROW)))
    (record,) = data.attributions
    assert (record.state, record.event.lag, record.doubt) == ("confirmed", 0, None)


@pytest.mark.parametrize("seed", range(4))
def test_a_price_of_a_few_cents_is_not_halted(answer, story, seed):
    s = story()
    body = penny(s, seed)
    data = answer(body)
    frame = data.daily.frame
    assert (frame["excluded"] == "unusable").sum() <= 0.02 * len(frame) + 1
    codes = {text.partition(":")[0] for text in data.warnings}
    assert not {"looks_like_split", "possible_split", "looks_like_bad_price"} & codes
