"""What the stores must offer: small protocols; agents run on fakes and core knows no SQL."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from core.account_ports import Audit, Factors, Keys, Quotas, Seals, Users
from core.alert_ports import Watches
from core.evidence_ports import Evidence
from core.identity_ports import Identity
from core.list_ports import Lists
from core.mail_ports import Mailings
from core.model_ports import ModelCalls
from core.project_ports import Projects
from core.records.failure import ErrorRecord
from core.records.runs import (
    ANY_RUN,
    Artifact,
    Blob,
    FailedRun,
    NewRun,
    RunRecord,
    RunSearch,
    RunShare,
    RunStatus,
    UploadedFile,
)
from core.records.upkeep import Cleared, Manifest, StoredAnswer


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


class Sharing(Protocol):
    """The evidence of an instance, where several hosts share it."""

    def follow(self, *, is_strict: bool = False) -> bool:
        """Bring this host to the newest published evidence; return whether it was not there.

        `is_strict` also takes back what a process that is gone has changed and not published.
        Raises StorageUnavailable.
        """
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Let one process at a time change the evidence, and publish what it comes to.

        Raises InvalidInput (another process does).
        """
        ...

    def is_writing(self) -> bool:
        """Return whether a process of any host changes shared evidence now."""
        ...

    def join(self) -> None:
        """Check that the store of results is the one of this instance.

        Raises StorageUnavailable (another one, or not there).
        """
        ...


class States(Protocol):
    """Small states that all processes of an instance see, as texts by name."""

    def read(self, name: str) -> str:
        """Return a state; "" where none was written."""
        ...

    def write(self, name: str, content: str, *, expected: str | None = None) -> bool:
        """Replace a state; False when it is not the expected one any more."""
        ...


class Files(Protocol):
    """Uploads, each visible to its owner alone."""

    def check_room(self, owner_id: int) -> None:
        """Refuse an upload before it is read when there is no room. Raises QuotaExceeded."""
        ...

    def add(self, owner_id: int, name: str, blob: Blob) -> UploadedFile:
        """Register an upload and return it with its new id. Raises QuotaExceeded."""
        ...

    def get(self, owner_id: int, file_id: str) -> UploadedFile:
        """Return the caller's own upload. Raises NotFound."""
        ...

    def list(self, owner_id: int) -> Sequence[UploadedFile]:
        """Return the caller's uploads, newest first."""
        ...

    def delete(self, owner_id: int, file_id: str) -> None:
        """Forget the caller's own upload and its bytes. Raises NotFound."""
        ...


