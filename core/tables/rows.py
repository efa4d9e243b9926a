"""Imported files as rows with line numbers: a row that cannot be read is reported and skipped."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import UnreadableTable
from core.tables.bounds import BROKEN, LARGEST_STREAM, open_bounded
from core.tables.text import find_file_encoding

LONGEST_ROW = 20_000_000
Report = Callable[[int, str], None]
Row = Mapping[str, str]


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


def file_encoding(path: Path) -> str:
    """Return the encoding of a text file in which registers export: UTF-8, UTF-16 or GB18030."""
    try:
        with open_bounded(path, longest_line=LONGEST_ROW) as content:
            return find_file_encoding(content)
    except BROKEN:
        return "utf-8"


def open_text(
    path: Path, *, encoding: str = "utf-8-sig", largest: int = LARGEST_STREAM, longest_line: int = 0
) -> io.TextIOBase:
    """Open a plain or gzip-compressed text file; bytes that are no text stay marked.

    `largest`: most bytes that it may hold; reading beyond raises UnreadableTable. `longest_line`:
    most bytes of a line, likewise; 0 for any number.
    """
    content = open_bounded(path, largest=largest, longest_line=longest_line)
    return io.TextIOWrapper(content, encoding=encoding, errors="surrogateescape", newline="")


def read_head(path: Path, size: int = 4_000, *, encoding: str = "utf-8-sig") -> str:
    """Return how a file begins; "" for a folder or what is no text."""
    if path.is_dir() or path.suffix in {".zip", ".tar", ".tgz"}:
        return ""
    try:
        with open_text(path, encoding=encoding) as text:
            return text.read(size)
    except (*BROKEN, UnicodeError):
        return ""


def read_lines(
    source: SourceFile, *, encoding: str = "utf-8-sig", largest: int = LARGEST_STREAM
) -> Iterator[tuple[int, str]]:
    """Yield numbered lines that hold something; a broken end of a file is reported.

    `largest`: most bytes that it may hold.

    Raises:
        UnreadableTable: It is too large, or a line is too long.
    """
    number = 0
    with open_text(
        source.path, encoding=encoding, largest=largest, longest_line=LONGEST_ROW
    ) as text:
        try:
            for number, line in enumerate(text, start=1):  # noqa: B007 - reported after the loop
                if line.strip():
                    yield number, line
        except BROKEN:
            source.report(number + 1, "the compressed file breaks off here")
        except UnicodeError:
            source.report(number + 1, "no text from here on")


def is_intact(text: str) -> bool:
    """Return whether a text was valid in its encoding."""
    return text.isascii() or not re.search("[\udc80-\udcff]", text)


def read_table(
    source: SourceFile,
    lines: Iterator[tuple[int, str]] | None = None,
    delimiter: str = ",",
    *,
    is_quoted: bool | None = None,
) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a table with a header, each with the line on which it begins.

    `lines`: numbered lines; those of the file when left out. `delimiter`: sign between columns.
    `is_quoted`: whether cells may be quoted; where left out, those between commas.

    Raises:
        UnreadableTable: There is no header.
    """
    numbers = [0]

    def texts() -> Iterator[str]:
        for number, text in lines if lines is not None else read_lines(source):
            numbers.append(number)
            yield text

    if is_quoted or (is_quoted is None and delimiter == ","):
        reader = csv.reader(texts(), delimiter=delimiter)
    else:  # regulators' own exports never quote
        reader = csv.reader(texts(), delimiter=delimiter, quoting=csv.QUOTE_NONE)
    header = [name.strip() for name in next(reader, [])]
    if not header:
        raise UnreadableTable(f"{source.name} is empty; a table with a header was expected")
    while True:
        del numbers[:-1]
        try:
            values = next(reader, None)
        except csv.Error as damage:
            source.report(numbers[0] + 1, f"no row of a table: {damage}")
            continue
        if values is None:
            return
        line = numbers[1]
        if len(values) != len(header):
            source.report(line, f"{len(values)} columns instead of {len(header)}")
        elif not all(map(is_intact, values)):
            source.report(line, "not UTF-8")
        else:
            yield line, dict(zip(header, values, strict=True))
