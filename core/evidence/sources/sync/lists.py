"""Files that a source publishes as a whole: Drugs@FDA, Orange Book, Purple Book, EMA's lists.

A file is asked for with the validator of the last one (ETag or Last-Modified). One that is new is
kept in the mirror and read by its importer; the pack is offered the records that it tells
otherwise than the file before. What two files in a row leave out is marked as withdrawn. A file
that lists far fewer records than the one before is not believed, and nothing of it is kept.
"""

import hashlib
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from core.errors import UnreadableTable
from core.evidence.sources.importing import find_importer
from core.evidence.sources.live.web import NoAnswer, Reply, Site, changed
from core.evidence.sources.sync.reports import (
    PORTION,
    Announce,
    SyncReport,
    check_missing,
    syncing,
)
from core.evidence_ports import Evidence, Mirror
from core.records.evidence import Parsed
from core.records.mirrors import SourceCopy
from core.tables.bounds import check_zip
from core.tables.rows import SourceFile

LARGEST_FILE = 200_000_000
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_PURPLE_BOOK = re.compile(
    r"(/drugsatfda_docs/PurpleBook/(\d{4})/purplebook-search-([A-Za-z]{3})[A-Za-z]*-data-download"
    r"\.csv)"
)
Rows = Mapping[str, tuple[str, Parsed]]
"""Of each record its mark, and what was read of it."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file that a source publishes.

    Attributes:
        name: Short name of the source.
        title: What people call it.
        path: Where it lies; "" where a page on a second site names it.
        parts: Name under which a part is read, and word of its importer, by its name in the
            archive; "" for the file itself.
    """

    name: str
    title: str
    path: str
    parts: Mapping[str, tuple[str, str]]

    @property
    def rules(self) -> str:
        """Return what changes with the code that reads it."""
        return " ".join(find_importer(kind).mark for _, kind in self.parts.values())

    @property
    def origins(self) -> frozenset[str]:
        """Return the origins of its records in the pack."""
        return frozenset(name for name, _ in self.parts.values())


def sync_list(
    listed: ListedFile,
    sites: Sequence[Site],
    evidence: Evidence,
    now: datetime,
    announce: Announce,
) -> SyncReport:
    """Bring mirror and pack up to date with a published file.

    Args:
        listed: The file.
        sites: The site of the file, then that of the page which names it, if any.
        evidence: The pack, with its mirrors.
        now: Instant of the sync.
        announce: Called with one line before each step.

    Raises:
        InvalidInput: A sync of it is already running.
    """
    with syncing(listed.name, evidence, now, listed.origins) as work:
        sync = _ListSync(listed, work.mirror, evidence, now.date(), announce)
        cursor = work.mirror.cursor()  # what an earlier sync read and did not get to
        kept = work.mirror.file(cursor.page_token) if work.mirror.due(1) else b""
        promoted = sync.promote(sync.rows(kept, cursor.walk_version)) if kept else 0
        try:
            announce(f"asking for {listed.title}")
            report = sync.read(fetch(listed, sites, sync.validators()))
        except NoAnswer as failure:
            report = SyncReport(listed.name, failure.status, message=failure.message)
        work.report = replace(report, promoted=promoted + report.promoted)
    return work.report


def fetch(listed: ListedFile, sites: Sequence[Site], validators: Mapping[str, str]) -> Reply:
    """Return a file, or that it is unchanged. Raises NoAnswer."""
    path = listed.path
    if not path:
        page = sites[1].ask("GET", "/downloads")
        path = newest_purple_book(page.content.decode("utf-8", "replace"))
    reply = sites[0].ask("GET", path, headers=validators) if path else None
    if reply is None or reply.is_missing or (not reply.is_unchanged and not reply.content):
        raise changed(listed.title)
    return reply


def newest_purple_book(page: str) -> str:
    """Return the path of the newest month that a page of the Purple Book names; "" for none."""
    months = [
        (match[2], _MONTHS.index(match[3].lower()), match[1])
        for match in _PURPLE_BOOK.finditer(page)
        if match[3].lower() in _MONTHS
    ]
    return max(months)[2] if months else ""


