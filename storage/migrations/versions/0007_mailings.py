"""Digests of alerts by mail."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add who gets one, where to and how often."""
    op.create_table(
        "mailing",
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("period", sa.String(8), nullable=False),
        sa.Column("nonce", sa.String(32), nullable=False),
        sa.Column("asked_at", INSTANT, nullable=False),
        sa.Column("confirmed_at", INSTANT, nullable=True),
        sa.Column("sent_until", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("owner_id"),
    )


def downgrade() -> None:
    """Take it away again; nobody gets mail."""
    op.drop_table("mailing")
