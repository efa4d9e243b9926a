"""Splits, halts, volumes and short histories in returns."""

import numpy as np
import pytest


def codes(data):
    return [text.partition(":")[0] for text in data.warnings]


def split(s, row, ratio):
    s.stock[row] = round((1 + s.stock[row]) * ratio - 1, 6)
    return s


def with_volume(body, volume):
    for row, number in zip(body["returns"], volume, strict=True):
        row["volume"] = float(number)
    return body


@pytest.mark.parametrize("ratio", [10.0, 20.0, 0.1])
def test_a_large_split_is_set_aside_and_said(answer, story, ratio):
    s = split(story(), 300, ratio)
    data = answer(s.body())
    assert data.attributions == []
    assert "looks_like_split" in codes(data)
    assert str(s.days[300]) in data.warnings[0]
    kept = answer(s.body(config={"set_aside": False}))
    assert [one.state for one in kept.attributions] == ["unexplained"]
    assert "looks_like_split" not in codes(kept)


def test_a_fall_by_half_stays_a_move_in_doubt(answer, story):
    data = answer(split(story(), 300, 0.5).body())
    (record,) = data.attributions
    assert (record.state, record.doubt) == ("unexplained", "possible_split")
    assert "possible_split" in codes(data)
    assert "2-for-1 split" in data.warnings[0]
    data = answer(split(story(), 300, 0.5).event(300).body())
    assert [(one.state, one.doubt) for one in data.attributions] == [("partial", "possible_split")]
    assert "possible_split" in codes(data)


def test_usual_volume_tells_a_split_and_large_volume_tells_news(answer, story):
    body = split(story(), 300, 0.5).body()
    volume = np.random.default_rng(1).lognormal(12, 0.3, 500)
    volume[300:] *= 2
    assert answer(with_volume(body, volume)).attributions == []
    volume[300] *= 20
    data = answer(with_volume(body, volume))
    assert [one.state for one in data.attributions] == ["unexplained"]
    assert not {"looks_like_split", "possible_split"} & set(codes(data))


@pytest.mark.parametrize("lag", [0, 1, 3])
@pytest.mark.parametrize("ratio", [10.0, 0.1])
def test_a_split_near_an_event_is_no_reaction_to_it(answer, story, ratio, lag):
    s = split(story(), 300, ratio).event(300 - lag, expected_abs_move=0.25)
    data = answer(s.body())
    assert data.attributions == []
    assert "looks_like_split" in codes(data)
    (event,) = data.events_without_move
    if lag <= 1:
        assert event.reason == "not_testable"
        assert str(s.days[300]) in event.detail
        assert "split" in event.detail


@pytest.mark.parametrize("has_event", [True, False])
@pytest.mark.parametrize(
    ("first", "second", "rows"),
    [(99.0, -0.99, 1), (1.0, -0.5, 1), (-0.99, 99.0, 1), (99.0, -0.99, 4), (8.7, -0.9, 1)],
)
def test_a_price_that_jumps_and_comes_back_is_wrong(answer, story, first, second, rows, has_event):
    s = story()
    s.stock[300], s.stock[300 + rows] = first, second
    if has_event:
        s.event(300)
    data = answer(s.body())
    if has_event and first == 1.0:
        assert len(data.attributions) == 2
        assert "possible_bad_price" in codes(data)
        return
    assert data.attributions == []
    assert "looks_like_bad_price" in codes(data)
    assert "looks_like_split" not in codes(data)
    assert [event.reason for event in data.events_without_move] == ["not_testable"] * has_event
    kept = answer(s.body(config={"set_aside": False}))
    assert len(kept.attributions) == 2


@pytest.mark.parametrize(
    ("stock", "fields", "state"),
    [
        (-0.8, {"event_type": "phase 3 failure", "expected_abs_move": 0.8}, "confirmed"),
        (-0.86, {"event_type": "phase 3 failure", "expected_abs_move": 0.85}, "confirmed"),
        (-0.9, {"event_type": "phase 3 readout", "expected_abs_move": 0.9}, "confirmed"),
        (-0.9, {"event_type": "complete response letter"}, "partial"),
        (-0.9, {"event_type": "phase 3 readout"}, None),
        (-0.9, {"event_type": "phase 3 success", "expected_abs_move": 0.8}, None),
        (-0.9, {"event_type": "failed trial", "relationship": "competitor"}, None),
        (9.02, {"event_type": "phase 3 readout", "expected_abs_move": 0.3}, None),
    ],
)
def test_a_fall_that_an_own_event_accounts_for_is_no_split(answer, story, stock, fields, state):
    s = story().event(300, **fields)
    s.stock[300] = stock
    data = answer(s.body())
    assert [record.state for record in data.attributions] == ([] if state is None else [state])
    assert "looks_like_split" in codes(data) if state is None else "possible_split" in codes(data)
    doubts = ["possible_split"] if state == "partial" else [None] * (state is not None)
    assert [record.doubt for record in data.attributions] == doubts


