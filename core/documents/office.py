"""Word documents and slides: paragraphs, headings and tables in reading order."""

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from core.documents.guard import check_pages, damaged, estimate_pages, open_office, read_xml
from core.documents.sentences import SentenceWriter, SourceText
from core.documents.tables import DOWN, RIGHT
from core.settings import MEGABYTE
from core.tables.bounds import DAMAGED_ZIP

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What repeats a drawing or text box for older programs."""
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_HEADING = re.compile(r"(?:heading|title|subtitle|\u00fcberschrift|titre)\s?(\d)?", re.IGNORECASE)
_WRAPPERS = {
    f"{_W}{name}"
    for name in (
        "sdt",
        "sdtContent",
        "ins",
        "moveTo",
        "customXml",
        "smartTag",
        "hyperlink",
        "fldSimple",
    )
}
_BLANKS = {f"{_W}noBreakHyphen": "-"} | {
    f"{_W}{x}": " " for x in ("br", "cr", "ptab", "sym", "tab")
}
_HIDING = tuple(f"{_W}{name}" for name in ("vanish", "strike", "dstrike"))
_OFF = {"0", "false", "off"}
_SYMBOLS = {0x61: "\u03b1", 0x62: "\u03b2", 0x67: "\u03b3", 0x64: "\u03b4", 0x6B: "\u03ba"}
_SYMBOLS |= {0x6C: "\u03bb", 0x6D: "\u00b5", 0xA3: "\u2264", 0xB3: "\u2265", 0xB1: "\u00b1"}
"""Signs of the font Symbol."""
_BESIDE = {"header": "Header", "footer": "Footer", "footnotes": "Footnotes", "endnotes": "Endnotes"}
_BESIDE["comments"] = "Comments"
"""Parts of a Word document next to its body, and the heading under which they are read."""
_SLIDE_PARTS = {"notesSlide", "diagramData", "chart"}
_TITLES = {"title", "ctrTitle"}
INNER = " (table below)"
"""What marks a cell whose inner table is read after its own."""
MOST_SPANNED = 50
"""Columns over which a cell may go."""
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
    writer = SentenceWriter(page=1)
    _add_blocks(body, _heading_styles(archive), writer)
    texts = {""}
    parts = dict.fromkeys(_relations(archive, WORD_PART).values())
    for kind, name in sorted(parts, key=lambda part: [*_BESIDE, part[0]].index(part[0])):
        part = _read_part(archive, name) if kind in _BESIDE else None
        text = "" if part is None else " ".join(map(_word_text, part.iter(f"{_W}p"))).strip()
        if part is not None and text not in texts:
            texts.add(text)
            writer.add_heading(_BESIDE[kind])
            _add_blocks(part, {}, writer)
    n_pages = max(writer.page, estimate_pages(writer.n_characters))
    check_pages(n_pages)
    return SourceText("docx", n_pages, tuple(writer.sentences), tuple(_notices(archive)))


def _add_blocks(root: Any, headings: Mapping[str, int], writer: SentenceWriter) -> None:
    """Add paragraphs and tables, also those of text boxes and cells, as they begin."""
    for block in root.iter(f"{_W}p", f"{_W}tbl"):
        if block.tag == f"{_W}tbl":
            writer.add_table([_cells(row) for row in _within(block, f"{_W}tr")])
            continue
        if not _is_of_cell(block):
            style = block.find(f"{_W}pPr/{_W}pStyle")
            level = headings.get(style.get(f"{_W}val", ""), 0) if style is not None else 0
            if level:
                writer.add_heading(_word_text(block), level)
            else:
                writer.add_paragraph(_word_text(block))
        writer.page += _page_breaks(block)
        check_pages(writer.page)


def _is_of_cell(paragraph: Any) -> bool:
    """Return whether a paragraph is text of a table's cell, and not of a text box."""
    outer = next(paragraph.iterancestors(f"{_W}tc", f"{_W}txbxContent"), None)
    return outer is not None and outer.tag == f"{_W}tc"


def _within(parent: Any, *tags: str) -> Iterator[Any]:
    """Yield the contents of another in order, also inside content controls and insertions."""
    for child in parent:
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _within(child, *tags)


def _cells(row: Any) -> list[str]:
    """Return the texts of a row's cells; a deleted row has none."""
    texts: list[str] = []
    if row.find(f"{_W}trPr/{_W}del") is not None:
        return texts
    for cell in _within(row, f"{_W}tc"):
        span, merge = (cell.find(f"{_W}tcPr/{_W}{name}") for name in ("gridSpan", "vMerge"))
        width = span.get(f"{_W}val", "1") if span is not None else "1"
        is_below = merge is not None and merge.get(f"{_W}val", "continue") == "continue"
        text = " ".join(map(_word_text, _within(cell, f"{_W}p")))
        text += INNER if next(_within(cell, f"{_W}tbl"), None) is not None else ""
        further = min(int(width), MOST_SPANNED) - 1 if width.isdigit() else 0
        texts += [DOWN if is_below else text, *[RIGHT] * further]
    return texts


