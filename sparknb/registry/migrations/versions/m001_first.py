"""The first schema: registry, tools, versions, pending removals, traces."""

import sqlalchemy as sa
from alembic import op

revision = "m001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create all tables."""
    _create_registry()
    _create_tools()
    _create_versions()
    _create_removals()
    _create_traces()


def _create_registry() -> None:
    op.create_table(
        "registry",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("changes", sa.BigInteger, nullable=False),
        sa.Column("clock", sa.BigInteger, nullable=False),
        sa.Column("retention_days", sa.Integer, nullable=False),
        sa.Column("pruned_at", sa.BigInteger, nullable=False),
    )


def _create_tools() -> None:
    op.create_table(
        "tools",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("folded_title", sa.Text, nullable=False),
        sa.Column("folded_description", sa.Text, nullable=False),
        sa.Column("risk", sa.String(16), nullable=False),
        sa.Column("effect", sa.String(16), nullable=False),
        sa.Column("idempotency", sa.String(16), nullable=False),
        sa.Column("enabled", sa.Integer, nullable=False),
        sa.Column("published_version", sa.Integer),
        sa.Column("draft_version", sa.Integer, nullable=False),
        sa.Column("draft_revision", sa.Integer, nullable=False),
        sa.Column("last_version", sa.Integer, nullable=False),
        sa.Column("origin", sa.String(16), nullable=False),
        sa.Column("last_test_at", sa.BigInteger),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    op.create_index("tools_updated_at", "tools", ["updated_at", "id"])


def _create_versions() -> None:
    op.create_table(
        "versions",
        sa.Column("tool_id", sa.String(64), sa.ForeignKey("tools.id"), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("source_version", sa.Integer),
        sa.Column("definition", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("cases", sa.Text, nullable=False),
        sa.Column("case_run", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("published_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("tool_id", "version"),
    )


def _create_removals() -> None:
    op.create_table(
        "pending_removals",
        sa.Column("reference", sa.String(255), primary_key=True),
        sa.Column("tool_id", sa.String(64), nullable=False),
    )
    op.create_index("pending_removals_tool_id", "pending_removals", ["tool_id"])


def _create_traces() -> None:
    op.create_table(
        "traces",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
        ),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("tool_id", sa.Text, nullable=False),
        sa.Column("tool_version", sa.Integer),
        sa.Column("session_id", sa.Text),
        sa.Column("turn_id", sa.Text),
        sa.Column("input_sha256", sa.String(64), nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("duration_ms", sa.BigInteger, nullable=False),
        sa.Column("error_code", sa.String(64)),
        sa.Column("output_bytes", sa.BigInteger, nullable=False),
        sa.Column("approval", sa.String(16), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("traces_created_at", "traces", ["created_at", "seq"])
    op.create_index("traces_tool_id", "traces", ["tool_id", "created_at", "seq"])
    op.create_index("traces_status", "traces", ["status", "created_at", "seq"])
