"""How often hosts on the network may be asked."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add one row a host."""
    op.create_table(
        "host_rate",
        sa.Column("host", sa.String(253), nullable=False),
        sa.Column("next_at", INSTANT, nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("rests_until", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("host"),
    )


def downgrade() -> None:
    """Remove it; rates begin anew."""
    op.drop_table("host_rate")
