"""The fields that every tool has, whatever its type (section 1 of the Studio spec)."""

import re
from typing import Any, get_args

from sparknb.core.definitions import RISKS, Effect, Idempotency, ToolType
from sparknb.core.problems import Problem
from sparknb.core.validation.fields import (
    BROKEN,
    OPTIONAL,
    REQUIRED,
    Field,
    Reader,
    Tell,
    bad_value,
    choice,
    closed,
    integer,
    text,
    wrong_type,
)
from sparknb.core.validation.schema import read_schema
from sparknb.core.wording import join_path

__all__ = ["RESERVED_TYPES", "SECRET_NAME", "TOOL_ID", "TYPES", "tool_shape"]

TYPES: tuple[str, ...] = get_args(ToolType)
RESERVED_TYPES = frozenset({"sql", "command", "prompt"})
TOOL_ID = re.compile(r"[a-z][a-z0-9_]{2,63}")
SECRET_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

# With `custom_` in front these are names of the authoring tools (ST-76).
_RESERVED_IDS = frozenset(
    f"tools_{verb}"
    for verb in (
        "guide",
        "list",
        "get",
        "validate",
        "create_draft",
        "save_draft",
        "test",
        "publish",
        "set_enabled",
        "rollback",
        "delete",
    )
)
_LONGEST_ID_FOR_ALL = 57
_SHORTEST_DESCRIPTION = 10
_MOST_SECRETS = 16

_id_text = text(
    3, 64, TOOL_ID, "start with a letter and hold only a-z, 0-9 and _ in lower case"
)
_description_text = text(_SHORTEST_DESCRIPTION, 4000)
_secret_name = text(1, 64, SECRET_NAME, "hold only letters, digits, _ and -")


def _id(value: Any, path: str, tell: Tell) -> Any:
    tool_id = _id_text(value, path, tell)
    if tool_id is BROKEN:
        return BROKEN
    if tool_id in _RESERVED_IDS:
        rule = f"must not be '{tool_id}': the agent name would be an authoring tool's"
        tell(bad_value(path, rule, strict=True))
    if len(tool_id) > _LONGEST_ID_FOR_ALL:
        tell(
            Problem(
                code="NAME_LONG",
                message=f"the agent name custom_{tool_id} has more than 64 characters, "
                "which some model providers refuse",
                path=path,
                hint=f"use at most {_LONGEST_ID_FOR_ALL} characters",
                level="warning",
            )
        )
    return tool_id


def _description(value: Any, path: str, tell: Tell) -> Any:
    description = _description_text(value, path, tell)
    if description is not BROKEN:
        length = len(description.strip())
        if length < _SHORTEST_DESCRIPTION:
            rule = (
                f"must have at least 10 characters without outer blanks, not {length}"
            )
            tell(bad_value(path, rule, strict=True))
    return description


def _secret_references(value: Any, path: str, tell: Tell) -> Any:
    if not isinstance(value, dict):
        tell(wrong_type(path, "an object", value))
        return BROKEN
    fits = len(value) <= _MOST_SECRETS
    if not fits:
        rule = f"must have at most {_MOST_SECRETS} secrets, not {len(value)}"
        tell(bad_value(path, rule))
    sound: dict[str, Any] = {}
    for name in list(value)[:_MOST_SECRETS]:
        at_name = join_path(path, name)
        is_named = _secret_name(name, at_name, tell) is not BROKEN
        reference = value[name]
        if not isinstance(reference, str):
            tell(wrong_type(at_name, "a string", reference))
            reference = BROKEN
        sound[name] = reference if is_named else BROKEN
    return sound if fits else BROKEN


def _unread(_value: Any, _path: str, _tell: Tell) -> Any:
    """Leave a spec alone whose type is not known."""
    return BROKEN


def tool_shape(
    spec: Reader = _unread, *, timeout_ms: int, triple: Any = REQUIRED
) -> Reader:
    """Give the reader of a whole definition.

    Args:
        spec: The reader of its `spec`.
        timeout_ms: What an absent `timeoutMs` stands for.
        triple: `REQUIRED`, or `OPTIONAL` when risk, effect and idempotency are all
            left out.
    """
    return closed(
        Field("id", _id),
        Field("title", text(1, 160)),
        Field("description", _description),
        Field("type", choice(*TYPES)),
        Field("inputSchema", read_schema),
        Field("risk", choice(*RISKS), triple),
        Field("effect", choice(*get_args(Effect)), triple),
        Field("idempotency", choice(*get_args(Idempotency)), triple),
        Field("timeoutMs", integer(1000, 300_000), timeout_ms),
        Field("secretRefs", _secret_references, OPTIONAL),
        Field("spec", spec),
    )
