"""The decision table, row by row, on a stock whose only moves are planted."""

import pytest


def only(data):
    (record,) = data.attributions
    return record


def test_a_quiet_stock_and_a_shock_of_the_sector_have_no_moves(answer, story):
    data = answer(story().body())
    assert data.attributions == []
    assert data.summary.n_tested == 430
    s = story()
    s.market[300] -= 0.12
    s.stock[300] -= 0.144
    assert answer(s.body()).attributions == []


def test_confirmed_own_event_on_its_day(answer, story):
    s = story().jump(300, 0.2).event(300, expected_abs_move=0.18)
    record = only(answer(s.body()))
    assert record.state == "confirmed"
    assert record.move_date == s.days[300]
    assert record.car == pytest.approx(0.2, abs=0.01)
    assert record.residual == pytest.approx(record.car - 0.18, abs=1e-15)
    assert record.ratio == pytest.approx(record.car / 0.18)
    assert (record.event.index, record.event.lag) == (0, 0)
    assert not record.confounded
    record = only(answer(story().jump(300, -0.2).event(300, expected_abs_move=0.15).body()))
    assert record.residual == pytest.approx(record.car + 0.15, abs=1e-15)


@pytest.mark.parametrize("expected", [None, 0, 0.0])
def test_without_expected_move_the_residual_is_the_car(answer, story, expected):
    record = only(answer(story().jump(300, 0.2).event(300, expected_abs_move=expected).body()))
    assert record.state == "confirmed"
    assert record.residual == record.car
    assert record.expected_abs_move is None


@pytest.mark.parametrize("relationship", ["own", "Self", "company", " issuer ", "SPONSOR"])
def test_words_for_own_events(answer, story, relationship):
    record = only(answer(story().jump(300, 0.2).event(300, relationship=relationship).body()))
    assert record.state == "confirmed"


@pytest.mark.parametrize("relationship", ["competitor", "class", "sector", "partner", "cousin"])
def test_confirmed_event_of_others_is_a_read_through(answer, story, relationship):
    s = story().jump(300, 0.2).event(300, relationship=relationship, expected_abs_move=0.05)
    data = answer(s.body())
    assert only(data).state == "read_through"
    assert only(data).residual == pytest.approx(only(data).car - 0.05)
    is_known = relationship != "cousin"
    assert is_known != any("unknown_relationship" in text for text in data.warnings)


def test_an_own_event_decides_before_one_of_others(answer, story):
    s = story().jump(301, 0.2).event(301, relationship="competitor").event(300)
    record = only(answer(s.body()))
    assert record.state == "confirmed"
    assert record.event.index == 1
    assert [event.index for event in record.events_in_window] == [1, 0]
    assert record.confounded
    s = story().jump(300, 0.1).event(300, expected_abs_move=0.5)
    record = only(answer(s.event(300, relationship="competitor").body()))
    assert record.state == "partial"
    assert record.event.is_own
    s = story().jump(300, 0.32).event(300, event_type="clinical hold").event(300)
    record = only(answer(s.body()))
    assert (record.state, record.doubt, record.event.index) == ("confirmed", None, 1)


@pytest.mark.parametrize(("expected", "state"), [(0.19, "confirmed"), (0.5, "partial")])
def test_half_of_the_expected_move_parts_confirmed_from_partial(answer, story, expected, state):
    s = story().jump(300, 0.2).event(300, expected_abs_move=expected)
    assert only(answer(s.body())).state == state


def test_unconfirmed_events_are_partial(answer, story):
    own = only(
        answer(story().jump(300, 0.2).event(300, confirmed=False, expected_abs_move=0.1).body())
    )
    assert own.state == "partial"
    assert own.residual == pytest.approx(own.car - 0.1)
    others = only(
        answer(
            story()
            .jump(300, 0.2)
            .event(300, confirmed=False, relationship="sector", expected_abs_move=0.1)
            .body()
        )
    )
    assert others.state == "partial"
    assert others.residual == others.car


