"""Single flight of equal runs; a run knows whether it was charged."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SINGLE_FLIGHT = sa.text("use_cache AND status IN ('queued', 'running')")
COLUMNS = ["owner_id", "agent", "fingerprint", "data_version"]


def upgrade() -> None:
    """Add the index and the mark; unfinished runs of the older version end uncharged."""
    with op.batch_alter_table("run") as table:
        table.add_column(
            sa.Column("is_charged", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    with op.batch_alter_table("run") as table:
        table.alter_column("is_charged", server_default=None)
    op.execute("UPDATE run SET use_cache = (1 = 0) WHERE status IN ('queued', 'running')")
    op.create_index(
        "ux_run_single_flight",
        "run",
        COLUMNS,
        unique=True,
        sqlite_where=SINGLE_FLIGHT,
        postgresql_where=SINGLE_FLIGHT,
    )


def downgrade() -> None:
    """Take them away again."""
    op.drop_index("ux_run_single_flight", "run")
    with op.batch_alter_table("run") as table:
        table.drop_column("is_charged")
