"""The shape of a code spec (section 8 of the Studio spec)."""

from collections.abc import Iterator
from typing import Any

from sparknb.core.definitions import InputSchema
from sparknb.core.input_schema import read_input_schema
from sparknb.core.problems import Problem
from sparknb.core.validation.common import TOOL_ID
from sparknb.core.validation.fields import (
    BROKEN,
    OPTIONAL,
    Field,
    Tell,
    at,
    bad_value,
    choice,
    closed,
    exactly,
    integer,
    listing,
    text,
)
from sparknb.core.validation.python_source import source_problems

__all__ = ["CODE_RULES", "code_spec"]

_ENTRIES = {"typescript": "default", "python": "run"}

_runtime_shape = closed(
    Field("kind", exactly("trusted-worker"), "trusted-worker"),
    Field("language", choice(*_ENTRIES), "typescript"),
    Field("source", text(1, 200_000)),
    Field("entryExport", text(1, 64), OPTIONAL),
)


def _runtime(value: Any, path: str, tell: Tell) -> Any:
    sound = _runtime_shape(value, path, tell)
    language = at(sound, "language")
    if language is BROKEN:
        return sound
    entry = sound.setdefault("entryExport", _ENTRIES[language])
    if entry not in (BROKEN, _ENTRIES[language]):
        rule = f"must be '{_ENTRIES[language]}' for {language}"
        tell(bad_value(f"{path}.entryExport", rule))
    return sound


_tool_id = text(3, 64, TOOL_ID, "be the id of a Studio tool")

code_spec = closed(
    Field("runtime", _runtime),
    Field("trust", exactly("trusted-local"), "trusted-local"),
    Field(
        "permissions",
        closed(Field("toolIds", listing(_tool_id, most=32), [])),
        {},
    ),
    Field(
        "limits",
        closed(
            Field("memoryMb", integer(64, 512), 128),
            Field("maxOutputBytes", integer(1024, 10_485_760), 1_048_576),
        ),
        {},
    ),
)


def check_tool_ids(tree: Any) -> Iterator[Problem]:
    """Yield tools that are named twice, and the tool's own id."""
    tool_ids = at(tree, "spec", "permissions", "toolIds")
    seen: set[str] = set()
    for position, tool_id in enumerate(() if tool_ids is BROKEN else tool_ids):
        if tool_id is BROKEN:
            continue
        path = f"spec.permissions.toolIds.{position}"
        if tool_id in seen:
            yield bad_value(path, "must not repeat an earlier tool id")
        elif tool_id == tree["id"]:
            message = "a tool cannot call itself"
            yield Problem(code="DEPENDENCY_SELF", message=message, path=path)
        seen.add(tool_id)


def check_python_source(tree: Any) -> Iterator[Problem]:
    """Yield what the text of a Python program shows; TypeScript needs its parser."""
    source = at(tree, "spec", "runtime", "source")
    if source is BROKEN or at(tree, "spec", "runtime", "language") != "python":
        return
    schema = _whole_schema(at(tree, "inputSchema"))
    for problem in source_problems(source, schema or InputSchema({}, {})):
        # What `run` must take is not known where the schema itself is broken.
        if schema is not None or problem.code != "CODE_ENTRY":
            yield problem


def _whole_schema(schema: Any) -> InputSchema | None:
    return None if _is_broken(schema) else read_input_schema(schema)


def _is_broken(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_broken, value.values()))
    if isinstance(value, list):
        return any(map(_is_broken, value))
    return value is BROKEN


CODE_RULES = (check_tool_ids, check_python_source)
