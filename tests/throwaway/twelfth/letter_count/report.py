"""The report of the letter count."""

from core.agents.letter_count.schema import LetterCountData

from core.reports.document import About, Document, Front, Grid, Heading, TableReader, Tile


def compose(data: LetterCountData, tables: TableReader, about: About) -> Document:
    """Show the counts."""
    letters = tables.read("letters")
    rows = tuple(zip(letters["letter"].tolist(), letters["count"].tolist(), strict=True))
    return Document(
        title=about.label,
        subtitle=about.agent_title,
        about=about,
        blocks=(Heading("Letters"), Grid(("letter", "count"), rows, data.summary)),
        warnings=tuple(data.warnings),
        front=Front((data.summary,), (Tile("Letters", f"{len(rows):,}"),)),
    )