@pytest.mark.parametrize(
    ("lag", "state"),
    [(-1, "unexplained"), (0, "confirmed"), (1, "confirmed"), (2, "partial"), (5, "partial")]
    + [(6, "unexplained")],
)
def test_rows_between_event_and_move_decide(answer, story, lag, state):
    record = only(answer(story().jump(300 + lag, 0.2).event(300).body()))
    assert record.state == state
    assert record.leakage_flag == (lag == -1)
    if record.event:
        assert record.event.lag == lag


@pytest.mark.parametrize(("window", "state"), [(3, "unexplained"), (4, "partial")])
def test_unexplained_window_of_the_request_rules(answer, story, window, state):
    s = story().jump(304, 0.2).event(300)
    assert only(answer(s.body(unexplained_window=window))).state == state


def test_core_window_and_session_can_be_set(answer, story):
    s = story().jump(303, 0.2).event(300)
    assert only(answer(s.body(config={"max_lag": 3}))).state == "confirmed"
    s = story().jump(302, 0.2).event(300)
    assert only(answer(s.body())).state == "partial"
    s.events[0]["session"] = "after"
    assert only(answer(s.body())).state == "confirmed"


def test_ties_go_to_the_nearest_row_then_to_request_order(answer, story):
    s = story().jump(301, 0.2).event(300, asset="A").event(301, asset="B").event(301, asset="C")
    assert only(answer(s.body())).event.asset == "B"
    s.events.reverse()
    assert only(answer(s.body())).event.asset == "C"


def test_an_unexplained_move_before_an_event_is_flagged_and_says_how_far(answer, story):
    record = only(answer(story().jump(296, 0.2).event(300).body()))
    assert record.state == "unexplained"
    assert record.leakage_flag
    assert record.precedes.rows_after == 4
    assert "precedes readout of ASSET" in record.note
    assert "by 4 rows" in record.note
    far = only(answer(story().jump(289, 0.2).event(300).body()))
    assert not far.leakage_flag
    assert far.precedes is None
    s = story().jump(300, 0.2).event(302, relationship="competitor").event(304)
    record = only(answer(s.body()))
    assert record.precedes.rows_after == 4
    assert record.leakage_flag


def test_neighboring_days_of_one_sign_are_one_move_and_a_reversal_is_another(answer, story):
    s = story().jump(300, 0.1).jump(301, 0.15).event(300)
    record = only(answer(s.body()))
    assert (record.n_days, record.start_date, record.end_date) == (2, s.days[300], s.days[301])
    assert record.move_date == s.days[301]
    assert record.car == pytest.approx(0.25, abs=0.02)
    data = answer(story().jump(300, 0.2).jump(301, -0.12).event(300).body())
    assert [record.n_days for record in data.attributions] == [1, 1]
    assert data.attributions[1].car < 0


def test_limits_are_inclusive_and_can_be_set(answer, story):
    s = story().jump(300, 0.2)
    record = only(answer(s.body()))
    at = {"sig_z": abs(record.sar), "min_abs_move": abs(record.ar)}
    assert len(answer(s.body(config=at)).attributions) == 1
    above = {**at, "min_abs_move": abs(record.ar) + 1e-12}
    data = answer(s.body(config=above))
    assert data.attributions == []
    assert [day.date for day in data.below_floor] == [s.days[300]]
    s = story().jump(300, 0.2).event(300, expected_abs_move=0.5)
    car = only(answer(s.body())).car
    config = {"partial_ratio": abs(car) / 0.5}
    assert only(answer(s.body(config=config))).state == "confirmed"


def test_events_without_a_move_say_why(answer, story):
    data = answer(story().jump(300, 0.04).event(300).body())
    assert data.attributions == []
    (event,) = data.events_without_move
    assert event.reason == "below_floor"
    low = {day.date: day for day in data.below_floor}
    assert low[event.row_date].event.index == 0
    (event,) = answer(story().event(300).body()).events_without_move
    assert event.reason == "no_reaction"
    assert event.detectable_move == pytest.approx(0.05 + 0.843 * 0.01, abs=0.002)
    (early,) = answer(story().event(40).body()).events_without_move
    assert (early.reason, early.detectable_move) == ("not_testable", None)
    s = story().event(0, days=-3).event(499, days=30).event(499, session="after")
    reasons = [event.reason for event in answer(s.body()).events_outside]
    assert reasons == ["before_first_row", "after_last_row", "after_last_row"]


