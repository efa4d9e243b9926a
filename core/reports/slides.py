"""Documents as slides that argue: a message, its picture or table, and sources in the notes.

The message is a sentence of the document; nothing is written here that the document does not say.
Slides hold text as text: nothing of a caller becomes a link, a field or a formula.
"""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR
from pptx.presentation import Presentation as Slides
from pptx.slide import Slide
from pptx.table import _Cell
from pptx.text.text import TextFrame
from pptx.util import Emu, Inches, Pt

from core.reports.charts import draw_png
from core.reports.document import (
    Bullets,
    Chart,
    Document,
    Grid,
    Heading,
    Paragraph,
    SourceLine,
    Sources,
    Tile,
)
from core.reports.printed import NOTICE
from core.reports.text import clean, readable, show_cell, unmarked

MOST_MESSAGES = 7
"""Slides between the answer and the sources."""
MOST_BULLETS = 6
MOST_ROWS = 11
MOST_COLUMNS = 6
MOST_SOURCES = 16
LEAST_ROWS = 3
"""A table of fewer rows fills no slide; its rows are shown as text."""
LONGEST_CELL = 90
LONGEST_TITLE = 125
LONGEST_BULLET = 240
APART = frozenset(
    {"method", "methods", "summary", "memo", "sources", "how it works", "figures", "comments"}
    | {"search criteria", "documents", "excluded"}
)
"""Headings whose text is no message of its own; what lies below their subheadings may be."""
METHODS = frozenset({"method", "methods"})
_TEAL = RGBColor(0x0B, 0x6E, 0x6E)
_GREY = RGBColor(0x55, 0x63, 0x6B)
_INK = RGBColor(0x1A, 0x24, 0x29)
_PALE = RGBColor(0xEE, 0xF3, 0xF4)
_WHITE = RGBColor(0xFF, 0xFF, 0xFF)
_WIDTH, _HEIGHT = Inches(13.333), Inches(7.5)
_LEFT, _INNER = Inches(0.6), Inches(12.13)
_TOP, _BODY = Inches(1.75), Inches(5.1)
SIZES = (24, 20, 18, 16, 14)
TABLE_SIZES = (18, 16, 14, 12)
"""Points, from the largest that is tried to the smallest that is read from a seat."""
_BLANK = 6
_WIDE = 40
"""Letters of a column beyond which its texts wrap."""
_LETTERS_PER_INCH = 10.5
"""Of text of 12 points."""
_CITE = re.compile(r"\s*\[(\d{1,4})\]")
_FORMULA = re.compile(r"[=#\[\]]|\(C\)")
_LEAD = re.compile(r"^\*\*[^*]{1,40}[.:]\*\*\s*")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9“])")


@dataclass
class Part:
    """What stands below one heading of a document.

    Attributes:
        heading: The heading.
        texts: Sentences of its paragraphs and lists.
        charts: Its charts.
        grids: Its tables.
    """

    heading: str
    texts: list[str] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    leads: bool = False
    """Whether its text comes first; text below a picture or table is a note on it."""

    @property
    def fills_a_slide(self) -> bool:
        """Return whether it has a picture, a table, or enough text."""
        return bool(self.charts) or self.table is not None or len(self.texts) >= LEAST_ROWS

    @property
    def table(self) -> Grid | None:
        """Return its first table of enough rows."""
        return next((grid for grid in self.grids if len(grid.rows) >= LEAST_ROWS), None)

    @property
    def message(self) -> str:
        """Return the sentence above the slide: the first of its texts, else what its table lists.

        A sentence that is too long for a title stays in the body.
        """
        first, _ = _first_sentence(next(iter(self.texts), ""))
        if first and self.leads:
            return first
        if self.charts or self.table is None:
            caption = self.charts[0].caption if self.charts else ""
            return _title(f"{self.heading}: {caption}" if caption else self.heading)
        names = list(dict.fromkeys(_names_of(self.table)))
        if not names:
            return _title(f"{self.heading}: {self.table.caption}")
        more = len(names) - 3
        listed = ", ".join(names[:3])
        return _title(f"{self.heading}: {listed}{f' and {more} more' if more > 0 else ''}")

    @property
    def points(self) -> list[str]:
        """Return its texts without the sentence above the slide."""
        if not self.texts:
            return []
        first, remainder = _first_sentence(self.texts[0])
        if not (first and self.leads):
            return self.texts
        return [*([remainder] if remainder else []), *self.texts[1:]]


