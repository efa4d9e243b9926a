"""Files of the shapes that vendors export, small and written by hand for these tests."""

import pytest

from core.agents.attribution_engine.event_files import read_events
from core.agents.attribution_engine.market_files import read_market
from core.errors import InvalidInput, WorkbenchError
from tests.rows import over_rows

YAHOO = """Date,Open,High,Low,Close,Adj Close,Volume
2020-01-02,10,11,9,10.00,5.00,1000
2020-01-03,10,11,9,20.00,5.50,1000
2020-01-06,10,11,9,null,null,null
2020-01-07,10,11,9,20.00,4.95,1000
"""
STOOQ = """Date,Open,High,Low,Close,Volume
2020-01-02,99,101,98,100,5
2020-01-03,99,101,98,101,5
2020-01-06,99,101,98,102,5
2020-01-07,99,101,98,99.99,5
"""
STOOQ_LONG = """<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>
XBI.US,D,20200102,000000,99,101,98,100,5,0
XBI.US,D,20200103,000000,99,101,98,101,5,0
XBI.US,D,20200107,000000,99,101,98,99.99,5,0
"""
NASDAQ = """Date,Close/Last,Volume,Open,High,Low
01/07/2020,$99.99,1000,$99,$101,$98
01/03/2020,$101.00,1000,$99,$101,$98
01/02/2020,$100.00,1000,$99,$101,$98
"""
BLOOMBERG = """Security,XBI US Equity
Start Date,01/02/2020
End Date,01/07/2020
Currency,USD

Date,PX_LAST,PX_VOLUME
13/01/2020,#N/A N/A,1
07/01/2020,99.99,1
03/01/2020,101,1
02/01/2020,100,1
"""
FACTSET = """SPDR S&P Biotech ETF - Price History
Local Currency

Date;Price;Change;% Change;Cvol
07-Jan-2020;99,99;-1,01;-1,00%;1.000
03-Jan-2020;101,00;1,00;1,00%;1.000
02-Jan-2020;100,00;;;1.000
"""
RETURNS = """date,stock,market,comment
2020-01-03,0.10,1.0%,a
2020-01-02,-0.02,0.002,b
"""


@over_rows(
    ("text", "shape"),
    [
        (STOOQ, "Stooq"),
        (STOOQ_LONG, "Stooq"),
        (NASDAQ, "Nasdaq"),
        (BLOOMBERG, "Bloomberg"),
        (FACTSET, "FactSet"),
    ],
)
def test_benchmarks_of_every_shape_give_the_same_returns(text, shape):
    found = read_market(YAHOO, text)
    assert [row["date"] for row in found.rows] == ["2020-01-03", "2020-01-07"]
    assert [row["market"] for row in found.rows] == pytest.approx([0.01, -0.01])
    joined = " ".join(found.notes)
    assert f"The benchmark file was read as one of {shape}'s shape." in joined
    assert "benchmark file is not marked as adjusted" in joined
    assert "Prices of the benchmark were turned into simple returns" in joined


def test_adjusted_closes_are_preferred_and_others_warned_of():
    """The stock has no price on the 6th, so that both returns of the 7th run from the 3rd."""
    found = read_market(YAHOO, STOOQ)
    assert [row["stock"] for row in found.rows] == pytest.approx([0.10, -0.10])
    joined = " ".join(found.notes)
    assert "Adjusted prices were used (column 'Adj Close')." in joined
    assert "stock file is not marked as adjusted" not in joined
    assert "1 rows of the stock file lack a date or a value" in joined
    notes = read_market(STOOQ, YAHOO).notes
    assert any("'Close' of the stock file is not marked as adjusted" in note for note in notes)
    (_, last) = read_market(YAHOO, STOOQ).rows
    assert last["market"] == pytest.approx(99.99 / 101 - 1)


def test_returns_and_prices_in_one_file_or_two():
    found = read_market(RETURNS)
    assert found.rows == [
        {"date": "2020-01-02", "stock": -0.02, "market": 0.002},
        {"date": "2020-01-03", "stock": 0.10, "market": 0.01},
    ]
    assert not any("turned into simple returns" in note for note in found.notes)
    found = read_market("Date,stock,benchmark\n2020-01-02,10,100\n2020-01-03,11,102\n")
    (row,) = found.rows
    assert (row["stock"], row["market"]) == (pytest.approx(0.1), pytest.approx(0.02))
    assert sum("turned into simple returns" in note for note in found.notes) == 2
    found = read_market("Date,Return\n2020-01-02,0.5\n2020-01-03,-0.02\n", STOOQ)
    (row,) = found.rows
    assert (row["stock"], row["market"]) == (-0.02, pytest.approx(0.01))


