"""What the columns of all tables are made of: references, instants, words."""

from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel
from sqlalchemy import JSON, Column, ForeignKey, Integer, MetaData, String
from sqlmodel import Field, SQLModel

from storage.instants import Instant

Record = TypeVar("Record", bound=BaseModel)
NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Row(SQLModel):
    """Base of all tables; holds their names' rule."""

    metadata: ClassVar[MetaData] = MetaData(naming_convention=NAMES)


class NumberedRow(Row):
    """Base of the tables whose rows have a number of their own."""

    id: int | None = Field(default=None, primary_key=True)


def record_of(row: SQLModel, record: type[Record], **given: object) -> Record:
    """Return a row as the record that leaves this package.

    Args:
        row: Its columns are the record's fields of the same name.
        record: Type of the record.
        given: Values of the other fields.
    """
    names = record.model_fields.keys() - given.keys()
    values = {name: getattr(row, name) for name in names}
    return record.model_validate({**values, **given})


def belongs_to(
    target: str, *, index: bool = True, nullable: bool = False, on_delete: str = "CASCADE"
) -> Any:  # noqa: ANN401 - stands for any field type
    """Return a column that refers to a row of another table.

    Args:
        target: `table.column`.
        index: False where a unique constraint begins with this column.
        nullable: Whether the row may refer to nothing.
        on_delete: What happens to this row when the other goes.
    """
    key = ForeignKey(target, ondelete=on_delete)
    return Field(default=None, sa_column=Column(key, nullable=nullable, index=index))


def instant(*, nullable: bool = False) -> Any:  # noqa: ANN401 - stands for any field type
    """Return a column that holds an instant."""
    return Field(default=None, sa_column=Column(Instant(), nullable=nullable))


def words() -> Any:  # noqa: ANN401 - stands for any field type
    """Return a column of words that older rows have empty."""
    return Field(default="", sa_column=Column(String, nullable=False, server_default=""))


def number() -> Any:  # noqa: ANN401 - stands for any field type
    """Return a column of a number that is 0 in older rows."""
    return Field(default=0, sa_column=Column(Integer, nullable=False, server_default="0"))


def listed() -> Any:  # noqa: ANN401 - stands for any field type
    """Return a column of a list that older rows have empty."""
    return Field(default_factory=list, sa_column=Column(JSON, nullable=False, server_default="[]"))
