"""The assays and their criteria as flat tables: wire, page, report and CSV."""

from core.agents.assay_development.records import AssayFormat, PackageEntry, ValidationParameter
from core.briefs.columns import Column, ColumnTable, line_model, source_column

Line = tuple[PackageEntry, AssayFormat]

FORMATS: tuple[Column[Line], ...] = (
    Column("category", "Category", value=lambda row: row[0].category),
    Column("name", "Assay", value=lambda row: row[1].name),
    Column("priority", "Priority", value=lambda row: row[1].priority),
    Column("need", "Need", value=lambda row: row[0].need),
    Column("stage", "From stage", value=lambda row: row[1].stage.replace("_", " ")),
    Column("readouts", "Readouts", value=lambda row: row[1].readouts),
    Column("controls", "Controls", value=lambda row: row[1].controls),
    Column("weeks", "Weeks", int, value=lambda row: row[1].weeks),
    Column("principle", "Principle", value=lambda row: row[1].principle),
    source_column(ids=lambda row: row[1].source_ids),
)
FORMAT_VIEW = ("category", "name", "priority", "readouts", "weeks", "sources")
CRITERIA: tuple[Column[ValidationParameter], ...] = (
    Column("assay", "Assay"),
    Column("parameter", "Parameter"),
    Column("criterion", "Criterion"),
    Column("basis", "Basis"),
    source_column(),
    Column("design", "Design"),
)


class FormatTable(ColumnTable):
    """The assays by category."""

    columns = FORMATS
    row_model = line_model("AssayLine", "One assay, flat.", FORMATS)


class CriterionTable(ColumnTable):
    """The criteria by assay."""

    columns = CRITERIA
    row_model = line_model("AssayCriterionLine", "One criterion of one assay, flat.", CRITERIA)
