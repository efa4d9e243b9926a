"""What a pack holds as a whole: counts, ages, version, and what changed since a day."""

import hashlib
from collections.abc import Collection, Sequence

from sqlalchemy import func, select

from core.records.evidence import Damage
from core.records.evidence_pack import ImportedFile, PackInfo, SourceCount
from storage.evidence.generations import source_marks
from storage.evidence.pack_reader import PackReader, read_note
from storage.evidence.schema import DAMAGES, FACTS, FILES, RECORDS


class OverviewReader(PackReader):
    """What a pack holds as a whole."""

    _versions: tuple[tuple[int, int, int] | None, dict[frozenset[str], str]] = (None, {})

    def info(self) -> PackInfo:
        """Return what is held and how old it is; an absent pack holds nothing."""
        sources = self.sources()
        current = FACTS.join(RECORDS, RECORDS.c.pk == FACTS.c.record_pk)
        facts = select(func.count()).select_from(current).where(RECORDS.c.current == 1)
        with self._reading() as connection:
            return PackInfo(
                generation=int(read_note(connection, "generation") or 0),
                records=sum(source.records for source in sources),
                facts=connection.scalar(facts) or 0,
                sources=sources,
                files=self.files(),
                damaged=connection.scalar(select(func.count()).select_from(DAMAGES)) or 0,
            )

    def files(self) -> Sequence[ImportedFile]:
        """Return the files that were read, in their order."""
        names = ImportedFile.__dataclass_fields__
        query = select(*(FILES.c[name] for name in names)).order_by(FILES.c.pk)
        with self._reading() as connection:
            return [ImportedFile(**row) for row in connection.execute(query).mappings()]

    def sources(self) -> Sequence[SourceCount]:
        """Return what is held of each source, cheaper than `info`."""
        dated = func.coalesce(
            func.nullif(RECORDS.c.updated_on, ""), func.nullif(RECORDS.c.copied_on, "")
        )
        query = (
            select(RECORDS.c.source, func.count(), func.min(dated), func.max(dated))
            .where(RECORDS.c.current == 1)
            .group_by(RECORDS.c.source)
            .order_by(RECORDS.c.source)
        )
        with self._reading() as connection:
            return [
                SourceCount(source, count, oldest or "", newest or "")
                for source, count, oldest, newest in connection.execute(query)
            ]

    def version(self, without: Collection[str] = ()) -> str:
        """Return what distinguishes the states of records from all others; "" without a pack.

        A pack from before its sources had marks is identified by its generation and files. The
        answer is remembered until the file changes, in whichever process that happens.

        Args:
            without: Sources whose records do not count.
        """
        state, key = self._file.state(), frozenset(without)
        if state is None:
            return ""
        known_state, versions = self._versions
        if known_state == state and key in versions:
            return versions[key]
        version = self._read_version(key)
        self._versions = (state, {**(versions if known_state == state else {}), key: version})
        return version

    def _read_version(self, without: frozenset[str]) -> str:
        with self._reading() as connection:
            marks = source_marks(connection)
            if marks:
                versions = sorted(item for item in marks.items() if item[0] not in without)
                kinds = sorted(connection.scalars(select(FILES.c.kind).distinct()))
                return f"sources-{_digest((versions, kinds))}"  # answers name their kinds
            generation = read_note(connection, "generation") or "0"
            files = connection.execute(select(FILES).order_by(FILES.c.pk)).all()
            return f"generation-{generation}-{_digest([tuple(row) for row in files])}"

    def changed(
        self, source: str, since: str, *, limit: int = 100, offset: int = 0
    ) -> Sequence[str]:
        """Return the records of a source that changed on a day or later, the oldest first."""
        is_later = RECORDS.c.updated_on >= since
        query = (
            select(RECORDS.c.record_id)
            .where(RECORDS.c.current == 1, RECORDS.c.source == source, is_later)
            .order_by(RECORDS.c.updated_on, RECORDS.c.record_id)
        )
        with self._reading() as connection:
            return list(connection.scalars(query.limit(limit).offset(offset)))

    def damages(self, limit: int = 100) -> Sequence[Damage]:
        """Return rows that could not be read, newest import first."""
        columns = (DAMAGES.c.file, DAMAGES.c.line, DAMAGES.c.reason)
        with self._reading() as connection:
            query = select(*columns).order_by(DAMAGES.c.pk.desc()).limit(limit)
            return [Damage(*row) for row in connection.execute(query)]


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]
