"""What several hosts of one instance share: published evidence, states."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add one row a published evidence, one a file of it, one a shared state."""
    op.create_table(
        "published_evidence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "published_file",
        sa.Column("evidence_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["evidence_id"], ["published_evidence.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("evidence_id", "name"),
    )
    op.create_index("ix_published_file_sha256", "published_file", ["sha256"])
    op.create_table(
        "shared_state",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def downgrade() -> None:
    """Remove them; each host keeps the evidence that it has."""
    op.drop_table("shared_state")
    op.drop_table("published_file")
    op.drop_table("published_evidence")
