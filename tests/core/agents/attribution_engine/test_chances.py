"""What chance alone makes of ties, reactions and flags, against counting day by day."""

import numpy as np
import pytest

from core.agents.attribution_engine.decision import drift_scores
from core.agents.attribution_engine.places import place_events, read_rows
from core.agents.attribution_engine.schema import AttributionEngineRequest
from core.agents.attribution_engine.settings import use
from core.agents.attribution_engine.stocks import study_days
from core.stats.event_study import sum_abnormal


@pytest.fixture
def studied(story):
    """A stock with six events, three of them with a move, studied."""
    s = story(seed=9)
    for row in (120, 200, 260, 310, 380, 440):
        s.event(row)
    s.jump(120, 0.2).jump(200, -0.2).jump(260, 0.02)
    request = AttributionEngineRequest.model_validate(s.body())
    config = use(request.config, request.unexplained_window)
    rows = read_rows(request.returns)
    events = place_events(list(enumerate(request.events)), rows)
    return s, study_days(rows, events, config), config


def test_drifts_of_all_days_are_those_summed_one_by_one(studied):
    _, study, config = studied
    scores = drift_scores(study.found, study.near_event, config)
    usable = study.found.series.usable & ~study.near_event
    for row in range(80, 500, 17):
        rows = [r for r in range(row - config.leakage_window, row - 1) if usable[r]]
        if not study.found.tested[row] or len(rows) < 5:
            assert np.isnan(scores[row])
            continue
        assert scores[row] == pytest.approx(sum_abnormal(study.found, row, rows).scar, abs=1e-9)


def test_chance_of_a_reaction_counts_days_away_from_events(studied):
    _, study, _ = studied
    sar, near = np.abs(study.found.sar), study.near_event
    days = [
        row
        for row in range(len(sar) - 1)
        if study.found.tested[row] and not near[row] and not near[row + 1]
    ]
    for row in (120, 260, 310):
        n_larger = sum(max(sar[day], sar[day + 1]) >= max(sar[row], sar[row + 1]) for day in days)
        n_last = study.found.tested[-1] and not near[-1]
        expected = (1 + n_larger) / (1 + len(days) + n_last)
        assert study.chances.of_reaction(row) == pytest.approx(expected, abs=0.003)


def test_chance_of_a_tie_is_that_of_events_on_any_dates(answer, story):
    s = story().jump(300, 0.2).event(300)
    for row in range(80, 280, 20):
        s.event(row)
    data = answer(s.body())
    record = next(one for one in data.attributions if one.move_date == s.days[300])
    draw, n_tested, hits = np.random.default_rng(3), data.summary.n_tested, 0
    for _ in range(4000):
        dates = draw.integers(0, n_tested, 11)
        hits += bool(np.isin(dates, [200, 201]).any())
    assert record.chance.tie == pytest.approx(hits / 4000, abs=0.015)


def test_more_events_tie_more_by_chance_and_the_answer_says_so(answer, story):
    few = answer(story().jump(300, 0.2).event(300).body())
    s = story().jump(300, 0.2).event(300)
    for row in range(80, 500, 6):
        s.event(row, relationship="competitor")
    many = answer(s.body())
    assert few.summary.ties_by_chance < 0.05
    assert many.summary.ties_by_chance > 0.5
    assert any("by chance" in sentence for sentence in many.memo)


def test_reactions_are_adjusted_over_the_list(answer, story):
    s = story().jump(300, 0.2)
    for row in (100, 150, 300, 350, 400):
        s.event(row)
    table = answer(s.body()).event_outcomes.frame
    assert (table["chance_fdr"] >= table["chance"]).all()
    real = table[table["outcome"] == "confirmed"].iloc[0]
    assert real["chance"] < 0.01
    assert real["chance_fdr"] < 0.02
    assert (table["chance"][table["outcome"] != "confirmed"] > 0.01).all()
