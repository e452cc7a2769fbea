"""The registry: `core.protocols.Registry` over any `Store`."""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter, itemgetter
from typing import Any, Literal

from sqlalchemy import bindparam, func, or_, select, update

from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import (
    AlreadyExistsError,
    InvalidInputError,
    RegistryUnavailableError,
)
from sparknb.core.providers import ProviderProfile
from sparknb.core.records import (
    RETENTION_DAYS,
    ToolLinks,
    ToolRecord,
    TraceRecord,
    VersionRecord,
)
from sparknb.core.results import CallStatus
from sparknb.registry import drafts, provider_rows, publishing, removals, trace_log
from sparknb.registry.rows import (
    TOOL_COLUMNS,
    VERSION_COLUMNS,
    SurfaceRow,
    is_storable,
    json_text,
    microseconds,
    tool_links,
    tool_record,
    version_record,
)
from sparknb.registry.steps import GREATEST_VERSION, TOOL, lifecycle_step
from sparknb.registry.stores import Store
from sparknb.registry.tables import REGISTRY, TOOLS, VERSIONS
from sparknb.registry.trace_writer import TraceWriter

__all__ = ["SqlRegistry"]

_logger = logging.getLogger("sparknb.registry")

_LONGEST_QUERY = 120
_MOST_TRACES = 200

_VERSIONS = (
    select(*VERSION_COLUMNS)
    .where(VERSIONS.c.tool_id == bindparam("tool_id"))
    .order_by(VERSIONS.c.version.desc())
)
_VERSION = _VERSIONS.where(VERSIONS.c.version == bindparam("version"))
_SURFACE = (
    select(*TOOL_COLUMNS, *VERSION_COLUMNS)
    .join_from(
        TOOLS,
        VERSIONS,
        (VERSIONS.c.tool_id == TOOLS.c.id)
        & (VERSIONS.c.version == TOOLS.c.published_version),
    )
    .where(TOOLS.c.enabled == 1)
)
# Quotes inside a JSON text are escaped, so that only the key itself matches.
_LINKS = (
    select(
        TOOLS.c.id, VERSIONS.c.version, TOOLS.c.published_version, VERSIONS.c.definition
    )
    .join_from(TOOLS, VERSIONS, VERSIONS.c.tool_id == TOOLS.c.id)
    .where(
        TOOLS.c.type == "code",
        or_(
            VERSIONS.c.version == TOOLS.c.published_version,
            VERSIONS.c.version == TOOLS.c.draft_version,
        ),
        VERSIONS.c.definition.contains('"toolIds":["', autoescape=True),
    )
)
_PENDING = TOOLS.c.draft_version > func.coalesce(TOOLS.c.published_version, 0)
_RETENTION = select(REGISTRY.c.retention_days)


