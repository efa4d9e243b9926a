"""Questions to the evidence pack and what comes back: facts, hits, counts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.records.evidence import Fact


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A fact with its number in the pack and the version of its record."""

    id: int
    version: int
    fact: Fact


@dataclass(frozen=True, slots=True)
class FactQuery:
    """Which facts to return; every list given narrows, an empty one does not.

    Attributes:
        record_ids: Facts of these records.
        subjects: Facts about these names, without regard to case.
        predicates: Facts of these predicates.
        sources: Facts of records of these sources.
        known_by: Facts as they were known by this day (YYYY-MM-DD): of each record the state
            that was its newest then; "": as they are known now.
    """

    record_ids: Sequence[str] = ()
    subjects: Sequence[str] = ()
    predicates: Sequence[str] = ()
    sources: Sequence[str] = ()
    known_by: str = ""


@dataclass(frozen=True, slots=True)
class TextQuery:
    """A search in the texts of records.

    Attributes:
        groups: Each group holds words or phrases of which one must occur (aliases of a name);
            all groups must be met.
        kinds: Only records of these kinds.
        since: Only records updated on this day or later (YYYY-MM-DD).
        until: Only records updated on this day or earlier.
        phases: Only trials of these phases, as the register writes them.
        companies: Only records that mention one of these companies (folded names).
        sources: Only records of these sources.
        limit: At most so many.
    """

    groups: Sequence[Sequence[str]]
    kinds: Sequence[str] = ()
    since: str = ""
    until: str = ""
    phases: Sequence[str] = ()
    companies: Sequence[str] = ()
    sources: Sequence[str] = ()
    limit: int = 20


@dataclass(frozen=True, slots=True)
class Hit:
    """A record found, best first."""

    record_id: str
    title: str
    kind: str
    updated_on: str
    score: float


@dataclass(frozen=True, slots=True)
class SourceCount:
    """What the pack holds of one source."""

    source: str
    records: int
    oldest: str
    newest: str


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that was read into the pack."""

    name: str
    kind: str
    sha256: str
    imported_at: str
    records: int
    damaged: int

    @property
    def format(self) -> str:
        """Return the kind of file, without the number of the rules that read it."""
        return self.kind.partition(" rules ")[0]


@dataclass(frozen=True, slots=True)
class PackInfo:
    """What the pack holds and how old it is.

    Attributes:
        generation: Raised by every import; part of `evidence_version`.
        records: Current records.
        facts: Facts of current records.
        sources: Counts per source.
        files: Files that were read.
        damaged: Rows that could not be read, over all files.
    """

    generation: int = 0
    records: int = 0
    facts: int = 0
    sources: Sequence[SourceCount] = field(default_factory=tuple)
    files: Sequence[ImportedFile] = field(default_factory=tuple)
    damaged: int = 0