@pytest.mark.parametrize(
    ("column", "row", "fields", "reason"),
    [
        ("market", 300, {}, "The benchmark has no return on {day}."),
        ("market", 301, {}, "The benchmark has no return on {day}."),
        ("market", 301, {"session": "regular"}, None),
        ("stock", 301, {}, "The stock has no return on {day}."),
    ],
    ids=["benchmark", "day after", "known session", "halt after"],
)
def test_an_event_on_a_day_that_cannot_be_tested_has_no_reaction_to_report(
    answer, story, column, row, fields, reason
):
    s = story().jump(row, 0.4).event(300, **fields)
    body = s.body()
    body["returns"][row][column] = None
    data = answer(body)
    assert data.attributions == []
    (event,) = data.events_without_move
    assert event.row_date == s.days[300]
    assert event.reason == ("not_testable" if reason else "no_reaction")
    assert event.detail == (reason or "").format(day=s.days[row])


def test_an_event_on_a_halted_day_counts_for_a_later_row_and_says_so(answer, story):
    s = story().jump(302, 0.4).event(300)
    body = s.body()
    for row in (300, 301):
        body["returns"][row]["stock"] = None
    data = answer(body)
    assert only(data).event.row_date == s.days[302]
    (text,) = [text for text in data.warnings if text.startswith("event_on_halted_day: ")]
    assert f"{s.days[300]} to {s.days[302]}" in text


@pytest.mark.parametrize(
    ("event_type", "size", "doubt"),
    [
        ("complete response letter", 0.32, "against_direction"),
        ("complete_response", 0.32, "against_direction"),
        ("CRL", 0.32, "against_direction"),
        ("clinical hold", 0.32, "against_direction"),
        ("clinical hold lifted", -0.32, "against_direction"),
        ("Phase 3 readout: failed", 0.32, "against_direction"),
        ("failed readout", 0.32, "against_direction"),
        ("safety signal", 0.32, "against_direction"),
        ("dilution", 0.32, "against_direction"),
        ("FDA approval", -0.32, "against_direction"),
        ("positive readout", -0.32, "against_direction"),
        ("phase 3 success", -0.32, "against_direction"),
        ("success in phase 3", -0.32, "against_direction"),
        ("met the primary endpoint", -0.32, "against_direction"),
        ("phase 3 failed primary endpoint", 0.32, "against_direction"),
        ("resubmission accepted", 0.32, None),
        ("resubmission after complete response letter accepted", 0.32, None),
        ("complete response letter", -0.32, None),
        ("clinical hold", -0.32, None),
        ("FDA approval", 0.32, None),
        ("approval withdrawn", -0.32, None),
        ("approval decision", -0.32, None),
        ("complete response rate", 0.32, None),
        ("phase 3 readout", -0.32, None),
        ("phase 3 readout", 0.32, None),
    ],
)
def test_a_move_against_the_direction_of_its_event_is_not_explained_by_it(
    answer, story, event_type, size, doubt
):
    s = story().jump(300, size).event(300, event_type=event_type)
    data = answer(s.body())
    record = only(data)
    assert record.doubt == doubt
    assert record.state == ("partial" if doubt else "confirmed")
    assert record.note.startswith("Explained by") == (doubt is None)
    assert data.summary.share_explained == (0 if doubt else 1)
    warned = [text for text in data.warnings if text.startswith("move_against_event: ")]
    assert len(warned) == (doubt is not None)
    unchecked = answer(s.body(config={"check_direction": False}))
    assert only(unchecked).state == "confirmed"


def test_mixed_directions_in_a_list_change_no_state_and_are_named(answer, story):
    s = story()
    for row, size in ((150, 0.2), (200, -0.2), (250, 0.2), (300, -0.2)):
        s.jump(row, size).event(row, event_type="approval")
    data = answer(s.body())
    assert [record.state for record in data.attributions] == ["confirmed"] * 4
    (text,) = [text for text in data.warnings if text.startswith("directions_not_used: ")]
    assert f"{s.days[200]} (approval), {s.days[300]} (approval)" in text
    s.jump(350, 0.32).event(350, event_type="complete response letter")
    assert [record.state for record in answer(s.body()).attributions][4:] == ["partial"]


