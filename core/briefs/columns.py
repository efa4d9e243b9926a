"""The columns of an agent's rows, declared once: wire table, page table, report grid and CSV."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, Field, create_model

from core.evidence.proof.cells import mark
from core.records.table import Table
from core.records.wire import Answer
from core.reports.document import Grid
from core.reports.evidence_parts import marks

Row = TypeVar("Row")
Scalar = str | float | int | None


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of rows.

    Attributes:
        name: Field of the flat table, and of the row where `value` is not given.
        heading: Over the column on pages and in reports.
        kind: Type on the wire; None where only people see the column.
        value: What the flat table has.
        shown: What people see; None: the value, a list with commas, what is empty as a gap.
        cell: Name under which the row may call it "not confirmed"; it is marked then.
        description: What the wire's schema says of it.
    """

    name: str
    heading: str = ""
    kind: Any = str
    value: Callable[[Row], object] | None = None
    shown: Callable[[Row], Scalar] | None = None
    cell: str = ""
    description: str | None = None

    def tell(self, row: Row) -> object:
        """Return what the flat table has; names are joined."""
        value = self.value(row) if self.value else getattr(row, self.name)
        return "; ".join(value) if isinstance(value, list | tuple) else value

    def show(self, row: Row) -> Scalar:
        """Return what people see, marked where nothing but a curator's knowledge carries it."""
        value: Any = self.shown(row) if self.shown else self.tell(row)
        if self.cell:
            value = mark(value or "", self.cell, getattr(row, "unconfirmed"))  # noqa: B009
        return None if value == "" else value


def source_column(
    name: str = "sources",
    ids: Callable[[Any], Sequence[str]] = lambda row: row.source_ids,
    kind: Any = str,
) -> Column[Any]:
    """Return a column of sources: numbers on the wire, marks for people.

    Args:
        name: Field of the flat table.
        ids: Numbers of a row's sources.
        kind: None where only people see it.
    """
    return Column(
        name,
        "Sources",
        kind,
        value=lambda row: " ".join(ids(row)),
        shown=lambda row: marks(ids(row)),
        description="Numbers of its sources.",
    )


UNCONFIRMED: Column[Any] = Column(
    "unconfirmed",
    "Not confirmed",
    shown=lambda row: ", ".join(row.unconfirmed),
    description="Cells that are expert, not confirmed.",
)


def line_model(name: str, says: str, columns: Iterable[Column[Any]]) -> type[BaseModel]:
    """Return the model of a line of the flat table.

    Args:
        name: Of the record in the wire's schema.
        says: What a line is.
        columns: The columns; those of no kind are left out.
    """
    fields: dict[str, Any] = {
        column.name: (column.kind, Field(description=column.description))
        for column in columns
        if column.kind
    }
    return create_model(name, __base__=Answer, __doc__=says, **fields)


class ColumnTable(Table):
    """A flat table made from columns; subclass it, set `columns` and `row_model`."""

    columns: ClassVar[Sequence[Column[Any]]]

    @classmethod
    def of(cls, name: str, rows: Iterable[object]) -> "Any":
        """Return the table of rows."""
        import pandas as pd

        columns = [column for column in cls.columns if column.kind]
        lines = [
            cls.row_model(**{column.name: column.tell(row) for column in columns}) for row in rows
        ]
        names = [column.name for column in columns]
        return cls(name, pd.DataFrame([line.model_dump() for line in lines], columns=names))


def show_rows(
    columns: Iterable[Column[Any]], view: Sequence[str], rows: Iterable[object]
) -> list[dict[str, Scalar]]:
    """Return rows as people see them, by heading, in the order of a view."""
    columns_by_name: Mapping[str, Column[Any]] = {column.name: column for column in columns}
    shown = [columns_by_name[name] for name in view]
    return [{column.heading: column.show(row) for column in shown} for row in rows]


def list_grid(
    columns: Iterable[Column[Any]],
    view: Sequence[str],
    rows: Sequence[object],
    caption: str,
    most: int | None = None,
) -> list[Grid]:
    """Return rows as the grid of a report; none where there are none."""
    lines = show_rows(columns, view, rows)
    cells = tuple(tuple(line.values()) for line in lines)
    return [Grid(tuple(lines[0]), cells, caption, most=most)] if lines else []


def list_all(
    columns: Sequence[Column[Any]],
    rows: Sequence[object],
    caption: str,
    total: int | None = None,
    most: int | None = None,
) -> list[Grid]:
    """Return rows as a grid with every column; none where there are none.

    Args:
        columns: The columns.
        rows: What the columns read.
        caption: Of the grid.
        total: Rows of which these are the first; None: these are all.
        most: Rows that print shows at most.
    """
    grids = list_grid(columns, [column.name for column in columns], rows, caption, most)
    return [replace(grid, total=total) for grid in grids]
