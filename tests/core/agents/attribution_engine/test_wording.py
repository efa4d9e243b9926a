"""Notes, memo and method: plain words, one sentence a note, no accusation."""

import re

import pytest

ACCUSING = re.compile(
    r"insider|illegal|unlawful|illicit|suspicio|fraud|tipp|manipulat|misconduct|wrongdoing|abuse|"
    r"leaked|front.?run|guilty|violat",
    re.IGNORECASE,
)


@pytest.fixture
def data(answer, story):
    s = story().jump(200, 0.2).event(200, expected_abs_move=0.1)
    s.jump(240, -0.15).jump(280, 0.12).event(279, relationship="competitor").event(280)
    for row in range(320, 329):
        s.stock[row] += 0.02
    s.jump(330, 0.25).event(330, expected_abs_move=0.6).jump(380, 0.2).event(384)
    s.jump(440, 0.09).event(436).event(470).event(20).event(499, days=9)
    return answer(s.body())


def test_no_sentence_or_description_accuses(data):
    texts = [record.note for record in data.attributions] + data.memo + [data.method]
    texts += data.warnings + [test.about for test in data.tests]
    flagged = [record for record in data.attributions if record.leakage_flag]
    assert len(flagged) >= 2
    for text in texts:
        assert not ACCUSING.search(text), text
    assert all("a pattern to check" in record.note for record in flagged)
    from core.agents.attribution_engine import AGENT

    assert not ACCUSING.search(str(AGENT.data.model_json_schema()))
    assert not ACCUSING.search(str(AGENT.request.model_json_schema()))


def test_notes_are_one_sentence_naming_event_lag_and_overshoot(data):
    for record in data.attributions:
        assert record.note.endswith(".")
        assert not re.search(r"[.!?] [A-Z]", record.note)
    note = data.attributions[0].note
    for words in ("readout of ASSET on", "own, confirmed", "that day", "10.0 % was expected"):
        assert words in note
    assert "an overshoot of" in note
    shared = next(record for record in data.attributions if record.confounded)
    assert "also in the window: readout of ASSET on" in shared.note
    assert "competitor" in shared.note


def test_the_memo_counts_as_the_summary_does(data):
    states = data.summary.states
    assert f"{data.summary.n_moves} moves reached both limits" in data.memo[0]
    assert f"{states.unexplained} unexplained" in data.memo[0]
    joined = " ".join(data.memo)
    for words in ("pattern to check", "80 % power", "several events", "outside the dates"):
        assert words in joined


def test_the_method_names_every_number(answer, story):
    config = {"sig_z": 3.1, "min_abs_move": 0.07, "estimation_window": 180, "gap": 13}
    config |= {
        "min_obs": 90,
        "max_lag": 2,
        "leakage_window": 8,
        "outlier_z": 5,
        "partial_ratio": 0.4,
    }
    method = answer(story().body(config=config, unexplained_window=6, benchmark="IBB")).method
    for number in ("3.1", "7.0 %", "180", "13", "90", "2 rows", "-8", "over 5", "0.4", "6 rows"):
        assert number in method, number
    assert "IBB" in method


def test_long_and_broken_names_stay_short_in_a_note(answer, story):
    s = story().jump(300, 0.2).event(300, asset="A\n\n" + "b" * 400)
    (record,) = answer(s.body()).attributions
    assert "\n" not in record.note
    assert len(record.note) < 400
    assert record.event.asset == "A\n\n" + "b" * 400
