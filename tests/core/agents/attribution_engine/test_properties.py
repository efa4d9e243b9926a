"""What holds for every request: order, repetition, scale, labels."""

import random
from itertools import permutations

import pytest


@pytest.fixture
def rich(story):
    s = story().jump(200, 0.2).event(200, expected_abs_move=0.3).jump(240, -0.15)
    s.jump(280, 0.12).event(279, relationship="competitor").event(280, confirmed=False)
    s.jump(330, -0.25).jump(331, -0.1).event(330, expected_abs_move=0.2)
    return s.jump(380, 0.2).event(384).jump(440, 0.09).event(436).event(470).event(499)


def test_rows_in_any_order_and_repeats_give_the_same_bytes(answer, rich):
    body = rich.body()
    expected = answer(body).model_dump_json(by_alias=True)
    for seed in range(3):
        random.Random(seed).shuffle(body["returns"])
        assert answer(body).model_dump_json(by_alias=True) == expected
    first, second = (answer(rich.body()).model_dump_json(by_alias=True) for _ in range(2))
    assert first == second
    one, other = answer(rich.body()), answer(rich.body(benchmark="IBB"))
    assert other.benchmark == "IBB"
    assert one.attributions == other.attributions


def test_events_in_any_order_give_the_same_states(answer, rich):
    body = rich.body()
    expected = [(one.move_date, one.state, one.note) for one in answer(body).attributions]
    assert len(expected) == 6
    for order in list(permutations(body["events"]))[::400]:
        found = answer({**body, "events": list(order)}).attributions
        assert [(one.move_date, one.state, one.note) for one in found] == expected


def test_mirrored_returns_mirror_every_figure(answer, rich):
    plain = answer(rich.body()).attributions
    rich.stock, rich.market = -rich.stock, -rich.market
    mirrored = answer(rich.body()).attributions
    assert len(plain) == len(mirrored)
    for one, other in zip(plain, mirrored, strict=True):
        assert (one.state, one.leakage_flag) == (other.state, other.leakage_flag)
        assert one.car == pytest.approx(-other.car, abs=1e-12)
        assert one.beta == pytest.approx(other.beta, abs=1e-9)


def test_later_rows_change_no_earlier_move(answer, rich):
    whole = answer(rich.body()).attributions
    body = rich.body()
    cut = answer({**body, "returns": body["returns"][:400]}).attributions
    earlier = [one for one in whole if one.move_date < rich.days[400]]
    assert len(cut) == len(earlier) == 5
    for one, other in zip(cut, earlier, strict=True):
        assert (one.state, one.note, one.n_obs) == (other.state, other.note, other.n_obs)
        assert one.car == pytest.approx(other.car, abs=1e-14)
        assert one.scar == pytest.approx(other.scar, rel=1e-10)
