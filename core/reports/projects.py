"""Projects as documents: an answer frozen into a block, blocks composed into one report."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from core.records.projects import (
    LONGEST_CAPTION,
    LONGEST_TITLE,
    MOST_TABLES,
    BlockContent,
    FrozenChart,
    FrozenSource,
    FrozenTable,
    Project,
    ProjectBlock,
)
from core.reports.document import (
    About,
    Block,
    Bullets,
    Chart,
    Document,
    Front,
    Grid,
    Heading,
    Paragraph,
    SourceLine,
    Sources,
)
from core.reports.phrases import show_date
from core.reports.text import clean

if TYPE_CHECKING:
    import pandas as pd

MOST_FROZEN_ROWS = 200
"""Rows of each table of an answer that a block keeps."""
MOST_PRINTED_ROWS = 20
T = TypeVar("T")
_CITE = re.compile(r"\[(\d{1,4})\]")


def freeze_chart(chart: Chart | None) -> FrozenChart | None:
    """Return a chart as a block keeps it."""
    if chart is None:
        return None
    return FrozenChart(spec=dict(chart.spec), caption=chart.caption, alt=chart.alt)


def freeze_answer(document: Document, request: Mapping[str, Any]) -> BlockContent:
    """Return an answer as a block keeps it: its front, its first tables, what they cite.

    Args:
        document: The report of the run.
        request: What was asked, so that it can be asked again.
    """
    grids = [block for block in document.blocks if isinstance(block, Grid) and block.rows]
    tables = tuple(
        FrozenTable(
            caption=grid.caption[:LONGEST_CAPTION],
            columns=grid.columns,
            rows=grid.rows[:MOST_FROZEN_ROWS],
        )
        for grid in grids[:MOST_TABLES]
    )
    sentences = tuple(document.front.sentences)
    doubts = (document.front.confidence,) if document.front.confidence else ()
    listed = [
        source
        for block in document.blocks
        if isinstance(block, Sources)
        for source in block.sources
    ]
    content = BlockContent(
        kind="answer",
        title=clean(document.title)[:LONGEST_TITLE] or document.subtitle,
        sentences=(*sentences, *doubts),
        chart=freeze_chart(document.front.chart),
        tables=tables,
        agent=document.about.agent,
        request=dict(request),
        run_uuid=document.about.run_uuid,
    )
    return content.model_copy(update={"sources": tuple(_cited(content, listed))})


def _cited(content: BlockContent, sources: Iterable[SourceLine]) -> Iterator[FrozenSource]:
    numbers = {number for text in _texts(content) for number in _CITE.findall(text)}
    for source in sources:
        if source.id in numbers:
            yield FrozenSource(
                id=source.id,
                title=source.title,
                url=source.url,
                source_type=source.source_type,
                date=source.date,
            )


def _texts(content: BlockContent) -> Iterator[str]:
    yield from content.sentences
    for table in content.tables:
        yield from (cell for row in table.rows for cell in row if isinstance(cell, str))


def compose_project(project: Project, at: datetime) -> Document:
    """Compose the report of a project: its blocks in order, sources numbered through.

    Args:
        project: The project.
        at: When it is exported.
    """
    blocks: list[Block] = []
    sources: list[SourceLine] = []
    for block in project.blocks:
        numbers: dict[str, str] = {}
        for source in block.content.sources:
            numbers[source.id] = str(len(sources) + 1)
            sources.append(
                SourceLine(
                    numbers[source.id], source.title, source.url, source.source_type, source.date
                )
            )
        blocks += _compose_block(block, numbers)
    blocks += [Heading("Sources"), Sources(tuple(sources))] if sources else []
    decisions = [
        project_block.content
        for project_block in project.blocks
        if project_block.content.kind == "decision"
    ]
    last = [f"{_date_of(decision)}{decision.title}" for decision in decisions[-3:]]
    return Document(
        title=project.name,
        subtitle="Project",
        about=About(
            run_uuid="",
            agent="",
            agent_title="Project",
            label=project.name,
            completed_at=at,
            elapsed_s=0.0,
            request={},
        ),
        blocks=tuple(blocks),
        front=Front(sentences=tuple(last)),
    )


def _date_of(content: BlockContent) -> str:
    return f"{show_date(content.decided_on.isoformat())}: " if content.decided_on else ""


def _compose_block(block: ProjectBlock, numbers: Mapping[str, str]) -> Iterator[Block]:
    content = block.content

    def renumber(text: str) -> str:
        return _CITE.sub(lambda mark: f"[{numbers.get(mark[1], mark[1])}]", text)

    yield Heading(f"{_date_of(content)}{content.title}")
    if content.kind in {"note", "decision"}:
        for text in content.sentences:
            yield from (Paragraph(line) for line in text.splitlines() if line.strip())
    elif content.sentences:
        yield Bullets(tuple(map(renumber, content.sentences)))
    if content.chart is not None:
        chart = content.chart
        yield Chart(chart.spec, chart.caption, chart.alt)
    for table in content.tables:
        rows = tuple(
            tuple(renumber(cell) if isinstance(cell, str) else cell for cell in row)
            for row in table.rows
        )
        total = len(rows) if len(rows) > MOST_PRINTED_ROWS else None
        yield Grid(table.columns, rows, table.caption, total, most=MOST_PRINTED_ROWS)
    if block.comments:
        yield Heading("Comments", 2)
        yield Bullets(
            tuple(
                f"{comment.author}, {show_date(comment.created_at.date().isoformat())}: "
                f"{comment.text}"
                for comment in block.comments
            )
        )


@dataclass(frozen=True)
class ProjectTables:
    """The tables of a project for a spreadsheet, named by block and caption."""

    project: Project

    def names(self) -> list[str]:
        """Return the names of the tables, each once."""
        return list(self._tables())

    def read(self, name: str) -> "pd.DataFrame":
        """Return a table whole."""
        return frame_of(self._tables()[name])

    def _tables(self) -> dict[str, FrozenTable]:
        return {
            f"{index}.{number} {table.caption}": table
            for index, block in enumerate(self.project.blocks, start=1)
            for number, table in enumerate(block.content.tables, start=1)
        }


def frame_of(table: FrozenTable) -> "pd.DataFrame":
    """Return a frozen table as a data frame."""
    import pandas as pd

    return pd.DataFrame([list(row) for row in table.rows], columns=list(table.columns))


def render_project(project: Project, at: datetime, fmt: str) -> bytes:
    """Return a project as a file; runs in a child.

    Args:
        project: The project.
        at: When it is exported.
        fmt: "pdf", "pptx", "xlsx" or "md".
    """
    document = compose_project(project, at)
    if fmt == "md":
        from core.reports.markdown import render_markdown

        return render_markdown(document).encode()
    if fmt == "pdf":
        from core.reports.pdf import render_pdf

        return render_pdf(document)
    if fmt == "pptx":
        from core.reports.slides import render_pptx

        return render_pptx(document)
    from core.reports.spreadsheet import render_xlsx

    return render_xlsx(document, ProjectTables(project))


@dataclass(frozen=True)
class ContentDifference:
    """What a newer answer says differently.

    Attributes:
        added: New sentences, tables, columns and rows, the last as "table: first cell".
        gone: Those that are gone.
        changed: Table, row, column, before, after.
    """

    added: tuple[str, ...]
    gone: tuple[str, ...]
    changed: tuple[tuple[str, str, str, str, str], ...]

    @property
    def is_empty(self) -> bool:
        """Return whether nothing differs."""
        return not (self.added or self.gone or self.changed)


def compare_contents(before: BlockContent, after: BlockContent) -> ContentDifference:
    """Return what changed between a frozen answer and a newer one.

    Citation numbers are ignored. Tables are matched by caption without its numbers; their rows by
    the first cell, the first with the first and so on where several share it.
    """
    old, new = (
        list(dict.fromkeys(_CITE.sub("", text).strip() for text in block_content.sentences))
        for block_content in (before, after)
    )
    added, gone = _less(new, old), _less(old, new)
    changed: list[tuple[str, str, str, str, str]] = []
    stored_frozen_tables, now = _by_caption(before), _by_caption(after)
    added += [f"Table: {now[key].caption}" for key in _less(now, stored_frozen_tables)]
    gone += [
        f"Table: {stored_frozen_tables[key].caption}" for key in _less(stored_frozen_tables, now)
    ]
    for key in (key_before for key_before in now if key_before in stored_frozen_tables):
        table, earlier = now[key], stored_frozen_tables[key]
        added += [
            f"{table.caption}: column {column}" for column in _less(table.columns, earlier.columns)
        ]
        gone += [
            f"{table.caption}: column {column}" for column in _less(earlier.columns, table.columns)
        ]
        shared = [column for column in earlier.columns if column in table.columns]
        rows, rows_now = _rows(earlier, shared), _rows(table, shared)
        same = Counter(rows) & Counter(rows_now)
        left, left_now = _by_first_cell(rows, same), _by_first_cell(rows_now, same)
        added += [f"{table.caption}: {sentence}" for sentence, _ in _less(left_now, left)]
        gone += [f"{table.caption}: {sentence}" for sentence, _ in _less(left, left_now)]
        changed += [
            (table.caption, row[0], name, cell, cell_now)
            for row in left
            if row in left_now
            for name, cell, cell_now in zip(shared, left[row], left_now[row], strict=True)
            if cell != cell_now
        ]
    return ContentDifference(tuple(added), tuple(gone), tuple(sorted(changed)))


def _by_caption(content: BlockContent) -> dict[tuple[str, int], FrozenTable]:
    seen: Counter[str] = Counter()
    tables = {}
    for table in content.tables:
        caption = re.sub(r"[\d,.]+", "", table.caption)
        tables[caption, seen[caption]] = table
        seen[caption] += 1
    return tables


def _less(keys: Iterable[T], others: Container[T]) -> list[T]:
    return [key for key in keys if key not in others]


def _rows(table: FrozenTable, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the cells of some columns as text without citations."""
    places = [table.columns.index(column) for column in columns]
    return [
        tuple(
            _CITE.sub("", "" if row[column] is None else str(row[column])).strip()
            for column in places
        )
        for row in table.rows
    ]


def _by_first_cell(
    rows: Iterable[tuple[str, ...]], same: Counter[tuple[str, ...]]
) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return the rows that the other table does not have, by first cell and its place."""
    spare, seen = same.copy(), Counter[str]()
    keyed = {}
    for row in rows:
        if spare[row] > 0:
            spare[row] -= 1
        elif row:
            keyed[row[0], seen[row[0]]] = row
            seen[row[0]] += 1
    return keyed


def freeze_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str) -> FrozenTable:
    """Return rows of a page's table as a block keeps them; numbers stay numbers."""

    def cell(value: Any) -> str | float | int | None:
        if value is None or value != value:  # noqa: PLR0124 - NaN is not equal to itself
            return None
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int | float):
            return value
        return str(value)

    return FrozenTable(
        caption=caption[:LONGEST_CAPTION],
        columns=tuple(map(str, columns)),
        rows=tuple(tuple(map(cell, row)) for row in rows),
    )
