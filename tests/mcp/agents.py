"""Agents for tests: official clients, and the tools they call."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from inspect import isawaitable
from pathlib import Path
from typing import Any, Literal

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import ElicitResult, ErrorData

from sparknb.bootstrap import open_host
from sparknb.demo.stage import definition
from sparknb.examples import ExampleService
from sparknb.host import Host
from sparknb.mcp import serve_http
from sparknb.mcp.config import command
from sparknb.mcp.endpoint import parse_endpoint
from sparknb.mcp.server import ToolServer

Mode = Literal["auto", "legacy"]
MODES: list[Mode] = ["auto", "legacy"]
ORDER = {"city": "Oslo", "item": "globe"}


class Person:
    """Answers questions, and keeps them."""

    def __init__(self, answer: ElicitResult | ErrorData | None = None) -> None:
        self.questions: list[str] = []
        self.answer = answer or ElicitResult(action="accept", content={"approve": True})

    async def __call__(self, context: Any, params: Any) -> ElicitResult | ErrorData:
        self.questions.append(params.message)
        return self.answer


class Shop:
    """A host with two published tools of the example service: a read and an order."""

    def __init__(self, host: Host, service: ExampleService, home: Path) -> None:
        self.host = host
        self.service = service
        self.home = home

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.home, self.service)

    def orders(self) -> list[Any]:
        """Give the orders that were sent."""
        return [r for r in self.service.requests if r.method == "POST"]

    async def publish(self, document: Mapping[str, Any]) -> None:
        await self.host.studio.draft(document)
        await self.host.studio.publish(document["id"])

    async def statuses(self, tool: str | None = None) -> list[tuple[Any, ...]]:
        """Give (source, status, error code, approval) of the traces, oldest first."""
        rows = await self.host.traces.list(tool=tool)
        return [(r.source, r.status, r.error_code, r.approval) for r in reversed(rows)]


def environment(home: Path, service: ExampleService) -> dict[str, str]:
    return {
        "SPARKNB_HOME": str(home),
        "SPARKNB_KEYCHAIN": "env",
        "SPARKNB_SECRET__ORDER_ITEM__API_KEY": service.api_key,
    }


@asynccontextmanager
async def open_shop(
    service: ExampleService, home: Path, **variables: str
) -> AsyncIterator[Shop]:
    service.forget()
    host = await open_host(environment=environment(home, service) | variables)
    shop = Shop(host, service, home)
    try:
        for name in ("weather", "order"):
            await shop.publish(definition(name, service.url))
        yield shop
    finally:
        await host.close()


def slow_tool(service: ExampleService, tool_id: str = "wait") -> dict[str, Any]:
    return {
        "id": tool_id,
        "title": "Wait",
        "description": "Waits for half a minute, then answers.",
        "type": "http",
        "inputSchema": {"type": "object", "properties": {}},
        "spec": {
            "request": {"method": "GET", "urlTemplate": f"{service.url}/slow?ms=30000"},
            "response": {"format": "json"},
        },
    }


@asynccontextmanager
async def connected(shop: Shop, mode: Mode, **options: Any) -> AsyncIterator[Client]:
    """Connect a client to a server in this process."""
    tools = ToolServer(shop.host)
    async with tools.watching(), Client(tools.server, mode=mode, **options) as client:
        yield client


@asynccontextmanager
async def started(shop: Shop, mode: Mode, **options: Any) -> AsyncIterator[Client]:
    """Connect a client to `sparknb mcp` in a process of its own."""
    program, *words = command()
    start = StdioServerParameters(
        command=program, args=[*words, "mcp"], env=shop.environment
    )
    with open(os.devnull, "w", encoding="utf-8") as quiet:  # noqa: ASYNC230, PTH123  # no disk
        transport = stdio_client(start, errlog=quiet)
        async with Client(transport, mode=mode, **options) as client:
            yield client


@asynccontextmanager
async def served(
    shop: Shop, place: str = "127.0.0.1:0", *, manage: bool = False
) -> AsyncIterator[str]:
    """Serve the shop over HTTP in this process; give the URL."""
    announced = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(
        serve_http(
            shop.host,
            parse_endpoint(place),
            announce=announced.set_result,
            manage=manage,
        )
    )
    try:
        await asyncio.wait({serving, announced}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
        yield announced.result().url
    finally:
        serving.cancel()
        await asyncio.wait({serving})


async def until(is_so: Callable[[], Awaitable[object] | object]) -> None:
    """Return when it is so; what is waited for happens in another thread or process."""
    while True:
        found = is_so()
        if await found if isawaitable(found) else found:
            return
        await asyncio.sleep(0.01)


async def until_requested(service: ExampleService, path: str) -> None:
    """Return when the service has got a request for the path."""
    await until(lambda: any(r.target.startswith(path) for r in service.requests))


def run(test: Coroutine[Any, Any, None], seconds: float = 60) -> None:
    asyncio.run(asyncio.wait_for(test, seconds))