def _first_sentence(text: str) -> tuple[str, str]:
    """Return the first sentence of a text if it fits a title, and the remainder.

    >>> _first_sentence("**Asset.** A is an antibody. It is in phase 3 [2].")
    ('A is an antibody.', 'It is in phase 3 [2].')
    """
    first, *others = _SENTENCE.split(_LEAD.sub("", text), maxsplit=1)
    sentence = _bare(first)
    if sentence.endswith((".", "?", "!")) and len(sentence) <= LONGEST_TITLE:
        return sentence, " ".join(others)
    return "", text


def _names_of(grid: Grid) -> list[str]:
    """Return the cells of the first column of names: of different words, no numbers and dates."""
    columns = [
        [_bare(show_cell(cell)) for cell in column] for column in zip(*grid.rows, strict=True)
    ]
    for cells in columns:
        words = [
            cell for cell in cells if re.search(r"[^\W\d_]{2,}", cell) and not _FORMULA.search(cell)
        ]
        if len(words) == len(cells) and len({*words}) * 2 > len(cells):
            return cells
    return []


def render_pptx(document: Document) -> bytes:
    """Return the document as a presentation, 16 by 9.

    Args:
        document: Its front is the first slide; each heading with a chart, a table or enough text
            is one more, up to MOST_MESSAGES; short ones share a slide; sources come last.

    Returns:
        A PPTX file whose stated times are the run's end.
    """
    slides = Presentation()
    slides.slide_width, slides.slide_height = _WIDTH, _HEIGHT
    deck = _Deck(slides, document)
    deck.show_answer()
    parts = list(_choose(document))
    for section in parts:
        deck.show_part(section)
    deck.show_sources()
    _date(slides, document.title, document.about.completed_at)
    target = io.BytesIO()
    slides.save(target)
    return target.getvalue()


def _date(slides: Slides, title: str, at: datetime) -> None:
    facts, naive = slides.core_properties, at.replace(tzinfo=None)
    facts.title, facts.author, facts.created = clean(title)[:200], "Biopharma workbench", naive
    facts.modified, facts.last_modified_by, facts.revision = naive, "", 1


def _parts(document: Document) -> Iterator[Part]:
    """Yield what stands below each heading, in order."""
    section, above = Part(""), ""
    for block in document.blocks:
        if isinstance(block, Heading):
            yield section
            above = block.text if block.level == 1 else above
            section = Part(block.text if above.casefold() != "comments" else "comments")
        elif isinstance(block, Paragraph | Bullets):
            section.leads = section.leads or not (section.charts or section.grids)
            section.texts += block.items if isinstance(block, Bullets) else [block.text]
        elif isinstance(block, Grid) and block.rows:
            section.grids.append(block)
        elif isinstance(block, Chart):
            section.charts.append(block)
    yield section


def _choose(document: Document) -> Iterator[Part]:
    """Yield the parts that become slides: those the document names for its deck, else the first.

    Parts that do not fill a slide are gathered on one.
    """
    front = document.front.chart
    bare = {_bare(sentence) for sentence in document.front.sentences}
    kept_sections = []
    for section in _parts(document):
        if not section.heading or section.heading.casefold() in APART:
            continue
        section.charts = [
            chart for chart in section.charts if front is None or chart.caption != front.caption
        ]
        section.texts = [text for text in section.texts if _bare(text) not in bare]
        if section.texts or section.charts or section.grids:
            kept_sections.append(section)
    if document.deck:
        named = {kept_section.heading: kept_section for kept_section in reversed(kept_sections)}
        kept_sections = [named[name] for name in document.deck if name in named]
    full = [kept_section for kept_section in kept_sections if kept_section.fills_a_slide][
        :MOST_MESSAGES
    ]
    short = [kept_section for kept_section in kept_sections if not kept_section.fills_a_slide]
    yield from full
    lines = [line for section in short for line in _lines(section)]
    if lines:
        yield Part("Further findings", lines[:MOST_BULLETS])


def _lines(section: Part) -> Iterator[str]:
    """Yield a part in a line: its text, or its rows as words."""
    if section.texts:
        yield f"**{section.heading}.** {' '.join(section.texts)}"
    for grid in section.grids[:1]:
        for row in grid.rows[:2]:
            cells = zip(grid.columns, row, strict=True)
            words = [f"{name}: {show_cell(cell)}" for name, cell in cells if cell not in (None, "")]
            yield f"**{section.heading}.** {'; '.join(words[:4])}"


