"""Lifecycle steps that agents do not see: create, save and discard drafts."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import bindparam, delete, insert, select

from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import ConflictError, InvalidInputError
from sparknb.core.records import ToolRecord
from sparknb.registry.removals import keep_secrets
from sparknb.registry.rows import from_json, json_text, shown
from sparknb.registry.steps import Step
from sparknb.registry.tables import TOOLS, VERSIONS

__all__ = ["create", "discard", "save"]

_ADD_TOOL = insert(TOOLS)
_ADD_VERSION = insert(VERSIONS)
_IDS = select(TOOLS.c.id).where(TOOLS.c.id == bindparam("tool_id"))
_LAST = select(TOOLS.c.last_version).where(TOOLS.c.id == bindparam("tool_id"))
_CONTENT = select(VERSIONS.c.digest, VERSIONS.c.cases).where(
    VERSIONS.c.tool_id == bindparam("tool_id"),
    VERSIONS.c.version == bindparam("version"),
)
_DEFINITION = select(VERSIONS.c.definition).where(
    VERSIONS.c.tool_id == bindparam("tool_id"),
    VERSIONS.c.version == bindparam("version"),
)
_DROP = delete(VERSIONS).where(
    VERSIONS.c.tool_id == bindparam("tool_id"),
    VERSIONS.c.version == bindparam("version"),
)


def create(
    step: Step,
    definition: ToolDefinition,
    cases: Sequence[Mapping[str, Any]],
    origin: Literal["local", "imported"],
) -> ToolRecord | None:
    """Store a new tool; None when the id is taken."""
    connection, tool_id = step.connection, definition.id
    if connection.execute(_IDS, {"tool_id": tool_id}).first() is not None:
        return None
    connection.execute(
        _ADD_TOOL,
        {
            "id": tool_id,
            "type": definition.type,
            **shown(definition.wire),
            "enabled": 0,
            "draft_version": 1,
            "draft_revision": 1,
            "last_version": 1,
            "origin": origin,
            "created_at": step.moment,
            "updated_at": step.moment,
        },
    )
    _add_draft(step, definition, 1, json_text(cases))
    step.touch()
    return step.tool(tool_id)


def save(
    step: Step,
    definition: ToolDefinition,
    cases: Sequence[Mapping[str, Any]] | None,
    expected_revision: int | None,
) -> tuple[ToolRecord, bool]:
    """Overwrite the pending draft or open the next version; see `Registry`."""
    tool = step.tool(definition.id)
    _check_save(tool, definition, expected_revision)
    current = _newest(tool)
    row = step.connection.execute(
        _CONTENT, {"tool_id": tool.id, "version": current}
    ).one()
    texts = row.cases if cases is None else json_text(cases)
    if row.digest == definition.digest and _are_equal(texts, row.cases):
        return tool, True
    values = shown(definition.wire)
    if tool.is_pending:
        content = {
            "definition": json_text(definition.wire),
            "digest": definition.digest,
            "cases": texts,
        }
        # The case run stays: its digests tell that it is stale (ST-81).
        step.change_version(tool.id, current, content)
    else:
        last = step.connection.execute(_LAST, {"tool_id": tool.id}).scalar_one()
        values |= {"draft_version": last + 1, "last_version": last + 1}
        _add_draft(step, definition, last + 1, texts)
    keep_secrets(step, definition.wire)
    step.change_tool(tool.id, values | {"draft_revision": tool.draft_revision + 1})
    return step.tool(tool.id), False


def discard(step: Step, tool_id: str, seen: ToolRecord | None) -> ToolRecord:
    """Drop the pending draft of a published tool."""
    tool = step.tool(tool_id, seen)
    published = tool.published_version
    if published is None:
        raise InvalidInputError(
            "a tool that was never published is nothing but its draft",
            path="id",
            hint="delete the tool instead",
        )
    if not tool.is_pending:
        raise InvalidInputError("there is no pending draft to discard", path="id")
    step.connection.execute(_DROP, {"tool_id": tool_id, "version": tool.draft_version})
    text = step.connection.execute(
        _DEFINITION, {"tool_id": tool_id, "version": published}
    ).scalar_one()
    step.change_tool(tool_id, {**shown(from_json(text)), "draft_version": published})
    return step.tool(tool_id)


def _newest(tool: ToolRecord) -> int:
    """Give the number of the draft, or of the published version when none is pending.

    The registry's tools always have one: None is only in the type for other readers.
    """
    return tool.draft_version or 0


def _check_save(
    tool: ToolRecord, definition: ToolDefinition, expected_revision: int | None
) -> None:
    if tool.type != definition.type:
        raise InvalidInputError(
            f"the type of a tool never changes: {tool.id} is of type {tool.type}",
            path="type",
            hint=f"keep {tool.type}, or create a tool with another id",
        )
    if expected_revision is not None and expected_revision != tool.draft_revision:
        raise ConflictError(
            f"the draft of {tool.id} changed elsewhere: it is at revision "
            f"{tool.draft_revision}, not {expected_revision}",
            path="expectedRevision",
            hint="reload it and make your change again",
        )


def _add_draft(
    step: Step, definition: ToolDefinition, version: int, cases: str
) -> None:
    step.connection.execute(
        _ADD_VERSION,
        {
            "tool_id": definition.id,
            "version": version,
            "status": "draft",
            "definition": json_text(definition.wire),
            "digest": definition.digest,
            "cases": cases,
            "created_at": step.moment,
        },
    )


def _are_equal(first: str, second: str) -> bool:
    """Whether two lists of cases say the same; the order of keys says nothing."""
    if first == second:
        return True
    return _sorted(first) == _sorted(second)


def _sorted(text: str) -> str:
    # As text again: in Python 1 equals True
    return json.dumps(from_json(text), sort_keys=True)
