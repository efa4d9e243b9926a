"""Reads the tables that lie beside the modules of their rows: every row checked, with its basis."""

import csv
import re
import sys
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import KnowledgeError


class TableRow(BaseModel):
    """What every row ends in: where it comes from and what it rests on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_title: str
    source_url: str
    source_locator: str
    retrieved_on: str = Field(pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    basis: Literal["published", "guideline", "expert", "fitted"]
    curated_on: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    note: str


Row = TypeVar("Row", bound=BaseModel)


def place_of(table: str, model: type[BaseModel]) -> Path:
    """Return the file of a table: it lies beside the module that declares its row."""
    return Path(str(sys.modules[model.__module__].__file__)).with_name(f"{table}.csv")


@cache
def load_rows(table: str, model: type[Row]) -> tuple[Row, ...]:
    """Return the rows of a table.

    Args:
        table: Name of the file without ending.
        model: The row; its fields are the columns. A `TableRow` where it states something.

    Raises:
        KnowledgeError: A row does not fit the model, or one that is published names no source.
    """
    rows: list[Row] = []
    with place_of(table, model).open(encoding="utf-8", newline="") as text:
        for line, cells in enumerate(csv.DictReader(text), start=2):
            try:
                row = model.model_validate(cells)
            except ValidationError as error:
                where = ".".join(map(str, error.errors()[0]["loc"]))
                raise KnowledgeError(f"{table}.csv line {line}: {where} does not fit") from error
            if isinstance(row, TableRow) and row.basis != "expert" and not row.source_title:
                raise KnowledgeError(f"{table}.csv line {line}: {row.basis} but no source")
            rows.append(row)
    return tuple(rows)


def compile_pattern(pattern: str, table: str) -> re.Pattern[str]:
    """Return a column's regular expression. Raises KnowledgeError."""
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise KnowledgeError(f"{table}.csv: {pattern!r} is no regular expression") from error
