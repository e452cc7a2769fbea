"""The server over HTTP with the official client: many at once, each for itself."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import ElicitResult

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
from tests.mcp.posts import by_hand, calling, legacy, opened

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
