"""PDF: lines by their places on the page, paragraphs by their distance, tables by columns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from core.documents.guard import check_pages, damaged, encrypted, refuse
from core.documents.sentences import SentenceWriter, SourceText

_PASSWORD = "password"  # noqa: S105 - a word of an error
LINKS = "No link of the file was followed, and no script of it was run."
COLUMN_GAP = 0.6
"""Distance of two pieces of text, in heights of a line, that sets columns apart."""
WORD_GAP = 0.12
"""Distance of two characters, in heights of a line, that parts words."""
PARAGRAPH_GAP = 0.55
"""Distance of two lines, in heights of a line, that begins a paragraph."""
ROW_STEP = 0.08
"""Difference of the distances within and between rows, in heights of a line."""
TURNED = 0.05
"""Angle of a character, in radians, above which it is no text of a line."""
_SOFT = "\x02\ufffe"
"""What stands for a hyphen that only the end of a line asked for."""
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\x00"
LEAST_COLUMNS = 3
_BULLET = re.compile(r"^[\u2022\u25cf\u25aa\u2013*]\s*")
_HYPHEN = re.compile(r"(?<=\w)-$")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some text at a place of a page."""

    left: float
    bottom: float
    right: float
    top: float
    text: str


@dataclass(frozen=True, slots=True)
class _Line:
    """Pieces at one height of a page, from left to right, those that touch joined."""

    pieces: tuple[_Piece, ...]

    @property
    def top(self) -> float:
        return max(piece.top for piece in self.pieces)

    @property
    def bottom(self) -> float:
        return min(piece.bottom for piece in self.pieces)

    @property
    def height(self) -> float:
        return max(piece.top - piece.bottom for piece in self.pieces)

    @property
    def text(self) -> str:
        return " ".join(piece.text.strip() for piece in self.pieces)


def read_pdf(content: bytes, *, first_pages: int = 0) -> SourceText:
    """Read a PDF.

    Args:
        content: The file.
        first_pages: Pages that are read of a document of any length; 0 reads all.

    Raises:
        InvalidInput: It is damaged, encrypted, too long, or a scan without text.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as fault:
        raise (encrypted() if _PASSWORD in str(fault).casefold() else damaged()) from None
    try:
        n_pages = min(len(document), first_pages) if first_pages else len(document)
        check_pages(n_pages)
        writer = SentenceWriter()
        for number in range(n_pages):
            writer.page = number + 1
            _read_page(document, number, writer)
    except pypdfium2.PdfiumError:
        raise damaged() from None
    finally:
        document.close()
    if not writer.sentences:
        raise refuse(
            "No text was found in the PDF; it may be a scan. Send the document from which it was "
            "made, or a copy with recognized text.",
            "no_text",
        )
    return SourceText("pdf", n_pages, tuple(writer.sentences), (LINKS,))


def _read_page(document: Any, number: int, writer: SentenceWriter) -> None:
    page = document[number]
    text_page = page.get_textpage()
    try:
        lines = list(_lines(_pieces(text_page)))
    finally:
        text_page.close()
        page.close()
    for block in _split_blocks(lines):
        if len(block) > 1 and len(block[0].pieces) >= LEAST_COLUMNS:
            writer.add_table(_rows(block))
        else:
            for paragraph in _paragraphs(block):
                writer.add_paragraph(paragraph)


def _pieces(text_page: Any) -> list[_Piece]:
    """Return runs of characters that stand next to each other; turned text falls away.

    The boxes are those of the font, not of the ink, so that lines of one size are equally high.
    """
    pieces: list[_Piece] = []
    current: _Piece | None = None
    for left, bottom, right, top, char in _characters(text_page):
        height = max(top - bottom, current.top - current.bottom if current else 0.0)
        is_next = (
            current is not None
            and abs(current.bottom - bottom) < height / 2
            and -height < left - current.right < COLUMN_GAP * height
        )
        if current is not None and is_next:
            space = " " if char and left - current.right > WORD_GAP * height else ""
            current = _Piece(
                current.left,
                min(current.bottom, bottom),
                max(current.right, right),
                max(current.top, top),
                f"{current.text}{space}{char}",
            )
        elif char:
            if current is not None:
                pieces.append(current)
            current = _Piece(left, bottom, right, top, char)
    return [*pieces, current] if current is not None else pieces


def _characters(text_page: Any) -> Iterator[tuple[float, float, float, float, str]]:
    """Yield box and sign of each upright character."""
    import pypdfium2.raw as pdfium

    box = pdfium.FS_RECTF()
    for index in range(text_page.count_chars()):
        char = chr(pdfium.FPDFText_GetUnicode(text_page, index))
        if pdfium.FPDFText_GetCharAngle(text_page, index) > TURNED:
            continue
        if char.isspace() or not pdfium.FPDFText_GetLooseCharBox(text_page, index, box):
            continue  # spaces are told by distances: some are made up where none is seen
        if box.top > box.bottom and box.right > box.left:
            shown = "" if char in _INVISIBLE else "\u00ad" if char in _SOFT else char
            yield box.left, box.bottom, box.right, box.top, shown


def _lines(pieces: Sequence[_Piece]) -> Iterator[_Line]:
    """Yield the lines of a page from top to bottom."""
    rows: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda piece: -(piece.top + piece.bottom) / 2):
        middle = (piece.top + piece.bottom) / 2
        row = rows[-1] if rows else []
        if row and any(other.bottom <= middle <= other.top for other in row):
            row.append(piece)
        else:
            rows.append([piece])
    for row in rows:
        yield _Line(tuple(_joined(sorted(row, key=lambda piece: piece.left))))


def _joined(row: Sequence[_Piece]) -> Iterator[_Piece]:
    """Yield the pieces of a line with those joined that stand close to each other."""
    current = row[0]
    for piece in row[1:]:
        height = max(current.top - current.bottom, piece.top - piece.bottom)
        if piece.left - current.right < COLUMN_GAP * height:
            space = "" if piece.text[:1] in ".,;:)]" else " "
            current = _Piece(
                current.left,
                min(current.bottom, piece.bottom),
                max(current.right, piece.right),
                max(current.top, piece.top),
                f"{current.text}{space}{piece.text}",
            )
        else:
            yield current
            current = piece
    yield current


def _split_blocks(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield runs of lines that are one table, or text between tables.

    A table begins with a line of several columns, and goes on as long as every piece stands in one
    of them and no line is further away than rows are.
    """
    block: list[_Line] = []
    columns: list[float] = []
    for line in lines:
        if columns and _fits(line, block, columns):
            block.append(line)
            continue
        if len(line.pieces) >= LEAST_COLUMNS:
            if block:
                yield block
            block, columns = [line], [piece.left for piece in line.pieces]
        elif columns:
            yield block
            block, columns = [line], []
        else:
            block.append(line)
    if block:
        yield block


