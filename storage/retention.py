"""Retention: what is past its time goes, rows first, then the files that nothing refers to.

Audit lines, quota counts, accounts and keys stay. A file is never removed within a day of its
last writing: its row may be under way.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, func, or_
from sqlmodel import Session, col, select

from core.errors import NotFound
from core.records.runs import FINAL
from core.records.upkeep import Cleared
from storage.blobs import BlobStore
from storage.columns import Row
from storage.engine import Database
from storage.links import FIRST
from storage.tables import (
    AlertHitRow,
    IdempotencyKeyRow,
    OneTimeLinkRow,
    PublishedFileRow,
    RunArtifactRow,
    RunRow,
    SessionRow,
    SigninThrottleRow,
    UploadedFileRow,
)
from storage.throttle import FORGET_AFTER

BLOB_GRACE = timedelta(days=1)
SEEN_HITS = timedelta(days=365)
"""Hits that were seen go after so long; those that were not stay."""
_FILE_ID = re.compile(rb"file_[0-9a-f]{32}")
_BATCH = 200
_PART = 1 << 20
_LONGEST_ID = 64


@dataclass(frozen=True)
class Rules:
    """How long things are kept; no days means for ever."""

    runs_days: int
    uploads_days: int


@dataclass
class Doomed:
    """What a job has found to be past its time."""

    runs: set[int] = field(default_factory=set)
    uploads: set[int] = field(default_factory=set)


def retain(
    database: Database, blobs: BlobStore, rules: Rules, *, at: datetime, dry_run: bool
) -> Cleared:
    """Clear away what is past its time.

    Args:
        database: Rows.
        blobs: Files.
        rules: How long things are kept.
        at: The present instant.
        dry_run: Only count.
    """
    old_blobs = dict(blobs.older_than(at - BLOB_GRACE))
    with database.read() as session:
        doomed = Doomed(runs=_old_runs(session, rules, at))
        doomed.uploads = _stale_uploads(session, blobs, rules, doomed, at)
        ended = {row: _count(session, row, gone) for row, gone in _ended(at).items()}
    if not dry_run:
        _delete_rows(database, doomed, at)
    with database.read() as session:
        needed = _referenced(session, doomed)
    unneeded = {sha256: size for sha256, size in old_blobs.items() if sha256 not in needed}
    if not dry_run:
        unneeded = {
            sha256: size
            for sha256, size in unneeded.items()
            if blobs.discard(sha256, at - BLOB_GRACE)
        }
        blobs.clear_drafts(at - BLOB_GRACE)
    return Cleared(
        runs=len(doomed.runs),
        uploads=len(doomed.uploads),
        sessions=ended[SessionRow],
        links=ended[OneTimeLinkRow],
        answers=ended[IdempotencyKeyRow],
        blobs=len(unneeded),
        blob_bytes=sum(unneeded.values()),
    )


def _old_runs(session: Session, rules: Rules, at: datetime) -> set[int]:
    """Return the finished runs past their time."""
    if not rules.runs_days:
        return set()
    ended_at = func.coalesce(col(RunRow.finished_at), col(RunRow.created_at))
    query = select(RunRow.id).where(
        col(RunRow.status).in_(FINAL), ended_at < at - timedelta(days=rules.runs_days)
    )
    return {run_id for run_id in session.exec(query) if run_id is not None}


def _ended(at: datetime) -> dict[type[Row], ColumnElement[bool]]:
    """Return the tables whose rows end by themselves, with the condition of having ended."""
    link_is_over = and_(
        col(OneTimeLinkRow.kind) != FIRST,
        or_(col(OneTimeLinkRow.expires_at) <= at, col(OneTimeLinkRow.used_at) <= at),
    )
    return {
        SessionRow: col(SessionRow.expires_at) <= at,
        OneTimeLinkRow: link_is_over,
        AlertHitRow: col(AlertHitRow.seen_at) < at - SEEN_HITS,
        IdempotencyKeyRow: col(IdempotencyKeyRow.expires_at) <= at,
        SigninThrottleRow: and_(
            col(SigninThrottleRow.failed_at) < at - FORGET_AFTER,
            func.coalesce(col(SigninThrottleRow.locked_until), at) <= at,
        ),
    }


def _count(session: Session, row: type[Row], condition: ColumnElement[bool]) -> int:
    return session.exec(select(func.count()).select_from(row).where(condition)).one()


def _stale_uploads(
    session: Session, blobs: BlobStore, rules: Rules, doomed: Doomed, at: datetime
) -> set[int]:
    """Return old uploads whose id stands in the input of no run that stays."""
    if not rules.uploads_days:
        return set()
    cutoff = at - timedelta(days=rules.uploads_days)
    query = select(UploadedFileRow).where(col(UploadedFileRow.created_at) < cutoff)
    old = {row.file_id.encode(): row.id for row in session.exec(query) if row.id is not None}
    if not old:
        return set()
    inputs = {
        sha256
        for run_id, sha256 in session.exec(select(RunRow.id, RunRow.input_sha256))
        if run_id not in doomed.runs
    }
    try:
        for sha256 in inputs:
            for file_id in _named_uploads(blobs, sha256):
                old.pop(file_id, None)
    except NotFound:  # which uploads it named cannot be known: all of them stay
        return set()
    return set(old.values())


def _named_uploads(blobs: BlobStore, sha256: str) -> Iterator[bytes]:
    """Yield the file ids that stand in a stored input, read in parts that overlap.

    Raises:
        NotFound: The input is not there.
    """
    with blobs.open(sha256) as source:
        tail = b""
        while chunk := source.read(_PART):
            yield from _FILE_ID.findall(tail + chunk)
            tail = chunk[-_LONGEST_ID:]


def _delete_rows(database: Database, doomed: Doomed, at: datetime) -> None:
    """Delete in small transactions, so that no writer waits for long."""
    for row, ids in ((RunRow, doomed.runs), (UploadedFileRow, doomed.uploads)):
        waiting = sorted(ids)
        for start in range(0, len(waiting), _BATCH):
            with database.write() as session:
                batch = waiting[start : start + _BATCH]
                session.exec(delete(row).where(col(row.id).in_(batch)))
    for ending, condition in _ended(at).items():
        with database.write() as session:
            session.exec(delete(ending).where(condition))


def _referenced(session: Session, doomed: Doomed) -> set[str]:
    """Return the hashes of all files that a row refers to, without rows that are to go."""
    needed = set()
    for query, gone in (
        (select(RunRow.id, RunRow.input_sha256), doomed.runs),
        (select(RunArtifactRow.run_id, RunArtifactRow.sha256), doomed.runs),
        (select(UploadedFileRow.id, UploadedFileRow.sha256), doomed.uploads),
    ):
        needed |= {sha256 for row_id, sha256 in session.exec(query) if row_id not in gone}
    needed |= set(session.exec(select(PublishedFileRow.sha256)))
    answers = select(IdempotencyKeyRow.answer_sha256)
    return needed | {sha256 for sha256 in session.exec(answers) if sha256 is not None}
