"""The schema, as the newest migration leaves it.

Times are whole microseconds since 1970 in UTC: exact, and they sort as numbers.
JSON documents are text, so that both databases keep the order of keys.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

__all__ = [
    "METADATA",
    "PROVIDERS",
    "REGISTRY",
    "REMOVALS",
    "STAMP",
    "TOOLS",
    "TRACES",
    "VERSIONS",
]

METADATA = MetaData()

# One row. `changes` counts lifecycle writes, `clock` is the time of the last one.
REGISTRY = Table(
    "registry",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("changes", BigInteger, nullable=False),
    Column("clock", BigInteger, nullable=False),
    Column("retention_days", Integer, nullable=False),
    Column("pruned_at", BigInteger, nullable=False),
)

TOOLS = Table(
    "tools",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("type", String(32), nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    # for the search: databases fold only ASCII, or by a locale of their own
    Column("folded_title", Text, nullable=False),
    Column("folded_description", Text, nullable=False),
    Column("risk", String(16), nullable=False),
    Column("effect", String(16), nullable=False),
    Column("idempotency", String(16), nullable=False),
    Column("enabled", Integer, nullable=False),
    Column("published_version", Integer),
    Column("draft_version", Integer, nullable=False),
    Column("draft_revision", Integer, nullable=False),
    # outlives a discarded draft: a number never means two different versions
    Column("last_version", Integer, nullable=False),
    Column("origin", String(16), nullable=False),
    Column("last_test_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("tools_updated_at", "updated_at", "id"),
)

VERSIONS = Table(
    "versions",
    METADATA,
    Column("tool_id", String(64), ForeignKey("tools.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("status", String(16), nullable=False),
    Column("source_version", Integer),
    Column("definition", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("cases", Text, nullable=False),
    Column("case_run", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("published_at", BigInteger),
    PrimaryKeyConstraint("tool_id", "version"),
)

# Secret references whose value is to be removed from the keychain after a commit.
REMOVALS = Table(
    "pending_removals",
    METADATA,
    Column("reference", String(255), primary_key=True),
    Column("tool_id", String(64), nullable=False),
    Index("pending_removals_tool_id", "tool_id"),
)

# Services that answer questions to a model; a key is never here.
PROVIDERS = Table(
    "providers",
    METADATA,
    Column("id", String(200), primary_key=True),
    Column("name", Text, nullable=False),
    Column("base_url", Text, nullable=False),
    Column("model", Text),
    Column("needs_key", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

# No foreign key: tests of unsaved drafts and refused calls leave rows as well.
TRACES = Table(
    "traces",
    METADATA,
    Column(
        "seq",
        BigInteger().with_variant(Integer, "sqlite"),  # SQLite's own row number
        primary_key=True,
    ),
    Column("id", String(64), nullable=False),
    Column("tool_id", Text, nullable=False),
    Column("tool_version", Integer),
    Column("session_id", Text),
    Column("turn_id", Text),
    Column("input_sha256", String(64), nullable=False),
    Column("source", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("duration_ms", BigInteger, nullable=False),
    Column("error_code", String(64)),
    Column("output_bytes", BigInteger, nullable=False),
    Column("approval", String(16), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("traces_created_at", "created_at", "seq"),
    Index("traces_tool_id", "tool_id", "created_at", "seq"),
    Index("traces_status", "status", "created_at", "seq"),
)

# Alembic's own table, read by hand so that Alembic is imported only to migrate.
STAMP = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