class _Deck:
    """Adds slides, and gathers the sources that they cite."""

    def __init__(self, slides: Slides, document: Document) -> None:
        self.slides = slides
        self.document = document
        lists = [block.sources for block in document.blocks if isinstance(block, Sources)]
        self.sources = {source.id: source for each in lists for source in each}
        self.cited: dict[str, SourceLine] = {}
        self.titles: set[str] = set()

    def show_answer(self) -> None:
        """Add the first slide: the answer, its picture, its figures."""
        document, front = self.document, self.document.front
        first, *others = [*front.sentences] or [document.title]
        kicker = document.title if front.sentences else document.subtitle
        if len(_bare(first)) > LONGEST_TITLE:
            clause, mark, remainder = first.partition("; ")
            if mark and len(_bare(clause)) <= LONGEST_TITLE:
                first, others = f"{clause}.", [remainder[:1].upper() + remainder[1:], *others]
            else:
                kicker, first, others = document.subtitle, document.title, [*front.sentences]
        slide = self._new(kicker, first)
        tiles_top = Inches(5.75) if front.tiles else _TOP + _BODY
        height = Emu(tiles_top - _TOP - Inches(0.15))
        width = _INNER
        if front.chart is not None:
            share = 0.62 if others else 1.0
            _put_chart(slide, front.chart, _LEFT, Emu(int(_INNER * share)), height)
            width = Emu(int(_INNER * 0.35))
        if others:
            left = Emu(_LEFT + _INNER - width)
            _put_bullets(slide, others, left, width, height)
        for index, tile in enumerate(front.tiles):
            _show_tile(slide, tile, index, len(front.tiles))
        if front.confidence:
            box = _box(slide, Inches(6.75), Inches(0.35))
            _write(box, _shorten(front.confidence, 180), 12, _GREY)
        self._note(slide, front.sentences)

    def show_part(self, section: Part) -> None:
        """Add a slide: its message, then its chart, table or sentences."""
        message, table = section.message, section.table
        title = message[:1].upper() + message[1:]
        if title in self.titles:
            title = f"{section.heading}: {message}"
        self.titles.add(title)
        slide = self._new("" if message == section.heading else section.heading, title)
        texts = [point for point in section.points if _bare(point) != section.heading]
        shown: list[str] = list(section.texts)
        if section.charts:
            share = 0.64 if texts else 1.0
            _put_chart(slide, section.charts[0], _LEFT, Emu(int(_INNER * share)), _BODY)
            if texts:
                width = Emu(int(_INNER * 0.33))
                left = Emu(_LEFT + _INNER - width)
                _put_bullets(slide, texts[:4], left, width, _BODY)
        elif table is not None:
            shown += _put_table(slide, table)
        else:
            _put_bullets(slide, texts[:MOST_BULLETS], _LEFT, _INNER, _BODY)
        self._note(slide, shown)

    def show_sources(self) -> None:
        """Add the last slide: what was cited, how it was made."""
        about = self.document.about
        cited = list(self.cited.values())
        title = f"{len(cited)} sources support these slides" if cited else "How this was made"
        slide = self._new("Sources and methods", title)
        lines = [f"[{source.id}] {_shorten(source.title, 110)}" for source in cited[:MOST_SOURCES]]
        more = len(cited) - len(lines)
        lines += [f"{more} more in the notes and in the PDF"] if more > 0 else []
        if not lines:
            _put_bullets(slide, self._methods(), _LEFT, _INNER, Inches(4.2))
        half = ceil(len(lines) / 2)
        for index, column in enumerate((lines[:half], lines[half:])):
            width = Emu(int(_INNER * 0.49))
            left = Emu(_LEFT + index * (_INNER - width))
            frame = _box(slide, _TOP, Inches(4.2), left, width)
            for text in column:
                _write(frame, text, 12)
        frame = _box(slide, Inches(6.05), Inches(0.9))
        run = f"; run {about.run_uuid[:8]}" if about.run_uuid else ""
        made = f"{about.agent_title}, {about.completed_at:%Y-%m-%d %H:%M} UTC{run}"
        for text in (*self.document.faults[:1], made):
            _write(frame, _shorten(text, 220), 12, _GREY)
        lines = [_source_line(source) for source in cited]
        if lines:
            _text_of_notes(slide).text = clean("\n".join(lines))

    def _methods(self) -> list[str]:
        """Return the first sentences of the report's section on methods."""
        parts = [
            section for section in _parts(self.document) if section.heading.casefold() in METHODS
        ]
        return [text for section in parts for text in section.texts][:4]

    def _new(self, kicker: str, message: str) -> Slide:
        """Add a slide with its message, a line above it and one at its foot."""
        slide = self.slides.slides.add_slide(self.slides.slide_layouts[_BLANK])
        if kicker:
            _write(_box(slide, Inches(0.3), Inches(0.35)), _shorten(kicker, 110), 14, _GREY)
        text = _title(_bare(message))
        frame = _box(slide, Inches(0.62), Inches(1.0))
        _write(frame, text, 26 if len(text) <= 90 else 21, _TEAL, is_bold=True)
        day = f"{self.document.about.completed_at:%d %b %Y}".lstrip("0")
        foot = f"{_shorten(self.document.title, 80)} · {day} · {NOTICE}"
        _write(_box(slide, Inches(7.08), Inches(0.32)), foot, 10, _GREY)
        return slide

    def _note(self, slide: Slide, texts: Iterable[str]) -> None:
        """Write the sources that texts cite, and what was cut, into the notes."""
        numbers = dict.fromkeys(number for text in texts for number in _CITE.findall(text))
        sources = [self.sources[number] for number in numbers if number in self.sources]
        self.cited |= {source.id: source for source in sources}
        long = [unmarked(text) for text in texts if len(_bare(text)) > LONGEST_BULLET]
        lines = [*long, *(["Sources"] if sources else []), *map(_source_line, sources)]
        if lines:
            _text_of_notes(slide).text = clean("\n".join(lines))