@pytest.mark.parametrize("ratio", [0.1, 0.5])
def test_a_split_before_a_readout_is_no_pattern_to_check(answer, story, ratio):
    s = split(story(), 298, ratio).jump(299, 0.022).jump(300, 0.25)
    s.event(300, expected_abs_move=0.25)
    data = answer(s.body())
    assert {"looks_like_split", "possible_split"} & set(codes(data))
    assert data.attributions[-1].state == "confirmed"
    assert not any(record.leakage_flag for record in data.attributions)
    assert not any("pattern to check" in record.note for record in data.attributions)


def test_rises_and_falls_on_news_are_moves(answer, story):
    s = story().event(300, expected_abs_move=1.0)
    s.stock[300], s.stock[301] = 1.5, -0.6
    data = answer(s.body())
    assert [round(record.car, 1) for record in data.attributions] == [1.5, -0.6]
    assert "possible_bad_price" in codes(data)
    s = story().jump(300, 0.775).jump(301, -0.477).event(300)
    data = answer(s.body())
    assert [one.state for one in data.attributions] == ["confirmed", "confirmed"]
    assert "looks_like_bad_price" not in codes(data)
    stirred = split(story(), 300, 0.1).jump(301, 0.12).jump(302, -0.1)
    assert len(answer(stirred.body()).attributions) == 3


def test_zeros_without_trade_are_a_halt(answer, story):
    s = story().event(300).jump(303, -0.7)
    s.stock[300:303] = 0.0
    data = answer(s.body())
    (record,) = data.attributions
    assert (record.state, record.event.lag) == ("confirmed", 0)
    assert "looks_like_halt" in codes(data)
    late = answer(s.body(config={"set_aside": False}))
    assert [one.state for one in late.attributions] == ["partial"]
    s = story().event(300).jump(303, -0.7)
    s.stock[300:303] = 0.0
    data = answer(with_volume(s.body(), np.full(500, 1e5)))
    assert "looks_like_halt" not in codes(data)


def test_volume_before_news_stands_beside_the_drift(answer, story):
    volume = np.random.default_rng(2).lognormal(12, 0.2, 500)
    volume[290:299] *= 4
    s = story().jump(300, 0.2).event(300)
    record = answer(with_volume(s.body(), volume)).attributions[0]
    assert record.leakage.volume_ratio == pytest.approx(4, rel=0.25)
    assert record.leakage.volume_chance < 0.01
    assert "volume" in record.chance.note
    plain = answer(s.body()).attributions[0]
    assert (plain.leakage.volume_ratio, plain.leakage.volume_chance) == (None, None)


def test_a_new_listing_is_measured_against_its_sector_when_asked(answer, story):
    s = story(n_rows=45).jump(40, 0.3).event(40)
    nothing = answer(s.body())
    assert nothing.attributions == []
    assert "short_history" in next(text for text in nothing.warnings if "no_testable" in text)
    data = answer(s.body(config={"short_history": "sector_beta"}))
    (record,) = data.attributions
    assert (record.state, record.model, record.beta, record.alpha) == (
        "confirmed",
        "sector_beta",
        1.0,
        0.0,
    )
    assert record.car == pytest.approx(s.stock[40] - s.market[40], abs=1e-12)
    before = s.stock[:40] - s.market[:40]
    assert record.sigma == pytest.approx(float(np.sqrt((before**2).mean())), rel=0.1)
    assert "short_history" in codes(data)


def test_the_sectors_beta_changes_no_day_that_has_a_fit(answer, story):
    s = story().jump(300, 0.2).event(300)
    plain = answer(s.body()).daily.frame
    filled = answer(s.body(config={"short_history": "sector_beta"})).daily.frame
    fitted = plain["n_obs"] > 0
    assert plain.loc[fitted, ["ar", "sar", "beta", "sigma"]].equals(
        filled.loc[fitted, ["ar", "sar", "beta", "sigma"]]
    )
    assert filled["sar"].notna().sum() > plain["sar"].notna().sum()
