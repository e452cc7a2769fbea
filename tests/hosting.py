"""A host over a real registry, an approver that answers, and tools to try them on."""

import asyncio
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sparknb.bootstrap import open_host
from sparknb.core.protocols import ApprovalRequest, Decision

T = TypeVar("T")
Definition = dict[str, Any]


class Answering:
    """An approver that gives one answer and keeps the questions."""

    def __init__(self, decision: Decision | None = None) -> None:
        self.decision = decision or Decision(outcome="allow")
        self.asked: list[ApprovalRequest] = []

    async def decide(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        return self.decision


class Session:
    """A loop with a host on it; `run` waits for one of its coroutines."""

    def __init__(self, home: Path, keychain: str = "memory", **options: Any) -> None:
        self._runner = asyncio.Runner()
        self.host = self.run(open_host(home, keychain=keychain, **options))

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(coroutine)

    def close(self) -> None:
        self.run(self.host.close())
        self._runner.close()

    # the steps that most tests begin with
    def publish(self, definition: Definition) -> None:
        self.run(self.host.studio.draft(definition))
        self.run(self.host.studio.publish(definition["id"]))

    def call(self, name: str, arguments: Mapping[str, Any], **options: Any) -> Any:
        return self.run(self.host.call(name, arguments, **options))

    def statuses(self) -> list[tuple[str, str | None]]:
        """Give (status, error code) of all traces, oldest first."""
        rows = self.run(self.host.traces.list())
        return [(row.status, row.error_code) for row in reversed(rows)]


async def steps_during(work: Coroutine[Any, Any, Any]) -> int:
    """Give how often others had their turn on the loop until some work was done."""
    task, steps = asyncio.create_task(work), 0
    while not task.done():
        await asyncio.sleep(0)
        steps += 1
    task.result()
    return steps


def http_tool(url: str, *, tool_id: str = "items", method: str = "GET") -> Definition:
    return {
        "id": tool_id,
        "title": "Items",
        "description": "Finds items by their name.",
        "type": "http",
        "inputSchema": {
            "type": "object",
            "properties": {"q": {"type": "string"}},
            "required": ["q"],
        },
        "timeoutMs": 5000,
        "spec": {
            "request": {"method": method, "urlTemplate": url},
            "response": {"format": "text"},
        },
    }
