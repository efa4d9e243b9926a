"""PDF: lines by their places on the page, paragraphs by their distance, tables by columns."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
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
LEAST_LINES, LEAST_WORDS, FILLED = 4, 4, 0.6
"""Lines of a column of prose, their words, and the share of its width that they fill."""
MOST_ROWS = 0.2
"""Share of the lines of a page in two columns that may be rows of tables."""
EDGE, LEAST_REPEATED = 3, 3
"""Lines at the top and bottom of a page that may be its header or footer, and pages with it."""
RAISED = 0.15
"""Share of a line's height by which signs of notes stand higher."""
_COMPOUND = frozenset(
    {"based", "blind", "cell", "dose", "free", "label", "line", "naive", "negative"}
)
_COMPOUND |= {
    "positive",
    "refractory",
    "related",
    "resistant",
    "specific",
    "term",
    "treated",
    "type",
}
"""Words before which a hyphen at the end of a line is part of the word."""
_BULLET = re.compile(r"^[\u2022\u25cf\u25aa\u2013*]\s*")
_PAGE_NUMBER = re.compile(r"^\d{1,3}\b|\b\d{1,3}(?:\s*(?:of|/)\s*\d{1,3})?$")
SOFT_HYPHEN = "\u00ad"
_NUMBER = re.compile(r"NCT\d{8}\b")
_DIVIDED = re.compile(r"(\w+)-$")
LEAST_TAIL = 3
"""Letters of the rest of a divided word."""


@dataclass(frozen=True, slots=True, order=True)
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
        pages = [_read_page(document, number) for number in range(n_pages)]
    except pypdfium2.PdfiumError:
        raise damaged() from None
    finally:
        document.close()
    writer = SentenceWriter()
    _add_pages(list(_without_repeats(pages)), writer)
    if not writer.sentences:
        raise refuse(
            "No text was found in the PDF; it may be a scan. Send the document from which it was "
            "made, or a copy with recognized text.",
            "no_text",
        )
    return SourceText("pdf", n_pages, tuple(writer.sentences), (LINKS,))


def _read_page(document: Any, number: int) -> list[_Line]:
    """Return the lines of a page in reading order: of columns the left one first."""
    page = document[number]
    text_page = page.get_textpage()
    try:
        return [line for region in _regions(_pieces(text_page)) for line in _lines(region)]
    finally:
        text_page.close()
        page.close()


def _without_repeats(pages: Sequence[Sequence[_Line]]) -> Iterator[list[_Line]]:
    """Yield the lines of each page; headers and footers of many pages stand on the first alone."""
    edges = [{_folded(line) for line in _edge(page)} - {""} for page in pages]
    counts = Counter(text for page in edges for text in page)
    repeated = {x for x, n in counts.items() if n >= LEAST_REPEATED and n >= len(pages) / 2}
    seen: set[str] = set()
    for page, texts in zip(pages, edges, strict=True):
        dropped = {id(line) for line in _edge(page) if _folded(line) in seen}
        yield [line for line in page if id(line) not in dropped]
        seen |= repeated & texts


def _edge(page: Sequence[_Line]) -> list[_Line]:
    """Return the highest and lowest lines of a page."""
    ordered = sorted(page, key=lambda line: line.top)
    return [*ordered[:EDGE], *ordered[EDGE:][-EDGE:]]


def _folded(line: _Line) -> str:
    """Return a line without the page's number; "" of a table's row."""
    return "" if len(line.pieces) >= LEAST_COLUMNS else _PAGE_NUMBER.sub("0", line.text)


def _add_pages(pages: Sequence[Sequence[_Line]], writer: SentenceWriter) -> None:
    """Add tables and paragraphs; a sentence that goes on on the next page is one."""
    text = " ".join(line.text for page in pages for line in page)
    words = frozenset(re.findall(r"[\w-]+", text.casefold()))
    pending = ""
    for number, lines in enumerate(pages, start=1):
        for block in _split_blocks(lines):
            is_table = len(block) > 1 and len(block[0].pieces) >= LEAST_COLUMNS
            paragraphs = [] if is_table else list(_paragraphs(block, words))
            if pending and paragraphs and re.match(r"[a-z\d]", paragraphs[0]):
                paragraphs[0] = _append(pending, paragraphs[0], words)
            elif pending:
                writer.add_paragraph(pending)
            writer.page, pending = number, ""
            if is_table:
                writer.add_table(_rows(block, words), is_filled=False)
            for paragraph in paragraphs[:-1]:
                writer.add_paragraph(paragraph)
            if paragraphs and paragraphs[-1][-1] in ".!?:;)":
                writer.add_paragraph(paragraphs[-1])
            elif paragraphs:
                pending = paragraphs[-1]
    writer.add_paragraph(pending)


