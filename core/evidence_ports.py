"""What a store of evidence must offer; importers, agents and pages run on it or on a fake."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from core.records.events import Event, EventQuery, State, ToldEvent
from core.records.evidence import Damage, Mention, MentionKind, Parsed, Record, Role, Span
from core.records.evidence_pack import (
    FactQuery,
    Hit,
    ImportedFile,
    PackInfo,
    SourceCount,
    StoredFact,
    TextQuery,
)
from core.records.mirrors import MirrorCount, MirrorHit, SourceCopy, SyncCursor


class EvidenceReader(Protocol):
    """Reads one generation of the pack."""

    def version(self, without: Collection[str] = ()) -> str:
        """Return what tells these states of records from all others, cheaply; "" if none is held.

        Args:
            without: Sources whose records do not count.
        """
        ...

    def info(self) -> PackInfo:
        """Return what is held and how old it is; an absent pack holds nothing."""
        ...

    def files(self) -> Sequence[ImportedFile]:
        """Return the files that were read, in their order, cheaper than `info`."""
        ...

    def sources(self) -> Sequence[SourceCount]:
        """Return what is held of each source, cheaper than `info`."""
        ...

    def record(self, record_id: str, version: int | None = None) -> Record | None:
        """Return a record with its text and mentions; its newest version when none is named."""
        ...

    def records(self, record_ids: Sequence[str]) -> Mapping[str, Record]:
        """Return the newest versions of these records without their text; unknown ids miss."""
        ...

    def changed(
        self, source: str, since: str, *, limit: int = 100, offset: int = 0
    ) -> Sequence[str]:
        """Return the records of a source that changed on a day or later, the oldest first."""
        ...

    def versions(self, record_id: str) -> Sequence[Record]:
        """Return every kept version of a record, newest first, without text."""
        ...

    def facts(self, query: FactQuery) -> Sequence[StoredFact]:
        """Return facts of current records, in the order in which they were read.

        Raises InvalidInput when the query names nothing at all.
        """
        ...

    def fact(self, fact_id: int) -> StoredFact | None:
        """Return one fact, of whatever version of its record."""
        ...

    def mentioning(
        self, kind: MentionKind, names: Sequence[str], record_kinds: Sequence[str] = ()
    ) -> Mapping[str, Sequence[Mention]]:
        """Return the current records that mention one of the folded names, and how.

        Args:
            kind: Of the names.
            names: The names.
            record_kinds: Kinds of records to keep to; empty: all.
        """
        ...

    def mentions(self, record_ids: Sequence[str]) -> Mapping[str, Sequence[Mention]]:
        """Return what these current records mention, in the order in which it was read."""
        ...

    def passages(
        self, record_ids: Sequence[str], sections: Sequence[str]
    ) -> Mapping[str, Sequence[Span]]:
        """Return the passages of these current records that are of one of the sections."""
        ...

    def names_with(self, kind: MentionKind, parts: Sequence[str]) -> Sequence[str]:
        """Return names of current records whose folded form contains one of the parts, sorted."""
        ...

    def spellings(self, kind: MentionKind) -> Sequence[str]:
        """Return every folded name of current records once, cheaper than `names`."""
        ...

    def nearest_names(
        self, kind: MentionKind, name: str, limit: int = 5
    ) -> Sequence[tuple[str, float]]:
        """Return names of current records nearest to a misspelt one, with how near each is."""
        ...

    def names(self, kind: MentionKind) -> Iterator[tuple[str, str, int]]:
        """Yield each folded name, one spelling of it and the number of records with it."""
        ...

    def all_mentions(self, kind: MentionKind) -> Iterator[tuple[str, str, str, Role]]:
        """Yield record, its kind, folded name and role of every mention in current records."""
        ...

    def aliases(self, sources: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield each drug and another name that current records of these sources give to it."""
        ...

    def search(self, query: TextQuery) -> Sequence[Hit]:
        """Return the best records for the words, best first."""
        ...

    def damages(self, limit: int = 100) -> Sequence[Damage]:
        """Return rows that could not be read, newest import first."""
        ...

    def events(self, query: EventQuery) -> Sequence[Event]:
        """Return events, the newest first, with the drugs, companies and diseases of each."""
        ...

    def told_events(
        self, record_ids: Sequence[str], subjects: Sequence[str]
    ) -> Sequence[ToldEvent]:
        """Return kept tellings of these records, or of these subjects."""
        ...

    def event_reach(self, until: str) -> Mapping[str, str]:
        """Return of each source the newest day of an event up to a day (YYYY-MM-DD)."""
        ...

    def generations(self) -> Sequence[tuple[int, int]]:
        """Return the imports in their order, each with the number of its first state."""
        ...

    def origins(self) -> Sequence[tuple[str, str, int]]:
        """Return of each source and file the first import that brought states of it."""
        ...

    def histories(
        self,
        sources: Sequence[str],
        predicates: Sequence[str],
        compared: Sequence[str],
        after: int,
        record_ids: Sequence[str] = (),
    ) -> Iterator[Sequence[State]]:
        """Yield all states of each record that imports after one brought, the oldest copy first.

        Args:
            sources: Of the records.
            predicates: Predicates of the facts to return; a record that tells none is left out.
                Empty: all records.
            compared: Further predicates, where a record has several states.
            after: Number of an import; -1: all.
            record_ids: Of these records alone, where any are named.
        """
        ...