class SqlRegistry:
    """Tools, versions and traces in one database."""

    def __init__(self, store: Store, *, now: Callable[[], datetime]) -> None:
        self._store = store
        self._now = now
        self._next_prune = 0
        self._writer = TraceWriter(self._write_traces)
        with store.reading() as connection:
            self._id: str = connection.execute(select(REGISTRY.c.id)).scalar_one()

    @property
    def id(self) -> str:
        """See `Registry`."""
        return self._id

    def change_mark(self) -> Hashable:
        """See `Registry`."""
        return self._store.changes()

    # ----------------------------------------------------------------- reading
    def get(self, tool_id: str) -> ToolRecord | None:
        """See `Registry`."""
        if not is_storable(tool_id):
            return None
        with self._store.reading() as connection:
            row = connection.execute(TOOL, {"tool_id": tool_id}).first()
        return None if row is None else tool_record(row)

    def version(self, tool_id: str, version: int) -> VersionRecord | None:
        """See `Registry`."""
        if not is_storable(tool_id) or not 0 < version <= GREATEST_VERSION:
            return None
        key = {"tool_id": tool_id, "version": version}
        with self._store.reading() as connection:
            row = connection.execute(_VERSION, key).first()
        return None if row is None else version_record(row)

    def versions(self, tool_id: str) -> Sequence[VersionRecord]:
        """See `Registry`."""
        if not is_storable(tool_id):
            return []
        with self._store.reading() as connection:
            rows = connection.execute(_VERSIONS, {"tool_id": tool_id}).all()
        return [version_record(row) for row in rows]

    def tools(
        self,
        *,
        query: str | None = None,
        limit: int | None = None,
        pending: bool = False,
    ) -> tuple[Sequence[ToolRecord], int]:
        """See `Registry`."""
        found = select(*TOOL_COLUMNS)
        count = select(func.count()).select_from(TOOLS)
        if query:
            if len(query) > _LONGEST_QUERY:
                raise InvalidInputError(
                    f"the query has {len(query)} characters, {_LONGEST_QUERY} are "
                    "allowed",
                    path="query",
                )
            if not is_storable(query):
                return [], 0
            matches = _contains(query.casefold())
            found, count = found.where(matches), count.where(matches)
        if pending:
            found, count = found.where(_PENDING), count.where(_PENDING)
        found = found.order_by(TOOLS.c.updated_at.desc(), TOOLS.c.id)
        if limit is not None:
            found = found.limit(min(max(limit, 0), GREATEST_VERSION))
        with self._store.reading() as connection:
            rows = connection.execute(found).all()
            total = len(rows)
            if limit is not None and total >= limit:
                total = max(total, connection.execute(count).scalar_one())
        return [tool_record(row) for row in rows], total

    def surface(self) -> Sequence[SurfaceRow]:
        """See `Registry`."""
        with self._store.reading() as connection:
            rows = connection.execute(_SURFACE).all()
        # Sorted here: databases compare letters by rules of their own.
        return [SurfaceRow(row) for row in sorted(rows, key=itemgetter(0))]

    def links(self) -> Sequence[ToolLinks]:
        """See `Registry`."""
        with self._store.reading() as connection:
            found = list(map(tool_links, connection.execute(_LINKS)))
        # Sorted here: databases compare letters by rules of their own.
        sound = [each for each in found if each is not None]
        return sorted(sound, key=attrgetter("tool_id", "version"))

    # --------------------------------------------------------------- lifecycle
    def create_draft(
        self,
        definition: ToolDefinition,
        cases: Sequence[Mapping[str, Any]] = (),
        *,
        origin: Literal["local", "imported"] = "local",
    ) -> ToolRecord:
        """See `Registry`."""
        created = self.create_drafts([(definition, cases)], origin=origin)
        if not created:
            raise AlreadyExistsError(
                f"there is a tool with the id {definition.id} already",
                path="id",
                hint="save a draft of it, or choose another id",
            )
        return created[0]

    def create_drafts(
        self,
        entries: Sequence[tuple[ToolDefinition, Sequence[Mapping[str, Any]]]],
        *,
        origin: Literal["local", "imported"] = "local",
    ) -> Sequence[ToolRecord]:
        """See `Registry`."""
        with lifecycle_step(self._store, self._now) as step:
            made = [
                drafts.create(step, definition, cases, origin)
                for definition, cases in entries
            ]
        return [tool for tool in made if tool is not None]

    def save_draft(
        self,
        definition: ToolDefinition,
        cases: Sequence[Mapping[str, Any]] | None = None,
        *,
        expected_revision: int | None = None,
    ) -> tuple[ToolRecord, bool]:
        """See `Registry`."""
        with lifecycle_step(self._store, self._now) as step:
            return drafts.save(step, definition, cases, expected_revision)

    def discard_draft(
        self, tool_id: str, *, seen: ToolRecord | None = None
    ) -> ToolRecord:
        """See `Registry`."""
        with lifecycle_step(self._store, self._now) as step:
            return drafts.discard(step, tool_id, seen)

    def publish(
        self,
        tool_id: str,
        *,
        expected_version: int,
        expected_revision: int,
        drop_secrets: Sequence[str] = (),
        seen: ToolRecord | None = None,
    ) -> ToolRecord:
        """See `Registry`."""
        with lifecycle_step(self._store, self._now) as step:
            return publishing.publish(
                step,
                tool_id,
                expected_version=expected_version,
                expected_revision=expected_revision,
                drop_secrets=drop_secrets,
                seen=seen,
            )

    def set_enabled(
        self,
        tool_id: str,
        *,
        enabled: bool,
        expected_version: int | None = None,
        seen: ToolRecord | None = None,
    ) -> ToolRecord:
        """See `Registry`."""
        with lifecycle_step(self._store, self._now) as step:
            return publishing.switch(
                step,
                tool_id,
                enabled=enabled,
                expected_version=expected_version,
                seen=seen,
            )

    def rollback(
        self,
        tool_id: str,
        version: int,
        *,
        expected_version: int,
        drop_secrets: Sequence[str] = (),
        seen: ToolRecord | None = None,
    ) -> ToolRecord:
        """See `Registry`."""
        with lifecycle_step(self._store, self._now) as step:
            return publishing.roll_back(
                step,
                tool_id,
                version,
                expected_version=expected_version,
                drop_secrets=drop_secrets,
                seen=seen,
            )

    def delete(self, tool_id: str, *, expected_revision: int | None = None) -> None:
        """See `Registry`."""
        self._writer.flush()  # a trace that still waits would outlive its tool
        with lifecycle_step(self._store, self._now) as step:
            publishing.remove(step, tool_id, expected_revision)

    def mark_tested(self, tool_id: str) -> None:
        """See `Registry`."""
        if not is_storable(tool_id):
            return
        with lifecycle_step(self._store, self._now) as step:
            tested = {"last_test_at": step.moment}
            step.change_tool(tool_id, tested, is_update=False)

    def record_case_run(
        self, tool_id: str, version: int, case_run: Mapping[str, Any]
    ) -> None:
        """See `Registry`."""
        if not is_storable(tool_id) or not 0 < version <= GREATEST_VERSION:
            return
        with lifecycle_step(self._store, self._now) as step:
            step.change_version(tool_id, version, {"case_run": json_text(case_run)})
            step.touch()

    def note_removals(self, references: Sequence[str]) -> None:
        """See `Registry`."""
        with lifecycle_step(self._store, self._now) as step:
            removals.note_removals(step, references)

    def pending_removals(self) -> Sequence[str]:
        """See `Registry`."""
        with self._store.reading() as connection:
            return removals.noted(connection)

    def confirm_removals(self, references: Sequence[str]) -> None:
        """See `Registry`."""
        if references:
            with self._store.writing() as connection:
                removals.confirm(connection, references)

    # --------------------------------------------------------------- providers
    def providers(self) -> Sequence[ProviderProfile]:
        """See `Registry`."""
        with self._store.reading() as connection:
            return provider_rows.listed(connection)

    def provider(self, profile_id: str) -> ProviderProfile | None:
        """See `Registry`."""
        with self._store.reading() as connection:
            return provider_rows.looked_up(connection, profile_id)

    def add_provider(self, profile: ProviderProfile) -> None:
        """See `Registry`."""
        with lifecycle_step(self._store, self._now) as step:
            provider_rows.add(step, profile)

    def remove_provider(self, profile_id: str) -> bool:
        """See `Registry`."""
        with lifecycle_step(self._store, self._now) as step:
            return provider_rows.remove(step, profile_id)

    # ------------------------------------------------------------------ traces
    def add_traces(self, traces: Sequence[TraceRecord]) -> None:
        """See `Registry`. Returns at once; they are written within 200 ms."""
        self._writer.add(traces)

    def traces(
        self,
        *,
        tool_id: str | None = None,
        status: CallStatus | None = None,
        since: datetime | None = None,
        limit: int = 50,
    ) -> Sequence[TraceRecord]:
        """See `Registry`."""
        self._writer.flush()
        moment = microseconds(self._now())
        try:
            trace_log.prune(self._store, moment)
        except RegistryUnavailableError as error:
            # Reading may well be possible; old rows are left out below anyway.
            _logger.warning("Old traces were not removed: %s", error)
        with self._store.reading() as connection:
            oldest = trace_log.cut(connection, moment)
            if since is not None:
                oldest = max(oldest, microseconds(since))
            return trace_log.newest(
                connection,
                tool_id=tool_id,
                status=status,
                since=oldest,
                limit=min(max(limit, 1), _MOST_TRACES),
            )

    def clear_traces(self, tool_id: str | None = None) -> int:
        """See `Registry`."""
        self._writer.flush()
        with self._store.writing() as connection:
            return trace_log.clear(connection, tool_id)

    @property
    def retention_days(self) -> int:
        """See `Registry`."""
        with self._store.reading() as connection:
            days: int = connection.execute(_RETENTION).scalar_one()
        return days

    def set_retention(self, days: int) -> None:
        """See `Registry`."""
        if isinstance(days, bool) or days not in RETENTION_DAYS:
            raise InvalidInputError(
                f"traces cannot be kept for {days!r} days",
                path="days",
                hint="choose 7, 30, 90 or 365",
            )
        self._writer.flush()
        with self._store.writing() as connection:
            connection.execute(update(REGISTRY).values(retention_days=days))
        trace_log.prune(self._store, microseconds(self._now()))

    def close(self) -> None:
        """See `Registry`."""
        self._writer.close()
        self._store.close()

    def _write_traces(self, traces: Sequence[TraceRecord]) -> None:
        with self._store.writing(durable=False) as connection:
            trace_log.append(connection, traces)
        moment = microseconds(self._now())
        if moment >= self._next_prune:
            self._next_prune = trace_log.prune_when_due(self._store, moment)


def _contains(folded: str) -> Any:
    """Give the condition that one of the three texts holds this one, literally."""
    columns = (TOOLS.c.id, TOOLS.c.folded_title, TOOLS.c.folded_description)
    return or_(*(column.contains(folded, autoescape=True) for column in columns))
