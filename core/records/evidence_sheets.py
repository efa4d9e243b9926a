"""Tables of facts and sources that every answer about drugs carries, flat for spreadsheets."""

from pydantic import Field

from core.records.table import Table
from core.records.wire import Answer


class FactRow(Answer):
    """One fact behind a cell."""

    drug_name: str
    cell: str = Field(description="Column of the drug row that it supports.")
    statement: str = Field(description="The statement as the answer words it.")
    predicate: str
    value: str = Field(description="Value in the record.")
    qualifiers: str = Field(description="Arm, n, time point and similar details as reported.")
    as_of: str
    locator: str = Field(description="Location in the record.")
    record_id: str
    url: str
    source_id: str = Field(description="Number of the source.")
    rule: str = Field(
        description="Rule that derived the statement; empty if the record reports it directly."
    )
    is_expert: bool = Field(description="Whether it is curator-entered and not yet verified.")


class FactTable(Table):
    """Facts by drug and cell."""

    row_model = FactRow


class SourceRow(Answer):
    """One source, flat."""

    id: str
    title: str
    source_type: str
    url: str


class SourceTable(Table):
    """Sources by number."""

    row_model = SourceRow
