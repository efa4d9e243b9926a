"""Request and answer of the sample agent, with its one list of columns."""

from pydantic import Field

from core.briefs.columns import UNCONFIRMED, Column, ColumnTable, line_model, source_column
from core.briefs.records import BriefData
from core.records.wire import Answer, Request
from core.vocabulary.stages import Phase


class TargetStagesRequest(Request):
    """Whose drugs to list."""

    target: str = Field(min_length=1, max_length=100, description="Name of the target.")


class DrugLine(Answer):
    """A drug of the target."""

    name: str
    phase: Phase
    companies: list[str]
    unconfirmed: list[str]
    source_ids: list[str]


COLUMNS: tuple[Column[DrugLine], ...] = (
    Column("name", "Drug"),
    Column("phase", "Phase", Phase, cell="stage"),
    Column("companies", "Companies", cell="company"),
    UNCONFIRMED,
    source_column(),
)


class DrugTable(ColumnTable):
    """Drugs by stage."""

    columns, row_model = COLUMNS, line_model("TargetDrugLine", "A drug, flat.", COLUMNS)


class TargetStagesData(BriefData):
    """The drugs of a target by stage."""

    drugs: list[DrugLine]
    drug_table: DrugTable
