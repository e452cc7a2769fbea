"""Python tools as the validator would make them, and how tests run them."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import psutil
import pytest

from sparknb.core.definitions import CodeSpec, ToolDefinition
from sparknb.core.errors import DeniedError, ExecutionFailedError
from sparknb.core.input_schema import read_input_schema
from sparknb.core.protocols import NestedTools, RunOutcome
from sparknb.runtimes.monty import MontyRuntime

__all__ = ["Others", "failing", "python_tool", "result", "run", "runtime", "workers"]

Answer = Callable[[Any], Awaitable[Any]]


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
    seed = repr((source, schema, timeout_ms, spec))
    return ToolDefinition(
        id="tool",
        title="Tool",
        description="A tool of a test.",
        type="code",
        input_schema=read_input_schema(schema),
        risk="read",
        effect="read",
        idempotency="safe",
        timeout_ms=timeout_ms,
        secrets=(),
        spec=CodeSpec(language="python", source=source, entry_export="run", **spec),
        wire={},
        digest=hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest(),
    )


@dataclass
class Others:
    """Tools that a program calls, by id; keeps what it asked for."""

    by_id: Mapping[str, Answer] = field(default_factory=dict)
    asked: list[tuple[Any, Any]] = field(default_factory=list)

    async def call(self, tool_id: Any, arguments: Any) -> Any:
        self.asked.append((tool_id, arguments))
        if tool_id not in self.by_id:
            raise DeniedError(f"tool may not call {tool_id}")
        return await self.by_id[tool_id](arguments)


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
    return [
        each.pid
        for each in psutil.Process().children(recursive=True)
        if each.status() != psutil.STATUS_ZOMBIE and "monty" in each.name()
    ]


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
