"""Profiles of services that answer questions to a model."""

import sqlalchemy as sa
from alembic import op

revision = "m002"
down_revision = "m001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create their table."""
    op.create_table(
        "providers",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("base_url", sa.Text, nullable=False),
        sa.Column("model", sa.Text),
        sa.Column("needs_key", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
