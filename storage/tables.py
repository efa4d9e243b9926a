"""Every table of the database, one model each; instants are UTC, fixed words are plain text."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ForeignKey,
    Index,
    String,
    UniqueConstraint,
    text,
)
from sqlmodel import Field

from storage.columns import NumberedRow, Row, belongs_to, instant, listed, number, words
from storage.instants import Instant

METADATA = Row.metadata
"""All tables: whoever takes them from here has them declared."""
SINGLE_FLIGHT = "use_cache AND status IN ('queued', 'running')"
"""Of equal runs that may take each other's answer, one is under way at a time."""


class UserRow(NumberedRow, table=True):
    """A person or program with an account."""

    __tablename__ = "user"
    __table_args__ = (UniqueConstraint("name"),)

    name: str = Field(max_length=64)
    role: str = Field(max_length=16)
    password_hash: str = Field(max_length=100)
    created_at: datetime = instant()
    disabled_at: datetime | None = instant(nullable=True)
    quota_runs: int | None = None
    """Runs a month of this caller alone; empty means the instance's setting."""
    password_set_at: datetime | None = instant(nullable=True)
    """Empty while an invitation or a reset waits for its new password."""


class SessionRow(NumberedRow, table=True):
    """A sign-in in a browser; the token itself is not stored."""

    __tablename__ = "session"
    __table_args__ = (UniqueConstraint("digest"),)

    user_id: int = belongs_to("user.id")
    digest: str = Field(max_length=64)
    created_at: datetime = instant()
    expires_at: datetime = instant()
    last_seen_at: datetime | None = instant(nullable=True)
    address: str = Field(default="", max_length=64)
    agent: str = Field(default="", max_length=200)


class SingleSignOnRow(Row, table=True):
    """The account that a person at an identity provider signs in to."""

    __tablename__ = "single_sign_on"
    __table_args__ = (UniqueConstraint("user_id"),)

    issuer: str = Field(primary_key=True, max_length=300)
    subject: str = Field(primary_key=True, max_length=255)
    user_id: int = belongs_to("user.id", index=False)
    created_at: datetime = instant()


class SecondFactorRow(Row, table=True):
    """The authenticator app of an account; its secret is sealed, recovery codes are hashed."""

    __tablename__ = "second_factor"

    user_id: int = Field(
        sa_column=Column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    )
    sealed_secret: str
    created_at: datetime = instant()
    last_step: int = Field(sa_type=BigInteger)
    """Time step of the newest code that was taken; none is taken twice."""
    recovery_digests: list[str] = listed()


class OneTimeLinkRow(NumberedRow, table=True):
    """An invitation or a password reset; the token of its link is not stored."""

    __tablename__ = "one_time_link"
    __table_args__ = (UniqueConstraint("digest"),)

    user_id: int = belongs_to("user.id")
    digest: str = Field(max_length=64)
    kind: str = Field(max_length=8)
    created_at: datetime = instant()
    expires_at: datetime = instant()
    used_at: datetime | None = instant(nullable=True)


class SigninThrottleRow(NumberedRow, table=True):
    """Recent failed sign-ins of one account or one network address."""

    __tablename__ = "signin_throttle"
    __table_args__ = (UniqueConstraint("subject"),)

    subject: str = Field(max_length=128)
    failures: int = 0
    failed_at: datetime = instant()
    locked_until: datetime | None = instant(nullable=True)


class RunShareRow(NumberedRow, table=True):
    """A read-only link to a run; its token is not stored."""

    __tablename__ = "run_share"
    __table_args__ = (UniqueConstraint("digest"),)

    run_id: int = belongs_to("run.id")
    digest: str = Field(max_length=64)
    hides_inputs: bool = False
    created_at: datetime = instant()
    revoked_at: datetime | None = instant(nullable=True)


