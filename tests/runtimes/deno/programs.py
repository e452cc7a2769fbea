"""TypeScript tools as the validator would make them, and how tests run them."""

import asyncio
import hashlib
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from sparknb.core.definitions import CodeSpec, ToolDefinition
from sparknb.core.errors import DeniedError, ExecutionFailedError
from sparknb.core.input_schema import read_input_schema
from sparknb.core.problems import Problem
from sparknb.core.protocols import RunOutcome
from sparknb.runtimes.deno import DenoRuntime

__all__ = ["Others", "Sandbox", "children", "folders", "sandbox", "tool"]

T = TypeVar("T")
Answer = Callable[[Any], Awaitable[Any]]

_TYPES: dict[type, str] = {
    str: "string", int: "integer", float: "number", bool: "boolean", list: "array"
}  # fmt: skip
_SECONDS = 30


def tool(
    source: str,
    given: Mapping[str, Any] | None = None,
    *,
    timeout_ms: int = 30_000,
    **spec: Any,
) -> ToolDefinition:
    """Make a definition whose parameters take what they are given."""
    properties = {
        name: {"type": _TYPES[type(value)]} for name, value in (given or {}).items()
    }
    schema = {"type": "object", "properties": properties}
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
        spec=CodeSpec(
            language="typescript", source=source, entry_export="default", **spec
        ),
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


@dataclass
class Sandbox:
    """A runtime and the loop that it belongs to."""

    runtime: DenoRuntime
    runner: asyncio.Runner

    def do(self, work: Awaitable[T]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(_SECONDS):
                return await work

        return self.runner.run(bounded())

    async def run(
        self,
        source: str,
        given: Mapping[str, Any] | None = None,
        tools: Others | None = None,
        **more: Any,
    ) -> RunOutcome:
        """Run a program as the host does."""
        prepared = self.runtime.prepare(tool(source, given, **more), given or {})
        return await prepared.run({}, tools or Others())

    def result(self, source: str, *given: Any, **more: Any) -> RunOutcome:
        return self.do(self.run(source, *given, **more))

    def failure(self, source: str, *given: Any, **more: Any) -> str:
        """Give the message of a program that fails."""
        with pytest.raises(ExecutionFailedError) as caught:
            self.result(source, *given, **more)
        return caught.value.message

    def problems(self, source: str) -> list[Problem]:
        return list(self.do(self.runtime.check(tool(source))))

    def codes(self, source: str) -> list[str]:
        return [problem.code for problem in self.problems(source)]


@contextmanager
def sandbox(**options: Any) -> Iterator[Sandbox]:
    """Open one; no process and no folder of it is left afterwards."""
    processes, before = set(children()), folders()
    with asyncio.Runner() as runner:
        opened = Sandbox(DenoRuntime(**options), runner)
        try:
            yield opened
        finally:
            runner.run(opened.runtime.close())
    assert set(children()) <= processes
    assert folders() <= before


def children() -> list[int]:
    """Give the ids of all processes of sandboxes that are ours."""
    return [
        each.pid
        for each in psutil.Process().children(recursive=True)
        if each.status() != psutil.STATUS_ZOMBIE and "deno" in each.name()
    ]


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("sparknb-deno-*"))