def _text_of_notes(slide: Slide) -> TextFrame:
    frame = slide.notes_slide.notes_text_frame
    if frame is None:
        raise ValueError("the slide has no notes")
    return frame


def _source_line(line: SourceLine) -> str:
    date = f" ({line.date})" if line.date else ""
    return f"[{line.id}] {line.title}{date} {line.url if '://' in line.url else ''}".strip()


def _bare(text: str) -> str:
    """Return a text without bold type and citations."""
    return _CITE.sub("", unmarked(text)).strip()


def _title(text: str) -> str:
    """Return a text that fits two lines, cut between words."""
    return _shorten(text, LONGEST_TITLE)


def _shorten(text: str, most: int) -> str:
    plain = " ".join(_bare(text).split())
    if len(plain) <= most:
        return plain
    return f"{plain[:most].rsplit(' ', 1)[0].rstrip(' ,;:')}…"


def _box(slide: Slide, top: Emu, height: Emu, left: Emu = _LEFT, width: Emu = _INNER) -> TextFrame:
    frame = slide.shapes.add_textbox(left, top, width, height).text_frame
    frame.word_wrap = True
    return frame


def _write(
    frame: TextFrame, text: str, size: float, color: RGBColor = _INK, *, is_bold: bool = False
) -> None:
    """Add a paragraph; the first one fills the empty paragraph that every frame has."""
    is_first = not frame.paragraphs[0].runs
    paragraph = frame.paragraphs[0] if is_first else frame.add_paragraph()
    run = paragraph.add_run()
    run.text = readable(text)
    run.font.size, run.font.bold, run.font.color.rgb = Pt(size), is_bold, color
    paragraph.space_after = Pt(8)


