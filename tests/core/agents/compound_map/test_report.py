"""The report in print: figures that leave no page empty, reasons in a table of their own."""

from core.agents.compound_map.charts import COLUMNS, MOST_TOGETHER, draw_compounds
from core.agents.compound_map.report import compose
from core.reports.document import Grid
from tests.core.agents.compound_map.conftest import Bench
from tests.core.agents.frames import Frames, make_about

HALF_A_PAGE = 0.75
"""Height by width of a figure that stands on a page beside text: A4 bears 1.4."""


def test_print_has_figures_of_half_a_page_and_every_reason(two_documents: Bench) -> None:
    compounds = two_documents.run().compounds
    figures = draw_compounds(compounds)
    assert [one.points for one in figures] == [MOST_TOGETHER, len(compounds) - MOST_TOGETHER]
    assert MOST_TOGETHER % COLUMNS == 0
    assert all(one.spec["height"] <= HALF_A_PAGE * one.spec["width"] for one in figures)
    assert compounds[0].id in figures[0].caption
    assert compounds[-1].id in figures[1].caption
    assert draw_compounds([]) == []
    data = two_documents.run()
    blocks = compose(data, Frames(data), make_about("compound-map", "KRAS")).blocks
    grids = {one.caption: one for one in blocks if isinstance(one, Grid)}
    for caption in ("Documents of the sample", "Why each document was chosen"):
        assert {row[0] for row in grids[caption].rows} == {"US1000001B2", "US20240000002A1"}
    assert "Why chosen" not in grids["Documents of the sample"].columns
    assert all(row[1] for row in grids["Why each document was chosen"].rows)
