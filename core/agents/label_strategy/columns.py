"""The columns of compared uses and of shares: wire tables, page, report and CSV."""

from core.agents.label_strategy.records import ComparedUse, FrequencyRow
from core.briefs.columns import Column, ColumnTable, line_model, source_column

MARKS = {"same": "=", "narrower": "\u25bc", "broader": "\u25b2", "absent": "\u2013"}
LONGEST_CLAUSE = 180


def _differences(row: ComparedUse) -> str:
    """Return in what a use differs from the draft, marked."""
    differences = [
        f"{MARKS[difference.kind]} {difference.section}"
        for difference in row.differences
        if difference.kind != "same"
    ]
    return ", ".join(differences) or "= as drafted"


def _share(row: FrequencyRow) -> str:
    """Return a share with its numbers; none where too few labels count."""
    if row.share is None:
        return f"{row.n_with} of {row.n_labels} (n too small)"
    return f"{row.share:.0%} ({row.n_with} of {row.n_labels})"


def _cut(text: str) -> str:
    """Return a clause as far as a cell bears it, cut between words."""
    if len(text) <= LONGEST_CLAUSE:
        return text
    return f"{text[:LONGEST_CLAUSE].rsplit(' ', 1)[0]} \u2026"


USES: tuple[Column[ComparedUse], ...] = (
    Column("asset", "Label"),
    Column("indication_summary", "Use", shown=lambda row: _cut(row.indication_summary)),
    Column("line", "Line", str | None),
    Column("biomarker", "Biomarker", str | None),
    Column("age", "Age", str | None),
    Column("regimen", "Regimen", str | None),
    Column("stage_of_disease", "Stage of disease", str | None),
    Column("approval_type", "Approval"),
    Column("endpoint_class", "Endpoint", str | None),
    Column("limitation_of_use", "Limitation of use", str | None),
    Column("boxed", "Boxed warning", value=lambda row: row.boxed_terms),
    Column("differences", "Against the draft", value=_differences),
    Column("application_number", "Application", str | None),
    Column("version_on", "Label of", str | None),
    Column("match_score", "Match", int),
    source_column(),
)
USE_VIEW = (
    *("asset", "indication_summary", "line", "biomarker", "age", "regimen"),
    *("approval_type", "differences", "match_score", "sources"),
)
FREQUENCIES: tuple[Column[FrequencyRow], ...] = (
    Column("class_name", "Class"),
    Column("measure", "Measure"),
    Column("term", "Term"),
    Column("share", "Share", float | None, shown=_share),
    Column("n_with", "With it", int),
    Column("n_labels", "Labels counted", int),
    Column("n_unknown", "Not known", int),
    Column("labels_with", "Labels with it"),
    Column("labels_without", "Labels without it"),
    source_column(),
)
FREQUENCY_VIEW = ("class_name", "measure", "term", "share", "labels_with", "labels_without")


class UseTable(ColumnTable):
    """The compared uses as a flat table."""

    columns = USES
    row_model = line_model("UseLine", "A use of a label.", USES)


class FrequencyTable(ColumnTable):
    """The shares as a flat table."""

    columns = FREQUENCIES
    row_model = line_model("FrequencyLine", "A share with its labels.", FREQUENCIES)
