"""Files as rows with line numbers: a row that cannot be read is reported and skipped."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

from core.code_digest import READING, code_digest
from core.errors import UnreadableTable
from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.expanding import (
    BROKEN,
    LARGEST_MEMBER,
    LARGEST_STREAM,
    open_bounded,
)
from core.records.evidence import Parsed

LONGEST_ROW = 20_000_000
Report = Callable[[int, str], None]
Row = Mapping[str, str]
ShapeBasis = Literal["file", "recorded answer", "description", "own"]


@dataclass(frozen=True)
class SourceFile:
    """A file to import.

    Attributes:
        path: The file, or the folder of a source that comes as several files.
        as_of: Date of the state that it shows (YYYY, YYYY-MM or YYYY-MM-DD); "" if unknown.
        fetched_at: Day of the import.
        report: `report(line, reason)` notes a damaged row.
    """

    path: Path
    as_of: str
    fetched_at: str
    report: Report

    @property
    def name(self) -> str:
        """Return the file's name."""
        return self.path.name


class Reader(Protocol):
    """Reads one kind of file."""

    def __call__(self, source: SourceFile) -> Iterator[Parsed]:
        """Yield what each row came to; report what is damaged."""
        ...


@dataclass(frozen=True)
class Importer:
    """One kind of file that can be imported.

    Attributes:
        name: Word for the command line.
        title: What it holds.
        recognizes: Whether a file of this name and beginning is of the kind.
        read: Its reader.
        licence: Terms of the data.
        shape_basis: On what the shape rests that the reader expects: files of the source that
            were at hand, a recorded answer of it, its published description alone, or our own.
    """

    name: str
    title: str
    recognizes: Callable[[Path, str], bool]
    read: Reader
    licence: str
    shape_basis: ShapeBasis = "file"

    @property
    def mark(self) -> str:
        """Return what is noted of a file that it read: its name, and the code that reads it."""
        return f"{self.name} rules {code_digest(*READING)}"


def open_text(path: Path, *, largest: int = LARGEST_STREAM, longest_line: int = 0) -> io.TextIOBase:
    """Open a plain or gzip-compressed text file; bytes that are no UTF-8 stay marked.

    Args:
        path: The file.
        largest: Most bytes that it may hold; reading beyond raises UnreadableTable.
        longest_line: Most bytes of a line, likewise; 0 for any number.
    """
    content = open_bounded(path, largest=largest, longest_line=longest_line)
    return io.TextIOWrapper(content, encoding="utf-8-sig", errors="surrogateescape", newline="")


def read_head(path: Path, size: int = 4_000) -> str:
    """Return how a file begins; "" for a folder or what is no text."""
    if path.is_dir() or path.suffix in {".zip", ".tar", ".tgz"}:
        return ""
    try:
        with open_text(path) as text:
            return text.read(size)
    except BROKEN:
        return ""


def read_lines(source: SourceFile) -> Iterator[tuple[int, str]]:
    """Yield numbered lines that hold something; a broken end of a compressed file is reported."""
    number = 0
    with open_text(source.path, longest_line=LONGEST_ROW) as text:
        try:
            for number, line in enumerate(text, start=1):  # noqa: B007 - told after the loop
                if line.strip():
                    yield number, line
        except BROKEN:
            source.report(number + 1, "the compressed file breaks off here")


def is_intact(text: str) -> bool:
    """Return whether a text was valid UTF-8."""
    return text.isascii() or not re.search("[\udc80-\udcff]", text)