class SavedListRow(NumberedRow, table=True):
    """A list of drugs or companies that a person keeps."""

    __tablename__ = "saved_list"
    __table_args__ = (UniqueConstraint("owner_id", "name_key"),)

    owner_id: int = belongs_to("user.id", index=False)
    name: str = Field(max_length=80)
    name_key: str = Field(max_length=200)
    kind: str = Field(max_length=16)
    created_at: datetime = instant()


class ListEntryRow(NumberedRow, table=True):
    """A name in a list, once whatever its case, hyphens and accents."""

    __tablename__ = "list_entry"
    __table_args__ = (UniqueConstraint("list_id", "entry_key"),)

    list_id: int = belongs_to("saved_list.id", index=False)
    entry: str = Field(max_length=200)
    entry_key: str = Field(max_length=500)


class MailingRow(Row, table=True):
    """The digest that a person gets by mail."""

    __tablename__ = "mailing"

    owner_id: int = Field(
        sa_column=Column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    )
    address: str = Field(default="", max_length=254)
    period: str = Field(default="week", max_length=8)
    nonce: str = Field(default="", max_length=32)
    asked_at: datetime = instant()
    confirmed_at: datetime | None = instant(nullable=True)
    sent_until: datetime = instant()


class ApiKeyRow(NumberedRow, table=True):
    """An API key: its keyed hash and what may be shown of it."""

    __tablename__ = "api_key"
    __table_args__ = (UniqueConstraint("digest"),)

    owner_id: int = belongs_to("user.id")
    name: str = Field(max_length=100)
    digest: str = Field(max_length=64)
    prefix: str = Field(max_length=16)
    last4: str = Field(max_length=4)
    replaces_id: int | None = belongs_to("api_key.id", nullable=True, on_delete="SET NULL")
    """The key that this one was made from by rotation."""
    scopes: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    created_at: datetime = instant()
    expires_at: datetime | None = instant(nullable=True)
    revoked_at: datetime | None = instant(nullable=True)
    last_used_at: datetime | None = instant(nullable=True)


class QuotaRow(NumberedRow, table=True):
    """What a caller has used of one quota in one calendar month (UTC)."""

    __tablename__ = "quota"
    __table_args__ = (UniqueConstraint("owner_id", "name", "month"),)

    owner_id: int = belongs_to("user.id", index=False)
    name: str = Field(max_length=32)
    month: str = Field(max_length=7)
    used: int = 0


class UploadedFileRow(NumberedRow, table=True):
    """A caller's upload; its bytes are a blob."""

    __tablename__ = "uploaded_file"
    __table_args__ = (UniqueConstraint("file_id"),)

    file_id: str = Field(max_length=40)
    owner_id: int = belongs_to("user.id")
    name: str = Field(max_length=255)
    size: int = Field(sa_type=BigInteger)
    sha256: str = Field(max_length=64, index=True)
    created_at: datetime = instant()


class SavedQueryRow(NumberedRow, table=True):
    """A caller's question: one agent with one canonical input, or one that was typed in."""

    __tablename__ = "saved_query"
    __table_args__ = (UniqueConstraint("owner_id", "agent", "fingerprint"),)

    owner_id: int = belongs_to("user.id", index=False)
    agent: str = Field(max_length=64)
    fingerprint: str = Field(max_length=64)
    query: str
    drug_name: str | None = None
    is_manual: bool = False
    is_enabled: bool = False
    created_at: datetime = instant()
    used_at: datetime = instant()
    question: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """What it asks of events; empty where it was saved before that was noted."""
    signal_level: str = Field(
        default="medium", sa_column=Column(String(8), nullable=False, server_default="medium")
    )
    evaluated_generation: int | None = None
    """Import of the evidence up to which it was evaluated."""
    evaluated_at: datetime | None = instant(nullable=True)
    seen_at: datetime | None = instant(nullable=True)
    muted_until: datetime | None = instant(nullable=True)
    error: str | None = None


