"""How the fit of a structure over its ink moves the probability."""

import csv

import pytest

from core.chemistry.evidenced import TABLE, estimate
from tests.rows import over_rows


@over_rows("agreement", [0.25, 0.5, 0.75])
@over_rows("fit", ["clean", "doubtful", "unplaced"])
def test_few_settings_make_no_sure_answer(agreement: float, fit: str) -> None:
    assert 0 < estimate(agreement, fit) < 0.95


@over_rows("agreement", [0.25, 0.5, 0.75, 1.0])
def test_a_lost_wedge_makes_an_answer_unlikely_whatever_agrees(agreement: float) -> None:
    assert 0 < estimate(agreement, "lost") < 0.5


def test_probabilities_follow_from_the_counts_and_a_clean_overlay() -> None:
    with TABLE.open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            expected = (int(row["n_right"]) + 1) / (int(row["n_answers"]) + 2)
            assert float(row["probability"]) == pytest.approx(expected, abs=0.006)
    assert estimate(0.0, "clean") == 0.0
    assert estimate(1.0, "clean") >= 0.95 > estimate(1.0, "doubtful")
    assert estimate(0.75, "clean") > estimate(0.75, "doubtful")
