"""The document tree: what an agent's report says, apart from how it is rendered.

All text is data: renderers escape it. Inline text may use `**bold**` and citations `[n]`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, Protocol


class TableReader(Protocol):
    """The tables of a run, read on demand."""

    def names(self) -> list[str]:
        """Return the names of the run's tables."""
        ...

    def read(self, name: str) -> Any:
        """Return a table whole, as a pandas DataFrame."""
        ...


@dataclass(frozen=True)
class About:
    """What every document says of the run it shows."""

    run_uuid: str
    agent: str
    agent_title: str
    label: str
    completed_at: datetime
    elapsed_s: float
    request: Mapping[str, str]
    mode: str = "offline"


@dataclass(frozen=True)
class Heading:
    """A section heading; level 1 or 2 below the title."""

    text: str
    level: Literal[1, 2] = 1


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list of short texts."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class KeyFigures:
    """Label and value pairs shown large; a screen adds a note to each, where there are notes."""

    figures: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        columns: Headings.
        rows: The rows.
        caption: What they are.
        total: Of how many rows these are the first; None: these are all.
        most: Rows that print shows at most; a screen shows them all.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]
    caption: str
    total: int | None = None
    most: int | None = None

    @property
    def printed(self) -> "Grid":
        """Return what print shows."""
        total = self.total if self.most is None else self.total or len(self.rows)
        return replace(self, rows=self.rows[: self.most], total=total, most=None)


@dataclass(frozen=True)
class Chart:
    """A figure as a Vega-Lite specification with its data inside."""

    spec: Mapping[str, Any]
    caption: str
    alt: str
    points: int = 0
    """Number of marks; above 2,000 it is drawn as a bitmap."""


@dataclass(frozen=True)
class SourceLine:
    """One numbered source."""

    id: str
    title: str
    url: str
    source_type: str
    date: str = ""


@dataclass(frozen=True)
class Sources:
    """The numbered list that `[n]` refers to."""

    sources: tuple[SourceLine, ...]


Block = Heading | Paragraph | Bullets | KeyFigures | Grid | Chart | Sources


@dataclass(frozen=True)
class Document:
    """A report: title, what it is about, blocks in reading order."""

    title: str
    subtitle: str
    about: About
    blocks: tuple[Block, ...]
    warnings: tuple[str, ...] = field(default=())