class RunRow(NumberedRow, table=True):
    """One run of one agent, whatever its state."""

    __tablename__ = "run"
    __table_args__ = (
        UniqueConstraint("run_uuid"),
        Index(None, "owner_id", "agent", "fingerprint", "data_version", "status"),
        Index(
            "ux_run_single_flight",
            "owner_id",
            "agent",
            "fingerprint",
            "data_version",
            unique=True,
            sqlite_where=text(SINGLE_FLIGHT),
            postgresql_where=text(SINGLE_FLIGHT),
        ),
        Index(None, "status"),
    )

    run_uuid: str = Field(max_length=36)
    query_id: int | None = belongs_to("saved_query.id", nullable=True)
    """Empty where its agent saves no queries."""
    owner_id: int = belongs_to("user.id")
    key_id: int | None = belongs_to("api_key.id", nullable=True, on_delete="SET NULL")
    agent: str = Field(max_length=64)
    title: str
    status: str = Field(max_length=16)
    is_cached: bool = False
    is_charged: bool = False
    use_cache: bool = True
    fingerprint: str = Field(max_length=64)
    data_version: str = Field(max_length=100)
    input_sha256: str = Field(max_length=64, index=True)
    attempt: int = 1
    worker: str | None = Field(default=None, max_length=100)
    worker_pid: int | None = None
    heartbeat_at: datetime | None = instant(nullable=True)
    created_at: datetime = instant()
    started_at: datetime | None = instant(nullable=True)
    finished_at: datetime | None = instant(nullable=True)
    elapsed_s: float | None = None
    error: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))


class RunStepRow(NumberedRow, table=True):
    """How far one step of a run has come."""

    __tablename__ = "run_step"
    __table_args__ = (UniqueConstraint("run_id", "step"),)

    run_id: int = belongs_to("run.id", index=False)
    step: str = Field(max_length=100)
    done: int
    total: int
    note: str = ""
    at: datetime = instant()


class RunArtifactRow(NumberedRow, table=True):
    """A stored part of a run's result; its bytes are a blob."""

    __tablename__ = "run_artifact"
    __table_args__ = (UniqueConstraint("run_id", "kind", "name"),)

    run_id: int = belongs_to("run.id", index=False)
    kind: str = Field(max_length=8)
    name: str = Field(max_length=255)
    sha256: str = Field(max_length=64, index=True)
    size: int = Field(sa_type=BigInteger)
    media_type: str = Field(max_length=150)
    rows: int | None = None


class AlertHitRow(NumberedRow, table=True):
    """Something new that a watched query found."""

    __tablename__ = "alert_hit"
    __table_args__ = (UniqueConstraint("query_id", "identity"),)

    query_id: int = belongs_to("saved_query.id", index=False)
    run_id: int | None = belongs_to("run.id", nullable=True, on_delete="SET NULL")
    identity: str = Field(max_length=64)
    title: str
    url: str | None = None
    found_at: datetime = instant()
    seen_at: datetime | None = instant(nullable=True)
    snoozed_until: datetime | None = instant(nullable=True)
    catalyst_type: str = words()
    event_day: str = words()
    drug: str = words()
    company: str = words()
    score: int = number()
    generation: int = number()
    """Import of the evidence that brought the event."""
    source_ids: list[str] = listed()
    parts: list[dict[str, Any]] = listed()
    met: list[str] = listed()


class ProjectRow(NumberedRow, table=True):
    """A project; its people are its members, its blocks lie in their order."""

    __tablename__ = "project"

    name: str = Field(max_length=120)
    created_at: datetime = instant()
    updated_at: datetime = instant()


class ProjectMemberRow(NumberedRow, table=True):
    """What a person may do in a project."""

    __tablename__ = "project_member"
    __table_args__ = (UniqueConstraint("user_id", "project_id"),)

    user_id: int = belongs_to("user.id", index=False)
    project_id: int = belongs_to("project.id")
    role: str = Field(max_length=16)


