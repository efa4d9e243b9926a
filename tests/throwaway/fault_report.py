"""The report of the fault probe."""

from core.agents.fault_probe import FaultData

from core.reports.document import About, Document, Grid, Heading, TableReader


def compose(data: FaultData, tables: TableReader, about: About) -> Document:
    """Show the squares."""
    squares = tables.read("squares")
    rows = tuple(zip(squares["number"].tolist(), squares["word"].tolist(), strict=True))
    return Document(
        title="Fault probe",
        subtitle=about.label,
        about=about,
        blocks=(Heading("Squares"), Grid(("number", "word"), rows, "Numbers")),
        warnings=tuple(data.warnings),
    )
