"""Walks the records of a live source that changed, into its mirror and from there into the pack.

A sync asks what the source calls its data. Where that has not changed, nothing is asked for.
Otherwise all records are walked that changed since the last complete walk, with some days of
overlap. Each page is one portion: its records and the cursor are kept in one transaction. Tokens
of pages belong to one state of the data: a walk during which it changes is begun again, and a walk
that reads fewer records than the source counts never moves the mark.

From the mirror the pack is offered the states of records that it holds or needs.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from core.evidence.sources.live.web import NoAnswer, Site, changed
from core.evidence.sources.sync.reports import (
    PORTION,
    WHOLE,
    Announce,
    SyncReport,
    check_missing,
    syncing,
)
from core.evidence_ports import Evidence, Mirror
from core.records.evidence import Parsed
from core.records.mirrors import SourceCopy, SyncCursor
from core.records.sources import AnswerStatus

SWEEP_DAYS = 7
FIRST_DAYS = 30
"""How far back the first sync looks where the pack does not tell."""
MOST_WALKS = 3
MOST_OWED = 1_000


@dataclass(frozen=True, slots=True)
class Page:
    """Records as a source sent them.

    Attributes:
        copies: The records that are of the known form.
        numbers: Identifiers of all records of the page.
        next_token: Where the walk goes on; "" at its end.
        counted: Records that the source counts; None where it did not say.
        owed: Identifiers of records a part of which did not come.
    """

    copies: Sequence[SourceCopy]
    numbers: Collection[str]
    next_token: str
    counted: int | None
    owed: Collection[str] = ()


class Walked(ABC):
    """A source whose changes can be walked."""

    name: str
    """Its short name."""
    noun: str
    """What its records are called, in the plural."""
    origin: str
    """Origin of its records in the pack."""
    begins_with = ""
    """Source of the pack whose newest record begins the first walk; "": a month ago."""
    overlap_days = 2
    """Days before the mark from which a walk begins."""
    portion = PORTION
    """States that are offered to the pack at once."""

    def __init__(self, site: Site, today: date) -> None:
        """Set how the source is asked."""
        self.site = site
        self.today = today

    @abstractmethod
    def data_version(self) -> str:
        """Return what the source calls its data; it begins with a day. Raises NoAnswer."""

    @abstractmethod
    def changes(self, since: str, token: str, as_of: str) -> Page:
        """Return a page of records that changed on a day or later. Raises NoAnswer."""

    def whole(self, numbers: Sequence[str], as_of: str) -> Sequence[SourceCopy]:  # noqa: ARG002
        """Return these records with what was owed of them. Raises NoAnswer."""
        return []

    def unlisted(self, numbers: Sequence[str], announce: Announce) -> Sequence[str]:  # noqa: ARG002
        """Return which of these the source no longer lists. Raises NoAnswer."""
        return []

    @abstractmethod
    def read(self, copies: Sequence[SourceCopy]) -> Sequence[Parsed | None]:
        """Return record and facts of each copy; None for one that cannot be read."""

    @abstractmethod
    def is_needed(self, parsed: Parsed) -> bool:
        """Return whether the pack needs a record that it does not hold."""


def sync_walk(
    source: Walked,
    evidence: Evidence,
    now: datetime,
    announce: Announce = lambda _words: None,
    *,
    since: str = "",
) -> SyncReport:
    """Bring mirror and pack up to date with a source.

    Args:
        source: The source.
        evidence: The pack, with its mirrors.
        now: Instant of the sync.
        announce: Called with one line before each step and page.
        since: Day from which changes are read, YYYY-MM-DD; "": since the last complete walk,
            else since the newest record of the pack.

    Returns:
        What it came to. What was read before a failure is kept, and the next sync goes on there.

    Raises:
        InvalidInput: A sync of the source is already running.
        StorageFull: The disk is full; mirror and pack stay as they were.
    """
    with syncing(source.name, evidence, now, {source.origin}) as work:
        sync = _Sync(source, work.mirror, evidence, now.date(), announce)
        try:
            report = sync.walk(since)
            sync.fetch_owed()
        except NoAnswer as failure:
            report = sync.failed(failure)
        promoted = sync.promote()
        if sync.unread:
            skipped = f"{sync.unread:,} {source.noun} could not be read and were skipped"
            report = replace(report, message="; ".join(filter(None, (report.message, skipped))))
        withdrawn: Sequence[str] = ()
        if report.status in WHOLE and sync.is_sweep_due():
            try:
                withdrawn = sync.sweep()
            except NoAnswer as failure:
                report = replace(report, status="partial", message=failure.message)
        work.report = replace(report, promoted=promoted, withdrawn=tuple(withdrawn))
    return work.report


@dataclass
class _Sync:
    """One sync under way."""

    source: Walked
    mirror: Mirror
    evidence: Evidence
    today: date
    announce: Announce
    changed: int = 0
    unread: int = 0
    seen: set[str] = field(default_factory=set)
    owed: set[str] = field(default_factory=set)

    def walk(self, since: str) -> SyncReport:
        """Read every study that changed. Raises NoAnswer."""
        version = self._version()
        cursor = self.mirror.cursor()
        if version == cursor.data_version and not cursor.walk_since and not since:
            return SyncReport(self.source.name, "unchanged", as_of=version)
        begins = [day for day in (since, cursor.walk_since) if day]
        if cursor.high_water or not begins:  # a later day would leave a gap behind the mark
            begins.append(self._start(cursor))
        begin = min(begins)
        if begin != cursor.walk_since or cursor.walk_version != version:
            cursor = _begun(cursor, begin, version)
        for _ in range(MOST_WALKS):
            self.seen.clear()
            cursor = self._read_pages(cursor)
            version = self._version()
            if version == cursor.walk_version:
                return self._ended(cursor, version)
            cursor = _begun(cursor, cursor.walk_since, version)
        message = "the data changed during each walk; the next sync begins it again"
        return self._report(cursor, "partial", message)

    def _version(self) -> str:
        """Return what the source calls its data, if that begins with a day. Raises NoAnswer."""
        version = self.source.data_version()
        try:
            date.fromisoformat(version[:10] if re.match(r"[\d-]{10}(?!\d)", version) else "")
        except ValueError:
            raise changed(self.source.name) from None
        return version

    def _start(self, cursor: SyncCursor) -> str:
        """Return the day from which changes are read where none is asked for."""
        held = (
            count.newest
            for count in self.evidence.sources()
            if count.source == self.source.begins_with
        )
        newest = cursor.high_water or next(held, "")
        parts = [*map(int, newest.split("-")), 1, 1][:3] if newest else []
        day = date(*parts) if parts else self.today - timedelta(days=FIRST_DAYS)
        return (min(day, self.today) - timedelta(days=self.source.overlap_days)).isoformat()

    def _read_pages(self, cursor: SyncCursor) -> SyncCursor:
        """Keep the pages of a walk from where it stands to its end. Raises NoAnswer."""
        as_of = min(cursor.walk_version[: len("2026-11-27")], self.today.isoformat())
        while True:
            page = self.source.changes(cursor.walk_since, cursor.page_token, as_of)
            fresh = set(page.numbers) - self.seen
            is_odd = not fresh if cursor.page_token else page.counted is None
            if is_odd or (page.next_token and page.next_token == cursor.page_token):
                raise changed(self.source.name)
            self.seen |= fresh
            self.owed |= set(page.owed)
            cursor = replace(
                cursor,
                page_token=page.next_token,
                counted=cursor.counted if page.counted is None else page.counted,
                read=cursor.read + len(fresh),
                owed=_noted({*cursor.owed.split(), *page.owed}),
            )
            self.unread += len(page.numbers) - len(page.copies)
            self.changed += self.mirror.keep(page.copies, cursor)
            self.announce(f"read {cursor.read:,} of {cursor.counted:,} changed {self.source.noun}")
            if not page.next_token:
                return cursor

    def fetch_owed(self) -> None:
        """Ask again for what earlier syncs could not get. Raises NoAnswer."""
        cursor = self.mirror.cursor()
        due = [number for number in cursor.owed.split() if number not in self.owed]
        as_of = cursor.data_version[: len("2026-11-27")]
        copies = self.source.whole(due, as_of) if due else []
        if copies:
            left = set(cursor.owed.split()) - {copy.source_id for copy in copies}
            self.mirror.keep(copies, replace(cursor, owed=_noted(left)))

    def _ended(self, cursor: SyncCursor, version: str) -> SyncReport:
        """Move the mark after a walk that read all that the register counts."""
        if cursor.read < cursor.counted:
            self.mirror.keep((), _begun(cursor, cursor.walk_since, version))
            return self._report(cursor, "partial", "the source sent fewer than it counts")
        day = min(version[: len("2026-11-27")], self.today.isoformat())
        ended = replace(
            cursor,
            high_water=max(day, cursor.high_water),
            data_version=version,
            walk_since="",
            walk_version="",
            page_token="",
            swept_on=cursor.swept_on or self.today.isoformat(),
        )
        self.mirror.keep((), ended)
        return self._report(cursor, "answered" if cursor.counted else "empty", "")

    def _report(self, cursor: SyncCursor, status: AnswerStatus, message: str) -> SyncReport:
        if status == "partial":
            share = f"read {cursor.read:,} of {cursor.counted:,} {self.source.noun}"
            message = f"{share}; {message}"
        return SyncReport(
            self.source.name,
            status,
            cursor.counted,
            cursor.read,
            self.changed,
            as_of=cursor.walk_version,
            message=message,
        )

    def failed(self, failure: NoAnswer) -> SyncReport:
        """Return the report of a walk that broke off; the next sync goes on where it was."""
        cursor = self.mirror.cursor()
        if cursor.walk_since and cursor.read:
            return self._report(cursor, "partial", failure.message)
        return SyncReport(self.source.name, failure.status, message=failure.message)

    def promote(self) -> int:
        """Offer the pack the states of the mirror that it needs; return how many."""
        promoted = 0
        while due := self.mirror.due(self.source.portion):
            self.announce(f"reading {len(due):,} {self.source.noun} into the evidence")
            read = self.source.read([copy for copy, _ in due])
            records = [parsed for parsed in read if parsed is not None]
            self.unread += len(read) - len(records)
            held = self.evidence.records([parsed.record.id for parsed in records])
            needed = [
                parsed
                for parsed in records
                if parsed.record.id in held or self.source.is_needed(parsed)
            ]
            if needed:
                with self.evidence.next_generation() as writer:
                    promoted += writer.add(needed)
            self.mirror.mark_promoted([(copy.source_id, digest) for copy, digest in due])
        return promoted

    def is_sweep_due(self) -> bool:
        """Return whether it is time to ask which records the source still lists."""
        swept_on = self.mirror.cursor().swept_on
        return bool(swept_on) and (self.today - date.fromisoformat(swept_on)).days >= SWEEP_DAYS

    def sweep(self) -> Sequence[str]:
        """Ask which records the source still lists; return those missing twice. Raises NoAnswer."""
        known = self.mirror.numbers()
        missing = self.source.unlisted(list(known), self.announce)
        check_missing(self.source.name, self.source.noun, missing, known)
        swept = replace(self.mirror.cursor(), swept_on=self.today.isoformat())
        return self.mirror.sweep(missing, swept)


def _noted(numbers: set[str]) -> str:
    return " ".join(sorted(numbers)[:MOST_OWED])


def _begun(cursor: SyncCursor, since: str, version: str) -> SyncCursor:
    """Return the cursor at the beginning of a walk."""
    return replace(cursor, walk_since=since, walk_version=version, page_token="", counted=0, read=0)
