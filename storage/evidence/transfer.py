"""A pack as one file to carry elsewhere: written, checked and read back.

The rows of a foreign file are read one by one into fresh tables; a file with anything besides
the tables of a pack (views, triggers) is refused before any row is read (`guard`).
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, select, text
from sqlalchemy.exc import DBAPIError

from core.errors import EvidenceDamaged, InvalidInput
from core.records.evidence import UNSEARCHED_SECTIONS
from storage.evidence.guard import check_file, guard
from storage.evidence.pack_file import open_file
from storage.evidence.schema import FORMAT, MENTIONS, META, NAMES, PACK, RECORDS, SPANS
from storage.evidence.writer import PackWriter

PORTION = 5_000


def write_pack(live: Path, target: Path) -> str:
    """Write a pack into a new file with its manifest, and return its sha256.

    Raises:
        InvalidInput: The target exists.
    """
    if target.exists():
        raise InvalidInput(f"{target.name} exists already; name a file that does not")
    with closing(sqlite3.connect(f"{live.resolve().as_uri()}?mode=rw", uri=True)) as connection:
        connection.execute("VACUUM INTO ?", [str(target)])
    digest = _hash(target)
    manifest = target.with_name(f"{target.name}.sha256")
    manifest.write_text(f"{digest}  {target.name}\n", encoding="utf-8")
    return digest


def read_pack(source: Path, fresh: Connection) -> None:
    """Read the rows of a pack file into fresh tables.

    Raises:
        EvidenceDamaged: It is no pack, of another format, holds more than a pack's tables, or
            is not what its manifest says.
    """
    if not source.is_file():
        raise InvalidInput(f"there is no file {source.name}")
    manifest = source.with_name(f"{source.name}.sha256")
    if manifest.exists() and manifest.read_text(encoding="utf-8").split(" ")[0] != _hash(source):
        raise EvidenceDamaged(f"{source.name} is not the file that its manifest describes")
    engine = open_file(source)
    guard(engine, source)
    try:
        with engine.connect() as carried:
            check_file(carried, source.name)
            version = carried.scalar(select(META.c.value).where(META.c.name == "format"))
            if version != FORMAT:
                raise EvidenceDamaged(
                    f"{source.name} has format {version}; this program reads {FORMAT}"
                )
            _carry(carried, fresh)
    except DBAPIError as failure:
        raise EvidenceDamaged(f"{source.name} is no evidence pack, or is damaged") from failure
    finally:
        engine.dispose()


def _carry(source: Connection, target: Connection) -> None:
    """Copy all rows except the list of names, which follows from them; index their words anew."""
    target.execute(text("DELETE FROM meta"))
    for table in PACK.sorted_tables:
        if table is not NAMES:
            for portion in _portions(source, table):
                target.execute(table.insert(), portion)
    index_words(target)


def _portions(source: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of a table in the order of their numbers."""
    if "pk" not in table.c:
        yield [dict(row) for row in source.execute(select(table)).mappings()]
        return
    last = 0
    while True:
        query = select(table).where(table.c.pk > last).order_by(table.c.pk).limit(PORTION)
        rows = [dict(row) for row in source.execute(query).mappings()]
        if not rows:
            return
        yield rows
        last = rows[-1]["pk"]


def index_words(connection: Connection) -> None:
    """Fill the text index from the rows of a pack."""
    writer = PackWriter(connection)
    for portion in _portions(connection, RECORDS):
        pks = [row["pk"] for row in portion]
        first, last = pks[0], pks[-1]
        names = _texts(connection, MENTIONS, "name", first, last)
        words = _texts(
            connection, SPANS, "text", first, last, SPANS.c.section.not_in(UNSEARCHED_SECTIONS)
        )
        writer.add_texts(
            (row["pk"], row["title"], f"{names.get(row['pk'], '')}\n{words.get(row['pk'], '')}")
            for row in portion
            if row["text_pk"] == row["pk"]
        )


def _texts(
    connection: Connection, table: Table, column: str, first: int, last: int, *columns: Any
) -> dict[int, str]:
    """Return what a column says of each record between two numbers, one line a row."""
    query = (
        select(table.c.record_pk, table.c[column])
        .where(table.c.record_pk.between(first, last), *columns)
        .order_by(table.c.pk)
    )
    texts: dict[int, list[str]] = {}
    for pk, chunk_text in connection.execute(query):
        texts.setdefault(pk, []).append(chunk_text)
    return {pk: "\n".join(lines) for pk, lines in texts.items()}


def _hash(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
