"""Single sign-on and second factors."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add one row a linked identity and one a second factor."""
    op.create_table(
        "single_sign_on",
        sa.Column("issuer", sa.String(300), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("issuer", "subject"),
        sa.UniqueConstraint("user_id"),
    )
    op.create_table(
        "second_factor",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("sealed_secret", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("recovery_digests", sa.JSON(), nullable=False, server_default="[]"),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id"),
    )


def downgrade() -> None:
    """Remove them; accounts of single sign-on need a password, second factors are off."""
    op.drop_table("second_factor")
    op.drop_table("single_sign_on")
