"""Tables of the evidence pack, the same on SQLite (a file of its own) and PostgreSQL (a schema).

They are no part of the instance's schema: a pack is built whole beside the live one, so it has
a format number instead of migrations; a pack of another format is built anew.
"""

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
    text,
)
from sqlalchemy.schema import CreateTable

FORMAT = "2"
"""2 has the day of a copy apart from that of a change."""
PACK = MetaData()


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
"""Each spelling in current records once, so that a look at all of them is short; made anew from
the mentions whenever a pack is completed."""
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
NAME_INDEX = Index("ix_names", NAMES.c.kind, NAMES.c.folded, NAMES.c.name)
INDEXES = (
    Index("ix_records_source", RECORDS.c.source, RECORDS.c.current, RECORDS.c.updated_on),
    Index("ix_spans_record", SPANS.c.record_pk),
    Index("ix_mentions_name", MENTIONS.c.kind, MENTIONS.c.folded),
    Index("ix_mentions_record", MENTIONS.c.record_pk),
    Index("ix_facts_record", FACTS.c.record_pk),
    Index("ix_facts_subject", FACTS.c.folded, FACTS.c.predicate),
)
_SQLITE_TEXT = (
    "CREATE VIRTUAL TABLE texts USING fts5(title, body, content='', tokenize='porter unicode61')",
)
_POSTGRES_TEXT = ("CREATE TABLE texts (record_pk integer PRIMARY KEY, words tsvector NOT NULL)",)
_POSTGRES_INDEXES = ("CREATE INDEX ix_texts_words ON texts USING gin (words)",)


def create_tables(connection: Connection) -> None:
    """Make the empty tables; but for the one of records, indexes come after the rows."""
    is_sqlite = connection.dialect.name == "sqlite"
    for table in PACK.sorted_tables:
        if table is not NAMES:
            connection.execute(CreateTable(table))
    RECORD_INDEX.create(connection, checkfirst=False)
    for statement in _SQLITE_TEXT if is_sqlite else _POSTGRES_TEXT:
        connection.execute(text(statement))
    connection.execute(META.insert(), [{"name": "format", "value": FORMAT}])


def create_indexes(connection: Connection) -> None:
    """Make the indexes of a pack whose rows have come."""
    for index in INDEXES:
        index.create(connection, checkfirst=False)
    if connection.dialect.name == "postgresql":
        for statement in _POSTGRES_INDEXES:
            connection.execute(text(statement))


def settle(connection: Connection) -> None:
    """Order the text index and count what the planner needs."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("INSERT INTO texts(texts) VALUES('optimize')"))
    connection.execute(text("ANALYZE"))
