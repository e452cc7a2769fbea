"""Python tools as the validator would make them, and how tests run them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from sparknb.core.definitions import CodeSpec, ToolDefinition
from sparknb.core.errors import ExecutionFailedError
from sparknb.core.protocols import NestedTools, RunOutcome
from sparknb.runtimes.monty import MontyRuntime
from tests.runtimes.code_tools import Others, code_tool, processes

__all__ = ["Others", "failing", "python_tool", "result", "run", "runtime", "workers"]


def python_tool(
    source: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    required: tuple[str, ...] = (),
    timeout_ms: int = 30_000,
    **spec: Any,
) -> ToolDefinition:
    """Make a definition; `parameters` are types, or members of the schema."""
    properties = {
        name: member if isinstance(member, dict) else {"type": member}
        for name, member in (parameters or {}).items()
    }
    schema = {"type": "object", "properties": properties, "required": list(required)}
    program = CodeSpec(language="python", source=source, entry_export="run", **spec)
    return code_tool(program, schema, timeout_ms)


@asynccontextmanager
async def runtime(**options: Any) -> AsyncIterator[MontyRuntime]:
    """Open a runtime; nothing of it is left afterwards."""
    opened = MontyRuntime(**options)
    before = set(workers())
    try:
        yield opened
    finally:
        await opened.close()
    assert set(workers()) <= before


def workers() -> list[int]:
    """Give the ids of all processes of sandboxes that are ours."""
    return processes("monty")


async def run(
    opened: MontyRuntime,
    source: str,
    arguments: Mapping[str, Any] | None = None,
    tools: NestedTools | None = None,
    **more: Any,
) -> RunOutcome:
    """Run a program as the host does; its parameters take what they are given."""
    given = arguments or {}
    types: dict[type, str] = {
        str: "string", int: "integer", float: "number", bool: "boolean", list: "array"
    }  # fmt: skip
    parameters = {name: types[type(value)] for name, value in given.items()}
    more = {"parameters": parameters, "required": tuple(given)} | more
    tool = python_tool(source, **more)
    return await opened.prepare(tool, given).run({}, tools or Others())


def result(source: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> Any:
    """Run one program in a runtime of its own."""

    async def main() -> RunOutcome:
        async with runtime() as opened:
            return await run(opened, source, arguments, **more)

    return asyncio.run(main())


def failing(source: str, **more: Any) -> ExecutionFailedError:
    """Run one program that fails; give its error."""
    with pytest.raises(ExecutionFailedError) as caught:
        result(source, **more)
    return caught.value
