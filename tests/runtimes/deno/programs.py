"""TypeScript tools as the validator would make them, and how tests run them."""

import asyncio
import tempfile
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from sparknb.core.definitions import CodeSpec, ToolDefinition
from sparknb.core.errors import ExecutionFailedError
from sparknb.core.problems import Problem
from sparknb.core.protocols import RunOutcome
from sparknb.runtimes.deno import DenoRuntime
from tests.runtimes.code_tools import Others, code_tool, processes

__all__ = ["Others", "Sandbox", "children", "folders", "sandbox", "tool"]

T = TypeVar("T")

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
    program = CodeSpec(
        language="typescript", source=source, entry_export="default", **spec
    )
    return code_tool(program, schema, timeout_ms)


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
    return processes("deno")


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("sparknb-deno-*"))