class EvidenceWriter(Protocol):
    """Writes the next generation beside the live one."""

    def add(self, parsed: Iterable[Parsed]) -> int:
        """Write records with facts; an unchanged record is left alone. Return how many came."""
        ...

    def report(self, damage: Damage) -> None:
        """Note a row that could not be read."""
        ...

    def finish_file(self, file: ImportedFile) -> None:
        """Note that a file was read to its end."""
        ...


class Mirror(Protocol):
    """Records of one live source as it sent them, beside the pack."""

    def cursor(self) -> SyncCursor:
        """Return how far the source has been read."""
        ...

    def keep(self, copies: Sequence[SourceCopy], cursor: SyncCursor, file: bytes = b"") -> int:
        """Write copies, their file and the cursor at once; return how many are new or changed."""
        ...

    def file(self, digest: str) -> bytes:
        """Return a kept file by its digest; b"" where it is not held."""
        ...

    def due(self, limit: int) -> Sequence[tuple[SourceCopy, str]]:
        """Return current states that the pack has not been offered, each with its digest."""
        ...

    def mark_promoted(self, states: Sequence[tuple[str, str]]) -> None:
        """Note that these states (identifier and digest) were offered to the pack."""
        ...

    def forget_promotions(self) -> None:
        """Offer the pack every current state anew, as after its loss."""
        ...

    def numbers(self) -> Mapping[str, tuple[str, bool]]:
        """Return the identifiers of all records, with digest and whether each is withdrawn."""
        ...

    def sweep(self, missing: Collection[str], cursor: SyncCursor) -> Sequence[str]:
        """Note which records are not listed (others are again); return those missing twice."""
        ...

    def search(self, words: str, *, limit: int = 200) -> Sequence[MirrorHit]:
        """Return records with all of the words in title, drugs, diseases or companies."""
        ...

    def count(self) -> MirrorCount:
        """Return what the mirror holds."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Be the one sync of this source on this machine. Raises InvalidInput."""
        ...

    def is_syncing(self) -> bool:
        """Return whether a sync of this source is running on this machine."""
        ...


class Evidence(EvidenceReader, Protocol):
    """The evidence pack of an instance."""

    def mirror(self, source: str) -> Mirror:
        """Return the mirror of a live source."""
        ...

    def events_mark(self) -> str:
        """Return what the kept events are made of; "" where none are kept."""
        ...

    def keep_events(
        self, reports: Sequence[ToldEvent], replaced: Sequence[str] | None, mark: str
    ) -> None:
        """Keep tellings in the place of those of some records, all at once.

        Args:
            reports: The tellings.
            replaced: Records whose kept tellings go; None: all.
            mark: What the events are made of now.
        """
        ...

    def next_generation(self) -> AbstractContextManager[EvidenceWriter]:
        """Give a writer; on leaving without an error the result is checked and takes over.

        Raises EvidenceDamaged when the check fails; the old pack then stays.
        """
        ...

    def export(self, target: Path) -> str:
        """Write the pack into one file to carry elsewhere and return its sha256.

        Raises InvalidInput.
        """
        ...

    def adopt(self, source: Path) -> PackInfo:
        """Put an exported pack into the place of this one. Raises EvidenceDamaged."""
        ...
