"""The report of the sample agent."""

from core.agents.target_stages.schema import COLUMNS, TargetStagesData

from core.briefs.report import compose_report, list_lines, make_front
from core.reports.document import About, Document, TableReader


def compose(data: TargetStagesData, tables: TableReader, about: About) -> Document:
    """Show the drugs."""
    own = list_lines(COLUMNS, ("name", "phase", "companies", "sources"), data.drugs, "Drugs")
    front = make_front([one.text for one in data.claims], [("Drugs", str(len(data.drugs)), "")])
    return compose_report(data, tables, about, front=front, own_blocks=own)
