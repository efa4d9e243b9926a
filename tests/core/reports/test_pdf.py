"""The PDF: figures in its text, accessible by standard, and text that stays text."""

import io
import re
import shutil
import subprocess
from dataclasses import replace

import pypdf
import pytest

from core.errors import AnalysisError
from core.reports.charts import draw
from core.reports.document import Chart, Grid, Paragraph
from core.reports.pdf import render_pdf
from tests.rows import over_rows


def read(content: bytes) -> str:
    pages = pypdf.PdfReader(io.BytesIO(content)).pages
    return "\n".join(page.extract_text() for page in pages)


def test_pdf_shows_figures_run_and_notice(document) -> None:
    text = read(render_pdf(document))
    for shown in ("16,139", "1,234", "FKBP5", document.about.run_uuid, "4 Mar 2026"):
        assert shown in text
    assert "verify against sources" in text
    assert "2 of 40 rows" in text
    assert "condition_column" in text


def test_pdf_meets_the_accessibility_standard(document, hostile) -> None:
    assert render_pdf(document, standards=["ua-1"]).startswith(b"%PDF")
    assert render_pdf(hostile, standards=["ua-1"]).startswith(b"%PDF")


def test_same_document_gives_same_bytes(document) -> None:
    assert render_pdf(document) == render_pdf(document)


def test_hostile_text_stays_text(hostile) -> None:
    text = read(render_pdf(hostile)).replace("\n", "").replace("\u200b", "")
    for shown in ('#read("/etc/passwd")', "$x$", "<script>alert(1)</script>", '#eval("1+1")'):
        assert shown.replace(" ", "") in text.replace(" ", "")
    assert "root:" not in text


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext")
def test_long_words_stay_inside_the_page(hostile, tmp_path) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(render_pdf(hostile))
    command = ["pdftotext", "-bbox", str(file), "-"]
    boxes = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rights = [float(right) for right in re.findall(r'<word .*?xMax="([\d.]+)"', boxes)]
    a4_points, margin_points = 595.3, 56.0
    assert max(rights) < a4_points - margin_points + 2


def test_unsafe_link_is_left_out(hostile) -> None:
    assert b"javascript" not in b"".join(
        str(page.get("/Annots")).encode()
        for page in pypdf.PdfReader(io.BytesIO(render_pdf(hostile))).pages
    )


def test_many_points_become_a_bitmap(make_bars) -> None:
    assert draw(make_bars(3)).suffix == "svg"
    assert draw(make_bars(2_001)).suffix == "png"


@over_rows("place", ["file:///etc/passwd", "https://example.org/x.csv"])
def test_chart_that_names_an_address_is_refused(place) -> None:
    spec = {"layer": [{"data": {"url": place}, "mark": "bar"}]}
    with pytest.raises(AnalysisError):
        draw(Chart(spec, "c", "a"))


@pytest.mark.parametrize("n_lines", range(24, 48, 2))
def test_a_caption_stands_on_the_page_of_its_table(document, n_lines: int) -> None:
    filler = tuple(Paragraph(f"Line {number}.") for number in range(n_lines))
    table = Grid(("Alpha", "Beta"), tuple(("first", str(row)) for row in range(60)), "Told here")
    pages = pypdf.PdfReader(
        io.BytesIO(render_pdf(replace(document, blocks=(*filler, table))))
    ).pages
    texts = [page.extract_text() for page in pages]
    page = next(text for text in texts if "Told here" in text)
    assert "first" in page