@over_rows(
    ("dates", "expected", "said"),
    [
        (("01/02/2020", "01/03/2020"), "2020-01-03", True),
        (("13/02/2020", "14/02/2020"), "2020-02-14", False),
        (("2/12/2020", "2/13/2020"), "2020-02-13", False),
        (("Feb 12, 2020", "Feb 13, 2020"), "2020-02-13", False),
        (("2020-02-12T00:00:00-05:00", "2020-02-13 00:00:00"), "2020-02-13", False),
    ],
)
def test_dates_of_many_forms(dates, expected, said):
    text = f'Date,stock,market\n"{dates[0]}",0.1,0.1\n"{dates[1]}",0.2,0.1\n'
    found = read_market(text)
    assert found.rows[-1]["date"] == expected
    assert any("month/day/year" in note for note in found.notes) == said


@over_rows(
    ("first", "second", "words"),
    [
        ("", None, "no date column"),
        ("a,b\n1,2\n", None, "no date column"),
        (YAHOO, None, "no column for the benchmark"),
        ("Date,foo\n2020-01-02,1\n", YAHOO, "it has Date, foo"),
        (YAHOO, "Date,Close\n2021-01-02,1\n2021-01-03,2\n", "no day in common"),
        ("Date,stock,market\n2020-01-02,abc,1\n", None, "row 1 of the stock file"),
        ("Date,stock,market\n2020-01-02,1,1\n2020-01-02,2,1\n", None, "two values for 2020-01-02"),
        ("Date,stock,market\nnever,1,1\n", None, "no row with a date"),
    ],
)
def test_files_that_cannot_be_used_say_why(first, second, words):
    with pytest.raises(WorkbenchError) as caught:
        read_market(first, second)
    assert caught.value.status == 400
    assert words in caught.value.message


EVENTS = """Event Date,Drug,Event Type,Relationship,Confirmed,Expected Move,Time,URL,Desk
05/15/2020,ASSET-1,phase 2 data,own,yes,25%,AMC,https://example.org/1,bio
05/18/2020,ASSET-2,approval,competitor,no,,BMO,,
05/19/2020,ASSET-3,meeting,own,TRUE,0.1,14:30,,
"""


def test_event_columns_are_recognized_and_missing_ones_said():
    first, second, third = read_events(EVENTS).events
    assert first == {
        "date": "2020-05-15",
        "asset": "ASSET-1",
        "event_type": "phase 2 data",
        "relationship": "own",
        "confirmed": True,
        "expected_abs_move": 0.25,
        "session": "after",
        "source": "https://example.org/1",
        "Desk": "bio",
    }
    assert (second["confirmed"], second["session"]) == (False, "pre")
    assert "expected_abs_move" not in second
    assert "session" not in third
    found = read_events("Date,Event\n2020-05-15,approval\n")
    (event,) = found.events
    assert (event["relationship"], event["confirmed"]) == ("own", True)
    assert len(found.notes) == 3


@over_rows(
    ("text", "words"),
    [
        ("Event,Type\nx,y\n", "no date column"),
        ("Date,Event\nsoon,approval\n", "row 1 of the event file has no date"),
        ("Date,Event,Confirmed\n2020-05-15,a,perhaps\n", "write yes or no"),
        ("Date,Event,Expected Move\n2020-05-15,a,big\n", "expected move holds no number"),
    ],
)
def test_event_files_that_cannot_be_used_say_why(text, words):
    with pytest.raises(InvalidInput) as caught:
        read_events(text)
    assert words in caught.value.message


def test_what_is_read_runs(answer, story):
    s = story().jump(300, 0.2).event(300)
    price, level = 50.0, 90.0
    lines = ["Date,Stock Price,Benchmark Price", "2019-01-04,50,90"]
    for day, stock, market in zip(s.days, s.stock, s.market, strict=True):
        price, level = price * (1 + stock), level * (1 + market)
        lines.append(f"{day},{float(price)!r},{float(level)!r}")
    found = read_market("\n".join(lines))
    events = read_events(f"date,asset,event_type\n{s.days[300]},ASSET,readout\n")
    data = answer(returns=found.rows, events=events.events, input_notes=found.notes)
    plain = answer(s.body())
    assert data.input_notes == found.notes
    assert [one.state for one in data.attributions] == ["confirmed"]
    assert data.attributions[0].car == pytest.approx(plain.attributions[0].car, abs=1e-9)
