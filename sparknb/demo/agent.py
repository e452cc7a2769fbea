"""What the agent does in the demo, and the person before it."""

import asyncio
import http.client
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from sparknb.demo.stage import DemoError, Stage, require
from sparknb.examples import ExampleService
from sparknb.mcp.config import command

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult

__all__ = ["use"]

_WEATHER, _ORDER = "custom_city_weather", "custom_order_item"
_WARMEST = "custom_warmest_city"
_FIRST_NEW_ORDER = 9  # the shop starts with eight


async def use(stage: Stage, log: Path) -> None:
    """Start `sparknb mcp`, list its tools and call each.

    Raises:
        DemoError: Something else came out than it must.
    """
    stage.account.step("An agent connects to `sparknb mcp` and lists the tools")
    with log.open("w+", encoding="utf-8") as errors:
        try:
            async with _connected(stage, errors) as client:
                await _list(stage, client)
                await _ask_weather(stage, client)
                await _compare(stage, client)
                await _order(stage, client)
        except Exception as error:  # noqa: BLE001  # whatever client and server do, say it
            found = _innermost(error)
            if isinstance(found, DemoError):
                raise found from None
            errors.seek(0)
            said = errors.read().strip() or "nothing on standard error"
            raise DemoError(f"{found!r}; the server said: {said}") from None


@asynccontextmanager
async def _connected(stage: Stage, errors: TextIO) -> AsyncIterator["Client"]:
    from mcp import Client, StdioServerParameters, stdio_client
    from mcp_types import ElicitRequestFormParams, ElicitResult, ErrorData

    program, *arguments = command()
    start = StdioServerParameters(
        command=program, args=[*arguments, "mcp"], env=dict(stage.environment)
    )

    async def answer(context: Any, params: Any) -> ElicitResult | ErrorData:
        del context
        require(isinstance(params, ElicitRequestFormParams), "a form must come")
        sent = [r for r in stage.service.requests if r.method == "POST"]
        require(not sent, "nothing may be sent before the person says yes")
        stage.account.say(
            "The agent's program asks its person, and nothing is sent yet:"
        )
        stage.account.quote(stage.shown(params.message))
        stage.account.say("The person says yes, once.")
        return ElicitResult(action="accept", content={"approve": True})

    transport = stdio_client(start, errlog=errors)
    async with Client(transport, elicitation_callback=answer) as client:
        yield client


async def _list(stage: Stage, client: "Client") -> None:
    tools = (await client.list_tools()).tools
    require(
        [tool.name for tool in tools] == [_WEATHER, _ORDER, _WARMEST],
        f"the agent must see all three tools, not {[tool.name for tool in tools]}",
    )
    rows = []
    for tool in tools:
        hints = tool.annotations
        reads = hints is not None and hints.read_only_hint
        needs = ", ".join(tool.input_schema.get("required", ()))
        rows.append((tool.name, "runs at once" if reads else "asks first", needs))
    stage.account.table(("tool", "a call", "needs"), rows)


async def _ask_weather(stage: Stage, client: "Client") -> None:
    stage.account.step("The agent asks for the weather")
    result = await client.call_tool(_WEATHER, {"city": "Reykjavík"})
    said = result.structured_content or {}
    require(not result.is_error, f"the call must work: {_text(result)}")
    require(said.get("city") == "Reykjavík", "the answer must be about Reykjavík")
    stage.account.say('Arguments: {"city": "Reykjavík"}')
    stage.account.quote(json.dumps(said, ensure_ascii=False))
    stage.account.done("A tool of risk read runs at once: as text and as data.")


async def _compare(stage: Stage, client: "Client") -> None:
    stage.account.step("The agent asks where it is warmer: the program runs")
    wanted = ["Reykjavík", "Nairobi"]
    before = len(stage.service.requests)
    result = await client.call_tool(_WARMEST, {"cities": wanted})
    said = result.structured_content or {}
    require(not result.is_error, f"the program must work: {_text(result)}")
    require(said.get("city") == "Nairobi", f"Nairobi must be warmer, not {said}")
    shown = json.dumps(wanted, ensure_ascii=False)
    stage.account.say(f'Arguments: {{"cities": {shown}}}')
    stage.account.quote(json.dumps(said, ensure_ascii=False))
    sent = stage.service.requests[before:]
    asked = [request.target.partition("?")[0] for request in sent]
    require(asked == ["/weather"] * len(wanted), f"it must ask twice, not {asked}")
    stage.account.done("In its sandbox, it called the weather tool for each city.")


async def _order(stage: Stage, client: "Client") -> None:
    stage.account.step("The agent orders a globe")
    wanted = {"city": "Oslo", "item": "globe", "quantity": 2}
    result = await client.call_tool(_ORDER, wanted)
    require(not result.is_error, f"the order must go through: {_text(result)}")
    stage.account.quote(_text(result))
    stored = await asyncio.to_thread(_stored_order, stage.service)
    require(
        {key: stored.get(key) for key in wanted} == wanted,
        f"the shop must have the order, not {stored}",
    )
    stage.account.done(f"Order {stored['id']} is in the shop's book.")


def _text(result: "CallToolResult") -> str:
    return "\n".join(getattr(part, "text", "") for part in result.content)


def _stored_order(service: ExampleService) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)
    try:
        key = {"X-Api-Key": service.api_key}
        connection.request("GET", f"/orders/{_FIRST_NEW_ORDER}", headers=key)
        stored: dict[str, Any] = json.load(connection.getresponse())
    finally:
        connection.close()
    return stored


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
