"""Mirrors of live sources: copies of records as they were sent, and how far a sync has come."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceCopy:
    """One record as its source sent it.

    Attributes:
        source_id: Identifier in the source.
        body: What was sent, without what changes daily for every record; b"" for a row of a file.
        changed_on: Day on which the source last changed it.
        as_of: Day of the source's data from which the copy was taken.
        title: Its title.
        status: Status in the source's words.
        phase: Phase in the source's words.
        drugs: Drugs or interventions that the record names, one a line.
        diseases: Conditions that it names, one a line.
        companies: Sponsor, holder and collaborators, one a line.
        mark: What tells its states apart, for a row of a file; "" where the body does.
    """

    source_id: str
    body: bytes
    changed_on: str
    as_of: str
    title: str = ""
    status: str = ""
    phase: str = ""
    drugs: str = ""
    diseases: str = ""
    companies: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class SyncCursor:
    """How far a source has been read; kept in the same transaction as the records.

    Attributes:
        high_water: Day up to which every change is held; "" before the first complete walk.
        data_version: What the source called its data at the end of that walk, or the validator
            of the file that was last read to its end.
        walk_since: Day from which the walk under way began; "" when none is.
        walk_version: What the source called its data when that walk began, or the day of a file.
        page_token: Where that walk goes on, or the digest of a file.
        counted: Records that the source counts in that walk.
        read: Records of it that were read.
        owed: Identifiers of records whose posted results could not be fetched, by blanks.
        generation: Generation of the pack after it was last offered records.
        swept_on: Day on which the source was last asked which records it still lists.
        synced_at: Instant of the last sync that reached the source.
        status: What became of the last sync (`core.records.sources.AnswerStatus`), or
            "interrupted" while one is running or after it was killed.
        message: One sentence about it; "" where there is nothing to say.
    """

    high_water: str = ""
    data_version: str = ""
    walk_since: str = ""
    walk_version: str = ""
    page_token: str = ""
    counted: int = 0
    read: int = 0
    owed: str = ""
    generation: int = 0
    swept_on: str = ""
    synced_at: str = ""
    status: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class MirrorHit:
    """A record of a mirror that a search found."""

    source_id: str
    title: str
    status: str
    phase: str
    changed_on: str


@dataclass(frozen=True, slots=True)
class MirrorCount:
    """What a mirror holds: records, their states, and those that the source no longer lists."""

    records: int
    states: int
    withdrawn: int
