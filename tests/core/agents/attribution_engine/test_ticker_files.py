"""Files of several stocks, prices that look like returns, times of day and vague dates."""

import numpy as np
import pytest

from core.agents.attribution_engine.event_files import read_events
from core.agents.attribution_engine.market_files import list_tickers, read_market, read_stocks
from core.agents.attribution_engine.schema import AttributionEngineRequest
from core.errors import InvalidInput, MissingColumn
from tests.rows import over_rows

DAYS = [f"2024-{month:02d}-{day:02d}" for month in (1, 2) for day in range(1, 29)]


def prices(seed, start=10.0):
    steps = np.random.default_rng(seed).normal(0, 0.02, len(DAYS))
    return (start * np.cumprod(1 + steps)).round(4)


AAA, BBB, XBI = prices(1), prices(2, 0.3), prices(3, 90.0)


def lines(*columns):
    return "".join(",".join(map(str, row)) + "\n" for row in zip(DAYS, *columns, strict=True))


WIDE = "Date,AAA,BBB,XBI\n" + lines(AAA, BBB, XBI)
LONG = "date,ticker,close,volume\n" + "".join(
    f"{day},{name},{price},{1000 + place}\n"
    for name, column in (("AAA", AAA), ("bbb", BBB), ("XBI", XBI))
    for place, (day, price) in enumerate(zip(DAYS, column, strict=True))
)
LAYERED = (
    "Price,Close,Close,Close,Volume,Volume,Volume\nTicker,AAA,BBB,XBI,AAA,BBB,XBI\nDate,,,,,,\n"
    + lines(AAA, BBB, XBI, range(56), range(56), range(56))
)
SWAPPED = "Ticker,AAA,BBB,XBI\nPrice,Close,Close,Close\nDate,,,\n" + lines(AAA, BBB, XBI)


@over_rows("text", [WIDE, LONG, LAYERED, SWAPPED])
def test_files_of_several_stocks_are_read_by_ticker(text):
    assert list_tickers(text) == ["AAA", "BBB", "XBI"]
    found = read_stocks(text, None, stocks=["AAA", "BBB"], benchmark="XBI")
    assert [row["ticker"] for row in found.rows] == ["AAA"] * 55 + ["BBB"] * 55
    assert found.rows[0]["stock"] == pytest.approx(AAA[1] / AAA[0] - 1)
    assert found.rows[55]["stock"] == pytest.approx(BBB[1] / BBB[0] - 1)
    assert found.rows[55]["market"] == pytest.approx(XBI[1] / XBI[0] - 1)
    assert ("volume" in found.rows[0]) == (text in (LONG, LAYERED))
    AttributionEngineRequest.model_validate({"returns": found.rows, "events": []})


def test_a_missing_benchmark_is_asked_for_by_name():
    with pytest.raises(MissingColumn, match="AAA, BBB, XBI"):
        read_stocks(WIDE, None, stocks=["AAA"], benchmark=None)
    second = "Date,Close\n" + lines(XBI)
    assert len(read_stocks(WIDE, second, stocks=["AAA"], benchmark=None).rows) == 55


def test_one_stock_with_three_header_lines_is_one_stock():
    header = "Price,Adj Close,Close,Volume\nTicker,AAA,AAA,AAA\nDate,,,\n"
    text = header + lines(AAA, AAA * 2, range(56))
    assert list_tickers(text) == []
    found = read_market(text, "Date,Close\n" + lines(XBI))
    assert found.rows[0]["stock"] == pytest.approx(AAA[1] / AAA[0] - 1)
    assert found.rows[0]["volume"] == 1