def _fits(line: _Line, block: Sequence[_Line], columns: Sequence[float]) -> bool:
    gap = block[-1].bottom - line.top
    near = 3 * max(line.height, block[-1].height)
    return (
        gap < near
        and all(
            any(abs(piece.left - column) < 2 + line.height / 2 for column in columns)
            or piece.left > columns[0]
            for piece in line.pieces
        )
        and any(abs(piece.left - column) < 2 for piece in line.pieces for column in columns)
    )


def _rows(block: Sequence[_Line]) -> list[list[str]]:
    """Return the rows of a table: lines closer to each other than rows are belong to one cell."""
    columns = [piece.left for piece in block[0].pieces]
    gaps = [above.bottom - below.top for above, below in zip(block, block[1:], strict=False)]
    height = median(line.height for line in block)
    n_first = sum(line.pieces[0].left < columns[0] + height for line in block)
    limit = -height if n_first > 0.9 * len(block) else _row_gap(gaps, height)
    rows: list[list[str]] = []
    for number, line in enumerate(block):
        if number == 0 or gaps[number - 1] >= limit:
            rows.append([""] * len(columns))
        for piece in line.pieces:
            index = max(
                (at for at, column in enumerate(columns) if piece.left >= column - height / 2),
                default=0,
            )
            rows[-1][index] = _append(rows[-1][index], piece.text)
    return rows


def _row_gap(gaps: Sequence[float], height: float) -> float:
    """Return the distance at which a row begins: the first that exceeds that of lines of a cell.

    Where all distances are about the same, every line is a row.
    """
    ordered = sorted(gaps)
    steps = (gap for gap in ordered if gap > ordered[0] + ROW_STEP * height)
    return next(steps, -height)


def _paragraphs(block: Sequence[_Line]) -> Iterator[str]:
    """Yield paragraphs: lines joined that follow each other closely; bullets begin anew."""
    text, above = "", None
    for line in block:
        is_new = above is not None and (
            above.bottom - line.top > PARAGRAPH_GAP * line.height
            or abs(above.height - line.height) > 0.35 * max(above.height, line.height)
        )
        if text and (is_new or _BULLET.match(line.text)):
            yield text
            text = ""
        text = _append(text, _BULLET.sub("", line.text))
        above = line
    if text:
        yield text


def _append(text: str, more: str) -> str:
    """Return a text with the next line; a word that a hyphen divides is joined."""
    if text.endswith("\u00ad"):
        return f"{text[:-1]}{'' if more[:1].islower() else '-'}{more}"
    return f"{text}{'' if _HYPHEN.search(text) else ' '}{more}".strip()