@pytest.mark.parametrize(
    ("expected", "relationship", "state"),
    [
        (0.07, "own", "confirmed"),
        (0.05, "own", "partial"),
        (0.05, "competitor", "partial"),
        (None, "own", "confirmed"),
    ],
)
def test_a_move_far_above_the_expected_one_is_questioned(
    answer, story, expected, relationship, state
):
    s = story().jump(300, 0.3)
    s.event(300, expected_abs_move=expected, relationship=relationship)
    data = answer(s.body())
    record = only(data)
    assert (record.state, record.doubt) == (
        state,
        "far_above_expected" if state == "partial" else None,
    )
    warned = [text for text in data.warnings if text.startswith("move_far_above_expected: ")]
    assert len(warned) == (state == "partial")
    relaxed = answer(s.body(config={"overshoot_ratio": 20}))
    assert only(relaxed).doubt is None


def test_drift_before_the_event_in_its_direction_is_flagged(answer, story):
    s = story().event(300)
    for row in range(290, 299):
        s.stock[row] += 0.02
    record = only(answer(s.jump(300, 0.2).body()))
    assert record.state == "confirmed"
    assert record.leakage_flag
    assert record.leakage.car == pytest.approx(0.18, abs=0.09)
    assert (record.leakage.from_date, record.leakage.to_date) == (s.days[290], s.days[298])
    against = only(answer(s.jump(300, -0.2).body()))
    assert not against.leakage_flag
    s = story().event(300).event(295)
    s.jump(295, 0.3).jump(300, 0.2)
    data = answer(s.body())
    second = data.attributions[1]
    assert second.leakage.n_days == 7
    assert not second.leakage_flag


def test_the_summary_counts_confounded_and_unexplained_moves(answer, story):
    s = story().jump(300, 0.2).event(300).event(300, relationship="class").jump(400, 0.2).event(400)
    summary = answer(s.body()).summary
    assert (summary.n_moves, summary.n_confounded) == (2, 1)
    assert (summary.share_explained, summary.share_explained_by_one_event) == (1.0, 0.5)
    data = answer(story().jump(300, 0.2).jump(350, -0.2).event(350).body())
    assert data.unexplained == [data.attributions[0]]
    assert data.summary.states.unexplained == 1


def test_sample_tests_need_five_events_that_moved(answer, story):
    s = story()
    for row in (150, 200, 250, 300):
        s.jump(row, 0.2).event(row)
    assert answer(s.body()).tests == []
    data = answer(s.jump(350, 0.2).event(350).body())
    assert [test.name for test in data.tests][:2] == ["patell_z", "bmp_t"]
    patell = data.tests[0]
    assert patell.n_events == 5
    assert patell.statistic > 10
    assert patell.p_value < 1e-6


@pytest.mark.parametrize(
    ("whose", "reaction", "flagged"),
    [("own", 0.0, True), ("own", 0.2, True), ("own", -0.2, False), ("competitor", 0.0, False)],
)
def test_only_an_own_event_that_did_not_clearly_go_the_other_way_is_a_pattern(
    answer, story, whose, reaction, flagged
):
    s = story().jump(300, 0.2).event(304, relationship=whose)
    if reaction:
        s.jump(304, reaction)
    record = answer(s.body()).attributions[0]
    assert record.precedes.rows_after == 4
    assert record.leakage_flag == flagged
    assert (record.precedes.chance > 0) == (whose == "own")
    assert record.precedes.chance < 0.1


def test_a_move_before_an_own_event_is_no_pattern_where_most_days_precede_one(answer, story):
    s = story(seed=5).jump(300, 0.2)
    sparse = s.event(308)
    assert only(answer(sparse.body())).leakage_flag
    for row in range(90, 500, 11):
        if abs(row - 300) > 8:
            s.event(row)
    record = next(one for one in answer(s.body()).attributions if one.move_date == s.days[300])
    assert record.precedes.rows_after == 8
    assert record.precedes.chance > 0.5
    assert record.chance.flag == record.precedes.chance
    assert not record.leakage_flag