def read_table(
    source: SourceFile,
    lines: Iterator[tuple[int, str]] | None = None,
    delimiter: str = ",",
    *,
    is_quoted: bool | None = None,
) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a table with a header, each with the line on which it begins.

    Args:
        source: The file, for reports.
        lines: Numbered lines; those of the file when left out.
        delimiter: Sign between columns.
        is_quoted: Whether cells may stand in quotes; where left out, those between commas.

    Raises:
        UnreadableTable: There is no header.
    """
    numbered = _Numbered(lines if lines is not None else read_lines(source))
    may_quote = delimiter == "," if is_quoted is None else is_quoted
    if may_quote:
        reader = csv.reader(numbered, delimiter=delimiter)
    else:  # regulators' own exports never quote
        reader = csv.reader(numbered, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    header = [name.strip() for name in next(reader, [])]
    if not header:
        raise UnreadableTable(f"{source.name} is empty; a table with a header was expected")
    while True:
        first = numbered.number + 1
        try:
            values = next(reader, None)
        except csv.Error as damage:
            source.report(first, f"no row of a table: {damage}")
            continue
        if values is None:
            return
        line = numbered.first_after(first)
        if len(values) != len(header):
            source.report(line, f"{len(values)} columns instead of {len(header)}")
        elif not all(map(is_intact, values)):
            source.report(line, "not UTF-8")
        else:
            yield line, dict(zip(header, values, strict=True))


class _Numbered:
    """Lines for the table reader, which remembers their numbers."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self._lines = lines
        self._numbers: list[int] = []
        self.number = 0

    def __iter__(self) -> "_Numbered":
        return self

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        self._numbers.append(self.number)
        return line

    def first_after(self, number: int) -> int:
        """Return the first line read that is not before this number."""
        first = next(
            (number_after for number_after in self._numbers if number_after >= number), self.number
        )
        self._numbers.clear()
        return first


def read_objects(source: SourceFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield JSON objects, one a line; or those of a JSON document with a list of them."""
    if not source.path.name.removesuffix(".gz").endswith((".ndjson", ".jsonl")):
        yield from _read_document(source)
        return
    for number, line in read_lines(source):
        parsed_line = _parse_object(line)
        if isinstance(parsed_line, dict) and is_intact(line):
            yield number, parsed_line
        else:
            source.report(number, "no JSON object" if is_intact(line) else "not UTF-8")


def _parse_object(line: str) -> object:
    if len(line) > LONGEST_ROW:
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _read_document(source: SourceFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON list, of one list inside an object, or the one object."""
    with open_text(source.path, largest=LARGEST_MEMBER) as text:
        try:
            document = json.load(text)
        except (ValueError, RecursionError, *BROKEN) as damage:
            source.report(getattr(damage, "lineno", 1), "no JSON document")
            return
    entries = document
    if isinstance(document, dict):
        lists = [document[name] for name in ("studies", "results", "events") if name in document]
        entries = lists[0] if lists else [document]
    for number, entry in enumerate(entries if isinstance(entries, list) else [], start=1):
        if isinstance(entry, dict):
            yield number, entry
        else:
            source.report(number, "entry is no JSON object")


_DATE_IN_NAME = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?:[-_]?(0[1-9]|1[0-2])(?:[-_]?([0-3]\d))?)?(?!\d)"
)


def date_in_name(path: Path) -> str:
    """Return the date that a file's name carries; "" when it carries none.

    >>> date_in_name(Path("pb_2026_03.csv"))
    '2026-03'
    """
    match = _DATE_IN_NAME.search(path.name)
    return "-".join(group for group in match.groups() if group) if match else ""


_ISO = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_FORMS = (
    *("%b %d, %Y", "%d-%b-%y", "%d-%b-%Y", "%B %d, %Y", "%d/%m/%Y", "%Y%m%d"),
    "%b. %d, %Y",
)


@lru_cache(maxsize=50_000)
def read_date(text: str) -> str:
    """Return a date as YYYY-MM-DD, YYYY-MM or YYYY; "" when it is none.

    >>> read_date("Jun. 26, 2023"), read_date("2026-03"), read_date("soon")
    ('2023-06-26', '2026-03', '')
    """
    text = text.strip().replace("Sept.", "Sep.")
    match = _ISO.match(text)
    if match and (len(text) == match.end() or text[10:11] in {" ", "T"}):
        return text[:10]
    for form in _FORMS if text[:1].isalnum() and any(map(str.isdigit, text)) else ():
        try:
            return datetime.strptime(text, form).date().isoformat()  # noqa: DTZ007 - a day
        except ValueError:
            continue
    return ""


def split_values(cell: str) -> list[str]:
    """Return the values of a cell that joins several with a bar, cleaned, without repeats."""
    return list(dict.fromkeys(filter(None, map(clean_text, cell.split("|")))))
