"""The columns of the precedents: wire table, page, report and CSV."""

from core.agents.clinical_trial_design.records import PrecedentRow
from core.briefs.columns import Column, ColumnTable, line_model, source_column


def _cut(text: str, longest: int = 70) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


PRECEDENTS: tuple[Column[PrecedentRow], ...] = (
    Column("nct_id", "Trial", str | None),
    Column("asset", "Drug", shown=lambda row: _cut(row.asset, 40)),
    Column("sponsor", "Sponsor", shown=lambda row: _cut(row.sponsor, 30)),
    Column("kind", "Kind"),
    Column("phase", "Phase"),
    Column("indication", "Disease", shown=lambda row: _cut(row.indication, 50)),
    Column("line", "Line"),
    Column("population", "Marker"),
    Column("design_type", "Design"),
    Column("n", "N", int | None),
    Column("endpoint_class", "Primary endpoint"),
    Column("primary_endpoint", "Endpoint as written", shown=lambda row: _cut(row.primary_endpoint)),
    Column("comparator", "Control"),
    Column("duration_months", "Months", float | None),
    Column("sites", "Sites", int | None),
    Column("status", "Status", shown=lambda row: row.status.replace("_", " ").lower()),
    Column("outcome", "Outcome"),
    Column("effect", "Effect", shown=lambda row: _cut(row.effect)),
    Column("match_score", "Match", int),
    source_column(),
)
VIEW = (
    *("nct_id", "asset", "phase", "line", "n", "endpoint_class"),
    *("comparator", "duration_months", "status", "outcome", "match_score", "sources"),
)


class PrecedentTable(ColumnTable):
    """The precedents as a flat table, one line a trial."""

    row_model = line_model("PrecedentLine", "A trial of the setting.", PRECEDENTS)
    columns = PRECEDENTS
