"""Tables of the evidence pack.

They are not part of the instance's schema: a pack is built whole next to the live one, so it has
a format number instead of migrations.
"""

from collections.abc import Sequence

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    select,
    text,
)
from sqlalchemy.schema import CreateTable

FORMAT = "3"
"""Format 2 stores the day of a copy separately from the day of a change; format 3 stores passages,
names and index entries once for states that share them (`text_pk`)."""
PACK = MetaData()
CHUNK = 500
"""Values that one query names."""


def _word(name: str) -> Column[str]:
    return Column(name, Text, nullable=False, server_default="")


META = Table("meta", PACK, Column("name", Text, primary_key=True), _word("value"))
RECORDS = Table(
    "records",
    PACK,
    Column("pk", Integer, primary_key=True),
    _word("record_id"),
    Column("version", Integer, nullable=False),
    Column("current", SmallInteger, nullable=False),
    _word("source"),
    _word("source_id"),
    _word("url"),
    _word("kind"),
    _word("title"),
    _word("published_on"),
    _word("updated_on"),
    _word("fetched_at"),
    _word("licence"),
    Column("detail", SmallInteger, nullable=False),
    Column("quote_allowed", SmallInteger, nullable=False),
    _word("origin"),
    _word("raw_ref"),
    _word("phase"),
    _word("digest"),
    _word("copied_on"),
    Column("text_pk", Integer, nullable=False, server_default=text("0")),
)
SPANS = Table(
    "spans",
    PACK,
    Column("pk", Integer, primary_key=True),
    Column("record_pk", Integer, nullable=False),
    _word("section"),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    _word("text"),
)
MENTIONS = Table(
    "mentions",
    PACK,
    Column("pk", Integer, primary_key=True),
    Column("record_pk", Integer, nullable=False),
    _word("kind"),
    _word("name"),
    _word("folded"),
    _word("role"),
    _word("relation"),
)
FACTS = Table(
    "facts",
    PACK,
    Column("pk", Integer, primary_key=True),
    Column("record_pk", Integer, nullable=False),
    _word("subject"),
    _word("folded"),
    _word("predicate"),
    _word("object"),
    Column("value", Float),
    _word("unit"),
    _word("region"),
    _word("indication"),
    _word("line"),
    _word("population"),
    _word("arm"),
    _word("time_point"),
    _word("n"),
    _word("interval"),
    _word("biomarker"),
    _word("as_of"),
    _word("locator"),
    _word("method"),
    _word("basis"),
    _word("status"),
    Column("confidence", SmallInteger, nullable=False),
    _word("supersedes"),
)
NAMES = Table("names", PACK, _word("kind"), _word("folded"), _word("name"))
"""Each spelling in current records, once; derived from the mentions."""
FILES = Table(
    "files",
    PACK,
    Column("pk", Integer, primary_key=True),
    _word("name"),
    _word("kind"),
    _word("sha256"),
    _word("imported_at"),
    Column("records", Integer, nullable=False),
    Column("damaged", Integer, nullable=False),
)
DAMAGES = Table(
    "damages",
    PACK,
    Column("pk", Integer, primary_key=True),
    _word("file"),
    Column("line", Integer, nullable=False),
    _word("reason"),
)
RECORD_INDEX = Index("ix_records_id", RECORDS.c.record_id, RECORDS.c.version, unique=True)
TEXT_INDEX = Index("ix_records_text", RECORDS.c.text_pk)
INDEXES = (
    Index("ix_names", NAMES.c.kind, NAMES.c.folded, NAMES.c.name),
    Index("ix_records_source", RECORDS.c.source, RECORDS.c.current, RECORDS.c.updated_on),
    TEXT_INDEX,
    Index("ix_spans_record", SPANS.c.record_pk),
    Index("ix_mentions_name", MENTIONS.c.kind, MENTIONS.c.folded),
    Index("ix_mentions_record", MENTIONS.c.record_pk),
    Index("ix_facts_record", FACTS.c.record_pk),
    Index("ix_facts_subject", FACTS.c.folded, FACTS.c.predicate),
)
_TEXT_INDEX = (
    "CREATE VIRTUAL TABLE texts USING fts5(title, body, content='', tokenize='porter unicode61')"
)


def create_tables(connection: Connection) -> None:
    """Create the empty tables; except for the records' own, indexes come after the rows."""
    for table in PACK.sorted_tables:
        connection.execute(CreateTable(table))
    RECORD_INDEX.create(connection, checkfirst=False)
    connection.execute(text(_TEXT_INDEX))
    connection.execute(META.insert(), [{"name": "format", "value": FORMAT}])


def create_indexes(connection: Connection) -> None:
    """Create the indexes of a pack whose rows are written."""
    for index in INDEXES:
        index.create(connection, checkfirst=False)


def optimize(connection: Connection) -> None:
    """Merge the text index and collect what the query planner needs."""
    connection.execute(text("INSERT INTO texts(texts) VALUES('optimize')"))
    connection.execute(text("ANALYZE"))


def refresh_names(connection: Connection, folded: Sequence[str] | None = None) -> None:
    """List anew each spelling that a current record has.

    Args:
        connection: To the pack.
        folded: Folded names to keep to; None: all.
    """
    current = (
        select(MENTIONS.c.kind, MENTIONS.c.folded, MENTIONS.c.name)
        .join(RECORDS, RECORDS.c.text_pk == MENTIONS.c.record_pk)
        .where(RECORDS.c.current == 1)
        .distinct()
    )
    columns = ["kind", "folded", "name"]
    if folded is None:
        connection.execute(NAMES.delete())
        connection.execute(NAMES.insert().from_select(columns, current))
        return
    for start in range(0, len(folded), CHUNK):
        chunk = folded[start : start + CHUNK]
        connection.execute(NAMES.delete().where(NAMES.c.folded.in_(chunk)))
        fresh = current.where(MENTIONS.c.folded.in_(chunk))
        connection.execute(NAMES.insert().from_select(columns, fresh))
