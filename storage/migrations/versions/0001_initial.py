"""Initial schema: accounts, keys, quota, uploads, runs, alerts, audit.

Names of constraints follow the rule in `storage.tables.NAMES`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create every table, those first that others refer to."""
    _create_audit()
    _create_signin_throttle()
    _create_user()
    _create_api_key()
    _create_idempotency_key()
    _create_quota()
    _create_saved_query()
    _create_session()
    _create_uploaded_file()
    _create_run()
    _create_alert_hit()
    _create_run_artifact()
    _create_run_step()


def downgrade() -> None:
    """Drop every table, those first that refer to others."""
    for table in (
        "run_step",
        "run_artifact",
        "alert_hit",
        "run",
        "uploaded_file",
        "session",
        "saved_query",
        "quota",
        "idempotency_key",
        "api_key",
        "user",
        "signin_throttle",
        "audit",
    ):
        op.drop_table(table)


def _create_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_audit_at", "audit", ["at"])


def _create_signin_throttle() -> None:
    op.create_table(
        "signin_throttle",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(128), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failed_at", INSTANT, nullable=False),
        sa.Column("locked_until", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("subject"),
    )


def _create_user() -> None:
    op.create_table(
        "user",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("password_hash", sa.String(100), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("disabled_at", INSTANT, nullable=True),
        sa.Column("quota_runs", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )


def _create_api_key() -> None:
    op.create_table(
        "api_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("last4", sa.String(4), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=True),
        sa.Column("revoked_at", INSTANT, nullable=True),
        sa.Column("last_used_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_index("ix_api_key_owner_id", "api_key", ["owner_id"])


def _create_idempotency_key() -> None:
    op.create_table(
        "idempotency_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("agent", sa.String(64), nullable=False),
        sa.Column("body_sha256", sa.String(64), nullable=False),
        sa.Column("run_uuid", sa.String(36), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer_sha256", sa.String(64), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("owner_id", "key"),
    )
    op.create_index("ix_idempotency_key_expires_at", "idempotency_key", ["expires_at"])


def _create_quota() -> None:
    op.create_table(
        "quota",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("owner_id", "name", "month"),
    )


def _create_saved_query() -> None:
    op.create_table(
        "saved_query",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("agent", sa.String(64), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("query", sa.String(), nullable=False),
        sa.Column("drug_name", sa.String(), nullable=True),
        sa.Column("is_manual", sa.Boolean(), nullable=False),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("owner_id", "agent", "fingerprint"),
    )


def _create_session() -> None:
    op.create_table(
        "session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("last_seen_at", INSTANT, nullable=True),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("agent", sa.String(200), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_index("ix_session_user_id", "session", ["user_id"])


def _create_uploaded_file() -> None:
    op.create_table(
        "uploaded_file",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("file_id", sa.String(40), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("file_id"),
    )
    op.create_index("ix_uploaded_file_owner_id", "uploaded_file", ["owner_id"])
    op.create_index("ix_uploaded_file_sha256", "uploaded_file", ["sha256"])


def _create_run() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_uuid", sa.String(36), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("key_id", sa.Integer(), nullable=True),
        sa.Column("agent", sa.String(64), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("is_cached", sa.Boolean(), nullable=False),
        sa.Column("use_cache", sa.Boolean(), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("data_version", sa.String(100), nullable=False),
        sa.Column("input_sha256", sa.String(64), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(100), nullable=True),
        sa.Column("worker_pid", sa.Integer(), nullable=True),
        sa.Column("heartbeat_at", INSTANT, nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("started_at", INSTANT, nullable=True),
        sa.Column("finished_at", INSTANT, nullable=True),
        sa.Column("elapsed_s", sa.Float(), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["key_id"], ["api_key.id"], ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["query_id"], ["saved_query.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("run_uuid"),
    )
    op.create_index("ix_run_input_sha256", "run", ["input_sha256"])
    op.create_index("ix_run_key_id", "run", ["key_id"])
    op.create_index("ix_run_owner_id", "run", ["owner_id"])
    op.create_index(
        "ix_run_owner_id_agent_fingerprint_data_version_status",
        "run",
        ["owner_id", "agent", "fingerprint", "data_version", "status"],
    )
    op.create_index("ix_run_query_id", "run", ["query_id"])
    op.create_index("ix_run_status", "run", ["status"])


def _create_alert_hit() -> None:
    op.create_table(
        "alert_hit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("found_at", INSTANT, nullable=False),
        sa.Column("seen_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(["query_id"], ["saved_query.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("query_id", "identity"),
    )
    op.create_index("ix_alert_hit_run_id", "alert_hit", ["run_id"])


def _create_run_artifact() -> None:
    op.create_table(
        "run_artifact",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("media_type", sa.String(150), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("run_id", "kind", "name"),
    )
    op.create_index("ix_run_artifact_sha256", "run_artifact", ["sha256"])


def _create_run_step() -> None:
    op.create_table(
        "run_step",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(100), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("run_id", "step"),
    )
