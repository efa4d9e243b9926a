"""Parts that the reports of agents on evidence share: marks, drugs left out, facts, sources."""

from collections.abc import Iterable, Sequence

from core.records.sources import Source
from core.reports.document import Block, Grid, Heading, Paragraph, SourceLine, Sources, TableReader

MOST_LEFT_OUT = 40
MOST_MARKS = 4


def marks(source_ids: Sequence[str], most: int = MOST_MARKS) -> str:
    """Return the marks of sources, as many as a narrow column bears.

    >>> marks(["1", "2", "3"], 2)
    '[1][2]…'
    """
    more = "…" if len(source_ids) > most else ""
    return "".join(f"[{source_id}]" for source_id in source_ids[:most]) + more


def explain_mark(unconfirmed: Iterable[Sequence[str]], note: str) -> list[Block]:
    """Explain the mark of cells that nothing confirms, where a drug has such cells.

    Args:
        unconfirmed: The names of such cells, drug by drug.
        note: What the mark means.
    """
    return [Paragraph(note)] if any(unconfirmed) else []


def under(heading: str, blocks: Sequence[Block]) -> list[Block]:
    """Return blocks under their heading; without blocks nothing."""
    return [Heading(heading), *blocks] if blocks else []


def list_left_out(candidates: Sequence[tuple[str, str]]) -> list[Block]:
    """List candidates with the reason why they were not taken."""
    if not candidates:
        return []
    rows = tuple(candidates)
    return [Grid(("Candidate", "Reason"), rows, "Excluded candidates", most=MOST_LEFT_OUT)]


def tell_facts(tables: TableReader) -> list[Block]:
    """Say where the facts behind the rows are; there are too many to print."""
    if "facts" not in tables.names():
        return []
    number = len(tables.read("facts"))
    text = (
        f"The {number:,} facts behind the rows, each with its record, its place in it and its "
        "address, are the sheet “facts” of the spreadsheet of this run."
    )
    return [Paragraph(text)]


def list_sources(sources: Iterable[Source]) -> Sources:
    """Return the numbered sources."""
    return Sources(
        tuple(
            SourceLine(source.id, source.title, source.url, source.source_type)
            for source in sources
        )
    )
