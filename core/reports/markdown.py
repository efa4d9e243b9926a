"""Documents as Markdown: readable as it stands, every text of a caller escaped."""

import re
from collections.abc import Sequence

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
from core.reports.printed import NOTICE, list_printed
from core.reports.text import parse_inline, readable, show_cell

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|$~&#])")
_LINE_START = re.compile(r"^(\s*)([-+=:]|\d{1,9}(?=[.)](\s|$)))")
"""What would begin a list or underline a heading: marks, and a number that a point ends."""


def render_markdown(document: Document) -> str:
    """Return the document as CommonMark with pipe tables.

    Args:
        document: Charts appear as caption and description; their pictures are in the PDF.

    Returns:
        Text that ends in a line feed.
    """
    about = document.about
    day = f"{about.completed_at:%Y-%m-%d}"
    parts = [f"# {escape(document.title)}", escape(f"{document.subtitle} · {day}")]
    parts += _front(document)
    figures = int(document.front.chart is not None)
    for block in list_printed(document):
        figures += isinstance(block, Chart)
        parts.append(_block(block, figures))
    parts.append(f"---\n\n{NOTICE}")
    return "\n\n".join(text for text in parts if text) + "\n"


def _front(document: Document) -> list[str]:
    """Return what stands first: sentences, figures, what is in doubt, the picture."""
    front = document.front
    tiles = _table(("Figure", "Value", "Note"), front.tiles) if front.tiles else ""
    faults = _bullets(document.faults)
    picture = _block(front.chart, 1) if front.chart else ""
    return [_bullets(front.sentences), tiles, escape(front.confidence), faults, picture]


def escape(text: str) -> str:
    r"""Return text in which no character is Markdown or HTML.

    Args:
        text: Any text; line breaks become blanks.

    >>> escape("a*b <i>")
    'a\\*b \\<i\\>'
    """
    return _LINE_START.sub(_escape_start, _escape_cell(text))


def _escape_cell(text: str) -> str:
    """Return text of a table cell, which begins no line."""
    return _SPECIAL.sub(r"\\\1", " ".join(readable(text).split()))


def _escape_start(match: re.Match[str]) -> str:
    mark = match[2]
    return f"{match[1]}{mark}\\" if mark.isdigit() else f"{match[1]}\\{mark}"


def inline(text: str) -> str:
    """Return inline text of a document with its bold words and citations kept."""
    looks = {"plain": "{}", "bold": "**{}**", "cite": "[{}]"}
    spans = parse_inline(" ".join(readable(text).split()))
    joined = "".join(looks[span.style].format(_SPECIAL.sub(r"\\\1", span.text)) for span in spans)
    return _LINE_START.sub(_escape_start, joined)


def _block(block: Block, figure: int) -> str:  # noqa: PLR0911 - one case a block kind
    match block:
        case Heading():
            return f"{'#' * (block.level + 1)} {escape(block.text)}"
        case Paragraph():
            return inline(block.text)
        case Bullets():
            return _bullets(block.items)
        case Grid():
            grid = block.printed
            return f"{_table(grid.columns, grid.rows)}\n\n*{escape(grid_caption(grid))}*"
        case Chart():
            return f"*Figure {figure}. {escape(block.caption)}* {escape(block.alt)}"
        case Sources():
            return _sources(block)


def grid_caption(grid: Grid) -> str:
    """Return a table's caption, saying how many rows of how many it shows."""
    if grid.total is None or grid.total == len(grid.rows):
        return grid.caption
    return f"{grid.caption} ({len(grid.rows):,} of {grid.total:,} rows)"


def _bullets(items: tuple[str, ...]) -> str:
    return "\n".join(f"- {inline(item)}" for item in items)


def _table(columns: tuple[str, ...], rows: Sequence[Sequence[str | float | int | None]]) -> str:
    lines = ["| " + " | ".join(map(_escape_cell, columns)) + " |"]
    lines.append("|" + " --- |" * len(columns))
    for row in rows:
        lines.append("| " + " | ".join(_escape_cell(show_cell(value)) for value in row) + " |")
    return "\n".join(lines)


def _sources(block: Sources) -> str:
    lines = []
    for source in block.sources:
        address = source.url.replace(" ", "%20").replace("<", "%3C").replace(">", "%3E")
        title = escape(source.title)
        linked = f"[{title}](<{address}>)" if address.startswith("https://") else title
        kind = escape(f"{source.source_type} {source.date}".strip())
        lines.append(f"- [{source.id}] {linked} ({kind})")
    return "\n".join(lines)
