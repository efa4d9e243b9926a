"""Tables inside results: one typed row model, columns in memory, rows on the wire.

A result may hold 60,000 rows a method. Building a model per row is slow and heavy, so a `Table`
keeps a data frame, appears in the JSON schema as an array of its row model, and is written as
an array of objects. Missing values are null, never NaN.

Serializing with `context={"tables": "reference"}` leaves the array empty: readers then take the
rows from `GET /v1/runs/{run_id}/tables/{name}`.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar, ForwardRef, TypeVar, get_args

import pydantic
from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


class Table:
    """Rows of one model, held by column. Subclass it and set `row_model`.

    Attributes:
        name: Address under `/v1/runs/{run_id}/tables/`.
        frame: pandas DataFrame, one column a field of the row model (in its order).
    """

    row_model: ClassVar[type[BaseModel]]

    def __init__(self, name: str, frame: Any) -> None:
        """Keep the frame under the name by which it is served.

        Args:
            name: Letters, digits, hyphen, underscore; unique within a result.
            frame: pandas DataFrame whose columns are the fields of `row_model`.

        Raises:
            ValueError: The columns are not the row model's fields, in order.
        """
        expected = list(self.row_model.model_fields)
        if list(frame.columns) != expected:
            raise ValueError(f"table {name}: columns {list(frame.columns)} are not {expected}")
        self.name = name
        self.frame = frame

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.frame)

    def rows(self) -> list[dict[str, object]]:
        """Return the rows as plain objects, with None for every missing value."""
        columns = [_plain(self.frame[name]) for name in self.frame.columns]
        names = list(self.frame.columns)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept an instance or an array of rows; write an array of rows."""

        def read(value: object) -> "Table":
            if isinstance(value, cls):
                return value
            import pandas as pd

            rows = pydantic.TypeAdapter(list[cls.row_model]).validate_python(value)  # type: ignore[name-defined]
            plain = [row.model_dump() for row in rows]
            return cls("table", pd.DataFrame(plain, columns=list(cls.row_model.model_fields)))

        def write(table: "Table", info: core_schema.SerializationInfo) -> list[dict[str, object]]:
            by_reference = (info.context or {}).get("tables") == "reference"
            return [] if by_reference else table.rows()

        rows_schema = core_schema.list_schema(handler.generate_schema(cls.row_model))
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(read, rows_schema),
            python_schema=core_schema.no_info_plain_validator_function(read),
            serialization=core_schema.plain_serializer_function_ser_schema(write, info_arg=True),
            metadata={"pydantic_js_functions": [lambda _schema, inner: inner(rows_schema)]},
        )


def _plain(column: Any) -> list[object]:
    """Return a column's values as Python's own, with None for every missing one.

    A column at a time is some five times as fast as rows of a whole frame of objects.
    """
    missing = column.isna().to_numpy()
    if column.dtype.kind in "fiub" and not hasattr(column.dtype, "na_value"):
        values = column.to_numpy().tolist()
    else:
        values = column.astype(object).tolist()
        if any(hasattr(kind, "dtype") for kind in set(map(type, values))):
            values = [value.item() if hasattr(value, "dtype") else value for value in values]
    if not missing.any():
        return list(values)
    return [None if gone else value for value, gone in zip(values, missing, strict=True)]


def find_tables(value: object) -> Iterator[Table]:
    """Yield every table inside a result, in the order of its fields."""
    if isinstance(value, Table):
        yield value
    elif isinstance(value, BaseModel):
        for name in _fields_to_search(type(value)):
            yield from find_tables(getattr(value, name))
    elif isinstance(value, dict):
        for entry in value.values():
            yield from find_tables(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from find_tables(entry)


@cache
def _fields_to_search(record: type[BaseModel]) -> tuple[str, ...]:
    """Return the fields of a record that may hold a table: most of a large answer's hold none."""
    fields = record.model_fields.items()
    return tuple(name for name, field in fields if _may_hold(field.annotation, {record}))


def _may_hold(annotation: Any, above: set[type]) -> bool:
    """Return whether a value of this type may be or hold a table; True where it cannot be told."""
    if parts := get_args(annotation):
        return any(_may_hold(argument, above) for argument in parts if argument is not Ellipsis)
    if not isinstance(annotation, type):
        return isinstance(annotation, TypeVar | ForwardRef) or annotation is Any
    if annotation in above:
        return False
    if issubclass(annotation, BaseModel):
        inside = annotation.model_fields.values()
        return any(_may_hold(field.annotation, {*above, annotation}) for field in inside)
    return issubclass(annotation, Table) or annotation in (object, dict, list, tuple)
