"""What the evidence pack holds in all, and a record with all that belongs to it."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, select

from core.records.evidence import Mention, Record, Span
from core.records.evidence_pack import ImportedFile, PackInfo, SourceCount
from storage.evidence_rows import read_record
from storage.evidence_tables import DAMAGES, FACTS, FILES, MENTIONS, META, RECORDS, SPANS


def read_info(connection: Connection) -> PackInfo:
    """Return what a pack holds."""
    dated = func.nullif(RECORDS.c.updated_on, "")
    per_source = (
        select(RECORDS.c.source, func.count(), func.min(dated), func.max(dated))
        .where(RECORDS.c.current == 1)
        .group_by(RECORDS.c.source)
        .order_by(RECORDS.c.source)
    )
    sources = [
        SourceCount(source, count, oldest or "", newest or "")
        for source, count, oldest, newest in connection.execute(per_source)
    ]
    files = [
        ImportedFile(*(getattr(row, name) for name in ImportedFile.__dataclass_fields__))
        for row in connection.execute(select(FILES).order_by(FILES.c.pk))
    ]
    current = FACTS.join(RECORDS, RECORDS.c.pk == FACTS.c.record_pk)
    facts = select(func.count()).select_from(current).where(RECORDS.c.current == 1)
    generation = connection.scalar(select(META.c.value).where(META.c.name == "generation"))
    return PackInfo(
        generation=int(generation or 0),
        records=sum(source.records for source in sources),
        facts=connection.scalar(facts) or 0,
        sources=sources,
        files=files,
        damaged=connection.scalar(select(func.count()).select_from(DAMAGES)) or 0,
    )


def read_whole(connection: Connection, row: Mapping[Any, Any]) -> Record:
    """Return a record with its text and mentions."""
    pk = row["pk"]
    spans = connection.execute(select(SPANS).where(SPANS.c.record_pk == pk).order_by(SPANS.c.pk))
    mentions = connection.execute(
        select(MENTIONS).where(MENTIONS.c.record_pk == pk).order_by(MENTIONS.c.pk)
    )
    return read_record(
        row,
        tuple(Span(one.section, one.text, one.start, one.end) for one in spans),
        tuple(Mention(one.kind, one.name, one.role, one.relation) for one in mentions),
    )
