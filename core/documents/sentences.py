"""A document as sentences, each with the place where it stands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.documents.tables import arrange_table

DocumentForm = Literal["docx", "pptx", "pdf", "md", "txt"]
LONGEST_SENTENCE = 4_000
"""Characters of a sentence: what is longer is no sentence of prose, and is read in pieces."""
_END = re.compile(r"[.!?]['\"\u201d\u2019)\]]*(?=\s+[\"'\u201c\u2018(\[]*[A-Z0-9])")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|vs|cf|al|Inc|Co|Corp|Ltd|Dr|Mr|Ms|Prof|St|Fig|Figs|Tab|No|Nos|"
    r"approx|ca|est|incl|resp|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|"
    r"(?<!factor )(?<!hepatitis )(?<!vitamin )[A-Z]|U\.S|U\.K|E\.U)\.$"
)

_REFERENCE = re.compile(r"(?<=[\w.,;:)])\[\^?\d{1,3}(?:\s?[,\u2013-]\s?\d{1,3})*\]")
"""A number that points to a note or a source."""
_UNSEEN = dict.fromkeys((0, 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF), "")
_LIGATURES = dict(
    zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)
)
_SIGNS: Mapping[int, str] = {**_UNSEEN, **_LIGATURES}


@dataclass(frozen=True, slots=True)
class Location:
    """Where a sentence stands; 0 or "" where the form of the file has no such thing.

    Attributes:
        page: Page or slide, counted from 1.
        heading: The heading above it.
        paragraph: Paragraph, counted from 1 through the whole document.
        table: Table, counted from 1.
        row: Row of the table below its header, counted from 1.
        start: First character within the paragraph or row.
        end: One past the last character.
    """

    page: int = 0
    heading: str = ""
    paragraph: int = 0
    table: int = 0
    row: int = 0
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class RowCell:
    """A cell of a table's row, under the header of its column."""

    header: str
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, a heading, or a row of a table.

    Attributes:
        number: Its number in the document, counted from 1.
        text: Its words; of a row the cells, separated by bars.
        location: Where it stands.
        cells: The cells of a row; empty for running text.
        level: Level of a heading, which names what follows, from 1 for the highest; else 0.
    """

    number: int
    text: str
    location: Location
    cells: tuple[RowCell, ...] = ()
    level: int = 0

    @property
    def is_heading(self) -> bool:
        """Return whether it is a heading."""
        return self.level > 0


@dataclass(frozen=True, slots=True)
class SourceText:
    """What an uploaded document says.

    Attributes:
        form: What kind of file it is.
        n_pages: Pages or slides; of text without pages an estimate.
        sentences: Its sentences in reading order.
        notices: What the reader should know about how it was read.
    """

    form: DocumentForm
    n_pages: int
    sentences: tuple[Sentence, ...]
    notices: tuple[str, ...] = ()


@dataclass
class SentenceWriter:
    """Collects sentences as a file is read from its beginning to its end.

    Attributes:
        sentences: What was collected so far.
        page: The page or slide that is read.
        n_characters: Characters of all paragraphs and cells so far.
    """

    sentences: list[Sentence] = field(default_factory=list)
    page: int = 0
    n_characters: int = 0
    _heading: str = ""
    _paragraphs: int = 0
    _tables: int = 0

    def add_heading(self, text: str, level: int = 1) -> None:
        """Add a heading, under which stands what follows until one of its level or above."""
        text = _clean(text)
        if text:
            self._heading = text[:200]
            self._paragraphs += 1
            self._add(text, 0, level=level)

    def add_paragraph(self, text: str) -> None:
        """Add the sentences of a paragraph."""
        text = _REFERENCE.sub("", _clean(text))
        if text:
            self._paragraphs += 1
            self.n_characters += len(text)
            for sentence in split_sentences(text):
                for start, end in split_long(text, *sentence):
                    self._add(text[start:end], start)

    def add_table(self, rows: Sequence[Sequence[str]], *, is_filled: bool = True) -> None:
        """Add the rows of a table under its header, and what stands above that as paragraphs.

        Args:
            rows: The rows; `tables.RIGHT` and `tables.DOWN` mark the rest of merged cells.
            is_filled: Whether an empty first cell goes on from above.
        """
        cleaned = [[_clean(cell) for cell in row] for row in rows]
        captions, table = arrange_table(cleaned, is_filled=is_filled)
        for caption in captions:
            self.add_paragraph(caption)
        if not table:
            return
        self._tables += 1
        self.n_characters += sum(len(cell) for row in table for cell in row)
        header, *body = table
        for number, row in enumerate(body, start=1):
            names = [*header, *("" for _ in row[len(header) :])]
            cells = tuple(RowCell(*pair) for pair in zip(names, row, strict=False))
            self._add(" | ".join(row), 0, cells=cells, row=number)
        if not body:
            self._add(" | ".join(header), 0, row=1)

    def _add(
        self,
        text: str,
        start: int,
        *,
        cells: tuple[RowCell, ...] = (),
        row: int = 0,
        level: int = 0,
    ) -> None:
        text = text[:LONGEST_SENTENCE]
        location = Location(
            page=self.page,
            heading="" if level else self._heading,
            paragraph=0 if row else self._paragraphs,
            table=self._tables if row else 0,
            row=row,
            start=start,
            end=start + len(text),
        )
        number = len(self.sentences) + 1
        self.sentences.append(Sentence(number, text, location, cells, level))


def _clean(text: str) -> str:
    """Return a text on one line, with letters for ligatures and without signs that nobody sees."""
    return " ".join(text.translate(_SIGNS).split())


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield first and last character of each sentence of a paragraph.

    >>> text = "See Fig. 2. It rose, e.g. by 0.5 points. Then (in 2024) it fell."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['See Fig. 2.', 'It rose, e.g. by 0.5 points.', 'Then (in 2024) it fell.']
    """
    start = 0
    for match in _END.finditer(text):
        piece = text[start : match.start() + 1]
        if text[match.start()] == "." and _ABBREVIATED.search(piece):
            continue
        yield start, match.end()
        start = match.end() + len(text[match.end() :]) - len(text[match.end() :].lstrip())
    if text[start:].strip():
        yield start, len(text)


def split_long(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a sentence that is too long, cut behind semicolons, else at blanks."""
    while end - start > LONGEST_SENTENCE:
        last = start + LONGEST_SENTENCE
        cuts = (text.rfind("; ", start, last) + 1, text.rfind(" ", start, last), last)
        cut = next(cut for cut in cuts if cut > start)
        yield start, cut
        start = cut + (text[cut] == " ")
    if start < end:
        yield start, end
