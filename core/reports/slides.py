"""Documents as slides: the answer, its picture, two tables, how it came about; tables are native.

Slides hold text as text: nothing of a caller becomes a link, a field or a formula.
"""

import io
from collections.abc import Iterator
from datetime import datetime

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR
from pptx.presentation import Presentation as Slides
from pptx.shapes.autoshape import Shape
from pptx.slide import Slide
from pptx.table import _Cell
from pptx.text.text import TextFrame
from pptx.util import Emu, Inches, Pt

from core.reports.charts import draw_png
from core.reports.document import Chart, Document, Grid, Heading, Paragraph, Tile
from core.reports.markdown import grid_caption
from core.reports.printed import NOTICE
from core.reports.text import clean, show_cell, unmarked

MOST_TABLES = 2
MOST_ROWS = 12
MOST_COLUMNS = 7
LONGEST_CELL = 80
_TEAL = RGBColor(0x0B, 0x6E, 0x6E)
_GREY = RGBColor(0x55, 0x63, 0x6B)
_INK = RGBColor(0x1A, 0x24, 0x29)
_PALE = RGBColor(0xEE, 0xF3, 0xF4)
_WIDTH, _HEIGHT = Inches(13.333), Inches(7.5)
_LEFT, _INNER = Inches(0.6), Inches(12.13)
_BLANK = 6
_NARROW, _WIDE = 12, 48
"""Letters of the narrowest and of the widest column."""


def render_pptx(document: Document) -> bytes:
    """Return the document as a presentation of at most five slides, 16 by 9.

    Args:
        document: Its front, first tables and method are shown.

    Returns:
        A PPTX file whose stated times are the run's end.
    """
    slides = Presentation()
    slides.slide_width, slides.slide_height = _WIDTH, _HEIGHT
    _show_front(slides, document)
    if document.front.chart is not None:
        _show_chart(slides, document, document.front.chart)
    for heading, grid in _list_tables(document):
        _show_table(slides, document, heading, grid)
    _show_method(slides, document)
    _date(slides, document.title, document.about.completed_at)
    target = io.BytesIO()
    slides.save(target)
    return target.getvalue()


def _date(slides: Slides, title: str, at: datetime) -> None:
    facts, naive = slides.core_properties, at.replace(tzinfo=None)
    facts.title, facts.author, facts.created = clean(title)[:200], "Biopharma workbench", naive
    facts.modified, facts.last_modified_by, facts.revision = naive, "", 1


def _list_tables(document: Document) -> list[tuple[str, Grid]]:
    """Return the first tables with the heading above them."""
    found, heading = [], ""
    for block in document.blocks:
        if isinstance(block, Heading) and block.level == 1:
            heading = block.text
        elif isinstance(block, Grid) and block.rows:
            found.append((heading, block))
    return found[:MOST_TABLES]


def _new(slides: Slides, document: Document, title: str) -> Slide:
    """Add a slide with its title, and a line at its foot."""
    slide = slides.slides.add_slide(slides.slide_layouts[_BLANK])
    frame = _box(slide, Inches(0.4), Inches(0.9))
    _write(frame, clean(title), 24, _TEAL, is_bold=True)
    foot = _box(slide, Inches(7.05), Inches(0.35))
    _write(
        foot, f"{document.subtitle} · {document.about.completed_at:%Y-%m-%d} · {NOTICE}", 9, _GREY
    )
    return slide


def _box(slide: Slide, top: Emu, height: Emu, left: Emu = _LEFT, width: Emu = _INNER) -> TextFrame:
    shape: Shape = slide.shapes.add_textbox(left, top, width, height)
    frame = shape.text_frame
    frame.word_wrap = True
    return frame


def _write(
    frame: TextFrame, text: str, size: float, color: RGBColor = _INK, *, is_bold: bool = False
) -> None:
    """Add a paragraph; the first one fills the empty paragraph that every frame has."""
    is_first = not frame.paragraphs[0].runs
    paragraph = frame.paragraphs[0] if is_first else frame.add_paragraph()
    run = paragraph.add_run()
    run.text = clean(text)
    run.font.size, run.font.bold, run.font.color.rgb = Pt(size), is_bold, color
    paragraph.space_after = Pt(8)


