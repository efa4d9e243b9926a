"""What the stores must offer: small protocols; agents run on fakes and core knows no SQL."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from core.records.failure import ErrorRecord
from core.records.runs import (
    ApiKey,
    Artifact,
    AuditEntry,
    Blob,
    Caller,
    NewRun,
    QuotaState,
    Role,
    RunRecord,
    RunStatus,
    UploadedFile,
    User,
)


class Blobs(Protocol):
    """Bytes by content: written once (temporary file, fsync, rename), never changed."""

    def put(self, content: bytes) -> Blob:
        """Keep the bytes and return their address. Raises StorageFull."""
        ...

    def put_stream(self, chunks: Iterable[bytes], *, limit: int) -> Blob:
        """Keep a stream of at most `limit` bytes. Raises InvalidInput (`file_too_large`)."""
        ...

    def path(self, sha256: str) -> Path:
        """Return where the bytes lie. Raises NotFound."""
        ...

    def open(self, sha256: str) -> BinaryIO:
        """Open the bytes for reading. Raises NotFound."""
        ...


class Files(Protocol):
    """Uploads, each visible to its owner alone."""

    def add(self, owner_id: int, name: str, blob: Blob) -> UploadedFile:
        """Register an upload and return it with its new id."""
        ...

    def get(self, owner_id: int, file_id: str) -> UploadedFile:
        """Return the caller's own upload. Raises NotFound."""
        ...

    def list(self, owner_id: int) -> Sequence[UploadedFile]:
        """Return the caller's uploads, newest first."""
        ...

    def delete(self, owner_id: int, file_id: str) -> None:
        """Forget the caller's own upload. Raises NotFound."""
        ...


class Runs(Protocol):
    """The run table. Every run is a row before its work starts and ends in a final state."""

    def open(self, run: NewRun) -> RunRecord:
        """Write the row as `queued`, find or make its saved query, and return it."""
        ...

    def find_cached(
        self, owner_id: int, agent: str, fingerprint: str, data_version: str
    ) -> RunRecord | None:
        """Return the caller's newest completed equal run, if there is one."""
        ...

    def start(self, run_uuid: str, *, worker_pid: int, at: datetime) -> bool:
        """Turn `queued` into `running`; False when the run is no longer queued."""
        ...

    def report(
        self, run_uuid: str, step: str, done: int, total: int, note: str, at: datetime
    ) -> None:
        """Write how far a step has come."""
        ...

    def finish(
        self,
        run_uuid: str,
        status: RunStatus,
        *,
        at: datetime,
        error: ErrorRecord | None = None,
        artifacts: Sequence[Artifact] = (),
    ) -> bool:
        """Write the final state once; False when the run had already ended."""
        ...

    def get(self, owner_id: int, run_uuid: str) -> RunRecord:
        """Return the caller's own run with steps and artifacts. Raises NotFound."""
        ...

    def list(
        self, owner_id: int, *, agent: str | None = None, limit: int = 50, offset: int = 0
    ) -> Sequence[RunRecord]:
        """Return the caller's runs, newest first (without artifacts and steps)."""
        ...

    def rename(self, owner_id: int, run_uuid: str, title: str) -> RunRecord:
        """Give the caller's own run another title. Raises NotFound."""
        ...

    def delete(self, owner_id: int, run_uuid: str) -> None:
        """Delete the caller's own finished run. Raises NotFound."""
        ...

    def unfinished(self) -> Sequence[RunRecord]:
        """Return every run that is queued or running (for start-up and shutdown)."""
        ...


class Keys(Protocol):
    """API keys: only a keyed hash is stored."""

    def create(
        self,
        owner_id: int,
        name: str,
        *,
        scopes: Sequence[str] = (),
        expires_at: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """Make a key; the second value is the key itself, shown once and never stored."""
        ...

    def find_caller(self, key: str) -> Caller:
        """Return who holds the key. Raises NotAuthenticated, always the same way."""
        ...

    def list(self, owner_id: int | None = None) -> Sequence[ApiKey]:
        """Return the keys of an owner (all owners: None), newest first."""
        ...

    def revoke(self, key_id: int, *, owner_id: int | None = None) -> None:
        """Revoke a key (of this owner). Raises NotFound."""
        ...


class Users(Protocol):
    """People and programs, and their sessions."""

    def create(self, name: str, password: str, role: Role = "analyst") -> User:
        """Add an account. Raises InvalidInput (name taken, password weak or over 72 bytes)."""
        ...

    def check_password(self, name: str, password: str, *, address: str) -> User:
        """Return the account. Raises NotAuthenticated (also while throttled, or disabled)."""
        ...

    def by_name(self, name: str) -> User:
        """Return an account by its name. Raises NotFound."""
        ...

    def list(self) -> Sequence[User]:
        """Return all accounts by name."""
        ...

    def disable(self, user_id: int) -> None:
        """Shut an account: its sessions end, its keys stop working. Raises NotFound."""
        ...

    def open_session(self, user_id: int, *, address: str, agent: str) -> str:
        """Begin a session and return its random token (only its hash is stored)."""
        ...

    def find_session(self, token: str) -> Caller:
        """Return who is signed in with the token. Raises NotAuthenticated."""
        ...

    def close_session(self, token: str) -> None:
        """End the session; its token no longer works."""
        ...


class Quotas(Protocol):
    """Runs per caller and calendar month (UTC), charged by one conditional statement."""

    def charge(self, owner_id: int, *, limit: int, at: datetime) -> None:
        """Use up one run. Raises QuotaExceeded with name, limit, used and reset time."""
        ...

    def refund(self, owner_id: int, *, at: datetime) -> None:
        """Give one run back (400, 500, 504, cancelled)."""
        ...

    def state(self, owner_id: int, *, limit: int, at: datetime) -> QuotaState:
        """Return what is used this month."""
        ...


class Audit(Protocol):
    """The append-only audit log."""

    def add(self, actor: str, action: str, subject: str, note: str = "") -> None:
        """Write one line."""
        ...

    def list(self, *, limit: int = 200) -> Sequence[AuditEntry]:
        """Return the newest lines."""
        ...


class Engine(Protocol):
    """The database as a whole."""

    def ping(self) -> None:
        """Raise if the database cannot be reached."""
        ...

    def upgrade(self) -> None:
        """Bring the schema to the newest version."""
        ...

    def close(self) -> None:
        """Give back all connections."""
        ...


@dataclass(frozen=True)
class Stores:
    """All stores of one process, opened together."""

    engine: Engine
    blobs: Blobs
    files: Files
    runs: Runs
    keys: Keys
    users: Users
    quotas: Quotas
    audit: Audit
