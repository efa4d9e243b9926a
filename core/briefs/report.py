"""The report of an answer on evidence: figures, summary, the agent's own part, method, sources."""

from collections.abc import Sequence
from typing import Any, Protocol

from core.briefs.columns import Column, list_grid
from core.briefs.records import NOTHING, ExcludedDrug, SummaryClaim
from core.evidence.assets.stages.unconfirmed import NOTE
from core.records.sources import Source
from core.reports.document import (
    About,
    Block,
    Bullets,
    Document,
    Heading,
    KeyFigures,
    Paragraph,
    TableReader,
)
from core.reports.evidence_parts import explain_mark, list_left_out, list_sources, tell_facts


class Told(Protocol):
    """An answer with the fields of `records.BriefData` that a report prints."""

    @property
    def summary(self) -> str:
        """What it says in a few sentences."""
        ...

    @property
    def claims(self) -> Sequence[SummaryClaim]:
        """The summary by sentence."""
        ...

    @property
    def excluded(self) -> Sequence[ExcludedDrug]:
        """Candidates not taken."""
        ...

    @property
    def sources(self) -> Sequence[Source]:
        """What its citations refer to."""
        ...

    @property
    def warnings(self) -> Sequence[str]:
        """What a reader must know."""
        ...


def list_lines(
    columns: Sequence[Column[Any]],
    view: Sequence[str],
    lines: Sequence[object],
    caption: str,
    nothing: str = NOTHING,
) -> list[Block]:
    """Return the lines under their caption, with what their mark means.

    Args:
        columns: The columns.
        view: Names of those that are printed, in order.
        lines: The lines.
        caption: Heading of the section and caption of the grid.
        nothing: Said where there are none.
    """
    grid: list[Block] = [*list_grid(columns, view, lines, caption)]
    marked = explain_mark((getattr(one, "unconfirmed", ()) for one in lines), NOTE)
    return [Heading(caption), *(grid or [Paragraph(nothing)]), *marked]


def compose_report(
    data: Told,
    tables: TableReader,
    about: About,
    *,
    title: str,
    figures: Sequence[tuple[str, str]],
    own: Sequence[Block],
    method: Sequence[Block] = (),
) -> Document:
    """Return the report of an answer.

    Args:
        data: The answer.
        tables: The run's tables.
        about: What the document says of the run.
        title: What the answer is of, after the agent's title.
        figures: Label and value of the figures shown large; the first is the number of lines.
        own: The agent's own part.
        method: How it read the request and where it looked.
    """
    left = [(one.name, one.reason) for one in data.excluded]
    claims = tuple(claim.text.replace("**", "*") for claim in data.claims)
    blocks: list[Block] = [
        KeyFigures(tuple(figures)),
        Heading("Summary"),
        Bullets(claims or (data.summary,)),
        *own,
        Heading("How the answer came about"),
        *method,
        *list_left_out(left),
        *tell_facts(tables),
        list_sources(data.sources),
    ]
    label, number = figures[0]
    return Document(
        title=f"{about.agent_title}: {title}",
        subtitle=f"{number} {label.lower()}, {len(data.sources)} sources",
        about=about,
        blocks=tuple(blocks),
        warnings=tuple(data.warnings),
    )
