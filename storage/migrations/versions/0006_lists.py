"""Saved lists of drugs and companies."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the lists and what is in them."""
    op.create_table(
        "saved_list",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("owner_id", "name_key"),
    )
    op.create_table(
        "list_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.Column("entry", sa.String(200), nullable=False),
        sa.Column("entry_key", sa.String(500), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["saved_list.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("list_id", "entry_key"),
    )


def downgrade() -> None:
    """Take them away again; the lists are lost."""
    op.drop_table("list_entry")
    op.drop_table("saved_list")
