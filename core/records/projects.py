"""Projects: an ordered list of blocks that people of the instance build together."""

from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

ProjectRole = Literal["owner", "editor", "reader"]
BlockKind = Literal["answer", "table", "chart", "asset", "note", "decision"]
Cell = str | float | int | None
ROLES: tuple[ProjectRole, ...] = ("owner", "editor", "reader")
LONGEST_TITLE = 300
LONGEST_CAPTION = 500
LONGEST_TEXT = 20_000
MOST_ROWS = 1_000
MOST_TABLES = 8


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FrozenTable(_Record):
    """A table as it was when it was added; `caption` says what it shows."""

    caption: str = Field(max_length=LONGEST_CAPTION)
    columns: tuple[str, ...] = Field(max_length=60)
    rows: tuple[tuple[Cell, ...], ...] = Field(max_length=MOST_ROWS)


class FrozenChart(_Record):
    """A chart as a Vega-Lite specification with its data inside."""

    spec: dict[str, Any]
    caption: str
    alt: str


class FrozenSource(_Record):
    """A source that `[n]` in a block's sentences refers to."""

    id: str
    title: str
    url: str = ""
    source_type: str = ""
    date: str = ""


class BlockContent(_Record):
    """What a block holds: a copy, so that it stays when its run is deleted or the data change.

    Attributes:
        kind: What sort of block.
        title: One line; the heading in every export.
        sentences: Facts with citations, or the text of a note or decision.
        chart: Its chart.
        tables: Its tables.
        sources: What the sentences cite.
        agent: For an answer: the agent that can answer again.
        request: For an answer: what was asked.
        run_uuid: For an answer: the run that was copied.
        decided_on: For a decision: its date.
    """

    kind: BlockKind
    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    sentences: tuple[str, ...] = Field(default=(), max_length=200)
    chart: FrozenChart | None = None
    tables: tuple[FrozenTable, ...] = Field(default=(), max_length=MOST_TABLES)
    sources: tuple[FrozenSource, ...] = ()
    agent: str = ""
    request: dict[str, Any] = {}
    run_uuid: str = ""
    decided_on: date | None = None


class BlockComment(_Record):
    """A comment on a block."""

    comment_id: int
    author: str
    text: str
    created_at: datetime


class ProjectBlock(_Record):
    """A block of a project; `version` counts its edits."""

    block_id: int
    version: int
    content: BlockContent
    author: str
    updated_at: datetime
    comments: tuple[BlockComment, ...] = ()


class ProjectLine(_Record):
    """A project in a list; `role` is the caller's."""

    project_id: int
    name: str
    role: ProjectRole
    n_blocks: int
    updated_at: datetime


class Project(ProjectLine):
    """A project with its people and its blocks in order."""

    members: tuple[tuple[str, ProjectRole], ...] = ()
    blocks: tuple[ProjectBlock, ...] = ()

    @property
    def may_edit(self) -> bool:
        """Return whether the caller may change blocks."""
        return self.role != "reader"
