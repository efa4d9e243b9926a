"""What the evidence pack holds, counted."""

from sqlalchemy import Connection, func, select

from core.records.evidence_pack import ImportedFile, PackInfo, SourceCount
from storage.evidence_tables import DAMAGES, FACTS, FILES, META, RECORDS


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