class BlockRow(NumberedRow, table=True):
    """A block of a project: a frozen copy as JSON; `version` counts its edits."""

    __tablename__ = "block"

    project_id: int = belongs_to("project.id")
    position: int
    version: int = 1
    author: str = Field(max_length=64)
    content: str
    updated_at: datetime = instant()


class CommentRow(NumberedRow, table=True):
    """A comment on a block; it stays, with its author's name, when the account goes."""

    __tablename__ = "comment"

    block_id: int = belongs_to("block.id")
    user_id: int | None = belongs_to("user.id", nullable=True, on_delete="SET NULL")
    author: str = Field(max_length=64)
    text: str
    created_at: datetime = instant()


class AlertJobRow(Row, table=True):
    """Which process evaluates, until when, and what the last evaluation told."""

    __tablename__ = "alert_job"

    name: str = Field(max_length=32, primary_key=True)
    worker: str | None = Field(default=None, max_length=100)
    until: datetime | None = instant(nullable=True)
    note: str = ""
    noted_at: datetime | None = instant(nullable=True)


class HostRateRow(Row, table=True):
    """When a host on the network may be asked next, and whether it is left alone."""

    __tablename__ = "host_rate"

    host: str = Field(max_length=253, primary_key=True)
    next_at: datetime | None = instant(nullable=True)
    failures: int = number()
    rests_until: datetime | None = instant(nullable=True)


class ModelCallRow(NumberedRow, table=True):
    """One request to a language model."""

    __tablename__ = "model_call"
    __table_args__ = (
        Index("ix_model_call_user_id_at", "user_id", "at"),
        Index("ix_model_call_model_id", "model", "id"),
    )

    at: datetime = instant()
    user_id: int
    run_uuid: str = Field(max_length=36)
    task: str = Field(max_length=32)
    provider: str = Field(max_length=32)
    model: str = Field(max_length=200)
    outcome: str = Field(max_length=32)
    input_tokens: int = number()
    output_tokens: int = number()
    cached_tokens: int = number()
    elapsed_ms: int = number()


class AuditRow(NumberedRow, table=True):
    """One line of the append-only audit log."""

    __tablename__ = "audit"

    at: datetime = Field(sa_column=Column(Instant(), nullable=False, index=True))
    actor: str = Field(max_length=100)
    action: str = Field(max_length=64)
    subject: str
    note: str = ""


class IdempotencyKeyRow(NumberedRow, table=True):
    """An answer that a repeated request with the same key gets again for a day."""

    __tablename__ = "idempotency_key"
    __table_args__ = (UniqueConstraint("owner_id", "key"),)

    owner_id: int = belongs_to("user.id", index=False)
    key: str = Field(max_length=255)
    agent: str = Field(max_length=64)
    body_sha256: str = Field(max_length=64)
    run_uuid: str | None = Field(default=None, max_length=36)
    status: int | None = None
    answer_sha256: str | None = Field(default=None, max_length=64)
    created_at: datetime = instant()
    expires_at: datetime = Field(sa_column=Column(Instant(), nullable=False, index=True))


class PublishedEvidenceRow(NumberedRow, table=True):
    """Evidence that one host has published for all of them; ids only grow."""

    __tablename__ = "published_evidence"

    at: datetime = instant()


class PublishedFileRow(Row, table=True):
    """One file of published evidence; its bytes are a blob."""

    __tablename__ = "published_file"

    evidence_id: int = Field(
        sa_column=Column(ForeignKey("published_evidence.id", ondelete="CASCADE"), primary_key=True)
    )
    name: str = Field(primary_key=True, max_length=64)
    version: str
    """Word that its content has about itself; equal ones need not be published again."""
    sha256: str = Field(max_length=64, index=True)
    size: int = Field(sa_type=BigInteger)


class SharedStateRow(Row, table=True):
    """A state that all processes of the instance see, as JSON."""

    __tablename__ = "shared_state"

    name: str = Field(primary_key=True, max_length=64)
    content: str
