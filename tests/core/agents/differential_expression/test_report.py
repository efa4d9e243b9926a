"""The report: key figures, figures with captions, every chart drawable."""

import pytest

from core.agents.differential_expression.report import compose
from core.reports.charts import draw
from core.reports.document import Chart, Grid, Heading, Paragraph
from tests.core.agents.frames import Frames, make_about

ABOUT = make_about("differential-expression", "b vs a")


@pytest.fixture
def document(bench, make_tables):
    data = bench.run(**make_tables().request(method="all"))
    return compose(data, Frames(data), ABOUT)


def test_report_opens_with_figures_and_draws_every_chart(document):
    assert document.front.tiles[0].label == "Consensus genes"
    assert len(document.front.tiles) == 4
    assert document.front.chart is not None
    assert "Volcano" in document.front.chart.caption
    settings = next(one for one in document.blocks if isinstance(one, Grid))
    assert ("Samples", "3 a, 3 b") in settings.rows
    charts = [block for block in document.blocks if isinstance(block, Chart)]
    captions = " ".join(chart.caption for chart in charts)
    for word in ("Volcano", "MA plot", "Principal components", "Library sizes", "p-values"):
        assert word in captions
    for chart in charts:
        assert chart.alt
        assert draw(chart).content
    grids = [block for block in document.blocks if isinstance(block, Grid)]
    captions = [grid.caption for grid in grids]
    assert sum("smallest adjusted p" in caption for caption in captions) == 3
    settings = dict(next(grid for grid in grids if grid.caption.startswith("Settings")).rows)
    assert settings["Design"] == "~ condition"
    headings = [block.text for block in document.blocks if isinstance(block, Heading)]
    assert headings[:2] == ["Findings", "Methods"]


def test_tests_without_calls_or_direction_still_report(bench, make_tables):
    data = bench.run(**make_tables().request(log2fc_cutoff=20.0))
    document = compose(data, Frames(data), ABOUT)
    for block in document.blocks:
        if isinstance(block, Chart):
            assert draw(block).content
    tables = make_tables(n_each=(4, 4))
    tables.groups = ["a", "a", "a", "b", "b", "b", "c", "c"]
    data = bench.run(**tables.request(test="lrt"))
    document = compose(data, Frames(data), ABOUT)
    assert document.front.tiles[0].note == "a test without a direction"
    assert data.findings[0].startswith("8 samples (3 a, 3 b, 2 c) were compared: ")
    assert not any("help to estimate" in text for text in data.findings)
    texts = [block.text for block in document.blocks if isinstance(block, Paragraph)]
    assert not any("higher" in text or "applied after testing" in text for text in texts)
    settings = dict(next(one for one in document.blocks if isinstance(one, Grid)).rows)
    assert settings["Significant"] == "adjusted p < 0.05"


@pytest.mark.parametrize(
    ("fields", "words"),
    [({}, "applied after testing"), ({"lfc_test": "threshold"}, "as large as the fold-change")],
)
def test_the_report_says_what_the_false_discovery_rate_is_of(bench, make_tables, fields, words):
    data = bench.run(**make_tables().request(**fields))
    blocks = compose(data, Frames(data), ABOUT).blocks
    assert any(isinstance(block, Paragraph) and words in block.text for block in blocks)


def test_weights_and_correlation_of_samples_are_among_the_settings(bench, make_tables):
    tables = make_tables(n_each=(4, 4))
    tables.extra = {"patient": ["p1", "p2", "p3", "p4", "p1", "p2", "p3", "p9"]}
    request = tables.request(sample_weights=True, duplicate_correlation="patient")
    data = bench.run(**request)
    document = compose(data, Frames(data), ABOUT)
    settings = dict(next(one for one in document.blocks if isinstance(one, Grid)).rows)
    found = data.settings
    assert settings["Correlation within subjects"] == f"{found.intrablock_correlation:.3f}"
    name, weight = min(found.sample_weights.items(), key=lambda one: one[1])
    assert settings["Sample weights, lightest first"].startswith(f"{name} {weight:.2f}, ")
