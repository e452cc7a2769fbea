"""The protocol as clients see it, over a server in this process."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from sparknb.core.errors import RegistryUnavailableError
from sparknb.demo.stage import definition
from sparknb.examples import ExampleService
from tests.mcp.agents import (
    MODES,
    ORDER,
    Mode,
    Person,
    Shop,
    connected,
    open_shop,
    run,
    slow_tool,
    until,
    until_requested,
)

pytestmark = pytest.mark.parametrize("mode", MODES)


def text(result: types.CallToolResult) -> str:
    (part,) = result.content
    assert isinstance(part, types.TextContent)
    return part.text


def error(result: types.CallToolResult) -> dict[str, Any]:
    assert result.is_error
    assert result.structured_content is not None
    found: dict[str, Any] = result.structured_content["error"]
    return found


def test_the_list_has_each_live_tool_by_name_with_schema_and_annotations(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            await shop.host.studio.draft(slow_tool(example_service, "never_published"))
            async with connected(shop, mode) as client:
                weather, order = (await client.list_tools()).tools
        assert (weather.name, order.name) == (
            "custom_city_weather",
            "custom_order_item",
        )
        assert weather.title == "Weather in a city"
        assert weather.description is not None
        assert weather.description.startswith("Tells today's weather")
        assert weather.input_schema == {
            **definition("weather", "")["inputSchema"],
            "additionalProperties": False,
        }
        assert weather.output_schema is None
        assert weather.annotations == types.ToolAnnotations(
            title="Weather in a city",
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=True,
        )
        assert order.annotations is not None
        assert order.annotations.read_only_hint is False
        assert order.annotations.idempotent_hint is False

    run(test())


def test_a_page_that_was_never_offered_is_refused(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            with pytest.raises(MCPError) as caught:
                await client.list_tools(cursor="2")
        assert caught.value.error.code == types.INVALID_PARAMS

    run(test())


def test_a_read_runs_at_once_and_gives_text_and_data(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            for _ in range(2):
                result = await client.call_tool("custom_city_weather", {"city": "oslo"})
                assert not result.is_error
                assert '"city": "Oslo"' in text(result)
                assert result.structured_content is not None
                assert result.structured_content["country"] == "NO"
            rows = await shop.host.traces.list()
        assert [(r.source, r.status, r.approval) for r in rows] == [
            ("mcp", "ok", "none")
        ] * 2
        assert rows[0].session_id is not None
        assert rows[0].session_id == rows[1].session_id

    run(test())


@pytest.mark.parametrize(
    "name", ["custom_nothing", "city_weather", "", "custom_" + "x" * 5000, "a\x00b"]
)
def test_an_unknown_tool_is_a_result_that_says_so(
    mode: Mode, name: str, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            result = await client.call_tool(name, {})
            assert error(result)["code"] == "NOT_FOUND"
            assert len(text(result)) < 400

    run(test())


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"city": "  ", "when": 1}, ["input.city", "input.when"]),
        (None, ["input.city"]),
        ({"city": ["Oslo"]}, ["input.city"]),
        ({"city": "Oslo", "units": "stone"}, ["input.units"]),
        ({"city": "x" * 1_100_000}, ["input"]),
    ],
)
def test_bad_arguments_come_back_with_every_problem_and_send_nothing(
    mode: Mode,
    arguments: dict[str, Any] | None,
    paths: list[str],
    example_service: ExampleService,
    tmp_path: Path,
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            result = await client.call_tool("custom_city_weather", arguments)
        found = error(result)
        assert found["code"] == "INVALID_INPUT"
        assert [p["path"] for p in found["problems"]] == paths
        assert not example_service.requests

    run(test())


# ------------------------------------------------------------------------ approval
def test_a_write_runs_after_the_person_said_yes_and_the_trace_says_once(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        person = Person()
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode, elicitation_callback=person) as client,
        ):
            result = await client.call_tool("custom_order_item", ORDER)
            assert not result.is_error, text(result)
            assert len(shop.orders()) == 1
            assert await shop.statuses() == [("mcp", "ok", None, "once")]
        (question,) = person.questions
        assert f"POST {example_service.url}/orders" in question
        assert '{"city": "Oslo", "item": "globe"}' in question
        assert example_service.api_key not in question

    run(test())


@pytest.mark.parametrize(
    "answer",
    [
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="cancel"),
        types.ElicitResult(action="accept"),
        types.ElicitResult(action="accept", content={"approve": False}),
    ],
    ids=["decline", "cancel", "no content", "box left empty"],
)
def test_anything_but_a_yes_is_denied_and_sends_nothing(
    mode: Mode,
    answer: types.ElicitResult,
    example_service: ExampleService,
    tmp_path: Path,
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode, elicitation_callback=Person(answer)) as client,
        ):
            result = await client.call_tool("custom_order_item", ORDER)
            assert error(result)["code"] == "DENIED"
            assert not shop.orders()
            ((source, status, code, _),) = await shop.statuses()
            assert (source, status, code) == ("mcp", "denied", "DENIED")

    run(test())


def test_a_client_that_cannot_ask_is_told_so_at_once(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            result = await client.call_tool("custom_order_item", ORDER)
            assert error(result)["code"] == "APPROVAL_UNAVAILABLE"
            assert "elicitation" in text(result)
            assert not shop.orders()
            ((_, status, _, _),) = await shop.statuses()
            assert status == "denied"

    run(test())


def test_bad_arguments_of_a_write_are_refused_without_a_question(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        person = Person()
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode, elicitation_callback=person) as client,
        ):
            result = await client.call_tool("custom_order_item", {"item": "globe"})
            assert error(result)["code"] == "INVALID_INPUT"
        assert not person.questions

    run(test())


def test_two_questions_at_once_get_each_its_own_answer(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async def choose(context: Any, params: Any) -> types.ElicitResult:
            is_wanted = '"globe"' in params.message
            return types.ElicitResult(action="accept", content={"approve": is_wanted})

        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode, elicitation_callback=choose) as client,
        ):
            globe, atlas = await asyncio.gather(
                client.call_tool("custom_order_item", ORDER),
                client.call_tool("custom_order_item", ORDER | {"item": "atlas"}),
            )
            assert not globe.is_error
            assert error(atlas)["code"] == "DENIED"
            (sent,) = shop.orders()
            assert b"globe" in sent.body

    run(test())


# ------------------------------------------------------------------------ snapshots
async def weather_without_units(shop: Shop) -> None:
    """Publish a second version that does not know `units`."""
    second = definition("weather", shop.service.url)
    del second["inputSchema"]["properties"]["units"]
    url = f"{shop.service.url}/weather?city={{{{city}}}}"
    second["spec"]["request"]["urlTemplate"] = url
    await shop.publish(second)


def test_a_listed_tool_keeps_its_version_until_the_next_list(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        arguments = {"city": "Oslo", "units": "imperial"}
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            await client.list_tools()
            await weather_without_units(shop)
            before = await client.call_tool("custom_city_weather", arguments)
            assert not before.is_error
            await client.list_tools()
            after = await client.call_tool("custom_city_weather", arguments)
            assert error(after)["problems"][0]["path"] == "input.units"
            rows = await shop.host.traces.list()
            assert [r.tool_version for r in rows] == [2, 1]

    run(test())


def test_a_tool_published_after_the_list_shows_with_the_next_list(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            await client.list_tools()
            late = definition("weather", example_service.url) | {"id": "late_weather"}
            await shop.publish(late)
            name, arguments = "custom_late_weather", {"city": "Oslo"}
            early = await client.call_tool(name, arguments)
            assert error(early)["code"] == "NOT_FOUND"
            listed = (await client.list_tools()).tools
            assert name in [tool.name for tool in listed]
            assert not (await client.call_tool(name, arguments)).is_error

    run(test())


def test_disabling_and_deleting_act_at_once_on_listed_tools(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            await client.list_tools()
            await shop.host.studio.set_enabled("city_weather", enabled=False)
            result = await client.call_tool("custom_city_weather", {"city": "Oslo"})
            assert error(result)["code"] == "DENIED"
            await shop.host.studio.delete("city_weather")
            result = await client.call_tool("custom_city_weather", {"city": "Oslo"})
            assert error(result)["code"] == "NOT_FOUND"
            assert not example_service.requests

    run(test())


def test_a_client_that_never_listed_calls_what_is_live_now(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            await weather_without_units(shop)
            result = await client.call_tool("custom_city_weather", {"city": "Oslo"})
            assert not result.is_error
            (row,) = await shop.host.traces.list()
            assert row.tool_version == 2

    run(test())


# --------------------------------------------------------------------- cancellation
def test_a_call_that_the_client_cancels_is_cancelled_and_traced_so(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            await shop.publish(slow_tool(example_service))
            async with connected(shop, mode) as client:
                call = asyncio.create_task(client.call_tool("custom_wait", {}))
                await until_requested(example_service, "/slow")
                call.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await call
                await until(lambda: shop.statuses("wait"))
                assert await shop.statuses("wait") == [
                    ("mcp", "cancelled", "CANCELLED", "none")
                ]
                again = await client.call_tool("custom_city_weather", {"city": "Oslo"})
                assert not again.is_error

    run(test())


def test_a_connection_that_ends_cancels_its_calls(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            await shop.publish(slow_tool(example_service))
            async with connected(shop, mode) as client:
                call = asyncio.create_task(client.call_tool("custom_wait", {}))
                await until_requested(example_service, "/slow")
                if mode == "auto":  # in one process, the client's task is the server's
                    call.cancel()
            await asyncio.wait({call})
            assert await shop.statuses("wait") == [
                ("mcp", "cancelled", "CANCELLED", "none")
            ]

    run(test())


# ------------------------------------------------------------------ a broken registry
def test_a_registry_that_cannot_be_read_is_said_and_survived(
    mode: Mode,
    example_service: ExampleService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken() -> None:
        raise RegistryUnavailableError("the disk is gone", hint="mount it")

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode) as client,
        ):
            with monkeypatch.context() as patch:
                patch.setattr(shop.host, "surface", broken)
                with pytest.raises(MCPError) as caught:
                    await client.list_tools()
                assert "REGISTRY_UNAVAILABLE: the disk is gone" in str(caught.value)
                result = await client.call_tool("custom_city_weather", {"city": "Oslo"})
                assert error(result)["code"] == "REGISTRY_UNAVAILABLE"
                assert error(result)["hint"] == "mount it"
            assert len((await client.list_tools()).tools) == 2

    run(test())


def test_a_damaged_tool_is_left_out_of_the_list(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        home = tmp_path / "home"
        async with open_shop(example_service, home) as shop:
            with closing(sqlite3.connect(home / "registry.db")) as other, other:
                other.execute(
                    "UPDATE versions SET definition = '{' WHERE tool_id = 'order_item'"
                )
                other.execute("UPDATE registry SET changes = changes + 1")
            async with connected(shop, mode, elicitation_callback=Person()) as client:
                tools = (await client.list_tools()).tools
                assert [tool.name for tool in tools] == ["custom_city_weather"]
                refused = await client.call_tool("custom_order_item", ORDER)
                assert error(refused)["code"] == "REGISTRY_UNAVAILABLE"
            assert not shop.orders()

    run(test())
