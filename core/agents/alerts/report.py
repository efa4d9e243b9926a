"""The report of a run: the list of saved queries."""

from core.agents.alerts.schema import AlertsData, QueryRecord
from core.briefs.report import as_text, make_front
from core.reports.document import About, Block, Document, Grid, Heading, Paragraph, TableReader

COLUMNS = ("Id", "Query", "Agent", "Watched", "Level", "New hits", "Last evaluated")
METHOD = (
    "After each import of evidence every watched query is checked against the new events. "
    "An event fires once, from a score of 30 (low), 50 (medium) or 70 (high); the first import of "
    "a source fires nothing."
)


def compose(data: AlertsData, tables: TableReader, about: About) -> Document:
    """Compose the report of a run."""
    del tables
    quota = data.quota
    saved, waiting = len(data.queries), sum(query.hits_since_seen for query in data.queries)
    figures = (
        ("Saved queries", str(saved), ""),
        ("Watched", str(quota.enabled_count), f"of {quota.max_enabled}"),
        ("New hits", str(waiting), "not seen yet"),
    )
    blocks: list[Block] = [Heading("Saved queries")]
    if data.queries:
        rows = tuple(_row(query) for query in data.queries)
        blocks.append(Grid(COLUMNS, rows, "Saved queries, newest first"))
    else:
        blocks.append(Paragraph("None yet: every run of an agent that can be watched saves one."))
    blocks += [Heading("How it works"), Paragraph(METHOD)]
    return Document(
        title=about.label,
        subtitle=f"{about.agent_title}: {saved} saved queries, {quota.enabled_count} watched",
        about=about,
        blocks=tuple(blocks),
        warnings=tuple(data.warnings),
        front=make_front([], figures),
    )


def _row(record: QueryRecord) -> tuple[str | float | int | None, ...]:
    at = (record.last_evaluated_at or "")[:16].replace("T", " ")
    return (
        record.id,
        as_text(record.query),
        record.agent,
        "yes" if record.alerts_enabled else "no",
        record.signal_level,
        record.hits_since_seen,
        at or "not yet",
    )
