"""What a pack holds as a whole: counts, ages, version, what changed since a day."""

import hashlib
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, func, select

from core.records.evidence import Damage
from core.records.evidence_pack import ImportedFile, PackInfo, SourceCount
from storage.evidence_generations import beginnings, generation_of, read_note, source_marks
from storage.evidence_tables import DAMAGES, FACTS, FILES, RECORDS


def read_info(connection: Connection) -> PackInfo:
    """Return what a pack holds."""
    sources = list_sources(connection)
    current = FACTS.join(RECORDS, RECORDS.c.pk == FACTS.c.record_pk)
    facts = select(func.count()).select_from(current).where(RECORDS.c.current == 1)
    return PackInfo(
        generation=int(read_note(connection, "generation") or 0),
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
    dated = func.coalesce(
        func.nullif(RECORDS.c.updated_on, ""), func.nullif(RECORDS.c.copied_on, "")
    )
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


def read_version(connection: Connection, without: Collection[str] = ()) -> str:
    """Return what tells the states of a pack from every other's, but for those of some sources.

    A pack from before its sources had marks is told by its generation and files.
    """
    marks = source_marks(connection)
    if marks:
        versions = sorted((source, mark) for source, mark in marks.items() if source not in without)
        kinds = sorted(connection.scalars(select(FILES.c.kind).distinct()))
        return (
            f"sources-{_short((versions, kinds))}"  # an answer says which kinds it rests on alone
        )
    generation = read_note(connection, "generation") or "0"
    files = connection.execute(select(FILES).order_by(FILES.c.pk)).all()
    return f"generation-{generation}-{_short([tuple(row) for row in files])}"


def _short(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]


def list_came(connection: Connection, generation: int, limit: int) -> list[tuple[str, int]]:
    """Return current records that later generations brought, with these, in their order."""
    begun = beginnings(connection)
    later = [first for number, first in begun if number > generation]
    if not later:
        return []
    query = (
        select(RECORDS.c.record_id, RECORDS.c.pk)
        .where(RECORDS.c.pk >= min(later), RECORDS.c.current == 1)
        .order_by(RECORDS.c.pk)
        .limit(limit)
    )
    return [(record_id, generation_of(pk, begun)) for record_id, pk in connection.execute(query)]


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
