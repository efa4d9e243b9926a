"""Reactions by type of event, and the usual size of earlier ones as the expected move."""

import numpy as np
import pytest

from core.knowledge.usual_reactions import find_usual

ROWS = (100, 140, 180, 220, 260, 320)
SIZES = (0.1, -0.2, 0.12, 0.3, -0.14, 0.062)


@pytest.fixture
def listed(story):
    s = story()
    for row, size in zip(ROWS, SIZES, strict=True):
        s.jump(row, size).event(
            row, event_type="Phase 3  readout" if row % 40 else "phase 3 readout"
        )
    return s.event(400, event_type="label")


def test_sizes_are_told_by_type_beside_days_without_events(answer, listed):
    data = answer(listed.body(config={"max_lag": 0}))
    first, second = data.reactions
    assert (first.event_type, first.n_events) == ("phase 3 readout", 6)
    assert first.median_abs_move == pytest.approx(float(np.median(np.abs(SIZES))), abs=0.005)
    assert first.share_up == pytest.approx(4 / 6)
    assert first.share_moved >= 5 / 6
    assert 0.004 < first.median_without_event < 0.012
    assert (second.event_type, second.n_events) == ("label", 1)


def test_the_usual_size_of_earlier_events_is_expected_only_when_asked(answer, listed):
    plain = answer(listed.body()).attributions
    assert all(one.expected_abs_move is None for one in plain)
    data = answer(listed.body(config={"usual_moves": True}))
    last = data.attributions[-1]
    assert last.move_date == listed.days[320]
    earlier = [one.car for one in data.attributions[:-1]]
    assert len(earlier) == 5
    assert last.expected_abs_move == pytest.approx(float(np.median(np.abs(earlier))), abs=0.02)
    assert last.state == "partial"
    assert all(one.expected_abs_move is None for one in data.attributions[:-1])
    listed.events[5]["expected_abs_move"] = 0.05
    data = answer(listed.body(config={"usual_moves": True}))
    assert data.attributions[-1].expected_abs_move == 0.05
    assert data.attributions[-1].state == "confirmed"


def test_with_too_few_earlier_events_the_reference_is_expected_and_told(answer, story):
    s = story().jump(300, 0.1).event(300, event_type="FDA  approval")
    s.jump(360, 0.1).event(360, event_type="approval", relationship="competitor")
    usual = find_usual("approval")
    plain = answer(s.body())
    assert plain.attributions[0].expected_abs_move is None
    assert not [text for text in plain.warnings if text.startswith("usual_move_of_reference")]
    data = answer(s.body(config={"usual_moves": True}))
    own, other = data.attributions
    assert own.expected_abs_move == usual.median_abs_move
    assert own.residual == pytest.approx(own.car - usual.median_abs_move)
    assert other.expected_abs_move is None
    (told,) = [text for text in data.warnings if text.startswith("usual_move_of_reference")]
    assert f"over {usual.n_events} such events of {usual.n_stocks} biotech stocks" in told
