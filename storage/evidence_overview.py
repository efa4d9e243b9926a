"""What a pack holds as a whole: counts, ages, version, what changed since a day."""

import hashlib
from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from core.records.evidence import Damage
from core.records.evidence_pack import ImportedFile, PackInfo, SourceCount
from storage.evidence_tables import DAMAGES, FACTS, FILES, META, RECORDS


def read_info(connection: Connection) -> PackInfo:
    """Return what a pack holds."""
    sources = list_sources(connection)
    current = FACTS.join(RECORDS, RECORDS.c.pk == FACTS.c.record_pk)
    facts = select(func.count()).select_from(current).where(RECORDS.c.current == 1)
    generation = connection.scalar(select(META.c.value).where(META.c.name == "generation"))
    return PackInfo(
        generation=int(generation or 0),
        records=sum(source.records for source in sources),
        facts=connection.scalar(facts) or 0,
        sources=sources,
        files=list_files(connection),
        damaged=connection.scalar(select(func.count()).select_from(DAMAGES)) or 0,
    )


def list_files(connection: Connection) -> list[ImportedFile]:
    """Return the files that were read into a pack, in their order."""
    return [
        ImportedFile(*(getattr(row, name) for name in ImportedFile.__dataclass_fields__))
        for row in connection.execute(select(FILES).order_by(FILES.c.pk))
    ]


def list_sources(connection: Connection) -> list[SourceCount]:
    """Return what a pack holds of each source."""
    dated = func.nullif(RECORDS.c.updated_on, "")
    per_source = (
        select(RECORDS.c.source, func.count(), func.min(dated), func.max(dated))
        .where(RECORDS.c.current == 1)
        .group_by(RECORDS.c.source)
        .order_by(RECORDS.c.source)
    )
    return [
        SourceCount(source, count, oldest or "", newest or "")
        for source, count, oldest, newest in connection.execute(per_source)
    ]


def read_version(connection: Connection) -> str:
    """Return the generation and a mark of the files that the pack was read from."""
    generation = connection.scalar(select(META.c.value).where(META.c.name == "generation"))
    files = connection.execute(select(FILES).order_by(FILES.c.pk)).all()
    mark = hashlib.sha256(repr([tuple(row) for row in files]).encode()).hexdigest()
    return f"generation-{generation or 0}-{mark[:12]}"


def list_changed(
    connection: Connection, source: str, since: str, limit: int, offset: int
) -> Sequence[str]:
    """Return current records of a source that changed on a day or later, the oldest first."""
    query = (
        select(RECORDS.c.record_id)
        .where(RECORDS.c.current == 1, RECORDS.c.source == source, RECORDS.c.updated_on >= since)
        .order_by(RECORDS.c.updated_on, RECORDS.c.record_id)
        .limit(limit)
        .offset(offset)
    )
    return list(connection.scalars(query))


def list_damages(connection: Connection, limit: int) -> list[Damage]:
    """Return rows that could not be read, newest import first."""
    query = select(DAMAGES).order_by(DAMAGES.c.pk.desc()).limit(limit)
    return [Damage(row.file, row.line, row.reason) for row in connection.execute(query)]
