"""Which trading day news belongs to."""

from datetime import date

import pytest


def place(answer, s, **fields):
    data = answer(s.jump(300, 0.2).body(**fields))
    found = [event for record in data.attributions for event in record.events_in_window]
    return data, found[0] if found else None


def test_a_weekend_and_a_halt_count_for_the_next_row(answer, story):
    s = story().event(299, days=1)
    assert s.days[299].isoweekday() == 5
    _, event = place(answer, s)
    assert (event.row_date, event.lag) == (s.days[300], 0)
    s = story().event(298)
    body = s.jump(300, 0.2).body()
    del body["returns"][298:300]
    (record,) = answer(body).attributions
    assert (record.state, record.event.lag) == ("confirmed", 0)
    s = story().event(298)
    body = s.jump(300, 0.2).body()
    for row in (298, 299):
        body["returns"][row]["stock"] = None
    data = answer(body)
    (record,) = data.attributions
    assert (record.state, record.event.row_date) == ("confirmed", s.days[300])
    assert any(text.startswith("unusable_rows: 2 ") for text in data.warnings)


@pytest.mark.parametrize(
    ("clock", "session", "row"),
    [
        ("06:59:00-05:00", "pre", 0),
        ("12:00:00-05:00", "regular", 0),
        ("15:59:59-05:00", "regular", 0),
        ("16:00:00-05:00", "after", 1),
        ("21:05:00+00:00", "after", 1),
        ("12:00:00Z", "pre", 0),
    ],
)
def test_instants_are_read_by_the_exchange_clock(answer, story, clock, session, row):
    s = story()
    day = s.days[280]
    assert day.month in (1, 2)
    s.event(280, announced_at=f"{day}T{clock}").jump(280 + row, 0.2)
    (record,) = answer(s.body()).attributions
    assert record.event.session == session
    assert record.event.row_date == s.days[280 + row]
    assert record.event.lag == 0


def test_instant_and_session_decide_the_row(answer, story):
    s = story().event(299, announced_at=f"{story().days[300]}T12:00:00-05:00")
    data, event = place(answer, s)
    assert event.row_date == s.days[300]
    assert any(text.startswith("announced_on_another_day:") for text in data.warnings)
    s = story().event(299, session="after", announced_at=f"{story().days[299]}T08:00:00-05:00")
    _, event = place(answer, s)
    assert (event.session, event.row_date) == ("after", s.days[300])
    s = story()
    day = s.days[350]
    assert day.month in (5, 6)
    s.event(350, announced_at=f"{day}T20:00:00Z").jump(351, 0.2)
    (record,) = answer(s.body()).attributions
    assert record.event.session == "after"


def test_one_warning_says_that_times_are_missing(answer, story):
    s = story().event(300).event(310).event(320, session="pre")
    data, _ = place(answer, s)
    assert [text for text in data.warnings if text.startswith("no_session:")] == [
        text for text in data.warnings if "2 events do not say when" in text
    ]
    timed, _ = place(answer, story().event(300, session="regular"))
    assert timed.warnings == []


def test_further_fields_of_an_event_are_echoed(answer, story):
    s = story().event(300, source={"url": "x", "page": 3}, desk="biotech", tags=["a"])
    _, event = place(answer, s)
    assert event.source == {"url": "x", "page": 3}
    assert event.other == {"desk": "biotech", "tags": ["a"]}


@pytest.mark.parametrize(
    ("exchange", "ticker", "instant", "day"),
    [
        ("XNYS", None, "2020-11-27T12:30:00-05:00", "2020-11-27"),
        ("XNAS", None, "2020-11-27T13:30:00-05:00", "2020-11-30"),
        ("XNYS", "ROG.SW", "2020-05-15T17:10:00+02:00", "2020-05-15"),
        ("XSWX", None, "2020-05-15T17:40:00+02:00", "2020-05-18"),
        ("XNYS", "AZN LN", "2020-05-15T16:20:00+01:00", "2020-05-15"),
        ("XLON", None, "2020-05-15T16:40:00+01:00", "2020-05-18"),
        ("XTKS", None, "2020-05-15T14:30:00+09:00", "2020-05-15"),
        ("XTKS", None, "2020-05-14T20:00:00-04:00", "2020-05-15"),
        ("XNYS", "4502.T", "2020-05-15T15:10:00+09:00", "2020-05-18"),
        ("XETR", None, "2020-05-15T17:10:00+02:00", "2020-05-15"),
        ("XPAR", None, "2020-05-15T17:40:00+02:00", "2020-05-18"),
    ],
)
def test_each_exchange_has_its_own_close(answer, story, exchange, ticker, instant, day):
    s = story()
    row = s.days.index(date.fromisoformat(day))
    s.event(row - 1, announced_at=instant)
    body = s.jump(row, 0.2).body(config={"exchange": exchange})
    for line in (*body["returns"], *body["events"]):
        line["ticker"] = ticker
    (record,) = answer(body).attributions
    assert (record.state, record.event.lag, str(record.event.row_date)) == ("confirmed", 0, day)
    assert record.event.last_close_on == s.days[row - 1]


@pytest.mark.parametrize(
    ("day", "outcome"), [("2020-05-25", "no_reaction"), ("2020-05-26", "not_testable")]
)
def test_a_row_is_missing_on_a_trading_day_only(answer, story, day, outcome):
    s = story()
    row = s.days.index(date.fromisoformat(day))
    body = s.event(row).body()
    del body["returns"][row]
    (event,) = answer(body).events_without_move
    assert event.reason == outcome


def test_rows_of_a_closed_day_are_no_trading_days(answer, story):
    s = story()
    row = s.days.index(date(2020, 5, 25))
    s.stock[row] = s.market[row] = 0.0
    data = answer(s.event(row, session="regular").jump(row + 1, 0.2).body())
    (record,) = data.attributions
    assert (record.state, record.event.lag) == ("confirmed", 0)
    assert any(text.startswith("closed_days: 1 ") for text in data.warnings)
    assert data.summary.n_rows == 499


def test_news_years_before_the_next_row_is_not_testable(answer, story):
    s = story()
    body = s.event(300).body()
    for row in body["returns"][300:]:
        row["date"] = f"9{row['date'][1:]}"
    (event,) = answer(body).events_without_move
    assert (event.reason, str(event.date)) == ("not_testable", str(s.days[300]))


@pytest.mark.parametrize(("clock", "session"), [("16:20", "regular"), ("16:40", "after")])
def test_days_after_the_calendar_have_the_usual_hours(answer, story, clock, session):
    s = story()
    instant = f"2040{str(s.days[280])[4:]}T{clock}:00+00:00"
    s.event(280, announced_at=instant)
    body = s.jump(280, 0.2).body(config={"exchange": "XLON"})
    for row in (*body["returns"], *body["events"]):
        row["date"] = f"20{int(row['date'][2:4]) + 20}{row['date'][4:]}"
    data = answer(body)
    outcomes = [event for record in data.attributions for event in record.events_in_window]
    assert [event.session for event in (*outcomes, *data.events_without_move)] == [session]
