"""Bytes by content in an S3-compatible object store, with copies in the instance folder.

A blob counts when the object store has it: `put` returns after the upload. What a host reads is
copied into its folder once, checked against its hash, and removed there after some days without
use. Addresses, keys and regions come from the standard variables `AWS_*`.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.errors import NotFound, StorageUnavailable
from core.records.runs import Blob
from core.settings import Settings
from storage.blobs import MARKER, BlobStore, draft_in
from storage.engine import Database
from storage.locks import locked

COPIES = timedelta(days=7)
"""Copies that were not used for so long are removed."""
_PATIENCE: Any = {"max_retries": 4, "retry_timeout": timedelta(seconds=30)}
_SILENCE = {"connect_timeout": timedelta(seconds=5), "read_timeout": timedelta(seconds=20)}
_LONGEST = timedelta(minutes=30)
"""Of one transfer."""


def open_blobs(settings: Settings, database: Database) -> BlobStore:
    """Return where an instance keeps its bytes; cheap, no connection is opened yet."""
    folder, address = settings.home / "blobs", urlsplit(settings.blob_url or "")
    if address.scheme == "s3":
        return ObjectBlobs(folder, settings, database)
    return BlobStore(Path(address.path) if address.scheme == "file" else folder)


class ObjectBlobs(BlobStore):
    """Blobs in one bucket (core.ports.Blobs)."""

    def __init__(self, folder: Path, settings: Settings, database: Database) -> None:
        """Keep what a connection needs.

        Args:
            folder: Where the copies lie.
            settings: Address of the bucket, authorities of certificates.
            database: Locks an object while it is written or removed.
        """
        super().__init__(folder)
        self._settings = settings
        self._database = database
        self._bucket: Any = None

    def _publish(self, draft: Path, blob: Blob) -> None:
        super()._publish(draft, blob)
        self._upload(blob.sha256)

    def _upload(self, sha256: str) -> None:
        """Write the object, also where it is there: it is as new as its newest row then."""
        with self._locked(sha256, shared=True), self._place(sha256).open("rb") as file:
            self._put(_name(sha256), file)

    def path(self, sha256: str) -> Path:
        """Return where a copy of the bytes lies; they are fetched where there is none.

        Raises:
            NotFound: There is no such blob.
            StorageUnavailable: The object store does not answer, or has other bytes.
        """
        try:
            path = super().path(sha256)
        except NotFound:
            return self._fetch(sha256)
        with suppress(OSError):
            os.utime(path)
        return path

    def holds(self, sha256: str) -> bool:
        """Return whether there is such a blob."""
        return super().holds(sha256) or self._state(sha256) is not None

    def places(self) -> Iterator[Path]:
        """Yield a copy of every blob, in the order of the hashes; what was fetched goes again."""
        for sha256, _, _ in sorted(self._listed()):
            if super().holds(sha256):
                yield self._place(sha256)
            else:
                yield self._fetch(sha256)
                self.forget_copy(sha256)

    def older_than(self, instant: datetime) -> Iterator[tuple[str, int]]:
        """Yield hash and size of the blobs that nobody has written since an instant."""
        for sha256, size, written_at in self._listed():
            if written_at < instant:
                yield sha256, size

    def discard(self, sha256: str, instant: datetime) -> bool:
        """Remove a blob unless somebody has written it anew since an instant.

        Returns:
            Whether it was removed.
        """
        with self._locked(sha256, shared=False), _reached():
            state = self._state(sha256)
            if state is None or state["last_modified"] >= instant:
                return False
            self._store().delete(_name(sha256))
        self._place(sha256).unlink(missing_ok=True)
        return True

    def clear_drafts(self, instant: datetime) -> None:
        """Remove drafts of before an instant, and copies that were not used for some days."""
        super().clear_drafts(instant)
        for path in super().places():
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < (instant - COPIES).timestamp():
                    path.unlink()

    def read_marker(self) -> str:
        """Return the name of the instance whose blobs these are; "" where none was written."""
        with suppress(NotFound), _reached():
            return bytes(self._store().get(MARKER).bytes()).decode()
        return ""

    def write_marker(self, name: str) -> None:
        """Write the name of the instance whose blobs these are."""
        self._put(MARKER, name.encode())

    def forget_copy(self, sha256: str) -> None:
        """Remove the copy of a blob from this host."""
        self._place(sha256).unlink(missing_ok=True)

    def _fetch(self, sha256: str) -> Path:
        if not self.is_name(sha256):
            raise NotFound("the stored content is not there")
        digest = hashlib.sha256()
        with draft_in(self.folder / "tmp") as draft, _reached():
            with draft.open("xb") as file:
                for chunk in self._store().get(_name(sha256)).stream():
                    digest.update(chunk)
                    file.write(chunk)
            if digest.hexdigest() != sha256:
                raise StorageUnavailable("the object store has other bytes than were stored there")
            super()._publish(draft, Blob(sha256=sha256, size=draft.stat().st_size))
        return self._place(sha256)

    def _put(self, name: str, content: Any) -> None:
        """Write an object. Raises StorageUnavailable, also where there is no such bucket."""
        try:
            with _reached():
                self._store().put(name, content)
        except NotFound as error:
            raise StorageUnavailable(
                "the bucket that BPW_BLOB_URL names does not exist; create it"
            ) from error

    def _state(self, sha256: str) -> Any:
        """Return what the object store says of a blob; None when it has none."""
        with suppress(NotFound), _reached():
            return self._store().head(_name(sha256))
        return None

    def _listed(self) -> Iterator[tuple[str, int, datetime]]:
        with _reached():
            for part in self._store().list():
                for entry in part:
                    name = str(entry["path"]).rpartition("/")[2]
                    if self.is_name(name):
                        yield name, entry["size"], entry["last_modified"]

    def _store(self) -> Any:
        """Return the bucket; each process connects for itself."""
        if self._bucket is None:
            from obstore.store import S3Store

            bundle = self._settings.ca_bundle
            options: Any = {"allow_http": True, "timeout": _LONGEST, **_SILENCE}
            if bundle:
                options["root_certificate"] = Path(bundle).read_bytes()
            address = str(self._settings.blob_url)
            self._bucket = S3Store.from_url(address, client_options=options, retry_config=_PATIENCE)
        return self._bucket

    @contextmanager
    def _locked(self, sha256: str, *, shared: bool) -> Iterator[None]:
        with locked(self._database, self._settings.home, f"blobs {sha256}", shared=shared):
            yield


def _name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}"


@contextmanager
def _reached() -> Iterator[None]:
    """Say in plain words that the object store has no such object, or why it does not answer."""
    from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

    try:
        yield
    except FileNotFoundError as error:
        raise NotFound("the stored content is not there") from error
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise StorageUnavailable(
            "the object store refuses this host; check its key (settings AWS_...), the region and "
            "the rights on the bucket"
        ) from error
    except BaseError as error:
        raise StorageUnavailable(
            "the object store that holds results does not answer; try again in a moment"
        ) from error
