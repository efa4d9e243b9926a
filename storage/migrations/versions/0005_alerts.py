"""Watched queries: question, level, marks; hits with why they fired; the evaluation's lease."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
SINGLE_FLIGHT = sa.text("use_cache AND status IN ('queued', 'running')")
EQUAL = ["owner_id", "agent", "fingerprint", "data_version"]


def upgrade() -> None:
    """Add columns and the table; a run may belong to no saved query."""
    op.create_table(
        "alert_job",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("worker", sa.String(100), nullable=True),
        sa.Column("until", INSTANT, nullable=True),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("noted_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("name"),
    )
    with op.batch_alter_table("saved_query") as table:
        table.add_column(sa.Column("question", sa.JSON(), nullable=True))
        table.add_column(
            sa.Column("signal_level", sa.String(8), nullable=False, server_default="medium")
        )
        table.add_column(sa.Column("evaluated_generation", sa.Integer(), nullable=True))
        table.add_column(sa.Column("evaluated_at", INSTANT, nullable=True))
        table.add_column(sa.Column("seen_at", INSTANT, nullable=True))
        table.add_column(sa.Column("muted_until", INSTANT, nullable=True))
        table.add_column(sa.Column("error", sa.String(), nullable=True))
    _add_to_hits()
    _let_runs_have_no_query(nullable=True)


def _add_to_hits() -> None:
    texts = ("catalyst_type", "event_day", "drug", "company")
    lists = ("source_ids", "parts", "met")
    with op.batch_alter_table("alert_hit") as table:
        for name in texts:
            table.add_column(sa.Column(name, sa.String(), nullable=False, server_default=""))
        for name in ("score", "generation"):
            table.add_column(sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
        for name in lists:
            table.add_column(sa.Column(name, sa.JSON(), nullable=False, server_default="[]"))
        table.add_column(sa.Column("snoozed_until", INSTANT, nullable=True))


def _let_runs_have_no_query(*, nullable: bool) -> None:
    op.drop_index("ux_run_single_flight", "run")
    with op.batch_alter_table("run") as table:
        table.alter_column("query_id", existing_type=sa.Integer(), nullable=nullable)
    op.create_index(
        "ux_run_single_flight",
        "run",
        EQUAL,
        unique=True,
        sqlite_where=SINGLE_FLIGHT,
        postgresql_where=SINGLE_FLIGHT,
    )


def downgrade() -> None:
    """Take them away again; runs without a saved query go."""
    op.execute("DELETE FROM run WHERE query_id IS NULL")
    _let_runs_have_no_query(nullable=False)
    with op.batch_alter_table("alert_hit") as table:
        for name in ("catalyst_type", "event_day", "drug", "company", "source_ids", "parts", "met"):
            table.drop_column(name)
        for name in ("score", "generation", "snoozed_until"):
            table.drop_column(name)
    with op.batch_alter_table("saved_query") as table:
        for name in ("question", "signal_level", "evaluated_generation", "evaluated_at"):
            table.drop_column(name)
        for name in ("seen_at", "muted_until", "error"):
            table.drop_column(name)
    op.drop_table("alert_job")
