"""The evidence pack of an instance (core.evidence_ports.Evidence), on SQLite or PostgreSQL."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, select, text, update

from core.errors import InvalidInput
from core.evidence_ports import EvidenceWriter
from core.records.evidence import Damage, Mention, MentionKind, Record, Role, Span
from core.records.evidence_pack import (
    FactQuery,
    Hit,
    ImportedFile,
    PackInfo,
    SourceCount,
    StoredFact,
    TextQuery,
)
from core.records.names import fold_name
from core.settings import Settings
from storage import evidence_overview as overview
from storage.engine import Database
from storage.evidence_carrying import read_pack, write_pack
from storage.evidence_event_reads import EventReads
from storage.evidence_events import EventFile
from storage.evidence_generations import complete, next_generation
from storage.evidence_known import facts_known
from storage.evidence_names import count_names, names_with, nearest_names, spellings
from storage.evidence_places import FilePlace, PackInUse, Place, SchemaPlace
from storage.evidence_reading import MENTION, alias_query, fact_query, read_whole
from storage.evidence_rows import read_fact, read_record
from storage.evidence_search import search
from storage.evidence_states import NEWEST, drop_named, drop_told, may_name, may_tell
from storage.evidence_tables import FACTS, FORMAT, MENTIONS, META, RECORDS, SPANS
from storage.evidence_writer import PackWriter

TRIES = 30
"""How often a pack is tried for that others read just then."""


def bring_up_to_date(location: Place) -> None:
    """Give the rows of an older pack the columns that came since; a pack of today is left alone.

    What was imported under older rules says of the day of a copy that it is one of a change,
    until its file is imported again.

    Args:
        location: Of the pack.

    Raises:
        PackInUse: Others do not let go of it.
    """
    if not location.exists() or _format(location) != "1":
        return
    for left in reversed(range(TRIES)):
        try:
            with location.amend() as connection:
                version_known = connection.scalar(
                    select(META.c.value).where(META.c.name == "format")
                )
                if version_known == "1":
                    column = "ALTER TABLE records ADD COLUMN copied_on TEXT DEFAULT '' NOT NULL"
                    connection.execute(text(column))
                    now = update(META).where(META.c.name == "format").values(value=FORMAT)
                    connection.execute(now)
            return
        except PackInUse:
            if not left:
                raise


def _format(location: Place) -> str:
    with location.read() as connection:
        return connection.scalar(select(META.c.value).where(META.c.name == "format")) or ""


CHUNK = 500


def open_evidence(settings: Settings, database: Database) -> "EvidenceStore":
    """Return the pack of the instance: in its PostgreSQL, or in a file of its folder."""
    events = EventFile(settings.home / "evidence" / "events.db")
    if database.engine.dialect.name == "postgresql":
        return EvidenceStore(SchemaPlace(database.engine), events)
    return EvidenceStore(FilePlace(settings.home / "evidence" / "pack.db"), events)


class EvidenceStore(EventReads):
    """Records, facts and mentions of one instance."""

    def __init__(self, location: Place, events: EventFile | None = None) -> None:
        """Keep the places of pack and events; nothing is opened before the first use."""
        self._place = location
        self._is_of_today = False
        self._events = events or EventFile()

    def version(self, without: Collection[str] = ()) -> str:
        """Return what changes with every state that comes, but for those of some sources."""
        with self._reading() as connection:
            return overview.read_version(connection, without) if connection else ""

    def came_after(self, generation: int, *, limit: int = 1_000) -> Sequence[tuple[str, int]]:
        """Return current records that later generations brought, with these, in their order."""
        with self._reading() as connection:
            return overview.list_came(connection, generation, limit) if connection else []

    def info(self) -> PackInfo:
        """Return what is held and how old it is; an absent pack holds nothing."""
        with self._reading() as connection:
            return overview.read_info(connection) if connection else PackInfo()

    def files(self) -> Sequence[ImportedFile]:
        """Return the files that were read, in their order."""
        with self._reading() as connection:
            return overview.list_files(connection) if connection else []

    def sources(self) -> Sequence[SourceCount]:
        """Return what is held of each source, cheaper than `info`."""
        with self._reading() as connection:
            return overview.list_sources(connection) if connection else []

    def record(self, record_id: str, version: int | None = None) -> Record | None:
        """Return a record with its text and mentions; its newest version when none is named."""
        is_version = RECORDS.c.current == 1 if version is None else RECORDS.c.version == version
        with self._reading() as connection:
            if connection is None:
                return None
            query = select(RECORDS).where(RECORDS.c.record_id == record_id, is_version)
            row = connection.execute(query).mappings().first()
            return None if row is None else read_whole(connection, row)

    def records(self, record_ids: Sequence[str]) -> Mapping[str, Record]:
        """Return the newest versions of these records without their text; unknown ids miss."""
        query = select(RECORDS).where(RECORDS.c.current == 1)
        rows = self._rows(query, RECORDS.c.record_id, record_ids)
        return {row["record_id"]: read_record(row) for row in rows}

    def changed(
        self, source: str, since: str, *, limit: int = 100, offset: int = 0
    ) -> Sequence[str]:
        """Return the records of a source that changed on a day or later, the oldest first."""
        with self._reading() as connection:
            return (
                overview.list_changed(connection, source, since, limit, offset)
                if connection
                else []
            )

    def versions(self, record_id: str) -> Sequence[Record]:
        """Return every kept version of a record, newest first, without text."""
        query = select(RECORDS).order_by(RECORDS.c.version.desc())
        rows = self._rows(query, RECORDS.c.record_id, [record_id])
        return [read_record(row) for row in rows]

    def facts(self, query: FactQuery) -> Sequence[StoredFact]:
        """Return facts of current records, in the order in which they were read.

        Lasting facts that only an older copy of a trial tells come with its version.

        Raises:
            InvalidInput: The query names neither records nor subjects nor sources.
        """
        if query.known_by:
            return self._facts_known(query)
        stem = fact_query().where(may_tell())
        if query.sources:
            stem = stem.where(RECORDS.c.source.in_(list(query.sources)))
        if query.predicates:
            stem = stem.where(FACTS.c.predicate.in_(list(query.predicates)))
        folded = [fold_name(subject) for subject in query.subjects]
        if query.record_ids:
            if folded:
                stem = stem.where(FACTS.c.folded.in_(folded))
            rows = self._plain_rows(stem, RECORDS.c.record_id, query.record_ids)
        elif folded:
            rows = self._plain_rows(stem, FACTS.c.folded, folded)
        elif query.sources:
            rows = self._plain_rows(stem, RECORDS.c.source, query.sources)
        else:
            raise InvalidInput("name the records, subjects or sources whose facts to return")
        if any(row[2] != NEWEST for row in rows):
            with self._reading() as connection:
                rows = drop_told(connection, rows) if connection else []
        return [read_fact(row) for row in sorted(rows, key=itemgetter(0))]

    def _facts_known(self, query: FactQuery) -> Sequence[StoredFact]:
        """Return facts as they were known by a day; a name or source is of any state."""
        ids = list(query.record_ids) or self._records_with(query)
        folded = {fold_name(subject) for subject in query.subjects}
        predicates = set(query.predicates)
        with self._reading() as connection:
            rows = facts_known(connection, ids, query.known_by) if connection else []
        facts = (read_fact(row) for row in rows)
        return [
            fact
            for fact in facts
            if (not predicates or fact.fact.predicate in predicates)
            and (not folded or fold_name(fact.fact.subject) in folded)
            and (not query.sources or fact.fact.record_id.partition(":")[0] in query.sources)
        ]

    def _records_with(self, query: FactQuery) -> list[str]:
        """Return records any state of which has one of the subjects, or is of one of the sources.

        Raises:
            InvalidInput: The query names neither.
        """
        if query.subjects:
            stem = select(RECORDS.c.record_id).join(FACTS, FACTS.c.record_pk == RECORDS.c.pk)
            folded = [fold_name(subject) for subject in query.subjects]
            rows = self._plain_rows(stem.distinct(), FACTS.c.folded, folded)
        elif query.sources:
            stem = select(RECORDS.c.record_id).distinct()
            rows = self._plain_rows(stem, RECORDS.c.source, query.sources)
        else:
            raise InvalidInput("name the records, subjects or sources whose facts to return")
        return [row[0] for row in rows]

    def fact(self, fact_id: int) -> StoredFact | None:
        """Return one fact, of whatever version of its record."""
        rows = self._plain_rows(fact_query(), FACTS.c.pk, [fact_id])
        return read_fact(rows[0]) if rows else None

    def mentioning(
        self, kind: MentionKind, names: Sequence[str], record_kinds: Sequence[str] = ()
    ) -> Mapping[str, Sequence[Mention]]:
        """Return the current records that mention one of the names, and how."""
        query = (
            select(RECORDS.c.record_id, MENTIONS.c.name, MENTIONS.c.role, MENTIONS.c.relation)
            .join(RECORDS, RECORDS.c.pk == MENTIONS.c.record_pk)
            .where(MENTIONS.c.kind == kind, RECORDS.c.current == 1)
        )
        if record_kinds:
            query = query.where(RECORDS.c.kind.in_(list(record_kinds)))
        mentions: dict[str, list[Mention]] = {}
        folded = [fold_name(name) for name in names]
        for record_id, *values in self._plain_rows(query, MENTIONS.c.folded, folded):
            mentions.setdefault(record_id, []).append(Mention(kind, *values))
        return mentions

    def mentions(self, record_ids: Sequence[str]) -> Mapping[str, Sequence[Mention]]:
        """Return what these current records mention, in the order in which it was read."""
        query = (
            select(RECORDS.c.record_id, RECORDS.c.current, *MENTION)
            .join(RECORDS, RECORDS.c.pk == MENTIONS.c.record_pk)
            .where(may_name())
            .order_by(MENTIONS.c.pk)
        )
        mentions: dict[str, list[Mention]] = {}
        rows = self._plain_rows(query, RECORDS.c.record_id, record_ids)
        for record_id, _, *values in drop_named(rows):
            mentions.setdefault(record_id, []).append(Mention(*values))
        return mentions

    def passages(
        self, record_ids: Sequence[str], sections: Sequence[str]
    ) -> Mapping[str, Sequence[Span]]:
        """Return the passages of these current records that are of one of the sections."""
        query = (
            select(RECORDS.c.record_id, SPANS.c.section, SPANS.c.text, SPANS.c.start, SPANS.c.end)
            .join(RECORDS, RECORDS.c.pk == SPANS.c.record_pk)
            .where(RECORDS.c.current == 1, SPANS.c.section.in_(list(sections)))
            .order_by(SPANS.c.pk)
        )
        spans: dict[str, list[Span]] = {}
        for record_id, *values in self._plain_rows(query, RECORDS.c.record_id, record_ids):
            spans.setdefault(record_id, []).append(Span(*values))
        return spans

    def names_with(self, kind: MentionKind, parts: Sequence[str]) -> Sequence[str]:
        """Return names of current records whose folded form contains one of the parts, sorted."""
        with self._reading() as connection:
            return names_with(connection, kind, list(parts)) if connection else []

    def spellings(self, kind: MentionKind) -> Sequence[str]:
        """Return every folded name of current records once, cheaper than `names`."""
        with self._reading() as connection:
            return spellings(connection, kind) if connection else []

    def nearest_names(
        self, kind: MentionKind, name: str, limit: int = 5
    ) -> Sequence[tuple[str, float]]:
        """Return names of current records nearest to a misspelt one, with how near each is."""
        with self._reading() as connection:
            return nearest_names(connection, kind, name, limit) if connection else []

    def names(self, kind: MentionKind) -> Iterator[tuple[str, str, int]]:
        """Yield each folded name, one spelling of it and the number of records with it."""
        with self._reading() as connection:
            rows = count_names(connection, kind) if connection else []
        yield from rows

    def all_mentions(self, kind: MentionKind) -> Iterator[tuple[str, str, str, Role]]:
        """Yield record, its kind, folded name and role of every mention in current records."""
        query = (
            select(RECORDS.c.record_id, RECORDS.c.kind, MENTIONS.c.folded, MENTIONS.c.role)
            .join(RECORDS, RECORDS.c.pk == MENTIONS.c.record_pk)
            .where(MENTIONS.c.kind == kind, RECORDS.c.current == 1)
        )
        with self._reading() as connection:
            if connection is not None:
                yield from (tuple(row) for row in connection.execute(query))

    def aliases(self, sources: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield each drug and another name that current records of these sources give to it."""
        with self._reading() as connection:
            rows = connection.execute(alias_query(sources)).all() if connection else []
        yield from ((subject, name) for subject, name in rows)

    def search(self, query: TextQuery) -> Sequence[Hit]:
        """Return the best records for the words, best first."""
        with self._reading() as connection:
            return search(connection, query) if connection else []

    def damages(self, limit: int = 100) -> Sequence[Damage]:
        """Return rows that could not be read, newest import first."""
        with self._reading() as connection:
            return overview.list_damages(connection, limit) if connection else []

    @contextmanager
    def next_generation(self) -> Iterator[EvidenceWriter]:
        """Give a writer; on leaving without an error the result is checked and takes over.

        Raises:
            EvidenceDamaged: The check failed; the old pack stays.
            StorageFull: The disk is full; the old pack stays.
        """
        self._bring_up_to_date()
        with next_generation(self._place) as writer:
            yield writer

    def export(self, target: Path) -> str:
        """Write the pack into one file to carry elsewhere and return its sha256.

        Raises:
            InvalidInput: There is no pack, or the target exists.
        """
        with self._reading() as connection:
            if connection is None:
                raise InvalidInput("there is no evidence to export; import some first")
            return write_pack(connection, target)

    def adopt(self, source: Path) -> PackInfo:
        """Put an exported pack into the place of this one.

        Raises:
            EvidenceDamaged: The file is not a whole pack; the old one stays.
        """
        with self._place.replace(keep=False) as (connection, has_indexes):
            read_pack(source, connection)
            complete(connection, PackWriter(connection), has_indexes=has_indexes)
        return self.info()

    @contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        """Give a connection to the live pack, None when there is none."""
        if not self._place.exists():
            yield None
            return
        self._bring_up_to_date()
        with self._place.read() as connection:
            yield connection

    def _bring_up_to_date(self) -> None:
        """Look once whether the pack is of an older format."""
        if not self._is_of_today:
            bring_up_to_date(self._place)
            self._is_of_today = True

    def _rows(
        self, query: Any, column: ColumnElement[Any], chosen: Sequence[object]
    ) -> list[dict[str, Any]]:
        """Return the rows whose column is among the values, each by the names of its columns."""
        names = [selected_column.key for selected_column in query.selected_columns]
        rows = self._plain_rows(query, column, chosen)
        return [dict(zip(names, row, strict=True)) for row in rows]  # row._mapping is 5x slower

    def _plain_rows(
        self, query: Any, column: ColumnElement[Any], chosen: Sequence[object]
    ) -> list[Any]:
        """Return the rows whose column is among the values, asked for in bearable portions."""
        distinct = list(dict.fromkeys(chosen))
        rows: list[Any] = []
        with self._reading() as connection:
            for start in range(0, len(distinct) if connection else 0, CHUNK):
                portion = query.where(column.in_(distinct[start : start + CHUNK]))
                rows += connection.execute(portion).all() if connection else ()
        return rows
