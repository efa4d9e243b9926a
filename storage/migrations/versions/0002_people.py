"""One-time links for invitations and resets, when a password was set, keys by rotation."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add what invitations, resets and rotation need; known passwords count as set."""
    op.create_table(
        "one_time_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_index("ix_one_time_link_user_id", "one_time_link", ["user_id"])
    op.add_column("user", sa.Column("password_set_at", INSTANT, nullable=True))
    op.execute('UPDATE "user" SET password_set_at = created_at')
    with op.batch_alter_table("api_key") as table:
        table.add_column(sa.Column("replaces_id", sa.Integer(), nullable=True))
        table.create_foreign_key(
            "fk_api_key_replaces_id_api_key",
            "api_key",
            ["replaces_id"],
            ["id"],
            ondelete="SET NULL",
        )
        table.create_index("ix_api_key_replaces_id", ["replaces_id"])


def downgrade() -> None:
    """Take it away again; open invitations and resets are lost."""
    with op.batch_alter_table("api_key") as table:
        table.drop_index("ix_api_key_replaces_id")
        table.drop_constraint("fk_api_key_replaces_id_api_key", type_="foreignkey")
        table.drop_column("replaces_id")
    with op.batch_alter_table("user") as table:
        table.drop_column("password_set_at")
    op.drop_table("one_time_link")
