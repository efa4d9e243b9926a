"""Slides: native tables, the picture of the front, and text that stays text."""

import io
import zipfile

import pytest
from pptx import Presentation
from pptx.util import Inches, Pt

from core.reports.document import Document, Grid, Heading, Paragraph
from core.reports.slides import render_pptx


def texts(content: bytes) -> list[str]:
    slides = Presentation(io.BytesIO(content)).slides
    return [shape.text_frame.text for one in slides for shape in one.shapes if shape.has_text_frame]


def notes(content: bytes) -> str:
    slides = Presentation(io.BytesIO(content)).slides
    return "\n".join(one.notes_slide.notes_text_frame.text for one in slides if one.has_notes_slide)


def test_slides_argue_with_a_message_each_and_their_sources_in_the_notes(document) -> None:
    content = render_pptx(document)
    slides = Presentation(io.BytesIO(content)).slides
    first = " ".join(shape.text_frame.text for shape in slides[0].shapes if shape.has_text_frame)
    for shown in ("trt vs untrt", "FKBP5 rises most.", "16,139", "2 samples shallow"):
        assert shown in first
    assert any(shape.shape_type == 13 for shape in slides[0].shapes)
    assert "The strongest change is in FKBP5." in " ".join(texts(content))
    assert "https://doi.org/10.1/x" in notes(content)
    assert "[1]" not in " ".join(texts(content)[:-4])
    assert document.about.run_uuid[:8] in " ".join(texts(content))


def grid(n_rows: int) -> Grid:
    rows = tuple((f"drug-{n}", "approved in one disease " * (n % 4), n) for n in range(n_rows))
    return Grid(("Drug", "Stage", "Trials"), rows, "Drugs by stage")


@pytest.mark.parametrize("n_rows", [1, 2, 3, 9, 400])
def test_a_table_fills_a_slide_or_is_told_as_text(about, n_rows: int) -> None:
    blocks = (Heading("Drugs"), grid(n_rows), Heading("Methods"), Paragraph("By rule."))
    content = render_pptx(Document("q", "Landscape", about, blocks))
    slides = Presentation(io.BytesIO(content)).slides
    tables = [shape for one in slides for shape in one.shapes if shape.has_table]
    assert len(tables) == (n_rows >= 3)
    for shape in tables:
        assert shape.top + sum(row.height for row in shape.table.rows) < Inches(7.1)
        assert all(
            run.font.size >= Pt(12)
            for row in shape.table.rows
            for cell in row.cells
            for paragraph in cell.text_frame.paragraphs
            for run in paragraph.runs
        )
    assert "drug-0" in " ".join(
        [*texts(content), *(c.text for t in tables for c in t.table.iter_cells())]
    )


def test_a_report_names_the_headings_of_its_deck(about) -> None:
    blocks = tuple(
        block
        for name in ("A", "B", "C")
        for block in (Heading(name), Paragraph(f"It is {name}."), grid(4))
    )
    content = render_pptx(Document("q", "Design", about, blocks, deck=("C", "A", "none")))
    shown = [one for one in texts(content) if one.startswith("It is")]
    assert shown == ["It is C.", "It is A."]


def test_slides_of_hostile_text_hold_no_link_and_no_field(hostile) -> None:
    content = render_pptx(hostile)
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        slides = [parts.read(name) for name in parts.namelist() if name.startswith("ppt/slides/")]
    assert not any(b"hlinkClick" in one or b"<a:fld" in one for one in slides)
    assert any("<script>alert(1)</script>" in text for text in texts(content))


def test_same_document_gives_the_same_slides(document) -> None:
    assert texts(render_pptx(document)) == texts(render_pptx(document))
