"""Reads one generation of a pack; what an older format lacks is added before the first read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, Connection, inspect, select, text, update

from storage.evidence.pack_file import PackFile, PackInUse
from storage.evidence.schema import CHUNK, FORMAT, META, NAMES, RECORDS, TEXT_INDEX, refresh_names

TRIES = 30
"""How often an upgrade is tried while others read the pack."""


def upgrade_pack(file: PackFile) -> None:
    """Give an older pack the columns and lists that came since.

    Raises:
        PackInUse: Others do not let go of it.
    """
    if not file.exists() or not _is_outdated(file):
        return
    for left in reversed(range(TRIES)):
        try:
            with file.amend() as connection:
                version = read_note(connection, "format")
                if version == "1":
                    column = "ALTER TABLE records ADD COLUMN copied_on TEXT DEFAULT '' NOT NULL"
                    connection.execute(text(column))
                if version != FORMAT:
                    column = "ALTER TABLE records ADD COLUMN text_pk INTEGER DEFAULT 0 NOT NULL"
                    connection.execute(text(column))
                    connection.execute(update(RECORDS).values(text_pk=RECORDS.c.pk))
                    TEXT_INDEX.create(connection)
                    raised = update(META).where(META.c.name == "format").values(value=FORMAT)
                    connection.execute(raised)
                if not inspect(connection).has_table(NAMES.name):
                    NAMES.create(connection)
                    refresh_names(connection)
            return
        except PackInUse:
            if not left:
                raise


def _is_outdated(file: PackFile) -> bool:
    with file.read() as connection:
        is_older = read_note(connection, "format") in {"1", "2"}
        return is_older or not inspect(connection).has_table(NAMES.name)


def read_note(connection: Connection, name: str) -> str:
    """Return a note of a pack; "" where there is none."""
    return connection.scalar(select(META.c.value).where(META.c.name == name)) or ""


class PackReader:
    """Queries of one pack file; an absent pack is empty."""

    def __init__(self, file: PackFile) -> None:
        """Set the file; nothing is opened before the first use."""
        self._file = file
        self._is_current = False

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Give a connection to one generation of the live pack."""
        self._upgrade_once()
        with self._file.read() as connection:
            yield connection

    def _upgrade_once(self) -> None:
        if not self._is_current:
            upgrade_pack(self._file)
            self._is_current = True

    def _rows(
        self, query: Any, column: ColumnElement[Any], values: Sequence[object]
    ) -> list[dict[str, Any]]:
        """Return the rows whose column is among the values, each by the names of its columns."""
        names = [selected_column.key for selected_column in query.selected_columns]
        rows = self._plain_rows(query, column, values)
        return [dict(zip(names, row, strict=True)) for row in rows]  # row._mapping is 5x slower

    def _plain_rows(
        self, query: Any, column: ColumnElement[Any], values: Sequence[object]
    ) -> list[Any]:
        """Return the rows whose column is among the values, in chunks that a query can name."""
        distinct = list(dict.fromkeys(values))
        rows: list[Any] = []
        if distinct:
            with self._reading() as connection:
                for start in range(0, len(distinct), CHUNK):
                    chunk = query.where(column.in_(distinct[start : start + CHUNK]))
                    rows += connection.execute(chunk).all()
        return rows

    def _mapped(self, query: Any) -> Mapping[str, Any]:
        """Return a query of two columns as a mapping."""
        with self._reading() as connection:
            return {key: value for key, value in connection.execute(query)}
