"""Documents as Word files: headings, paragraphs, lists and tables, and nothing that runs."""

import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from xml.sax.saxutils import escape

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
from core.reports.printed import NOTICE, list_printed
from core.reports.text import parse_inline, readable, show_cell

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_DAY = (1980, 1, 1, 0, 0, 0)
"""Time of every member, so that equal documents are equal files."""
_TYPES = f"""{_HEAD}
<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml" ContentType="{_OFFICE}.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="{_OFFICE}.styles+xml"/>
</Types>"""
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = """{head}
<Relationships xmlns="{package}/relationships">
<Relationship Id="rId1" Type="{kind}" Target="{target}"/>
</Relationships>"""


def _style(name: str, title: str, size: int, *, is_bold: bool) -> str:
    bold = "<w:b/>" if is_bold else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{title}"/>'
        f'<w:pPr><w:spacing w:before="{size * 6}" w:after="80"/></w:pPr>'
        f'<w:rPr>{bold}<w:sz w:val="{size}"/></w:rPr></w:style>'
    )


_STYLES = (
    f'{_HEAD}<w:styles xmlns:w="{_W}"><w:docDefaults><w:rPrDefault><w:rPr>'
    '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="20"/></w:rPr></w:rPrDefault>'
    "</w:docDefaults>"
    + _style("Title", "Title", 40, is_bold=True)
    + _style("Heading1", "heading 1", 30, is_bold=True)
    + _style("Heading2", "heading 2", 24, is_bold=True)
    + _style("Caption", "caption", 18, is_bold=False)
    + "</w:styles>"
)


def render_docx(document: Document) -> bytes:
    """Return the document as a Word file.

    Args:
        document: Charts appear as caption and description; their pictures are in the PDF.
    """
    front = document.front
    day = f"{document.about.completed_at:%Y-%m-%d}"
    parts = [_paragraph(document.title, "Title"), _paragraph(f"{document.subtitle} · {day}")]
    parts += [_paragraph(sentence) for sentence in front.sentences]
    if front.tiles:
        parts.append(_table(("Figure", "Value", "Note"), front.tiles))
    parts += [_paragraph(text) for text in (front.confidence, *document.faults) if text]
    for block in list_printed(document):
        parts += _block(block)
    parts.append(_paragraph(NOTICE, "Caption"))
    body = f'{_HEAD}<w:document xmlns:w="{_W}"><w:body>{"".join(parts)}</w:body></w:document>'
    return _pack(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": _relation("officeDocument", "word/document.xml"),
            "word/_rels/document.xml.rels": _relation("styles", "styles.xml"),
            "word/styles.xml": _STYLES,
            "word/document.xml": body,
        }
    )


def _relation(kind: str, target: str) -> str:
    return _RELATIONS.format(head=_HEAD, package=_PACKAGE, kind=f"{_KINDS}/{kind}", target=target)


def _pack(members: dict[str, str]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            member = zipfile.ZipInfo(name, _DAY)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, text.encode("utf-8"))
    return buffer.getvalue()


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield _paragraph(block.text, f"Heading{block.level}")
        case Paragraph():
            yield _paragraph(block.text)
        case Bullets():
            yield from (_paragraph(f"\u2022 {item}") for item in block.items)
        case Grid():
            grid = block.printed
            yield _table(grid.columns, grid.rows)
            yield _paragraph(grid_caption(grid), "Caption")
        case Chart():
            yield _paragraph(f"{block.caption} {block.alt}", "Caption")
        case Sources():
            for source in block.sources:
                kind = f"{source.source_type.replace('_', ' ')} {source.date}".strip()
                yield _paragraph(f"[{source.id}] {source.title} ({kind}) {source.url}")


def _paragraph(text: str, style: str = "") -> str:
    kind = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{kind}{_runs(text)}</w:p>"


def _runs(text: str) -> str:
    runs = []
    for span in parse_inline(" ".join(readable(text).split())):
        words = f"[{span.text}]" if span.style == "cite" else span.text
        look = "<w:rPr><w:b/></w:rPr>" if span.style == "bold" else ""
        runs.append(f'<w:r>{look}<w:t xml:space="preserve">{escape(words)}</w:t></w:r>')
    return "".join(runs)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str | float | int | None]]) -> str:
    lines = [columns, *([show_cell(value) for value in row] for row in rows)]
    border = "".join(
        f'<w:{side} w:val="single" w:sz="4" w:color="BFBFBF"/>'
        for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    cells = "".join(
        "<w:tr>" + "".join(f"<w:tc><w:tcPr/>{_paragraph(cell)}</w:tc>" for cell in line) + "</w:tr>"
        for line in lines
    )
    grid = "<w:gridCol/>" * len(columns)
    look = f'<w:tblW w:w="0" w:type="auto"/><w:tblBorders>{border}</w:tblBorders>'
    return f"<w:tbl><w:tblPr>{look}</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{cells}</w:tbl><w:p/>"
