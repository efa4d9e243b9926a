"""Word documents and slides: paragraphs, headings and tables in reading order."""

import posixpath
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from core.documents.guard import check_pages, damaged, estimate_pages, open_office, read_xml
from core.documents.sentences import SentenceWriter, SourceText
from core.settings import MEGABYTE
from core.tables.bounds import DAMAGED_ZIP

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What repeats a drawing or text box for older programs."""
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_HEADING = re.compile(r"(?:heading|title|subtitle|berschrift|titre)", re.IGNORECASE)
WORD_PART, SLIDES_PART = "word/document.xml", "ppt/presentation.xml"
_EXTERNAL = b'TargetMode="External"'
MACROS = "The file holds macros; they were not run."
LINKS = "The file links to other files or sites; no link was followed."


def read_office(content: bytes) -> SourceText:
    """Read a docx or pptx.

    Raises:
        InvalidInput: It is damaged, encrypted, too long, or neither of the two.
    """
    with open_office(content) as archive:
        names = set(archive.namelist())
        if WORD_PART in names:
            return _read_word(archive)
        if SLIDES_PART in names:
            return _read_slides(archive)
    raise damaged()


def _notices(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield what of an archive was left alone."""
    names = archive.namelist()
    if any(name.endswith("vbaProject.bin") for name in names):
        yield MACROS
    relations = (name for name in names if name.endswith(".rels"))
    if any(_EXTERNAL in _beginning(archive, name) for name in relations):
        yield LINKS


def _beginning(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the first megabyte of a member. Raises InvalidInput where it is damaged."""
    try:
        with archive.open(name) as member:
            return member.read(MEGABYTE)
    except DAMAGED_ZIP:
        raise damaged() from None


def _read_part(archive: zipfile.ZipFile, name: str) -> Any:
    """Return the root of a part in which every text box stands once; None where there is none."""
    root = read_xml(archive, name)
    for repeated in () if root is None else list(root.iter(_FALLBACK)):
        repeated.getparent().remove(repeated)
    return root


def _read_word(archive: zipfile.ZipFile) -> SourceText:
    root = _read_part(archive, WORD_PART)
    body = root.find(f"{_W}body")
    if body is None:
        raise damaged()
    headings = _heading_styles(archive)
    writer = SentenceWriter(page=1)
    for block in _blocks(body):
        if block.tag == f"{_W}tbl":
            writer.add_table([_cells(row) for row in block.iter(f"{_W}tr")])
        else:
            text = _word_text(block)
            style = block.find(f"{_W}pPr/{_W}pStyle")
            if style is not None and style.get(f"{_W}val") in headings:
                writer.add_heading(text)
            else:
                writer.add_paragraph(text)
        writer.page += _page_breaks(block)
        check_pages(writer.page)
    notes = read_xml(archive, "word/footnotes.xml")
    for note in () if notes is None else notes.iter(f"{_W}p"):
        writer.add_paragraph(_word_text(note))
    n_pages = max(writer.page, estimate_pages(writer.n_characters))
    check_pages(n_pages)
    return SourceText("docx", n_pages, tuple(writer.sentences), tuple(_notices(archive)))


def _blocks(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables in their order, also those inside content controls."""
    for child in parent:
        if child.tag in {f"{_W}p", f"{_W}tbl"}:
            yield child
        elif child.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"}:
            yield from _blocks(child)


def _cells(row: Any) -> list[str]:
    """Return the texts of a row's cells; a cell over several columns counts for each."""
    texts: list[str] = []
    for cell in row.iter(f"{_W}tc"):
        span = cell.find(f"{_W}tcPr/{_W}gridSpan")
        width = span.get(f"{_W}val", "1") if span is not None else "1"
        text = " ".join(map(_word_text, cell.iter(f"{_W}p")))
        texts += [text, *[""] * (min(int(width), 50) - 1 if width.isdigit() else 0)]
    return texts


def _word_text(paragraph: Any) -> str:
    """Return the words of a paragraph; what tracked changes deleted is no part of them."""
    parts = []
    for node in paragraph.iter(
        f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}noBreakHyphen", f"{_W}txbxContent", f"{_W}p"
    ):
        if node.tag == f"{_W}t":
            parts.append(node.text or "")
        else:
            parts.append("-" if node.tag == f"{_W}noBreakHyphen" else " ")
    return "".join(parts)


