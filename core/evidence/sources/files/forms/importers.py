"""Declares a kind of file that can be imported."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypedDict

from core.code_digest import READING, code_digest
from core.records.evidence import Parsed
from core.tables.rows import SourceFile

ShapeBasis = Literal["file", "recorded answer", "description", "own"]


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
        recognizes: Whether a file of this name and beginning is of the kind.
        read: Its reader.
        shape_basis: On what the shape rests that the reader expects: files of the source that
            were at hand, a recorded answer of it, its published description alone, or our own.
    """

    name: str
    recognizes: Callable[[Path, str], bool]
    read: Reader
    shape_basis: ShapeBasis = "file"

    @property
    def mark(self) -> str:
        """Return what is noted of a file that it read: its name, and the code that reads it."""
        return f"{self.name} rules {code_digest(*READING)}"


def begins(*signs: str) -> Callable[[Path, str], bool]:
    """Return what recognizes a file by words that all stand at its beginning."""
    return lambda _path, head: all(sign in head for sign in signs)


def has_columns(*columns: str) -> Callable[[Path, str], bool]:
    """Return what recognizes a table by columns of its first line."""

    def recognizes(path: Path, head: str) -> bool:
        del path
        names = head.partition("\n")[0].split(",")
        return set(columns) <= {name.strip().strip('"\ufeff') for name in names}

    return recognizes


class ReadFrom(TypedDict):
    """Where a record was read, as its fields say it."""

    copied_on: str
    fetched_at: str
    licence: str
    quote_allowed: bool
    origin: str
    raw_ref: str


def read_from(
    source: SourceFile, line: int | str, licence: str, *, quote_allowed: bool = True
) -> ReadFrom:
    """Return the fields of a record that say where it was read."""
    return ReadFrom(
        copied_on=source.as_of,
        fetched_at=source.fetched_at,
        licence=licence,
        quote_allowed=quote_allowed,
        origin=source.name,
        raw_ref=f"{source.name}:{line}",
    )


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
