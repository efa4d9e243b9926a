"""How the fit of a structure over its ink moves the probability."""

import csv

import pytest

from core.chemistry.evidenced import TABLE, estimate


@pytest.mark.parametrize("agreement", [0.8, 1.0])
def test_clean_overlay_makes_an_answer_surer(agreement: float) -> None:
    assert estimate(agreement, "clean") > estimate(agreement, "doubtful") >= 0.95


@pytest.mark.parametrize("agreement", [0.2, 0.4, 0.6])
@pytest.mark.parametrize("fit", ["clean", "doubtful", "unplaced"])
def test_few_settings_make_no_sure_answer(agreement: float, fit: str) -> None:
    assert 0 < estimate(agreement, fit) < 0.95


def test_no_agreement_has_no_probability() -> None:
    assert estimate(0.0, "clean") == 0.0


def test_probabilities_follow_from_the_counts() -> None:
    with TABLE.open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            expected = (int(row["n_right"]) + 1) / (int(row["n_answers"]) + 2)
            assert float(row["probability"]) == pytest.approx(expected, abs=0.006)
