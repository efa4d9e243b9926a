"""Documents as Markdown: readable as it stands, every text of a caller escaped."""

import re

from core.reports.document import (
    Block,
    Bullets,
    Chart,
    Document,
    Grid,
    Heading,
    KeyFigures,
    Paragraph,
    Sources,
)
from core.reports.text import clean, parse_inline, show_cell

NOTICE = "Generated text: verify against the sources before you rely on it."
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|$~&#])")
_LINE_START = re.compile(r"^(\s*)([-+=:]|\d+(?=[.)]))")


def render_markdown(document: Document) -> str:
    """Return the document as CommonMark with pipe tables.

    Args:
        document: Charts appear as caption and description; their pictures are in the PDF.

    Returns:
        Text that ends in a line feed.
    """
    parts = [f"# {escape(document.title)}", escape(document.subtitle), _facts(document)]
    lead, blocks = split_lead(document)
    parts += [_block(block, 0) for block in lead]
    if document.warnings:
        parts += ["## Warnings", _bullets(document.warnings)]
    figures = 0
    for block in blocks:
        figures += isinstance(block, Chart)
        parts.append(_block(block, figures))
    rows = tuple((name, value) for name, value in document.about.request.items())
    parts += ["## Request", _table(("Field", "Value"), rows), f"---\n\n{NOTICE}"]
    return "\n\n".join(part for part in parts if part) + "\n"


def split_lead(document: Document) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Return the key figures that open a document, shown above its warnings, and the rest."""
    opens = bool(document.blocks) and isinstance(document.blocks[0], KeyFigures)
    return document.blocks[:opens], document.blocks[opens:]


def escape(text: str) -> str:
    r"""Return text in which no character is Markdown or HTML.

    Args:
        text: Any text; line breaks become blanks.

    >>> escape("a*b <i>")
    'a\\*b \\<i\\>'
    """
    line = " ".join(clean(text).split())
    line = _SPECIAL.sub(r"\\\1", line)
    return _LINE_START.sub(_escape_start, line)


def _escape_start(found: re.Match[str]) -> str:
    mark = found[2]
    return f"{found[1]}{mark}&#8203;" if mark.isdigit() else f"{found[1]}\\{mark}"


def inline(text: str) -> str:
    """Return inline text of a document with its bold words and citations kept."""
    looks = {"plain": "{}", "bold": "**{}**", "cite": "[{}]"}
    spans = parse_inline(" ".join(clean(text).split()))
    joined = "".join(looks[span.style].format(_SPECIAL.sub(r"\\\1", span.text)) for span in spans)
    return _LINE_START.sub(_escape_start, joined)


def _facts(document: Document) -> str:
    about = document.about
    rows = (
        ("Agent", about.agent_title),
        ("Query", about.label),
        ("Run", about.run_uuid),
        ("Completed", f"{about.completed_at:%Y-%m-%d %H:%M} UTC"),
        ("Elapsed", f"{about.elapsed_s:.1f} s"),
        ("Data", about.mode),
    )
    return _table(("Fact", "Value"), rows)


def _block(block: Block, figure: int) -> str:  # noqa: PLR0911 - one case a block kind
    match block:
        case Heading():
            return f"{'#' * (block.level + 1)} {escape(block.text)}"
        case Paragraph():
            return inline(block.text)
        case Bullets():
            return _bullets(block.items)
        case KeyFigures():
            return _table(("Figure", "Value"), block.figures)
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


def _table(columns: tuple[str, ...], rows: tuple[tuple[str | float | int | None, ...], ...]) -> str:
    lines = ["| " + " | ".join(escape(column) for column in columns) + " |"]
    lines.append("|" + " --- |" * len(columns))
    for row in rows:
        lines.append("| " + " | ".join(escape(show_cell(value)) for value in row) + " |")
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
