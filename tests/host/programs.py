"""A runtime for code tools whose programs are coroutines of the test."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparknb.core.definitions import CodeSpec, ToolDefinition
from sparknb.core.problems import Problem
from sparknb.core.protocols import (
    NestedTools,
    Preview,
    Proof,
    RunOutcome,
    Runtime,
    RuntimeKind,
)
from sparknb.core.validation import validate
from sparknb.host import Host
from sparknb.keychain.memory import MemoryKeychain
from sparknb.registry import open_registry
from sparknb.runtimes.documents import DocumentFetcher
from sparknb.runtimes.http import HttpRuntime
from sparknb.runtimes.vision.chat import ChatClient
from tests.hosting import Definition, Session
from tests.runtimes.wire import egress

__all__ = ["Program", "Programs", "Workshop", "by_hand", "program_tool"]

Program = Callable[[Mapping[str, Any], NestedTools], Awaitable[Any]]


@dataclass
class Prepared:
    definition: ToolDefinition
    arguments: Mapping[str, Any]
    program: Program
    printed: str = ""
    secret_names: tuple[str, ...] = ()
    origin: str | None = None

    @property
    def preview(self) -> Preview:
        spec = self.definition.spec
        assert isinstance(spec, CodeSpec)
        return Preview(dependencies=spec.tool_ids)

    async def run(self, secrets: Mapping[str, str], tools: NestedTools) -> RunOutcome:
        assert secrets == {}
        value = await self.program(self.arguments, tools)
        text = value if isinstance(value, str) else json.dumps(value, indent=2)
        return RunOutcome(text=text, data=value, bytes=len(text), printed=self.printed)


@dataclass
class Programs:
    """What the tools do, by their id; a tool without a program gives its id.

    `problems` is what a check finds, by id; `proofs` what came of the attacks.
    """

    by_id: dict[str, Program] = field(default_factory=dict)
    problems: dict[str, Sequence[Problem]] = field(default_factory=dict)
    printed: str = ""
    proofs: Sequence[Proof] | Exception = ()
    proving: asyncio.Barrier | None = None
    proved: int = 0
    checked: list[str] = field(default_factory=list)

    def prepare(
        self, definition: ToolDefinition, arguments: Mapping[str, Any]
    ) -> Prepared:
        async def nothing(_: Mapping[str, Any], __: NestedTools) -> str:
            return definition.id

        program = self.by_id.get(definition.id, nothing)
        return Prepared(definition, arguments, program, self.printed)

    async def check(self, definition: ToolDefinition) -> Sequence[Problem]:
        self.checked.append(definition.id)
        return self.problems.get(definition.id, ())

    async def prove(self) -> Sequence[Proof]:
        self.proved += 1
        if self.proving is not None:  # met when it begins, and when it may end
            await self.proving.wait()
            await self.proving.wait()
        if isinstance(self.proofs, Exception):
            raise self.proofs
        return self.proofs

    async def close(self) -> None:
        return None


class Workshop(Session):
    """A session on a host that runs python tools as well; `does` gives a program.

    With `both`, TypeScript tools run in the same way.
    """

    def __init__(self, home: Path, *, both: bool = False) -> None:
        self._runner = asyncio.Runner()
        self.programs = Programs()
        home.mkdir(exist_ok=True)
        more: dict[RuntimeKind, Runtime] = {"typescript": self.programs} if both else {}
        self.host = self.run(self._open(home, more))

    async def _open(self, home: Path, more: dict[RuntimeKind, Runtime]) -> Host:
        return Host(
            registry=open_registry(f"sqlite:///{home}/registry.db", home=home),
            keychain=MemoryKeychain(),
            runtimes={
                "http": HttpRuntime(egress()),
                "python": self.programs,
                **more,
            },
            fetcher=DocumentFetcher(egress()),
            chat=ChatClient(egress()),
            settings=None,
        )

    def does(self, tool_id: str, program: Program) -> None:
        self.programs.by_id[tool_id] = program

    def add(self, tool_id: str, *named: str, **more: Any) -> None:
        """Publish a code tool that names others."""
        self.publish(program_tool(tool_id, *named, **more))


def program_tool(
    tool_id: str, *named: str, risk: str = "read", **more: Any
) -> Definition:
    effect = "read" if risk == "read" else "update"
    return {
        "id": tool_id,
        "title": "A program",
        "description": "Calls what it names.",
        "type": "code",
        "inputSchema": {"type": "object", "properties": {}},
        "risk": risk,
        "effect": effect,
        "idempotency": "safe" if risk == "read" else "unsafe",
        "timeoutMs": 5000,
        "spec": {
            "runtime": {"language": "python", "source": "def run(): return 1"},
            "permissions": {"toolIds": list(named)},
        },
        **more,
    }


def by_hand(shop: Workshop, definition: Definition) -> None:
    """Publish past all rules, as who edits the registry does."""
    report = validate(definition)
    assert report.definition is not None
    registry = shop.host.registry
    if registry.get(definition["id"]) is None:
        record = registry.create_draft(report.definition)
    else:
        record, _ = registry.save_draft(report.definition)
    registry.publish(
        record.id,
        expected_version=record.draft_version or 0,
        expected_revision=record.draft_revision,
    )
