"""The evidence pack of an instance (core.evidence_ports.Evidence)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path

from sqlalchemy import select

from core.errors import InvalidInput
from core.evidence_ports import EvidenceWriter
from core.records.evidence import Mention, MentionKind, Record, Span
from core.records.evidence_pack import FactQuery, Hit, PackInfo, StoredFact, TextQuery
from core.records.names import fold_name
from core.settings import Settings
from storage.evidence.event_file import EventFile
from storage.evidence.generations import complete, next_generation
from storage.evidence.history import EventReader
from storage.evidence.mirror import Mirror
from storage.evidence.names import NameReader
from storage.evidence.overview import OverviewReader
from storage.evidence.pack_file import PackFile
from storage.evidence.rows import fact_query, read_fact, read_full_record, read_record
from storage.evidence.schema import FACTS, MENTIONS, RECORDS, SPANS
from storage.evidence.search import search
from storage.evidence.states import NEWEST, drop_named, drop_told, facts_known, may_name, may_tell
from storage.evidence.transfer import read_pack, write_pack
from storage.evidence.writer import PackWriter

_MENTION = (MENTIONS.c.kind, MENTIONS.c.name, MENTIONS.c.role, MENTIONS.c.relation)


def open_evidence(settings: Settings) -> "EvidenceStore":
    """Return the evidence of an instance; cheap, nothing is opened yet."""
    folder = settings.home / "evidence"
    return EvidenceStore(folder / "pack.db", folder / "events.db")


class EvidenceStore(OverviewReader, NameReader, EventReader):
    """Records, facts, mentions and events of one instance."""

    def __init__(self, pack: Path, events: Path | None = None) -> None:
        """Set the files; nothing is opened before the first use."""
        super().__init__(PackFile(pack), EventFile(events))
        self._mirrors = pack.parent / "mirror"

    def mirror(self, source: str) -> Mirror:
        """Return the mirror of a live source."""
        return Mirror(self._mirrors / f"{source}.db")

    def record(self, record_id: str, version: int | None = None) -> Record | None:
        """Return a record with its text and mentions; its newest version when none is named."""
        is_version = RECORDS.c.current == 1 if version is None else RECORDS.c.version == version
        with self._reading() as connection:
            query = select(RECORDS).where(RECORDS.c.record_id == record_id, is_version)
            row = connection.execute(query).mappings().first()
            return None if row is None else read_full_record(connection, row)

    def records(self, record_ids: Sequence[str]) -> Mapping[str, Record]:
        """Return the newest versions of these records without their text; unknown ids miss."""
        query = select(RECORDS).where(RECORDS.c.current == 1)
        rows = self._rows(query, RECORDS.c.record_id, record_ids)
        return {row["record_id"]: read_record(row) for row in rows}

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
                rows = drop_told(connection, rows)
        return [read_fact(row) for row in sorted(rows, key=itemgetter(0))]

    def _facts_known(self, query: FactQuery) -> Sequence[StoredFact]:
        """Return facts as they were known by a day; a name or source is of any state."""
        ids = list(query.record_ids) or self._records_with(query)
        folded = {fold_name(subject) for subject in query.subjects}
        predicates = set(query.predicates)
        with self._reading() as connection:
            rows = facts_known(connection, ids, query.known_by)
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
            .join(RECORDS, RECORDS.c.text_pk == MENTIONS.c.record_pk)
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
            select(RECORDS.c.record_id, RECORDS.c.current, *_MENTION)
            .join(RECORDS, RECORDS.c.text_pk == MENTIONS.c.record_pk)
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
            .join(RECORDS, RECORDS.c.text_pk == SPANS.c.record_pk)
            .where(RECORDS.c.current == 1, SPANS.c.section.in_(list(sections)))
            .order_by(SPANS.c.pk)
        )
        spans: dict[str, list[Span]] = {}
        for record_id, *values in self._plain_rows(query, RECORDS.c.record_id, record_ids):
            spans.setdefault(record_id, []).append(Span(*values))
        return spans

    def search(self, query: TextQuery) -> Sequence[Hit]:
        """Return the best records for the words, best first."""
        with self._reading() as connection:
            return search(connection, query)

    @contextmanager
    def next_generation(self) -> Iterator[EvidenceWriter]:
        """Give a writer; on leaving without an error the result is checked and takes over.

        Raises:
            EvidenceDamaged: The check failed; the old pack stays.
            StorageFull: The disk is full; the old pack stays.
        """
        self._upgrade_once()
        with next_generation(self._file) as writer:
            yield writer

    def export(self, target: Path) -> str:
        """Write the pack into one file to carry elsewhere and return its sha256.

        Raises:
            InvalidInput: There is no pack, or the target exists.
        """
        if not self._file.exists():
            raise InvalidInput("there is no evidence to export; import some first")
        self._upgrade_once()
        return write_pack(self._file.path, target)

    def adopt(self, source: Path) -> PackInfo:
        """Put an exported pack into the place of this one.

        Raises:
            EvidenceDamaged: The file is not a whole pack; the old one stays.
        """
        with self._file.replace(keep=False) as (connection, has_indexes):
            read_pack(source, connection)
            complete(connection, PackWriter(connection), has_indexes=has_indexes)
        for mirror in self._mirrors.glob("*.db"):
            Mirror(mirror).forget_promotions()
        return self.info()
