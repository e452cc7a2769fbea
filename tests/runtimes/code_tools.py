"""Tools of either language as the validator would make them, and what they call."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import psutil

from sparknb.core.definitions import CodeSpec, ToolDefinition
from sparknb.core.errors import DeniedError
from sparknb.core.input_schema import read_input_schema

__all__ = ["Answer", "Others", "code_tool", "processes"]

Answer = Callable[[Any], Awaitable[Any]]


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


def code_tool(
    spec: CodeSpec, schema: Mapping[str, Any], timeout_ms: int
) -> ToolDefinition:
    """Make a definition of risk `read`."""
    seed = repr((spec, schema, timeout_ms))
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
        spec=spec,
        wire={},
        digest=hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest(),
    )


def processes(name: str) -> list[int]:
    """Give the ids of all processes of a sandbox that are ours."""
    return [
        each.pid
        for each in psutil.Process().children(recursive=True)
        if each.status() != psutil.STATUS_ZOMBIE and name in each.name()
    ]