def _show_front(slides: Slides, document: Document) -> None:
    front = document.front
    slide = _new(slides, document, document.title)
    frame = _box(slide, Inches(1.5), Inches(2.6))
    for sentence in front.sentences:
        _write(frame, f"• {unmarked(sentence)}", 18)
    for place, tile in enumerate(front.tiles):
        _show_tile(slide, tile, place, len(front.tiles))
    if front.confidence:
        _write(_box(slide, Inches(6.35), Inches(0.5)), front.confidence, 12, _GREY)


def _show_tile(slide: Slide, tile: Tile, place: int, total: int) -> None:
    gap = Inches(0.2)
    width = Emu((_INNER - gap * (total - 1)) // total)
    left = Emu(_LEFT + place * (width + gap))
    frame = _box(slide, Inches(4.6), Inches(1.5), left, width)
    _write(frame, tile.label, 12, _GREY)
    _write(frame, tile.value, 28, is_bold=True)
    _write(frame, tile.note, 11, _GREY)


def _show_chart(slides: Slides, document: Document, chart: Chart) -> None:
    slide = _new(slides, document, chart.caption)
    picture = slide.shapes.add_picture(io.BytesIO(draw_png(chart)), _LEFT, Inches(1.4))
    scale = min(_INNER / picture.width, Inches(5.4) / picture.height)
    picture.width, picture.height = (
        Emu(int(picture.width * scale)),
        Emu(int(picture.height * scale)),
    )
    picture.left = Emu((_WIDTH - picture.width) // 2)
    picture._element._nvXxPr.cNvPr.set("descr", clean(chart.alt))  # noqa: SLF001 - no other way


def _show_table(slides: Slides, document: Document, heading: str, grid: Grid) -> None:
    columns, rows = grid.columns[:MOST_COLUMNS], grid.rows[:MOST_ROWS]
    total = grid.total or len(grid.rows)
    caption = grid_caption(Grid(columns, rows, grid.caption, total))
    slide = _new(slides, document, f"{heading}: {caption}" if heading != grid.caption else caption)
    texts = [columns, *([_shorten(show_cell(cell)) for cell in row[:MOST_COLUMNS]] for row in rows)]
    height = Inches(0.35) * len(texts)
    shape = slide.shapes.add_table(
        len(texts), len(columns), _LEFT, Inches(1.4), _INNER, Emu(height)
    )
    for place, share in enumerate(_shares([list(one) for one in texts])):
        shape.table.columns[place].width = Emu(int(_INNER * share))
    for number, row in enumerate(texts):
        for place, text in enumerate(row):
            _fill(shape.table.cell(number, place), text, is_head=number == 0)


def _shares(texts: list[list[str]]) -> list[float]:
    """Return the share of the width of each column, by the length of its texts."""
    longest = [max(map(len, column)) for column in zip(*texts, strict=True)]
    wanted = [max(_NARROW, min(_WIDE, one)) for one in longest]
    return [one / sum(wanted) for one in wanted]


def _fill(cell: _Cell, text: str, *, is_head: bool) -> None:
    cell.margin_top = cell.margin_bottom = Inches(0.03)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    cell.fill.solid()
    cell.fill.fore_color.rgb = _TEAL if is_head else _PALE
    white = RGBColor(0xFF, 0xFF, 0xFF)
    _write(cell.text_frame, text, 10, white if is_head else _INK, is_bold=is_head)
    cell.text_frame.paragraphs[0].space_after = Pt(0)


def _shorten(text: str) -> str:
    plain = unmarked(text)
    return plain if len(plain) <= LONGEST_CELL else f"{plain[: LONGEST_CELL - 1].rstrip()}…"


def _show_method(slides: Slides, document: Document) -> None:
    slide = _new(slides, document, "Methods")
    frame = _box(slide, Inches(1.4), Inches(5.4))
    for text in _list_method(document):
        _write(frame, unmarked(text), 13)


def _list_method(document: Document) -> Iterator[str]:
    """Yield the paragraphs of the last section that has any, what is in doubt, and the run."""
    sections: list[list[str]] = [[]]
    for block in document.blocks:
        if isinstance(block, Heading) and block.level == 1:
            sections.append([])
        elif isinstance(block, Paragraph):
            sections[-1].append(block.text)
    longest = 400
    told = next((one for one in reversed(sections) if one), [])
    yield from (text if len(text) <= longest else f"{text[:longest]}…" for text in told[:4])
    yield from document.faults[:3]
    yield "; ".join(f"{name.lower()}: {value}" for name, value in document.about.facts)
