"""The server over HTTP with the official client: many at once, each for itself."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp_types import ElicitResult

from sparknb.core.errors import RegistryUnavailableError
from sparknb.examples import ExampleService
from tests.mcp.agents import (
    MODES,
    ORDER,
    Mode,
    Person,
    Shop,
    open_shop,
    run,
    served,
    slow_tool,
    until,
    until_requested,
)

WEATHER = "custom_city_weather"
CANCELLED = ("mcp", "cancelled", "CANCELLED", "none")


@pytest.mark.parametrize("mode", MODES)
def test_a_client_lists_and_calls_and_its_person_is_asked(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            person = Person()
            async with Client(url, mode=mode, elicitation_callback=person) as client:
                tools = (await client.list_tools()).tools
                assert [t.name for t in tools] == [WEATHER, "custom_order_item"]
                read = await client.call_tool(WEATHER, {"city": "Oslo"})
                assert not read.is_error
                done = await client.call_tool("custom_order_item", ORDER)
                assert not done.is_error
            assert len(person.questions) == len(shop.orders()) == 1
            assert "custom_order_item, version 1" in person.questions[0]
            assert example_service.api_key not in person.questions[0]
            assert await shop.statuses() == [
                ("mcp", "ok", None, "none"),
                ("mcp", "ok", None, "once"),
            ]

    run(test())


@pytest.mark.parametrize("mode", MODES)
def test_a_no_sends_nothing(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            person = Person(ElicitResult(action="decline"))
            async with Client(url, mode=mode, elicitation_callback=person) as client:
                result = await client.call_tool("custom_order_item", ORDER)
            assert result.is_error
            assert not shop.orders()

    run(test())


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cannot_ask_is_told_so_and_nothing_is_sent(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            async with Client(url, mode=mode) as client:
                result = await client.call_tool("custom_order_item", ORDER)
            content: Any = result.structured_content
            assert content["error"]["code"] == "APPROVAL_UNAVAILABLE"
            assert not shop.orders()

    run(test())


def test_many_clients_at_once_get_their_own_answers_and_questions(
    example_service: ExampleService, tmp_path: Path
) -> None:
    cities = ["Oslo", "Lima", "Cairo", "Tokyo"]

    async def one(url: str, mode: Mode, city: str) -> None:
        person = Person()
        async with Client(url, mode=mode, elicitation_callback=person) as client:
            for _ in range(3):
                found = await client.call_tool(WEATHER, {"city": city})
                content: Any = found.structured_content
                assert content["city"] == city
            order = {"city": city, "item": "globe"}
            assert not (await client.call_tool("custom_order_item", order)).is_error
        assert len(person.questions) == 1
        assert city in person.questions[0]

    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            async with asyncio.TaskGroup() as group:
                for city in cities:
                    for mode in MODES:
                        group.create_task(one(url, mode, city))
            assert len(shop.orders()) == len(cities) * len(MODES)

    run(test())


def test_each_session_has_its_own_list_and_trace(
    example_service: ExampleService, tmp_path: Path
) -> None:
    """What one client lists does not change what another captured."""

    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            async with (
                Client(url, mode="legacy") as early,
                Client(url, mode="legacy") as late,
            ):
                await early.list_tools()
                await shop.publish(moved(slow_tool(example_service, "city_weather")))
                await late.list_tools()
                old = await early.call_tool(WEATHER, {"city": "Oslo"})
                new = await late.call_tool(WEATHER, {})
            assert not old.is_error
            assert not new.is_error
            rows = await shop.host.traces.list()
            assert [row.tool_version for row in reversed(rows)] == [1, 2]
            assert len({row.session_id for row in rows} - {None}) == 2

    run(test())


def moved(tool: dict[str, Any]) -> dict[str, Any]:
    """Give the tool with an address that answers at once."""
    url = tool["spec"]["request"]["urlTemplate"].replace("ms=30000", "ms=0")
    tool["spec"]["request"]["urlTemplate"] = url
    return tool


def test_without_a_session_a_call_runs_what_is_published_then(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            async with Client(url) as client:
                await client.list_tools()
                await shop.publish(moved(slow_tool(example_service, "city_weather")))
                assert not (await client.call_tool(WEATHER, {})).is_error
            (row,) = await shop.host.traces.list()
            assert (row.tool_version, row.session_id) == (2, None)

    run(test())


def test_every_client_is_told_of_a_change_also_of_one_that_another_listed_first(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            Client(url) as first,
            Client(url) as second,
            first.listen(tools_list_changed=True) as one,
            second.listen(tools_list_changed=True) as two,
        ):
            await shop.host.studio.set_enabled("order_item", enabled=False)
            await first.list_tools()
            await anext(one)
            await anext(two)
            tools = (await second.list_tools()).tools
            assert [tool.name for tool in tools] == [WEATHER]

    run(test())


def test_a_session_of_2025_is_told_of_a_change_on_its_stream(
    example_service: ExampleService, tmp_path: Path
) -> None:
    told = asyncio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            told.set()

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            Client(url, mode="legacy", message_handler=hear) as client,
        ):
            await client.list_tools()
            is_on = True
            while not told.is_set():  # its stream opens some time after the handshake
                is_on = not is_on
                await shop.host.studio.set_enabled("order_item", enabled=is_on)
                await asyncio.wait([asyncio.ensure_future(told.wait())], timeout=1)

    run(test())


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_wants_to_hear_of_progress_gets_its_answer(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def hear(
        progress: float, total: float | None, message: str | None
    ) -> None: ...

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            Client(url, mode=mode) as client,
        ):
            result = await client.call_tool(
                WEATHER, {"city": "Oslo"}, progress_callback=hear
            )
            assert not result.is_error

    run(test())


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_its_client_gives_up_is_cancelled(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            await shop.publish(slow_tool(example_service))
            async with Client(url, mode=mode) as client:
                call = asyncio.create_task(client.call_tool("custom_wait", {}))
                await until_requested(example_service, "/slow")
                call.cancel()
                await asyncio.wait([call])
                await until(lambda: shop.statuses("wait"))
                assert await shop.statuses("wait") == [CANCELLED]
                fine = await client.call_tool(WEATHER, {"city": "Oslo"})
                assert not fine.is_error

    run(test())


def legacy(number: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def modern(number: Any, method: str, **params: Any) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return legacy(number, method, **params, _meta=meta)


ACCEPT = {"Accept": "application/json, text/event-stream"}
GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "by hand", "version": "1"},
}


async def opened(client: httpx.AsyncClient) -> dict[str, str]:
    """Open a session by hand; give the headers that name it."""
    hello = legacy(0, "initialize", **GREETING)
    answer = await client.post("", json=hello, headers=ACCEPT)
    assert answer.status_code == 200
    headers = {**ACCEPT, "Mcp-Session-Id": answer.headers["mcp-session-id"]}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await client.post("", json=ready, headers=headers)).status_code == 202
    return headers


def by_hand(url: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, trust_env=False, timeout=30)


async def calling(
    client: httpx.AsyncClient, mode: Mode, name: str, **given: Any
) -> Any:
    """Call a tool by hand, as a client of that age."""
    if mode == "legacy":
        headers = await opened(client)
        body = legacy(1, "tools/call", name=name, arguments=given)
    else:
        headers = {
            **ACCEPT,
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": name,
        }
        body = modern(1, "tools/call", name=name, arguments=given)
    return await client.post("", json=body, headers=headers)


@pytest.mark.parametrize("mode", MODES)
def test_a_client_whose_connection_breaks_leaves_no_call_behind(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            await shop.publish(slow_tool(example_service))
            client = by_hand(url)
            call = asyncio.create_task(calling(client, mode, "custom_wait"))
            await until_requested(example_service, "/slow")
            call.cancel()
            await asyncio.wait([call])
            await client.aclose()
            await until(lambda: shop.statuses("wait"))
            assert await shop.statuses("wait") == [CANCELLED]

    run(test())


def test_a_question_ends_with_the_connection_of_its_call(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            async with by_hand(url) as client:
                headers = await opened(client)
                body = legacy(
                    1, "tools/call", name="custom_order_item", arguments=ORDER
                )
                async with client.stream(
                    "POST", "", json=body, headers=headers
                ) as answer:
                    async for line in answer.aiter_lines():
                        if "elicitation/create" in line:
                            break
                await until(lambda: shop.statuses("order_item"))
            assert await shop.statuses("order_item") == [CANCELLED]
            assert not shop.orders()

    run(test())


def test_a_deleted_session_ends_its_calls_and_is_unknown_from_then_on(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            await shop.publish(slow_tool(example_service))
            async with by_hand(url) as client, by_hand(url) as other:
                headers, others = await opened(client), await opened(other)
                body = legacy(1, "tools/call", name="custom_wait", arguments={})
                call = asyncio.create_task(client.post("", json=body, headers=headers))
                await until_requested(example_service, "/slow")
                assert (await client.delete("", headers=headers)).status_code == 200
                await call
                assert await shop.statuses("wait") == [CANCELLED]
                listing = legacy(2, "tools/list")
                gone = await client.post("", json=listing, headers=headers)
                assert gone.status_code == 404
                assert (await client.get("", headers=headers)).status_code == 404
                assert (await client.delete("", headers=headers)).status_code == 404
                there = await other.post("", json=listing, headers=others)
                assert there.status_code == 200

    run(test())


def test_a_session_that_was_invented_or_is_anothers_opens_nothing(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            headers = await opened(client)
            real = headers["Mcp-Session-Id"]
            for name in (
                "",
                "0",
                real[:-1],
                real + "x",
                real.swapcase(),
                "x" * 9999,
            ):
                for body in (
                    legacy(1, "tools/list"),
                    legacy(1, "initialize", **GREETING),
                ):
                    answer = await client.post(
                        "", json=body, headers={**ACCEPT, "Mcp-Session-Id": name}
                    )
                    assert answer.status_code == 404
                    assert "mcp-session-id" not in answer.headers
            assert (await client.get("", headers=ACCEPT)).status_code == 400
            assert (await client.delete("")).status_code == 400

    run(test())


def test_an_answer_to_anothers_question_is_none(
    example_service: ExampleService, tmp_path: Path
) -> None:
    """The number of a question is easily guessed; the session is not."""

    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            async with by_hand(url) as client, by_hand(url) as thief:
                headers, others = await opened(client), await opened(thief)
                body = legacy(
                    1, "tools/call", name="custom_order_item", arguments=ORDER
                )
                async with client.stream(
                    "POST", "", json=body, headers=headers
                ) as answer:
                    lines = answer.aiter_lines()
                    async for line in lines:
                        if "elicitation/create" in line:
                            break
                    yes = {"action": "accept", "content": {"approve": True}}
                    for number in range(5):
                        said = {"jsonrpc": "2.0", "id": number, "result": yes}
                        await thief.post("", json=said, headers=others)
                    listing = legacy(9, "tools/list")
                    await thief.post("", json=listing, headers=others)  # all were read
                    assert not shop.orders()
            assert not shop.orders()

    run(test())


def test_a_session_that_nobody_uses_ends(
    example_service: ExampleService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparknb.mcp.sessions._IDLE_SECONDS", 0.2)

    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            await shop.publish(slow_tool(example_service))
            async with by_hand(url) as client, by_hand(url) as busy:
                headers, held = await opened(client), await opened(busy)
                async with busy.stream("GET", "", headers=held) as stream:
                    assert stream.status_code == 200

                    async def is_gone() -> bool:
                        await asyncio.sleep(0.3)  # looking keeps it in use
                        listing = legacy(2, "tools/list")
                        answer = await client.post("", json=listing, headers=headers)
                        return answer.status_code == 404

                    await until(is_gone)
                    there = legacy(2, "tools/list")
                    answer = await busy.post("", json=there, headers=held)
                    assert answer.status_code == 200

    run(test())


def test_too_many_sessions_are_refused_and_an_end_makes_room(
    example_service: ExampleService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparknb.mcp.sessions._MOST_SESSIONS", 2)

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            first, _ = await opened(client), await opened(client)
            hello = legacy(0, "initialize", **GREETING)
            full = await client.post("", json=hello, headers=ACCEPT)
            assert full.status_code == 503
            still = await client.post("", json=legacy(1, "ping"), headers=first)
            assert still.status_code == 200
            await client.delete("", headers=first)
            await opened(client)

    run(test())


@pytest.mark.parametrize(
    "body",
    [
        legacy(1, "tools/list"),
        legacy(1, "initialize"),
        legacy(1, "initialize", protocolVersion=7),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 4, "result": {}},
    ],
    ids=["list", "empty hello", "odd hello", "notification", "result"],
)
def test_what_is_no_greeting_takes_no_room_for_long(
    body: Any,
    example_service: ExampleService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sparknb.mcp.sessions._MOST_SESSIONS", 3)
    monkeypatch.setattr("sparknb.mcp.sessions._GREETING_SECONDS", 0)

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            for _ in range(5):
                await client.post("", json=body, headers=ACCEPT)
            await opened(client)

    run(test())


def test_a_registry_that_cannot_be_read_opens_no_session_and_says_why(
    example_service: ExampleService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken() -> None:
        raise RegistryUnavailableError("the disk is gone")

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            with monkeypatch.context() as patch:
                patch.setattr(shop.host, "surface", broken)
                hello = legacy(0, "initialize", **GREETING)
                answer = await client.post("", json=hello, headers=ACCEPT)
                assert answer.status_code == 503
                assert "the disk is gone" in answer.text
            await opened(client)

    run(test())


def test_the_end_of_the_server_ends_its_calls_and_gives_the_port_back(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop:
            await shop.publish(slow_tool(example_service))
            async with served(shop) as url:
                calls = []
                for mode in MODES:
                    client = by_hand(url)
                    calls.append(
                        asyncio.create_task(calling(client, mode, "custom_wait"))
                    )
                await until(lambda: len(slow(shop)) == len(MODES))
            await asyncio.wait(calls)
            assert await shop.statuses("wait") == [CANCELLED] * len(MODES)
            place = url.removeprefix("http://").removesuffix("/mcp")
            async with served(shop, place):
                pass

    run(test())


def slow(shop: Shop) -> list[Any]:
    return [r for r in shop.service.requests if r.target.startswith("/slow")]
