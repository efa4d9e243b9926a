"""Several stocks in one request: each as if alone, and all of them side by side."""

import pytest
from pydantic import ValidationError


def named(body, ticker):
    return {
        "returns": [{**row, "ticker": ticker} for row in body["returns"]],
        "events": [{**event, "ticker": ticker} for event in body["events"]],
    }


@pytest.fixture
def pair(story):
    one = story(seed=4).jump(200, 0.2).event(200).jump(350, -0.15)
    other = story(seed=8).jump(250, -0.3).event(250)
    return one, other


def joined(pair):
    one, other = named(pair[0].body(), "AAA"), named(pair[1].body(), "bbb")
    return {name: [*one[name], *other[name]] for name in ("returns", "events")}


def plain(records):
    return [
        one.model_dump(
            exclude={
                "ticker": True,
                "chance": {"flag_fdr", "note"},
                "event": True,
                "events_in_window": True,
                "p_fdr": True,
            }
        )
        for one in records
    ]


def test_several_stocks_are_each_answered_as_if_alone_and_counted(answer, pair):
    data = answer(joined(pair))
    for ticker, alone in zip(("AAA", "BBB"), pair, strict=True):
        mine = [one for one in data.attributions if one.ticker == ticker]
        assert plain(mine) == plain(answer(alone.body()).attributions)
    assert list(data.daily.frame["ticker"].unique()) == ["AAA", "BBB"]
    states = [(one.ticker, one.states.confirmed, one.states.unexplained) for one in data.stocks]
    assert states == [("AAA", 1, 1), ("BBB", 1, 0)]
    assert data.stocks[0].largest_unexplained_on == pair[0].days[350]
    assert (data.summary.n_moves, data.summary.states.confirmed) == (3, 2)
    assert data.summary.n_tested == sum(one.n_tested for one in data.stocks)
    assert any("AAA" in sentence for sentence in data.memo)
    assert [(one.ticker, one.event.index) for one in data.attributions if one.event] == [
        ("AAA", 0),
        ("BBB", 1),
    ]


def test_an_event_of_the_sector_concerns_every_stock(answer, pair):
    body = joined(pair)
    day = str(pair[0].days[350])
    body["events"].append(
        {
            "date": day,
            "asset": "RIVAL",
            "event_type": "approval",
            "relationship": "competitor",
            "confirmed": True,
        }
    )
    data = answer(body)
    assert [one.state for one in data.attributions if one.ticker == "AAA"] == [
        "confirmed",
        "read_through",
    ]
    outcomes = data.event_outcomes.frame
    assert list(outcomes.loc[outcomes["asset"] == "RIVAL", "ticker"]) == ["AAA", "BBB"]


def test_rows_and_events_that_contradict_each_other_are_refused(answer, pair):
    body = joined(pair)
    body["events"][0].pop("ticker")
    with pytest.raises(ValidationError, match=r"holds several stocks"):
        answer(body)
    body = joined(pair)
    body["returns"][3].pop("ticker")
    with pytest.raises(ValidationError, match=r"needed in every row"):
        answer(body)
    body = joined(pair)
    body["returns"].append({**body["returns"][5], "stock": 0.5})
    with pytest.raises(ValidationError, match=r"occurs with different values"):
        answer(body)


def test_events_of_a_stock_without_returns_are_named(answer, pair):
    body = joined(pair)
    body["events"][0]["ticker"] = "ZZZ"
    data = answer(body)
    assert any(text.startswith("ticker_without_returns: events of ZZZ") for text in data.warnings)
    assert len(data.event_outcomes) == 1


def test_a_ticker_of_one_stock_changes_no_figure(answer, pair):
    alone, with_name = answer(pair[0].body()), answer(named(pair[0].body(), "AAA"))
    assert plain(alone.attributions) == plain(with_name.attributions)
    assert alone.warnings == with_name.warnings
    assert alone.stocks == []
    assert [one.ticker for one in with_name.stocks] == ["AAA"]