def _regions(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    """Yield the parts of a page in reading order: of two columns of prose the left one first.

    What goes over both columns, as titles and rows of tables do, stands between such parts.
    """
    gutter = _find_gutter(pieces)
    if gutter == inf:
        yield list(pieces)
        return
    rows = defaultdict(list)
    for piece in pieces:
        rows[round(piece.bottom), piece.left >= gutter].append(piece)
    wide = {
        bottom
        for (bottom, _), row in rows.items()
        if any(y.left - x.right > 1.5 * (x.top - x.bottom) for x, y in pairwise(sorted(row)))
    }
    over: list[_Piece] = []
    sides: tuple[list[_Piece], list[_Piece]] = ([], [])
    for piece in sorted(pieces, key=lambda piece: -piece.bottom):
        is_over = piece.left < gutter < piece.right or round(piece.bottom) in wide
        if is_over and any(sides):
            yield from filter(None, sides)
            sides = ([], [])
        elif over and not is_over:
            yield over
            over = []
        (over if is_over else sides[piece.left >= gutter]).append(piece)
    yield from filter(None, (over, *sides) if over and not any(sides) else (*sides, over))


def _find_gutter(pieces: Sequence[_Piece]) -> float:
    """Return where the right of two columns of prose begins; endless where there is one column."""
    prose = [piece for piece in pieces if len(piece.text.split()) >= LEAST_WORDS]
    heights = Counter(round(piece.bottom) for piece in pieces)
    n_rows = sum(n >= LEAST_COLUMNS for n in heights.values())
    if len(prose) < 2 * LEAST_LINES or n_rows > MOST_ROWS * len(heights):
        return inf
    first, last = min(x.left for x in prose), max(x.right for x in prose)
    starts = Counter(round(x.left) for x in prose if x.left > first + (last - first) / 4)
    edge, _ = starts.most_common(1)[0] if starts else (0, 0)
    left = [x.right - x.left for x in prose if x.right < edge]
    right = [x.right - x.left for x in prose if edge - 1 <= x.left < edge + 2]
    if min(len(left), len(right)) < LEAST_LINES:
        return inf
    is_full = median(left) > FILLED * (edge - first) and median(right) > FILLED * (last - edge)
    return edge - 1 if is_full else inf


def _pieces(text_page: Any) -> list[_Piece]:
    """Return runs of characters that stand next to each other; turned text falls away.

    The boxes are those of the font, not of the ink, so that lines of one size are equally high.
    """
    pieces: list[_Piece] = []
    current: _Piece | None = None
    characters = list(_characters(text_page))
    following = [*(seen for *_, seen in characters[1:]), " "]
    for (left, bottom, right, top, seen), after in zip(characters, following, strict=False):
        char = seen
        height = max(top - bottom, current.top - current.bottom if current else 0.0)
        is_next = (
            current is not None
            and abs(current.bottom - bottom) < height / 2
            and -height < left - current.right < COLUMN_GAP * height
        )
        if current is not None and is_next:
            is_raised = (
                char.isdigit()
                and top - bottom < height
                and bottom > (current.bottom + RAISED * height)
                and after not in {"", SOFT_HYPHEN}  # the sign before a break has a small box
            )
            if is_raised:  # behind a digit an exponent, else the number of a note
                char = f"^{char}" if current.text[-1:].isdigit() else ""
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
    """Yield box and sign of each upright character; unseen ones only where all text is unseen."""
    import pypdfium2.raw as pdfium

    box = pdfium.FS_RECTF()
    count = text_page.count_chars()
    unseen = {
        index
        for index in range(count)
        if pdfium.FPDFTextObj_GetTextRenderMode(pdfium.FPDFText_GetTextObject(text_page, index))
        == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE
    }
    is_scan = len(unseen) > count / 2
    for index in range(count):
        if index in unseen and not is_scan:
            continue
        char = chr(pdfium.FPDFText_GetUnicode(text_page, index))
        if pdfium.FPDFText_GetCharAngle(text_page, index) > TURNED:
            continue
        if char.isspace() or not pdfium.FPDFText_GetLooseCharBox(text_page, index, box):
            continue  # spaces are told by distances: some are made up where none is seen
        if box.top > box.bottom and box.right > box.left:
            shown = "" if char in _INVISIBLE else SOFT_HYPHEN if char in _SOFT else char
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


def _rows(block: Sequence[_Line], words: frozenset[str]) -> list[list[str]]:
    """Return the rows of a table: lines closer to each other than rows are belong to one cell."""
    heads = block[0].pieces
    columns = [piece.left for piece in heads]
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
            under = [at for at, head in enumerate(heads) if _overlap(piece, head) > 0]
            index = max(under, key=lambda at: _overlap(piece, heads[at]), default=index)
            rows[-1][index] = _append(rows[-1][index], piece.text, words)
    return rows


def _overlap(piece: _Piece, other: _Piece) -> float:
    """Return how far two pieces stand above one another; numbers are often set to the right."""
    return min(piece.right, other.right) - max(piece.left, other.left)


def _row_gap(gaps: Sequence[float], height: float) -> float:
    """Return the distance at which a row begins: the first that exceeds that of lines of a cell.

    Where all distances are about the same, every line is a row.
    """
    ordered = sorted(gaps)
    steps = (gap for gap in ordered if gap > ordered[0] + ROW_STEP * height)
    return next(steps, -height)


def _paragraphs(block: Sequence[_Line], words: frozenset[str]) -> Iterator[str]:
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
        text = _append(text, _BULLET.sub("", line.text), words)
        above = line
    if text:
        yield text


def _append(text: str, more: str, words: frozenset[str]) -> str:
    """Return a text with the next line; a word that a hyphen divides is joined.

    Args:
        text: The text.
        more: The next line.
        words: The words of the document, which tell divided words from compounds.
    """
    match = _DIVIDED.search(text)
    tail = re.match(r"\w+", more)
    number = _NUMBER.match(f"{text.rpartition(' ')[2].rstrip(SOFT_HYPHEN)}{more}")
    if number and len(number[0]) == len("NCT01234567") and not more.startswith("NCT"):
        return f"{text.rstrip(SOFT_HYPHEN)}{more}"
    if text.endswith(SOFT_HYPHEN):
        return f"{text[:-1]}{'' if more[:1].islower() else '-'}{more}"
    if match is None or tail is None:
        return f"{text} {more}".strip()
    before, after = match[1].casefold(), tail[0].casefold()
    is_compound = f"{before}-{after}" in words or after in _COMPOUND or len(after) < LEAST_TAIL
    is_divided = before.isalpha() and tail[0].isalpha() and tail[0].islower() and not is_compound
    return f"{text[:-1] if is_divided or before + after in words else text}{more}"