@dataclass
class _ListSync:
    """One sync of a file under way."""

    listed: ListedFile
    mirror: Mirror
    evidence: Evidence
    today: date
    announce: Announce
    damaged: int = 0
    damage: str = ""

    def validators(self) -> dict[str, str]:
        """Return the headers by which a source tells that its file is unchanged."""
        mark, _, rules = self.mirror.cursor().data_version.partition("\n")
        if not mark or rules != self.listed.rules or self.mirror.due(1):
            return {}
        is_tag = mark.startswith(('"', "W/"))
        return {"If-None-Match" if is_tag else "If-Modified-Since": mark}

    def read(self, reply: Reply) -> SyncReport:
        """Keep a file and offer the pack what it tells anew. Raises NoAnswer."""
        cursor = self.mirror.cursor()
        unchanged = SyncReport(self.listed.name, "unchanged", as_of=cursor.walk_version)
        if reply.is_unchanged:
            return unchanged
        digest = hashlib.sha256(reply.content).hexdigest()
        mark = reply.headers.get("etag") or reply.headers.get("last-modified") or digest
        version = f"{mark}\n{self.listed.rules}"
        if version == cursor.data_version and not self.mirror.due(1):
            return unchanged
        as_of = min(_day(reply) or self.today, self.today).isoformat()
        rows = self.rows(reply.content, as_of)
        if len(rows) <= self.damaged:
            raise changed(self.listed.title)
        known = self.mirror.numbers()
        missing = known.keys() - rows.keys()
        check_missing(self.listed.title, "records", missing, known)
        fresh = [
            SourceCopy(record_id, b"", as_of, as_of, parsed.record.title, mark=mark)
            for record_id, (mark, parsed) in rows.items()
            if known.get(record_id) != (mark, False)
        ]
        n_changed = 0
        if fresh:
            begun = replace(cursor, page_token=digest, walk_version=as_of)
            n_changed = self.mirror.keep(fresh, begun, reply.content)
        promoted = self.promote(rows)
        ended = replace(
            self.mirror.cursor(), data_version=version, high_water=as_of, swept_on=as_of
        )
        withdrawn = self.mirror.sweep(missing, ended)
        return SyncReport(
            self.listed.name,
            "answered",
            len(rows),
            len(rows),
            n_changed,
            promoted,
            tuple(withdrawn),
            as_of,
            self._skipped(),
        )

    def _skipped(self) -> str:
        """Return how many rows could not be read, with where and why the first one; "" for none."""
        rows = "row" if self.damaged == 1 else "rows"
        told = f"{self.damaged:,} {rows} skipped that could not be read: {self.damage}"
        return told if self.damaged else ""

    def promote(self, rows: Rows) -> int:
        """Offer the pack the records that are due; return how many."""
        promoted = 0
        while due := self.mirror.due(PORTION):
            self.announce(f"reading {len(due):,} records of {self.listed.title}")
            states = [(copy.source_id, digest) for copy, digest in due]
            fresh = [rows[name][1] for name, digest in states if rows.get(name, ("",))[0] == digest]
            if fresh:
                with self.evidence.next_generation() as writer:
                    promoted += writer.add(fresh)
            self.mirror.mark_promoted(states)
        return promoted

    def rows(self, content: bytes, as_of: str) -> Rows:
        """Return what the importers read of a file. Raises NoAnswer."""
        rows: dict[str, tuple[str, Parsed]] = {}
        self.damaged, self.damage = 0, ""
        try:
            with _unpacked(self.listed, content) as paths:
                for path, kind in paths:
                    source = SourceFile(path, as_of, self.today.isoformat(), self._note_damage)
                    for parsed in find_importer(kind).read(source):
                        rows[parsed.record.id] = (_mark(parsed, as_of), parsed)
        except (UnreadableTable, zipfile.BadZipFile, KeyError) as failure:
            raise NoAnswer("unavailable", f"{self.listed.title}: {failure}") from failure
        return rows

    def _note_damage(self, line: int, reason: str) -> None:
        self.damage = self.damage or f"line {line:,}: {reason}"
        self.damaged += 1


@contextmanager
def _unpacked(listed: ListedFile, content: bytes) -> Iterator[Sequence[tuple[Path, str]]]:
    """Give the parts of a file as files of their own, each with the word of its importer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = folder / "file"
        whole.write_bytes(content)
        paths: list[tuple[Path, str]] = []
        for member, (part, kind) in listed.parts.items():
            paths.append((folder / part, kind))
            if not member:
                whole.rename(folder / part)
                continue
            with zipfile.ZipFile(whole) as archive:
                check_zip(archive, listed.title)
                (folder / part).write_bytes(archive.read(member))
        yield paths


def _mark(parsed: Parsed, as_of: str) -> str:
    """Return what tells two states of a row apart: not its line, nor the day of its file."""
    record = replace(parsed.record, fetched_at="", raw_ref="", copied_on="")
    facts = [
        replace(fact, locator="", as_of="" if fact.as_of == as_of else fact.as_of)
        for fact in parsed.facts
    ]
    return hashlib.sha256(repr((record, facts)).encode("utf-8", "replace")).hexdigest()


def _day(reply: Reply) -> date | None:
    """Return the day on which a file was last modified; None where its site does not say."""
    try:
        at = parsedate_to_datetime(reply.headers.get("last-modified", ""))
    except ValueError:
        return None
    return at.astimezone(UTC).date()
