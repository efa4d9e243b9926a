"""Slides: native tables, the picture of the front, and text that stays text."""

import io
import zipfile

from pptx import Presentation

from core.reports.slides import render_pptx


def texts(content: bytes) -> list[str]:
    slides = Presentation(io.BytesIO(content)).slides
    return [shape.text_frame.text for one in slides for shape in one.shapes if shape.has_text_frame]


def test_slides_show_answer_picture_table_and_method(document) -> None:
    content = render_pptx(document)
    slides = Presentation(io.BytesIO(content)).slides
    assert len(slides) == 4
    first = " ".join(shape.text_frame.text for shape in slides[0].shapes if shape.has_text_frame)
    for shown in ("trt vs untrt", "FKBP5 rises most [1].", "16,139", "of three methods"):
        assert shown in first
    assert "2 samples shallow" in first
    assert any(shape.shape_type == 13 for shape in slides[1].shapes)
    (table,) = [shape.table for shape in slides[2].shapes if shape.has_table]
    assert [cell.text for cell in table.rows[1].cells] == ["ENSG1", "2.500", "1.00e-09"]
    assert document.about.run_uuid in " ".join(texts(content))


def test_slides_of_hostile_text_hold_no_link_and_no_field(hostile) -> None:
    content = render_pptx(hostile)
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        slides = [parts.read(name) for name in parts.namelist() if name.startswith("ppt/slides/")]
    assert not any(b"hlinkClick" in one or b"<a:fld" in one for one in slides)
    assert any("<script>alert(1)</script>" in text for text in texts(content))


def test_same_document_gives_the_same_slides(document) -> None:
    assert texts(render_pptx(document)) == texts(render_pptx(document))
