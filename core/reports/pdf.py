"""Documents as PDF, typeset by Typst from a constant template.

The template is a file of this package. Every text reaches it as a JSON string through
`sys.inputs`; nothing of a caller is ever joined into Typst source, and nothing is evaluated.
Charts lie in a temporary folder that is the only one the typesetter can read.
"""

import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import typst

from core.records.wire import JsonObject
from core.reports.charts import draw, font_folder
from core.reports.document import (
    Block,
    Bullets,
    Chart,
    Document,
    Grid,
    Heading,
    Paragraph,
    Sources,
)
from core.reports.markdown import grid_caption
from core.reports.printed import list_printed
from core.reports.text import break_long_words, clean, parse_inline, readable, show_cell, width_of

NOTICE = "Generated text, verify against sources"
TEMPLATE = Path(__file__).with_name("template.typ")
LINE = 40.0
"""Ems of an unbroken word that fit on a line of running text."""
HEADLINE = 22.0
"""Ems of an unbroken word that fit on a line of the title."""
MOST_ROWS = 200
"""Rows of a table beyond this are left to the spreadsheet; the caption says how many there are."""
_PAGE_POINTS = 470
_CELL_PADDING = 9
_BREAKS = re.compile(r"[\s\u200b]+|(?<=\])(?=\[)")
"""Where a line of a cell may end."""


def render_pdf(document: Document, *, standards: Sequence[Literal["ua-1"]] = ()) -> bytes:
    """Return the document as a tagged PDF.

    Args:
        document: The report.
        standards: PDF standards that the file must meet; the check fails on a breach.

    Returns:
        A PDF file whose stated creation time is the run's end.
    """
    with tempfile.TemporaryDirectory(prefix="report-") as folder:
        root = Path(folder)
        content = json.dumps(_content(document, root), ensure_ascii=False)
        fonts = font_folder()
        main = root / TEMPLATE.name
        main.write_bytes(TEMPLATE.read_bytes())
        made = typst.compile(
            main,
            root=root,
            font_paths=[fonts] if fonts else [],
            ignore_system_fonts=True,
            sys_inputs={"document": content},
            format="pdf",
            pdf_standards=list(standards),
            timestamp=int(document.about.completed_at.timestamp()),
        )
    if not isinstance(made, bytes):
        raise RuntimeError("the typesetter returned no file")
    return made


def _content(document: Document, root: Path) -> JsonObject:
    about, front = document.about, document.front
    blocks = list_printed(document)
    return {
        "title": _plain(document.title, HEADLINE),
        "subtitle": _plain(document.subtitle),
        "author": "Biopharma workbench",
        "agent": _plain(about.agent_title),
        "date": readable(f"{about.completed_at:%Y-%m-%d}"),
        "notice": NOTICE,
        "sentences": [_spans(text) for text in front.sentences],
        "tiles": [
            [_plain(label, 10), _plain(value, 6), _plain(note, 14)]
            for label, value, note in front.tiles
        ],
        "confidence": _plain(front.confidence),
        "faults": [_spans(text) for text in document.faults],
        "picture": [_chart(front.chart, len(blocks), root)] if front.chart else [],
        "blocks": [_node(block, index, root) for index, block in enumerate(blocks)],
    }


def _plain(text: str, longest: float = LINE) -> str:
    return break_long_words(readable(text), longest)


def _spans(text: str) -> list[JsonObject]:
    return [{"style": span.style, "text": span.text} for span in parse_inline(_plain(text))]


def _node(block: Block, index: int, root: Path) -> JsonObject:  # noqa: PLR0911 - one case a kind
    """Return a block as the template reads it; a chart's picture is written into `root`."""
    match block:
        case Heading():
            return {"kind": "heading", "level": block.level, "text": _plain(block.text, HEADLINE)}
        case Paragraph():
            return {"kind": "paragraph", "spans": _spans(block.text)}
        case Bullets():
            return {"kind": "bullets", "items": [_spans(item) for item in block.items]}
        case Grid():
            return _grid(block.printed)
        case Chart():
            return _chart(block, index, root)
        case Sources():
            return _sources(block)


def _grid(grid: Grid) -> JsonObject:
    """Return a table as text cells, in a size at which its columns fit the page."""
    width = len(grid.columns)
    shown = grid.rows[:MOST_ROWS]
    cut = Grid(grid.columns, shown, grid.caption, grid.total or len(grid.rows))
    numeric = [
        all(isinstance(row[index], int | float | None) for row in shown) for index in range(width)
    ]
    texts = [[readable(show_cell(value)) for value in row] for row in shown]
    head = [clean(column) for column in grid.columns]
    roomy, dense = 6, 9
    size = 9.0 if width <= roomy else 8.0 if width <= dense else 6.5
    if _needed_points([head, *texts], size) > _PAGE_POINTS:
        longest = max(2.0, (_PAGE_POINTS / width - _CELL_PADDING) / size)
        head = [break_long_words(text, longest) for text in head]
        texts = [[break_long_words(text, longest) for text in row] for row in texts]
    return {
        "kind": "grid",
        "columns": head,
        "rows": texts,
        "numeric": numeric,
        "caption": _plain(grid_caption(cut)),
        "size": size,
        "widths": _column_widths([head, *texts], size),
    }


def _column_widths(rows: list[list[str]], size: float) -> list[float]:
    """Return the widths of a wide table's columns, in points; none where it fits as it is.

    Every column is as wide as its widest word; what is left goes to the columns by the length of
    their texts, so that a column of long texts is not set one word a line.
    """
    columns = list(zip(*rows, strict=True))
    natural_widths = [
        max(width_of(text) * size for text in column) + _CELL_PADDING for column in columns
    ]
    if sum(natural_widths) <= _PAGE_POINTS:
        return []
    least = [
        max(width_of(word) * size for text in column for word in _BREAKS.split(text))
        + _CELL_PADDING
        for column in columns
    ]
    spare = _PAGE_POINTS - sum(least)
    if spare <= 0:
        return []
    means = [sum(width_of(text) * size for text in column) / len(column) for column in columns]
    widths = [
        max(0.0, min(mean, full - word))
        for mean, full, word in zip(means, natural_widths, least, strict=True)
    ]
    total = sum(widths) or 1.0
    return [round(word + spare * want / total, 1) for word, want in zip(least, widths, strict=True)]


def _needed_points(rows: list[list[str]], size: float) -> float:
    """Return the width of a table none of whose words is broken, in points."""
    columns = zip(*rows, strict=True)
    widest = (
        max(width_of(word) for text in column for word in text.split() or [""])
        for column in columns
    )
    return sum(ems * size + _CELL_PADDING for ems in widest)


def _chart(chart: Chart, index: int, root: Path) -> JsonObject:
    picture = draw(chart)
    name = f"figure-{index}.{picture.suffix}"
    (root / name).write_bytes(picture.content)
    return {
        "kind": "chart",
        "file": name,
        "caption": _plain(chart.caption),
        "alt": clean(chart.alt),
        "width": picture.share_of(_PAGE_POINTS),
    }


def _sources(block: Sources) -> JsonObject:
    return {
        "kind": "sources",
        "sources": [
            {
                "id": source.id,
                "title": _plain(source.title),
                "url": source.url if source.url.startswith("https://") else "",
                "kind": _plain(source.source_type),
                "date": _plain(source.date),
            }
            for source in block.sources
        ],
    }
