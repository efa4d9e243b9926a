"""Evidence that several hosts share.

Each host answers from files in its own folder. Whoever changes them holds a lock of the instance,
begins with the newest published evidence and publishes what came of it: the files as blobs, then
one row, by which they count. The others compare one number before they answer and fetch the files
when it has grown. A change that its process did not live to publish is taken back.
"""

import json
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import structlog
from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from core.errors import InvalidInput, StorageUnavailable
from storage.backup import EVENTS, copy_rows
from storage.blobs import BlobStore, reporting_full_disk
from storage.engine import Database
from storage.instants import utc_now
from storage.locks import is_locked, locked, locked_file
from storage.states import StateStore
from storage.tables import PublishedEvidenceRow, PublishedFileRow

_LOCK = "evidence"
_MARK = "published.json"
INSTANCE = "instance"
"""State with the name of the instance, which its store of results has, too."""
_PARTS = 1 << 20
KEPT = 3
"""Published evidence that is kept; a host that was away fetches the newest."""
Versions = Callable[[], Mapping[str, str]]


@dataclass(frozen=True)
class _Mark:
    """Which published evidence the files of this host are.

    Attributes:
        published: Its number and instant; "" for none.
        versions: Words of the files by their names, as they were published.
    """

    published: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


class OwnEvidence:
    """The evidence of an instance on one host: nothing is shared (core.ports.Sharing)."""

    def follow(self, *, is_strict: bool = False) -> bool:
        """Do nothing."""
        return False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let evidence be changed."""
        yield

    def is_writing(self) -> bool:
        """Return False: each process knows of its own import."""
        return False

    def join(self) -> None:
        """Do nothing."""


class SharedEvidence:
    """The evidence of an instance on several hosts (core.ports.Sharing)."""

    def __init__(
        self,
        database: Database,
        blobs: BlobStore,
        states: StateStore,
        folder: Path,
        versions: Versions,
    ) -> None:
        """Keep what is shared.

        Args:
            database: Rows and locks.
            blobs: Where files are published.
            states: Hold the mark of the instance.
            folder: The evidence of this host.
            versions: Gives the words of its files by their names; "" for one that is not there.
        """
        self._database = database
        self._blobs = blobs
        self._states = states
        self._folder = folder
        self._versions = versions

    def follow(self, *, is_strict: bool = False) -> bool:
        """Bring this host to the newest published evidence; return whether it was not there.

        Args:
            is_strict: Also take back what a process that is gone has changed and not published, or
                publish what is here where nothing was published yet.

        Raises:
            StorageUnavailable: The database or the object store does not answer.
        """
        newest = self._newest()
        if newest and newest != self._mark().published:
            return self._fetch(newest)
        if not is_strict or not self._is_due(newest):
            return False
        if not newest:
            with self.writing():  # nothing was published yet: what is here is
                return False
        with locked(self._database, self._folder.parent, _LOCK, wait=False) as is_alone:
            return is_alone and self._is_changed() and self._fetch(newest, is_forced=True)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let one process at a time change the evidence, and publish what it comes to.

        Raises:
            InvalidInput: Another process does.
        """
        with locked(self._database, self._folder.parent, _LOCK, wait=False) as is_alone:
            if not is_alone:
                raise InvalidInput(
                    "an import or a sync is under way on a host of this instance; wait until it "
                    "has ended"
                )
            newest = self._newest()
            if newest and (newest != self._mark().published or self._is_changed()):
                self._fetch(newest, is_forced=True)
            try:
                yield
            finally:  # what was imported counts, even where a later step failed
                if self._is_due(newest):
                    self._publish(newest)

    def is_writing(self) -> bool:
        """Return whether a process of any host changes the evidence now."""
        return is_locked(self._database, _LOCK)

    def join(self) -> None:
        """Check that the store of results belongs to this instance; the first host marks it.

        Raises:
            StorageUnavailable: It is another one, or not there.
        """
        own, marked = self._states.read(INSTANCE), self._blobs.read_marker()
        if not own and not marked:
            name = secrets.token_hex(16)
            self._blobs.write_marker(name)  # first: a store that is not there leaves no trace
            self._states.write(INSTANCE, name, expected="")
            if (own := self._states.read(INSTANCE)) != name:  # another host was quicker
                self._blobs.write_marker(own)
        elif own != marked:
            reason = "is empty; is it mounted?"
            if marked:
                reason = "belongs to another instance; after an interrupted first setup, empty it"
            raise StorageUnavailable(f"the store of results (BPW_BLOB_URL) {reason}")

    def _newest(self) -> str:
        """Return number and instant of the newest published evidence; "" where there is none."""
        newest = select(PublishedEvidenceRow).order_by(col(PublishedEvidenceRow.id).desc()).limit(1)
        with self._database.read() as session:
            row = session.exec(newest).first()
            return _name(row) if row else ""

    def _is_changed(self) -> bool:
        return _present(self._mark().versions) != _present(self._versions())

    def _is_due(self, newest: str) -> bool:
        """Return whether what is here differs from what was published."""
        return self._is_changed() or (not newest and bool(_present(self._versions())))

    def _mark(self) -> _Mark:
        try:
            return _Mark(**json.loads((self._folder / _MARK).read_text()))
        except (OSError, ValueError, TypeError):
            return _Mark()

    def _keep_mark(self, mark: _Mark) -> None:
        draft = self._folder / f".{_MARK}"
        draft.write_text(json.dumps(asdict(mark)))
        draft.replace(self._folder / _MARK)

    def _publish(self, former_name: str) -> None:
        """Make blobs of the files that changed, then the row by which they count.

        Raises:
            StorageUnavailable: The lock was lost, and another host has published meanwhile.
        """
        versions, former = self._versions(), self._files(former_name)
        files = {}
        for name, version in _present(versions).items():
            kept = former.get(name)
            if kept is not None and kept.version == version:
                files[name] = (kept.sha256, kept.size)
            else:
                files[name] = self._put(name)
        number = int(former_name.partition(" ")[0] or 0) + 1  # two that publish at once differ
        row = PublishedEvidenceRow(id=number, at=utc_now())
        with self._alone_at(number), self._database.write() as session:
            session.add(row)
            session.flush()
            session.add_all(
                PublishedFileRow(
                    evidence_id=number, name=name, version=versions[name], sha256=sha256, size=size
                )
                for name, (sha256, size) in files.items()
            )
            old = col(PublishedEvidenceRow.id) <= number - KEPT
            session.exec(delete(PublishedEvidenceRow).where(old))
        self._keep_mark(_Mark(_name(row), versions))
        structlog.get_logger("evidence").info("evidence published", number=number)

    @contextmanager
    def _alone_at(self, number: int) -> Iterator[None]:
        """Say in plain words that another host has published with the same number."""
        try:
            yield
        except IntegrityError as error:
            raise StorageUnavailable(
                "another host has changed the evidence meanwhile; import the files again"
            ) from error

    def _put(self, name: str) -> tuple[str, int]:
        """Make a blob of a file as it is at one instant."""
        draft = self._folder / f".publish-{name}"
        draft.unlink(missing_ok=True)
        try:
            source = f"{(self._folder / name).resolve().as_uri()}?mode=rw"
            with closing(sqlite3.connect(source, uri=True)) as opened:
                copy_rows(opened, draft)
            with draft.open("rb") as content:
                parts = iter(lambda: content.read(_PARTS), b"")
                blob = self._blobs.put_stream(parts, limit=draft.stat().st_size)
        finally:
            draft.unlink(missing_ok=True)
        self._blobs.forget_copy(blob.sha256)
        return blob.sha256, blob.size

    def _files(self, published: str) -> dict[str, PublishedFileRow]:
        number = int(published.partition(" ")[0] or 0)
        query = select(PublishedFileRow).where(col(PublishedFileRow.evidence_id) == number)
        with self._database.read() as session:
            return {row.name: row for row in session.exec(query)}

    def _fetch(self, published: str, *, is_forced: bool = False) -> bool:
        """Put the files of published evidence into their places, those that differ."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked_file(self._folder / "follow.lock"), reporting_full_disk():
            if published == self._mark().published and not is_forced:
                return False  # another process of this host was quicker
            files, present = self._files(published), self._versions()
            due = [file for name, file in files.items() if present.get(name) != file.version]
            drafts = {file.name: self._draft(file) for file in due}
            for name, draft in drafts.items():
                self._exchange(name, draft)
            for name in _present(present).keys() - files:
                self._remove(name)
            self._keep_mark(_Mark(published, {name: file.version for name, file in files.items()}))
        structlog.get_logger("evidence").info(
            "evidence fetched", published=published, files=len(due)
        )
        return True

    def _draft(self, file: PublishedFileRow) -> Path:
        draft = self._folder / f".fetched-{file.name}"
        shutil.copyfile(self._blobs.path(file.sha256), draft)
        draft.chmod(0o600)
        self._blobs.forget_copy(file.sha256)
        return draft

    def _exchange(self, name: str, draft: Path) -> None:
        """Let a file take its place; events, which have a write-ahead log, row by row of pages."""
        if name == EVENTS:
            with (
                closing(sqlite3.connect(draft)) as source,
                closing(sqlite3.connect(self._folder / name)) as target,
            ):
                source.backup(target)
            draft.unlink()
            return
        with locked_file((self._folder / name).with_suffix(".lock")):
            draft.replace(self._folder / name)

    def _remove(self, name: str) -> None:
        """Take away a file that the published evidence does not have."""
        for ending in ("", "-wal", "-shm"):
            (self._folder / f"{name}{ending}").unlink(missing_ok=True)


def _present(versions: Mapping[str, str]) -> dict[str, str]:
    """Return the words of the files that are there."""
    return {name: version for name, version in versions.items() if version}


def _name(row: PublishedEvidenceRow) -> str:
    return f"{row.id} {row.at.isoformat()}"