class Runs(Protocol):
    """The run table. Every run is a row before its work starts and ends in a final state."""

    def open(self, run: NewRun, *, quota: int | None = None) -> RunRecord:
        """Charge one run of `quota` a month, write the row as `queued` and return it.

        With `use_cache` the caller's equal run under way is returned instead, uncharged.
        Raises QuotaExceeded.
        """
        ...

    def find_cached(
        self, owner_id: int, agent: str, fingerprint: str, data_version: str
    ) -> RunRecord | None:
        """Return the caller's newest completed equal run, if there is one."""
        ...

    def start(self, run_uuid: str, *, worker_pid: int, at: datetime, attempt: int = 1) -> bool:
        """Turn `queued` into `running`; False when this attempt is no longer queued."""
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
        attempt: int | None = None,
        elapsed_s: float | None = None,
    ) -> bool:
        """Write the final state once and refund what did not complete.

        False when the run, or this attempt at it, had already ended.
        """
        ...

    def keep(self, run_uuid: str, artifact: Artifact) -> None:
        """Keep a document that was made of a run, in the place of its older version."""
        ...

    def get(self, owner_id: int, run_uuid: str) -> RunRecord:
        """Return the caller's own run with steps and artifacts. Raises NotFound."""
        ...

    def ended(self, run_uuids: Sequence[str]) -> frozenset[str]:
        """Return which of these runs, of all callers, have ended or are gone."""
        ...

    def list(
        self,
        owner_id: int,
        *,
        agent: str | None = None,
        scopes: Sequence[str] = (),
        search: RunSearch = ANY_RUN,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[RunRecord]:
        """Return the caller's runs (of these agents), newest first; no artifacts, no steps."""
        ...

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Return how many runs of all callers there are, by agent and state."""
        ...

    def errors(self) -> Mapping[tuple[str, str], int]:
        """Return how many kept runs of all callers failed, by agent and code of the error."""
        ...

    def failures(self, limit: int) -> Sequence[FailedRun]:
        """Return the newest runs of all callers that came to no answer."""
        ...

    def rename(self, owner_id: int, run_uuid: str, title: str) -> RunRecord:
        """Give the caller's own run another title. Raises NotFound."""
        ...

    def delete(self, owner_id: int, run_uuid: str) -> None:
        """Delete the caller's own finished run. Raises NotFound."""
        ...


class Leases(Protocol):
    """Which process answers for an unfinished run."""

    def renew(self, worker: str) -> frozenset[str]:
        """Renew the lease of every unfinished run of a worker and return their ids."""
        ...

    def abandoned(self, lease_s: float, is_gone: Callable[[str], bool]) -> Sequence[RunRecord]:
        """Return the unfinished runs that nobody answers for, oldest first."""
        ...

    def waiting(self, run_uuid: str) -> RunRecord | None:
        """Return a run that waits for a worker; None when it does not."""
        ...

    def take_over(self, run: RunRecord, worker: str | None) -> RunRecord | None:
        """Queue an abandoned run again under this worker; None when somebody was quicker."""
        ...

    def release(self, run_uuid: str, worker: str) -> bool:
        """Put an unfinished run back for whoever comes next."""
        ...


class RunQueue(Protocol):
    """The queue that brings runs to the workers of several hosts."""

    def prepare(self) -> None:
        """Make the tables of the queue, unless they are there."""
        ...

    def put(self, run: RunRecord, lane: str) -> None:
        """Let a run wait for its turn in a lane. Raises StorageUnavailable."""
        ...

    def lost(self) -> Sequence[RunRecord]:
        """Return the runs that wait for a worker and of which the queue knows nothing."""
        ...

    async def work(
        self,
        places: Mapping[str, int],
        execute: Callable[[str], Awaitable[None]],
        stopped: asyncio.Event,
    ) -> None:
        """Execute runs as they come until it is stopped."""
        ...

    def close(self) -> None:
        """Give back all connections."""
        ...


class Engine(Protocol):
    """The database as a whole."""

    def ping(self) -> None:
        """Raise if the database cannot be reached or written."""
        ...

    def upgrade(self) -> None:
        """Bring the schema to the newest version."""
        ...

    def serving(self, kind: str) -> AbstractContextManager[None]:
        """Mark the database as used by a server of a kind for a block.

        Raises StorageUnavailable (a server of another kind uses it).
        """
        ...

    def queue(self, home: Path) -> RunQueue:
        """Return the queue of runs (PostgreSQL)."""
        ...

    def close(self) -> None:
        """Give back all connections."""
        ...


class Idempotency(Protocol):
    """Keys of repeated requests, for a day."""

    def claim(
        self, owner_id: int, key: str, *, agent: str, body_sha256: str, at: datetime
    ) -> StoredAnswer | None:
        """Begin a request (None), or return what the first one with this key has come to.

        Raises InvalidInput (`idempotency_mismatch`).
        """
        ...

    def attach(self, owner_id: int, key: str, run_uuid: str) -> None:
        """Say which run answers the request."""
        ...

    def release(self, owner_id: int, key: str, run_uuid: str | None = None) -> None:
        """Forget a request that came to no run, or to one that is gone: it can be sent again."""
        ...


class Upkeep(Protocol):
    """The care of an instance."""

    def retain(self, *, at: datetime, dry_run: bool = False) -> Cleared:
        """Clear away what is past its time, or only count it."""
        ...

    def backup(self, target: Path, *, at: datetime) -> Manifest:
        """Copy the instance into a new folder while it goes on working. Raises InvalidInput."""
        ...

    def check_backup(self, source: Path) -> Manifest:
        """Read a backup as a restore would, and change nothing. Raises InvalidInput."""
        ...

    def restore(self, source: Path) -> Manifest:
        """Bring a backup into an instance without accounts; open the stores anew after it.

        Raises InvalidInput.
        """
        ...

    def find_damage(self) -> Sequence[str]:
        """Return one line for each damaged database file, with the way back."""
        ...


class Notes(Protocol):
    """Short texts that can be computed anew, kept by key to save the time; it may forget."""

    def read(self, keys: Collection[bytes]) -> Mapping[bytes, str]:
        """Return what is kept of keys."""
        ...

    def write(self, values: Mapping[bytes, str]) -> None:
        """Keep texts by key; where that fails nothing is kept."""
        ...


class Rates(Protocol):
    """How often hosts on the network may be asked, shared by all processes of an instance."""

    def reserve(self, host: str, pause_s: float, longest_wait_s: float) -> float | None:
        """Reserve the next request to a host and return the seconds to wait for it.

        Returns None, and reserves nothing, when the wait would be longer than allowed.
        """
        ...

    def resting(self, host: str) -> float:
        """Return the seconds for which a failing host is left alone; 0 when it may be asked."""
        ...

    def note(self, host: str, *, is_alive: bool) -> None:
        """Note whether a host answered; after repeated failures it is left alone for a while."""
        ...


class Shares(Protocol):
    """Read-only links to runs for people of the instance; only a keyed hash is stored."""

    def create(
        self, owner_id: int, run_uuid: str, *, hides_inputs: bool = False
    ) -> tuple[RunShare, str]:
        """Make a link to the caller's own completed run; the second value is its token.

        Raises NotFound and InvalidInput (`run_unfinished`).
        """
        ...

    def list(self, owner_id: int, run_uuid: str) -> Sequence[RunShare]:
        """Return the links of the caller's own run that still work, newest first."""
        ...

    def revoke(self, owner_id: int, share_id: int) -> None:
        """End a link to the caller's own run. Raises NotFound."""
        ...

    def open(self, token: str) -> tuple[RunRecord, RunShare]:
        """Return the run that a link leads to. Raises NotFound, always the same way."""
        ...


@dataclass(frozen=True)
class Stores:
    """All stores of one process, opened together."""

    engine: Engine
    blobs: Blobs
    files: Files
    runs: Runs
    shares: Shares
    leases: Leases
    keys: Keys
    users: Users
    factors: Factors
    seals: Seals
    quotas: Quotas
    audit: Audit
    idempotency: Idempotency
    upkeep: Upkeep
    evidence: Evidence
    identity: Identity
    learned_names: Identity
    notes: Notes
    replies: Notes
    rates: Rates
    states: States
    sharing: Sharing
    watches: Watches
    lists: Lists
    projects: Projects
    model_calls: ModelCalls
    mailings: Mailings
