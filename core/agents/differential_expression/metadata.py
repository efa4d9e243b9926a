"""The sample metadata: one row a sample, all values as text."""

from dataclasses import dataclass

from core.agents.differential_expression.schema import (
    DifferentialExpressionRequest,
    InputTable,
)
from core.agents.differential_expression.tables import (
    Layout,
    describe_table,
    read_table,
)
from core.errors import InvalidInput, MissingColumn
from core.tables.delimited import read_cells
from core.tables.text import missing_column, show
from core.workbench import RunContext


@dataclass(frozen=True)
class SampleSheet:
    """Metadata as read.

    Attributes:
        sample_ids: One text a row.
        columns: Values by column name, one text a row.
        layout: Separator and comment lines of the file.
        described: Name and content of the table.
    """

    sample_ids: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]
    layout: Layout
    described: InputTable

    def column(self, name: str, field: str) -> tuple[str, ...]:
        """Return a column by name. Raises MissingColumn."""
        if name in self.columns:
            return self.columns[name]
        present = [column for column in self.columns if column]
        raise MissingColumn(missing_column(name, present, self.described.name), field=field)


def read_metadata(request: DifferentialExpressionRequest, context: RunContext) -> SampleSheet:
    """Read the metadata table.

    Raises:
        UnreadableTable: The bytes are no table.
        MissingColumn: A named column is not there.
        InvalidInput: A sample ID is blank or occurs twice.
    """
    table = read_table("metadata_csv", request.metadata_csv, request.metadata_file_id, context)
    id_column = table.find_column(request.sample_id_column, "sample_id_column")
    cells = read_cells(table, numeric=())
    values = [tuple(str(cell).strip() for cell in column.to_pylist()) for column in cells.columns]
    sample_ids = values[id_column]
    if "" in sample_ids:
        row = sample_ids.index("") + 1
        raise InvalidInput(
            f"Row {row} of the metadata has no sample ID.", field=table.field, code="blank_sample"
        )
    twice = sorted({name for name in sample_ids if sample_ids.count(name) > 1})
    if twice:
        raise InvalidInput(
            f"Sample IDs occur more than once in the metadata: {show(twice)}; keep one row each.",
            field=table.field,
            code="duplicate_samples",
        )
    columns = dict(zip(table.columns, values, strict=True))
    layout = Layout(table.header.separator, table.header.n_skipped)
    return SampleSheet(sample_ids, columns, layout, describe_table(table, len(sample_ids)))