def _word_text(paragraph: Any) -> str:
    """Return the words of a paragraph that are shown.

    Deleted, struck and hidden words are no part of them, and those of text boxes are read alone.
    """
    parts: list[str] = []
    for run in _within(paragraph, f"{_W}r"):
        marks = {mark.tag: mark.get(f"{_W}val", "1") for mark in run.iterfind(f"{_W}rPr/*")}
        if any(marks.get(tag, "0") not in _OFF for tag in _HIDING):
            continue
        words = "".join(map(_sign, run))
        is_raised = marks.get(f"{_W}vertAlign") == "superscript"
        if not (is_raised and _is_note(parts[-1] if parts else "", words)):
            parts.append(words)
    return "".join(parts)


def _is_note(before: str, raised: str) -> bool:
    """Return whether raised digits point to a note: those behind a digit are an exponent."""
    return re.fullmatch(r"[\d,\s]+", raised) is not None and not before[-1:].isdigit()


def _sign(node: Any) -> str:
    if node.tag == f"{_W}t":
        return node.text or ""
    if node.tag == f"{_W}sym" and node.get(f"{_W}font") == "Symbol":
        code = node.get(f"{_W}char", "")
        sign = int(code, 16) & 0xFF if re.fullmatch(r"[0-9A-Fa-f]{4}", code) else 0
        return _SYMBOLS.get(sign, chr(sign) if 0x20 <= sign < 0x3F else " ")
    return _BLANKS.get(node.tag, "")


def _page_breaks(paragraph: Any) -> int:
    parts = [part for run in _within(paragraph, f"{_W}r") for part in run]
    rendered: int = sum(part.tag == f"{_W}lastRenderedPageBreak" for part in parts)
    breaks: int = sum(part.get(f"{_W}type") == "page" for part in parts)
    return rendered or breaks


def _heading_styles(archive: zipfile.ZipFile) -> dict[str, int]:
    """Return the levels of the styles that are headings."""
    root = read_xml(archive, "word/styles.xml")
    styles = {"Title": 1, **{f"Heading{level}": level for level in range(1, 10)}}
    for style in () if root is None else root.iter(f"{_W}style"):
        name = style.find(f"{_W}name")
        match = _HEADING.match(name.get(f"{_W}val", "")) if name is not None else None
        if match:
            styles[style.get(f"{_W}styleId", "")] = int(match[1] or 1)
    return styles


def _read_slides(archive: zipfile.ZipFile) -> SourceText:
    slides = _slide_parts(archive)
    check_pages(len(slides), "slides")
    writer = SentenceWriter()
    hidden, read = [], set(slides)
    for number, name in enumerate(slides, start=1):
        root = _read_part(archive, name)
        writer.page = number
        if root is None:
            continue
        if root.get("show") in {"0", "false"}:
            hidden.append(str(number))
        _add_shapes(root, writer)
        for kind, part in _relations(archive, name).values():
            if kind in _SLIDE_PARTS and part not in read:  # each once, however often it is shown
                read.add(part)
                _add_part(_read_part(archive, part), writer)
    check_pages(estimate_pages(writer.n_characters))
    notices = list(_notices(archive))
    if hidden:
        notices.append(f"Hidden slides were read, too: {', '.join(hidden)}.")
    return SourceText("pptx", len(slides), tuple(writer.sentences), tuple(notices))


def _add_shapes(root: Any, writer: SentenceWriter) -> None:
    """Add the title of a slide, then its text and tables, also those of groups."""
    shapes = list(root.iter(f"{_P}sp", f"{_A}tbl"))
    kinds = [_placeholder(shape) for shape in shapes]
    order = sorted(range(len(shapes)), key=lambda at: kinds[at] not in _TITLES)
    for shape, kind in ((shapes[at], kinds[at]) for at in order):
        if shape.tag == f"{_A}tbl":
            writer.add_table([_slide_cells(row) for row in shape.iter(f"{_A}tr")])
        elif kind != "sldNum":
            for paragraph in shape.iter(f"{_A}p"):
                add = writer.add_heading if kind in _TITLES else writer.add_paragraph
                add(_slide_text(paragraph))


def _placeholder(shape: Any) -> str:
    kind = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    return kind.get("type", "") if kind is not None else ""


def _slide_cells(row: Any) -> list[str]:
    return [
        RIGHT if cell.get("hMerge") else DOWN if cell.get("vMerge") else _slide_text(cell)
        for cell in row.iterchildren(f"{_A}tc")
    ]


def _add_part(root: Any, writer: SentenceWriter) -> None:
    """Add notes, the words of a drawn scheme, or titles and names of series of a chart."""
    for node in () if root is None else root.iter(f"{_A}p", f"{_C}tx"):
        if node.tag == f"{_A}p":
            writer.add_paragraph(_slide_text(node))
        else:
            for words in node.iter(f"{_C}v"):
                writer.add_paragraph(words.text or "")


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
    return list(dict.fromkeys(relations[each][1] for each in ids if each in relations))