def _show_tile(slide: Slide, tile: Tile, index: int, total: int) -> None:
    gap = Inches(0.2)
    width = Emu((_INNER - gap * (total - 1)) // total)
    left = Emu(_LEFT + index * (width + gap))
    frame = _box(slide, Inches(5.7), Inches(1.0), left, width)
    _write(frame, tile.label, 12, _GREY)
    frame.paragraphs[0].space_after = Pt(2)
    _write(frame, tile.value, 26, is_bold=True)


def _put_chart(slide: Slide, chart: Chart, left: Emu, width: Emu, height: Emu) -> None:
    """Put a chart into a box, as large as it fits."""
    picture = slide.shapes.add_picture(io.BytesIO(draw_png(chart)), left, _TOP)
    scale = min(width / picture.width, height / picture.height)
    picture.width = Emu(int(picture.width * scale))
    picture.height = Emu(int(picture.height * scale))
    picture.left = Emu(left + (width - picture.width) // 2)
    picture.top = Emu(_TOP + (height - picture.height) // 2)
    picture._element._nvXxPr.cNvPr.set("descr", clean(chart.alt))  # noqa: SLF001 - no other way


def _put_bullets(slide: Slide, texts: Sequence[str], left: Emu, width: Emu, height: Emu) -> None:
    """Put sentences into a box in the largest size that fits; what does not stays in the notes."""
    shown = [_shorten(text, LONGEST_BULLET) for text in texts]
    size = next((siz for siz in SIZES if _inches(shown, width, siz) <= height.inches), SIZES[-1])
    frame = _box(slide, _TOP, height, left, width)
    for number, text in enumerate(shown, start=1):
        if _inches(shown[:number], width, size) > height.inches:
            break
        _write(frame, f"• {text}", size)


def _inches(texts: Sequence[str], width: Emu, size: int) -> float:
    """Return the height that sentences take."""
    per_line = max(8, int(width.inches * _LETTERS_PER_INCH * 12 / size) - 3)
    lines = sum(ceil((len(text) + 2) / per_line) for text in texts)
    return (lines * size * 1.22 + 8 * len(texts)) / 72


def _put_table(slide: Slide, grid: Grid) -> list[str]:
    """Put a table into the body, as many rows as fit; return the texts of its cells."""
    cells = [[show_cell(cell) for cell in row] for row in grid.rows[:MOST_ROWS]]
    filled = [
        index
        for index, _ in enumerate(grid.columns)
        if any(_bare(row[index]) not in {"", "–", "-", "…"} for row in cells)
    ][:MOST_COLUMNS]
    words = [
        _longest_word([grid.columns[column], *(row[column] for row in cells)]) for column in filled
    ]
    while len(filled) > 2 and sum(words) > _INNER.inches * _LETTERS_PER_INCH:
        filled, words = filled[:-1], words[:-1]
    columns = [grid.columns[column] for column in filled]
    texts = [
        columns,
        *([_shorten(row[column], LONGEST_CELL) for column in filled] for row in cells),
    ]
    room = _BODY.inches - 0.35
    size = next((siz for siz in TABLE_SIZES if _fits(texts, siz, room)), TABLE_SIZES[-1])
    shares = _shares(texts, size)
    heights = [_row_height(row, shares, size) for row in texts]
    fit = max(2, sum(sum(heights[: n + 1]) <= room for n in range(len(heights))))
    shape = slide.shapes.add_table(
        fit, len(columns), _LEFT, _TOP, _INNER, Inches(sum(heights[:fit]))
    )
    for index, share in enumerate(shares):
        shape.table.columns[index].width = Emu(int(_INNER * share))
    for number, row in enumerate(texts[:fit]):
        shape.table.rows[number].height = Inches(heights[number])
        for index, text in enumerate(row):
            _fill(shape.table.cell(number, index), text, size, is_head=number == 0)
    total = grid.total or len(grid.rows)
    if total > fit - 1:
        frame = _box(slide, Inches(6.7), Inches(0.35))
        _write(frame, f"{fit - 1} of {total:,} rows; the XLSX export has all.", 12, _GREY)
    return [cell for row in cells[: fit - 1] for cell in row]


def _longest_word(cells: Iterable[str]) -> int:
    """Return the letters that a column needs so that no word breaks."""
    return 4 + max((len(word) for cell in cells for word in _bare(cell).split()), default=0)


def _fits(texts: Sequence[Sequence[str]], size: int, room: float) -> bool:
    """Return whether a table fits in a size without a broken word."""
    letters = _INNER.inches * _LETTERS_PER_INCH * 12 / size
    if sum(map(_longest_word, zip(*texts, strict=True))) > letters:
        return False
    shares = _shares(texts, size)
    return sum(_row_height(row, shares, size) for row in texts) <= room


def _shares(texts: Sequence[Sequence[str]], size: int) -> list[float]:
    """Return the share of the width of each column: its longest word, then by its texts."""
    columns = list(zip(*texts, strict=True))
    least = [_longest_word(column) for column in columns]
    room = max(0.0, _INNER.inches * _LETTERS_PER_INCH * 12 / size - sum(least))
    more = [
        max(0, min(_WIDE, max(map(len, column))) - word)
        for column, word in zip(columns, least, strict=True)
    ]
    scale = room / max(1, sum(more))
    widths = [word + min(scale, 1.5) * extra for word, extra in zip(least, more, strict=True)]
    return [width / sum(widths) for width in widths]


def _row_height(row: Sequence[str], shares: Sequence[float], size: int) -> float:
    """Return the inches that a row takes in a size."""
    letters = _INNER.inches * _LETTERS_PER_INCH * 12 / size
    lines = [
        ceil(len(cell) / max(4.0, share * letters - 3))
        for cell, share in zip(row, shares, strict=True)
    ]
    return float(0.16 + size / 60 * max(1, *lines))


def _fill(cell: _Cell, text: str, size: int, *, is_head: bool) -> None:
    cell.margin_top = cell.margin_bottom = Inches(0.03)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    cell.fill.solid()
    cell.fill.fore_color.rgb = _TEAL if is_head else _PALE
    _write(cell.text_frame, text, size, _WHITE if is_head else _INK, is_bold=is_head)
    cell.text_frame.paragraphs[0].space_after = Pt(0)
