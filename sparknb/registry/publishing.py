"""Lifecycle steps that change what agents use: publish, enable, roll back, delete."""

from collections.abc import Sequence

from sqlalchemy import bindparam, delete, insert, select

from sparknb.core.errors import (
    ConflictError,
    DeniedError,
    InvalidInputError,
    NotFoundError,
)
from sparknb.core.records import ToolRecord
from sparknb.registry.removals import keep_secrets, note_removals
from sparknb.registry.rows import from_json, shown
from sparknb.registry.steps import GREATEST_VERSION, Step
from sparknb.registry.tables import REMOVALS, TOOLS, TRACES, VERSIONS

__all__ = ["publish", "remove", "roll_back", "switch"]

_AGAIN = "look at it as it is now, then decide again"
_LAST = select(TOOLS.c.last_version).where(TOOLS.c.id == bindparam("tool_id"))
_SOURCE = select(
    VERSIONS.c.definition, VERSIONS.c.digest, VERSIONS.c.cases, VERSIONS.c.case_run
).where(
    VERSIONS.c.tool_id == bindparam("tool_id"),
    VERSIONS.c.version == bindparam("version"),
)
_REMOVE_ALL = (
    delete(TRACES).where(TRACES.c.tool_id == bindparam("gone")),
    delete(REMOVALS).where(REMOVALS.c.tool_id == bindparam("gone")),
    delete(VERSIONS).where(VERSIONS.c.tool_id == bindparam("gone")),
    delete(TOOLS).where(TOOLS.c.id == bindparam("gone")),
)


def publish(
    step: Step,
    tool_id: str,
    *,
    expected_version: int,
    expected_revision: int,
    drop_secrets: Sequence[str],
    seen: ToolRecord | None,
) -> ToolRecord:
    """Make the draft the published version; see `Registry`."""
    tool = step.tool(tool_id, seen)
    expected = (expected_version, expected_revision)
    if not tool.is_pending or expected != (tool.draft_version, tool.draft_revision):
        raise ConflictError(
            f"the draft of {tool_id} changed elsewhere: version {expected_version} at "
            f"revision {expected_revision} is no longer what would be published",
            path="id",
            hint=_AGAIN,
        )
    if tool.published_version is not None:
        step.change_version(tool_id, tool.published_version, {"status": "archived"})
    step.change_version(
        tool_id,
        expected_version,
        {"status": "published", "published_at": step.moment},
    )
    note_removals(step, drop_secrets)
    is_first = tool.published_version is None
    step.change_tool(
        tool_id,
        {
            "published_version": expected_version,
            "enabled": int(is_first or tool.enabled),
        },
    )
    return step.tool(tool_id)


def switch(
    step: Step,
    tool_id: str,
    *,
    enabled: bool,
    expected_version: int | None,
    seen: ToolRecord | None,
) -> ToolRecord:
    """Enable or disable; see `Registry`."""
    tool = step.tool(tool_id, seen)
    if enabled:
        if tool.published_version is None:
            raise DeniedError(
                f"{tool_id} was never published, so it cannot be enabled",
                path="id",
                hint="publish it first: a first publish enables it",
            )
        if expected_version not in (None, tool.published_version):
            raise _moved(tool, expected_version)
    if tool.enabled == enabled:
        return tool
    step.change_tool(tool_id, {"enabled": int(enabled)})
    return step.tool(tool_id)


def roll_back(
    step: Step,
    tool_id: str,
    version: int,
    *,
    expected_version: int,
    drop_secrets: Sequence[str],
    seen: ToolRecord | None,
) -> ToolRecord:
    """Publish a copy of `version` as the next version; see `Registry`."""
    tool = step.tool(tool_id, seen)
    _check_roll_back(tool, version, expected_version)
    source = None
    if 0 < version <= GREATEST_VERSION:
        key = {"tool_id": tool_id, "version": version}
        source = step.connection.execute(_SOURCE, key).mappings().first()
    if source is None:
        raise NotFoundError(
            f"{tool_id} has no version {version}",
            path="version",
            hint="show the tool to see its versions",
        )
    following = step.connection.execute(_LAST, {"tool_id": tool_id}).scalar_one() + 1
    step.connection.execute(
        insert(VERSIONS),
        {
            **source,
            "tool_id": tool_id,
            "version": following,
            "status": "published",
            "source_version": version,
            "created_at": step.moment,
            "published_at": step.moment,
        },
    )
    step.change_version(tool_id, expected_version, {"status": "archived"})
    note_removals(step, drop_secrets)
    wire = from_json(source["definition"])
    keep_secrets(step, wire)
    numbers = dict.fromkeys(
        ("published_version", "draft_version", "last_version"), following
    )
    step.change_tool(tool_id, shown(wire) | numbers)
    return step.tool(tool_id)


def remove(step: Step, tool_id: str, expected_revision: int | None) -> None:
    """Remove a disabled tool with all its rows; see `Registry`."""
    tool = step.tool(tool_id)
    if tool.enabled:
        raise ConflictError(
            f"{tool_id} was enabled in the meantime, so it was not deleted",
            path="id",
            hint=_AGAIN,
        )
    if expected_revision not in (None, tool.draft_revision):
        raise ConflictError(
            f"a draft of {tool_id} was saved in the meantime, so it was not deleted",
            path="id",
            hint=_AGAIN,
        )
    for statement in _REMOVE_ALL:
        step.connection.execute(statement, {"gone": tool_id})
    step.touch()


def _check_roll_back(tool: ToolRecord, version: int, expected_version: int) -> None:
    if tool.published_version is None:
        raise InvalidInputError(
            f"{tool.id} was never published, so there is nothing to roll back",
            path="id",
        )
    if tool.is_pending:
        raise InvalidInputError(
            f"{tool.id} has a pending draft",
            path="id",
            hint="publish or discard the draft first",
        )
    if tool.published_version != expected_version:
        raise _moved(tool, expected_version)
    if version == tool.published_version:
        raise InvalidInputError(
            f"version {version} is the published one already", path="version"
        )


def _moved(tool: ToolRecord, expected: int | None) -> ConflictError:
    return ConflictError(
        f"{tool.id} changed elsewhere: version {tool.published_version} is published "
        f"by now, not {expected}",
        path="id",
        hint=_AGAIN,
    )
