"""The document tree: what an agent's report says, apart from how it is rendered.

All text is data: renderers escape it. Inline text may use `**bold**` and citations `[n]`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol

from core.vocabulary.warning_codes import is_quiet


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
    evidence: str = ""
    """Version of the data behind it."""
    is_current: bool = True
    """Whether the present code made the answer; an earlier release's may not fit its records."""
    is_run: bool = True
    """Whether a run made it, which an appendix then describes."""

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return what an appendix says of the run."""
        if not self.is_run:
            return ()
        rows = (
            ("Agent", self.agent_title),
            ("Question", self.label),
            ("Completed", f"{self.completed_at:%Y-%m-%d %H:%M} UTC"),
            ("Elapsed", f"{self.elapsed_s:.1f} s" if self.run_uuid else ""),
            ("Data", self.mode if self.run_uuid else ""),
            ("Evidence version", self.evidence),
            ("Run", self.run_uuid),
        )
        return tuple((name, value) for name, value in rows if value)


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
    """A figure as a Vega-Lite specification with its data inside, for page and print alike."""

    spec: Mapping[str, Any]
    caption: str
    alt: str
    points: int = 0
    """Number of marks; above 2,000 it is drawn as a bitmap."""

    @classmethod
    def build(cls, chart: Any, caption: str, alt: str, points: int = 0) -> "Chart":
        """Return an Altair chart as a figure.

        Args:
            chart: With its data as `alt.InlineData`.
            caption: What the reader sees and what to look for.
            alt: The same for readers who do not see it.
            points: Number of marks.
        """
        return cls(chart.to_dict(validate=False), caption, alt, points)


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


Block = Heading | Paragraph | Bullets | Grid | Chart | Sources


class Tile(NamedTuple):
    """A figure shown large."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Front:
    """What a reader sees first: the same on the page, in print, in slides and in the spreadsheet.

    Attributes:
        sentences: The answer, at most three.
        tiles: Its figures, at most four.
        chart: Its picture.
        doubts: Phrases that together say how sure it is.
    """

    sentences: tuple[str, ...] = ()
    tiles: tuple[Tile, ...] = ()
    chart: Chart | None = None
    doubts: tuple[str, ...] = ()

    @property
    def confidence(self) -> str:
        """Return the line that says how sure the answer is; empty where nothing is in doubt."""
        line = "; ".join(self.doubts)
        return f"{line[:1].upper()}{line[1:]}." if line else ""


@dataclass(frozen=True)
class Document:
    """A report: the question, its agent, what is seen first, blocks in reading order.

    `deck` names the headings that become slides, in order; empty: the first that fill one.
    """

    title: str
    subtitle: str
    about: About
    blocks: tuple[Block, ...]
    warnings: tuple[str, ...] = field(default=())
    front: Front = field(default=Front())
    deck: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """Return the warnings that stand open beside the answer, without their codes."""
        return tuple(without_code(warning) for warning in self.warnings if not _is_quiet(warning))

    @property
    def notices(self) -> tuple[str, ...]:
        """Return the warnings that are folded away, with their codes."""
        return tuple(warning for warning in self.warnings if _is_quiet(warning))


def _is_quiet(warning: str) -> bool:
    return is_quiet(warning.partition(":")[0])


def without_code(warning: str) -> str:
    """Return a warning as a sentence.

    >>> without_code("no_match: no record names it."), without_code("Mind: it is new.")
    ('No record names it.', 'Mind: it is new.')
    """
    code, colon, message = warning.partition(": ")
    is_code = bool(colon) and code.replace("_", "").isalnum() and code.islower()
    return f"{message[:1].upper()}{message[1:]}" if is_code else warning
