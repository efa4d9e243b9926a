"""The report of an answer on evidence: figures, summary, the agent's own part, method, sources."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from core.briefs.columns import Column, list_grid
from core.briefs.front import MOST_SENTENCES
from core.briefs.records import NOTHING, ExcludedDrug, MemoSection, SummaryClaim
from core.evidence.assets.stages.unconfirmed import NOTE
from core.records.sources import Source
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
    TableReader,
    Tile,
)
from core.reports.evidence_parts import explain_mark, list_left_out, list_sources, tell_facts

METHOD = "Methods"
MOST_TILES = 4


class Cited(Protocol):
    """An answer with numbered sources."""

    @property
    def sources(self) -> Sequence[Source]:
        """What its citations refer to."""
        ...

    @property
    def warnings(self) -> Sequence[str]:
        """What a reader must know."""
        ...


class Told(Cited, Protocol):
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


def list_lines(
    columns: Sequence[Column[Any]],
    view: Sequence[str],
    lines: Sequence[object],
    caption: str,
    nothing: str = NOTHING,
    most: int | None = None,
) -> list[Block]:
    """Return the lines under their caption, with what their mark means."""
    grid: list[Block] = [*list_grid(columns, view, lines, caption, most)]
    marked = explain_mark((getattr(line, "unconfirmed", ()) for line in lines), NOTE)
    return [Heading(caption), *(grid or [Paragraph(nothing)]), *marked]


def tell_memo(sections: Sequence[MemoSection]) -> list[Block]:
    """Return a memo of several sections under its heading."""
    memo_blocks = [
        (Heading(section.title, 2), _tell_claims(section.claims)) for section in sections
    ]
    return [Heading("Memo"), *(block for pair in memo_blocks for block in pair)]


def _tell_claims(claims: Sequence[SummaryClaim]) -> Bullets:
    return Bullets(tuple(claim.text.replace("**", "*") for claim in claims))


def compose_report(
    data: Told,
    tables: TableReader,
    about: About,
    *,
    front: Front,
    own_blocks: Sequence[Block],
    method: Sequence[Block] = (),
) -> Document:
    """Return the report of an answer whose claims are one summary."""
    bullets = _tell_claims(data.claims) if data.claims else Bullets((data.summary,))
    left = list_left_out([(excluded.name, excluded.reason) for excluded in data.excluded])
    parts = [*own_blocks, Heading("Summary"), bullets]
    blocks = [*parts, Heading(METHOD), *method, *left]
    return make_document(data, tables, about, front=front, blocks=blocks)


def make_front(
    sentences: Sequence[str],
    figures: Sequence[tuple[str, str, str]],
    chart: Chart | None = None,
    doubts: Iterable[str] = (),
) -> Front:
    """Return what an answer opens with.

    Args:
        sentences: At most three are shown.
        figures: Label, value and note; the first, which counts the lines, and three more are
            shown large, where there is a line.
        chart: The picture.
        doubts: What says how sure it is.
    """
    tiles = tuple(Tile(*figure) for figure in figures if figures[0][1] != "0")
    plain_sentences = tuple(sentence.replace("**", "*") for sentence in sentences)
    return Front(plain_sentences[:MOST_SENTENCES], tiles[:MOST_TILES], chart, tuple(doubts))


def further_figures(figures: Sequence[tuple[str, str, str]]) -> list[Block]:
    """Return the figures that are not shown large, as a grid."""
    further = tuple(figures[MOST_TILES:])
    return [Grid(("Figure", "Value", "Note"), further, "Further figures")] if further else []


def make_document(
    data: Cited, tables: TableReader, about: About, *, front: Front, blocks: Sequence[Block]
) -> Document:
    """Return a document between its front and the numbered sources."""
    counts = [f"{tile.value} {tile.label.lower()}" for tile in front.tiles[:1]]
    summary = ", ".join([*(counts or ["nothing found"]), f"{len(data.sources)} sources"])
    ends = (*tell_facts(tables), list_sources(data.sources))
    return Document(
        title=about.label,
        subtitle=f"{about.agent_title}: {summary}",
        about=about,
        blocks=(*blocks, *ends),
        warnings=tuple(data.warnings),
        front=front,
    )


def as_text(text: str) -> str:
    """Return a caller's text in which nothing is bold or a citation."""
    return " ".join(text.split()).replace("**", "*\u200b*").replace("[", "(").replace("]", ")")
