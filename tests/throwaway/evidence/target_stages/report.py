"""The report of the sample agent."""

from core.agents.target_stages.schema import COLUMNS, TargetStagesData

from core.briefs.report import compose_report, list_lines
from core.reports.document import About, Document, TableReader


def compose(data: TargetStagesData, tables: TableReader, about: About) -> Document:
    """Show the drugs."""
    own = list_lines(COLUMNS, ("name", "phase", "companies", "sources"), data.drugs, "Drugs")
    figures = [("Drugs", str(len(data.drugs)), "on record")]
    return compose_report(data, tables, about, title=about.label, figures=figures, own=own)