def _page_breaks(block: Any) -> int:
    rendered = sum(1 for _ in block.iter(f"{_W}lastRenderedPageBreak"))
    breaks = sum(node.get(f"{_W}type") == "page" for node in block.iter(f"{_W}br"))
    return rendered or breaks


def _heading_styles(archive: zipfile.ZipFile) -> set[str | None]:
    """Return the identifiers of styles that are headings."""
    root = read_xml(archive, "word/styles.xml")
    styles: set[str | None] = {"Title", *(f"Heading{level}" for level in range(1, 10))}
    for style in () if root is None else root.iter(f"{_W}style"):
        name = style.find(f"{_W}name")
        if name is not None and _HEADING.match(name.get(f"{_W}val", "")):
            styles.add(style.get(f"{_W}styleId"))
    return styles


def _read_slides(archive: zipfile.ZipFile) -> SourceText:
    slides = _slide_parts(archive)
    check_pages(len(slides), "slides")
    writer = SentenceWriter()
    for number, name in enumerate(slides, start=1):
        root = _read_part(archive, name)
        writer.page = number
        for shape in () if root is None else root.iter(f"{_P}sp", f"{_P}graphicFrame"):
            for table in shape.iter(f"{_A}tbl"):
                rows = table.iter(f"{_A}tr")
                writer.add_table([[_slide_text(x) for x in row.iter(f"{_A}tc")] for row in rows])
            if shape.tag == f"{_P}sp":
                _add_shape(shape, writer)
        notes = read_xml(archive, _notes_of(archive, name))
        for paragraph in () if notes is None else notes.iter(f"{_A}p"):
            writer.add_paragraph(_slide_text(paragraph))
    check_pages(estimate_pages(writer.n_characters))
    return SourceText("pptx", len(slides), tuple(writer.sentences), tuple(_notices(archive)))


def _add_shape(shape: Any, writer: SentenceWriter) -> None:
    kind = shape.find(f".//{_P}nvPr/{_P}ph")
    is_title = kind is not None and kind.get("type") in {"title", "ctrTitle"}
    for paragraph in shape.iter(f"{_A}p"):
        add = writer.add_heading if is_title else writer.add_paragraph
        add(_slide_text(paragraph))


def _slide_text(node: Any) -> str:
    parts = node.iter(f"{_A}t", f"{_A}br", f"{_A}p")
    return "".join((part.text or "") if part.tag == f"{_A}t" else " " for part in parts)


def _relations(archive: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """Return type and inner path of what a part refers to; what lies outside falls away."""
    folder, name = posixpath.split(part)
    root = read_xml(archive, f"{folder}/_rels/{name}.rels")
    return {
        node.get("Id", ""): (
            node.get("Type", "").rpartition("/")[2],
            posixpath.normpath(posixpath.join("/", folder, node.get("Target", ""))).lstrip("/"),
        )
        for node in (() if root is None else root)
        if node.get("TargetMode") != "External"
    }


def _slide_parts(archive: zipfile.ZipFile) -> list[str]:
    """Return the parts of the slides in the order in which they are shown."""
    root, relations = read_xml(archive, SLIDES_PART), _relations(archive, SLIDES_PART)
    ids = [node.get(f"{_R}id", "") for node in root.iter(f"{_P}sldId")]
    return [relations[each][1] for each in ids if each in relations]


def _notes_of(archive: zipfile.ZipFile, slide: str) -> str:
    return next((x for kind, x in _relations(archive, slide).values() if kind == "notesSlide"), "")
