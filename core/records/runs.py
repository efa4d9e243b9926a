"""Runs, callers, files and keys as records that every floor may pass on."""

from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from core.records.alerts import WatchQuestion
from core.records.failure import ErrorRecord

RunStatus = Literal["queued", "running", "completed", "failed", "timed_out", "cancelled"]
FINAL: frozenset[RunStatus] = frozenset({"completed", "failed", "timed_out", "cancelled"})
Role = Literal["admin", "analyst", "api-only"]
KeyState = Literal["active", "rotated", "expired", "revoked"]
UserState = Literal["active", "disabled", "waiting for its password"]
LinkKind = Literal["invite", "reset", "first"]
READ = "read"
"""Scope of a key that reads runs and evidence and starts nothing."""
ADMIN = "admin"
"""Scope of an administrator's key that administers the instance."""
ArtifactKind = Literal["data", "view", "table", "file", "report", "reply"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Caller(_Record):
    """Who asks: a signed-in person or the owner of a key."""

    user_id: int
    name: str
    role: Role = "analyst"
    key_id: int | None = None
    scopes: tuple[str, ...] = ()
    """Agents the key may run, `read` (all runs) or `admin`. Empty means everything."""

    def may_run(self, agent: str) -> bool:
        """Return whether the key may run an agent, and change or delete its runs."""
        return not self.scopes or agent in self.scopes

    def may_read(self, agent: str) -> bool:
        """Return whether the key may read runs of an agent."""
        return self.may_run(agent) or READ in self.scopes

    @property
    def may_write(self) -> bool:
        """Return whether the key may upload and delete files."""
        return not self.scopes or bool(set(self.scopes) - {READ, ADMIN})

    @property
    def readable(self) -> tuple[str, ...]:
        """Return the agents whose runs the key may read; empty means all."""
        return () if READ in self.scopes else self.scopes

    @property
    def is_admin(self) -> bool:
        """Return whether this caller administers the instance: a restricted key by `admin`."""
        return self.role == "admin" and (not self.scopes or ADMIN in self.scopes)


class Blob(_Record):
    """Bytes kept under the sha256 of their content."""

    sha256: str
    size: int


class UploadedFile(_Record):
    """A file of one caller."""

    file_id: str
    owner_id: int
    name: str = Field(description="The client's name for it; a label, never a path.")
    size: int
    sha256: str
    created_at: datetime


class Artifact(_Record):
    """A stored part of a run: its data, its view, a table, a file, an answer of a live source."""

    kind: ArtifactKind
    name: str
    sha256: str
    size: int
    media_type: str
    rows: int | None = None


class StepProgress(_Record):
    """How far one named step has come."""

    step: str
    done: int
    total: int
    note: str = ""
    at: datetime


class RunRecord(_Record):
    """One run, whatever its state."""

    run_uuid: str
    query_id: int | None = Field(description="Its saved query; None where its agent saves none.")
    agent: str
    owner_id: int
    title: str = Field(description="One line made by the agent, or the name the caller gave.")
    status: RunStatus
    cached: bool = False
    fingerprint: str
    data_version: str
    input_sha256: str
    attempt: int = 1
    worker: str | None = Field(default=None, description="The process that answers for the run.")
    worker_pid: int | None = None
    heartbeat_at: datetime | None = Field(
        default=None, description="When its worker was last alive, or it began to wait for one."
    )
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    elapsed_s: float | None = None
    error: ErrorRecord | None = None
    steps: tuple[StepProgress, ...] = ()
    artifacts: tuple[Artifact, ...] = ()

    @property
    def is_final(self) -> bool:
        """Return whether the run has ended."""
        return self.status in FINAL

    def artifact(self, kind: ArtifactKind, name: str = "") -> Artifact | None:
        """Return the stored part of this kind and name, if there is one."""
        for artifact in self.artifacts:
            if artifact.kind == kind and (not name or artifact.name == name):
                return artifact
        return None


class FailedRun(_Record):
    """A run that came to no answer, as an administrator sees it: never what was asked."""

    run_uuid: str
    agent: str
    status: RunStatus
    code: str = Field(description="Word of the error; empty for a run that was canceled.")
    step: str = Field(description="The last step that was begun.")
    finished_at: datetime | None


class RunSearch(NamedTuple):
    """What runs are looked for by.

    Attributes:
        title: Words that the title holds, in any case.
        status: In this state alone.
        since: Begun at this time or later.
    """

    title: str = ""
    status: RunStatus | None = None
    since: datetime | None = None


ANY_RUN = RunSearch()


class NewRun(_Record):
    """What is known of a run before its work starts."""

    run_uuid: str
    agent: str
    owner_id: int
    key_id: int | None
    title: str
    fingerprint: str
    data_version: str
    input_sha256: str
    use_cache: bool
    created_at: datetime
    worker: str | None = None
    saves_query: bool = True
    question: WatchQuestion | None = None
    """What of the request can be watched."""


class RunShare(_Record):
    """A read-only link to a run, as it may be shown: never its token.

    Attributes:
        hides_inputs: Whether readers get the page alone: neither the request nor exports.
    """

    share_id: int
    run_uuid: str
    hides_inputs: bool
    created_at: datetime
    revoked_at: datetime | None = None


class ApiKey(_Record):
    """A key as it may be shown: never the key itself."""

    key_id: int
    owner_id: int
    owner: str
    name: str
    prefix: str
    last4: str
    scopes: tuple[str, ...] = ()
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    replaces_id: int | None = Field(default=None, description="The key it was rotated from.")
    replaced_by_id: int | None = Field(default=None, description="The key it was rotated into.")

    def state(self, at: datetime) -> KeyState:
        """Return whether the key works at an instant, and if not, why."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= at:
            return "expired"
        return "active" if self.replaced_by_id is None else "rotated"


class User(_Record):
    """A person or program with an account."""

    user_id: int
    name: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None = None
    password_set_at: datetime | None = Field(
        default=None, description="Empty while an invitation or a reset waits for its password."
    )
    quota_runs: int | None = Field(
        default=None, description="Runs a month of this caller alone; empty: the instance's."
    )
    is_linked: bool = Field(default=False, description="Whether single sign-on leads here.")

    @property
    def credential_mark(self) -> str:
        """Return what changes with the password: forms begun before then count no more."""
        return self.password_set_at.isoformat() if self.password_set_at else ""

    @property
    def state(self) -> UserState:
        """Return whether the account can be used, and if not, what it waits for."""
        if self.disabled_at is not None:
            return "disabled"
        if self.role != "api-only" and self.password_set_at is None and not self.is_linked:
            return "waiting for its password"
        return "active"


class SignOn(_Record):
    """A person as an identity provider describes one."""

    issuer: str
    subject: str
    name: str = Field(description="What the account is called here.")
    role: Role


class Enrollment(_Record):
    """A second factor that waits for its first code."""

    user_id: int
    name: str
    secret: str = Field(repr=False, description="In base32, for typing.")
    address: str = Field(repr=False, description="What the QR code holds (otpauth://).")
    token: str = Field(repr=False, description="Comes back with the code.")


class SignIn(_Record):
    """A session as it may be shown: never its token."""

    session_id: int
    created_at: datetime
    expires_at: datetime
    last_seen_at: datetime | None = None
    address: str = ""
    agent: str = ""
    is_current: bool = False


class OneTimeLink(_Record):
    """An invitation or a password reset that still works."""

    kind: LinkKind
    user: User
    expires_at: datetime


class QuotaState(_Record):
    """How much of a quota is used."""

    name: str
    limit: int
    used: int
    resets_at: datetime


class AuditEntry(_Record):
    """One line of the append-only audit log."""

    at: datetime
    actor: str
    action: str
    subject: str
    note: str = ""