def test_a_copy_of_the_page_with_help_texts_is_read():
    header = (
        "Date\tOpen\tHigh\tLow\tClose Close price adjusted for splits.\tAdj Close Adjusted close "
        "price adjusted for splits and dividend and/or capital gain distributions.\tVolume\n"
    )
    body = "".join(
        f"Jan {place + 1}, 2024\t1\t1\t1\t{2 * price}\t{price}\t1,234,567\n"
        for place, price in enumerate(AAA[:28])
    )
    body += "Jan 5, 2024\t0.25 Dividend\n"
    found = read_market(header + body, "Date,Close\n" + lines(XBI))
    assert found.rows[0]["stock"] == pytest.approx(AAA[1] / AAA[0] - 1)
    assert found.rows[0]["volume"] == 1234567


def test_zero_closes_and_prices_under_one_are_told_apart():
    found = read_market("date,stock,market\n" + lines(BBB, XBI))
    assert found.rows[0]["stock"] == pytest.approx(BBB[1] / BBB[0] - 1)
    body = [{"date": d, "stock": float(s), "market": 0.01} for d, s in zip(DAYS, BBB, strict=True)]
    with pytest.raises(ValueError, match="looks like prices"):
        AttributionEngineRequest.model_validate({"returns": body, "events": []})
    closes = AAA.copy()
    closes[50:] = 0
    found = read_market("Date,Close,market\n" + lines(closes, XBI))
    assert len(found.rows) == 49
    assert any("6 closes of 0" in note and DAYS[50] in note for note in found.notes)


def test_crsp_is_read_with_its_market_and_its_letters():
    header = "PERMNO,date,TICKER,PRC,RET,VOL,vwretd\n"
    body = "".join(
        f"10001,{day.replace('-', '')},AAA,-{price},{'C' if place == 0 else 0.01},100,0.002\n"
        for place, (day, price) in enumerate(zip(DAYS, AAA, strict=True))
    )
    found = read_market(header + body)
    assert (len(found.rows), found.rows[0]["stock"]) == (55, 0.01)
    assert any("CRSP's market" in note for note in found.notes)
    with pytest.raises(MissingColumn, match="vwretd"):
        read_market("PERMNO,date,PRC\n" + "".join(f"1,{day},5\n" for day in DAYS))


@over_rows(
    ("text", "field", "value"),
    [
        ("4:05 PM ET", "announced_at", "2024-01-02T16:05:00-05:00"),
        ("16:05", "announced_at", "2024-01-02T16:05:00-05:00"),
        ("7 a.m. EST", "announced_at", "2024-01-02T07:00:00-05:00"),
        ("1:05 pm PT", "announced_at", "2024-01-02T13:05:00-08:00"),
        ("12:01 AM", "announced_at", "2024-01-02T00:01:00-05:00"),
        ("AMC", "session", "after"),
    ],
)
def test_times_of_day_are_read(text, field, value):
    (event,) = read_events(f"date,event,time\n2024-01-02,readout,{text}\n").events
    assert event[field] == value


@over_rows("text", ["lunch", "25:00", "13 PM", "4:05 XYZ"])
def test_a_time_that_cannot_be_read_is_said(text):
    found = read_events(f"date,event,time\n2024-01-02,readout,{text}\n")
    assert not {"session", "announced_at"} & set(found.events[0])
    assert any(text in note for note in found.notes)


def test_vague_dates_are_left_out_and_said():
    body = "".join(f"{day},readout\n" for day in ("Q2 2022", "2024-01-02", "mid-2023", "1H24"))
    found = read_events("Catalyst Date,event\n" + body)
    assert [event["date"] for event in found.events] == ["2024-01-02"]
    assert any(
        "3 events were skipped" in note and "'Q2 2022' (row 1)" in note for note in found.notes
    )
    with pytest.raises(InvalidInput, match="no event has a day"):
        read_events("Catalyst Date,event\nQ2 2022,readout\n")
    with pytest.raises(InvalidInput, match="no date that can be read"):
        read_events("Catalyst Date,event\nwhenever,readout\n")


def test_events_name_their_ticker():
    events = read_events("date,ticker,asset,event\n2024-01-02,AAA,Drug,readout\n").events
    assert (events[0]["ticker"], events[0]["asset"]) == ("AAA", "Drug")
