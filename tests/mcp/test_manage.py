"""`sparknb mcp --manage` with the official client, as an agent would use it."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from sparknb.demo.stage import definition
from sparknb.examples import ExampleService
from sparknb.host.agent_tools_table import AGENT_TOOLS
from sparknb.mcp.config import command, print_config
from sparknb.mcp.server import ToolServer
from tests.canary import text_forms
from tests.mcp.agents import (
    MODES,
    ORDER,
    Mode,
    Person,
    Shop,
    connected,
    open_shop,
    run,
    served,
)
from tests.mcp.test_config import FakeSettings

Door = Callable[..., AbstractAsyncContextManager[Client]]
NAMES = sorted(AGENT_TOOLS)


class Agent:
    """A scripted agent: calls tools by name, keeps all that it was told."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.told: list[str] = []

    async def names(self) -> list[str]:
        return [t.name for t in (await self.client.list_tools()).tools]

    async def call(self, name: str, /, **arguments: Any) -> types.CallToolResult:
        result = await self.client.call_tool(name, arguments)
        assert isinstance(result, types.CallToolResult)
        self.told.append(result.model_dump_json())
        return result

    async def does(self, verb: str, **arguments: Any) -> Any:
        """Give the document of a call that must succeed."""
        result = await self.call(f"custom_tools_{verb}", **arguments)
        assert not result.is_error, result
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        assert json.loads(content.text) == result.structured_content
        return result.structured_content

    async def fails(self, verb: str, **arguments: Any) -> tuple[str, str | None]:
        """Give the code and the place of a call that must be refused."""
        result = await self.call(f"custom_tools_{verb}", **arguments)
        assert result.is_error, result
        assert result.structured_content is not None
        error = result.structured_content["error"]
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        assert content.text.startswith(f"{error['code']}: ")
        places = [problem["path"] for problem in error["problems"]]
        return error["code"], places[0] if places else None


@asynccontextmanager
async def in_process(shop: Shop, mode: Mode, **options: Any) -> AsyncIterator[Client]:
    tools = ToolServer(shop.host, manage=True)
    async with tools.watching(), Client(tools.server, mode=mode, **options) as client:
        yield client


@asynccontextmanager
async def over_stdio(shop: Shop, mode: Mode, **options: Any) -> AsyncIterator[Client]:
    program, *words = command()
    start = StdioServerParameters(
        command=program, args=[*words, "mcp", "--manage"], env=shop.environment
    )
    async with Client(stdio_client(start), mode=mode, **options) as client:
        yield client


@asynccontextmanager
async def over_http(shop: Shop, mode: Mode, **options: Any) -> AsyncIterator[Client]:
    async with (
        served(shop, manage=True) as url,
        Client(url, mode=mode, **options) as client,
    ):
        yield client


def countries(service: ExampleService) -> dict[str, Any]:
    """Give the tool that the agent is to write: a read of the example service."""
    return definition("weather", service.url) | {"id": "climate", "title": "Climate"}


# --------------------------------------------------------------------- who sees them
@pytest.mark.parametrize("mode", MODES)
def test_without_manage_none_of_them_is_there_or_callable(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode, elicitation_callback=Person()) as client,
        ):
            agent = Agent(client)
            assert not set(NAMES) & set(await agent.names())
            for name in NAMES:
                result = await agent.call(name, confirmDelete=True)
                assert result.is_error
                assert result.structured_content is not None
                assert result.structured_content["error"]["code"] == "NOT_FOUND"
            assert "custom_tools" not in str(client.instructions)

    run(test())


def test_with_manage_they_stand_among_the_others_with_their_hints(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            in_process(shop, "auto") as client,
        ):
            tools = (await client.list_tools()).tools
            names = [tool.name for tool in tools]
            assert names == sorted([*NAMES, "custom_city_weather", "custom_order_item"])
            hints = {t.name: t.annotations for t in tools if t.annotations is not None}
            reads = {n for n in NAMES if hints[n].read_only_hint}
            verbs = ("get", "guide", "list", "validate")
            assert reads == {f"custom_tools_{verb}" for verb in verbs}
            assert hints["custom_tools_delete"].destructive_hint
            assert hints["custom_tools_test"].open_world_hint
            assert "custom_tools_guide" in str(client.instructions)

    run(test())


@pytest.mark.parametrize("manage", [False, True])
def test_the_entry_for_a_client_says_manage_only_if_asked(manage: bool) -> None:
    text = print_config("claude", FakeSettings(), manage=manage)
    arguments = json.loads(text)["mcpServers"]["sparknb"]["args"]
    assert arguments[-1] == ("--manage" if manage else "mcp")


# ----------------------------------------------------------------------- six steps
async def six_steps(shop: Shop, agent: Agent, person: Person) -> None:
    """Go the way of the guide: look, write, draft, test, publish, check and stop."""
    guide = await agent.call("custom_tools_guide")
    assert "## Six steps" in str(guide.content)
    spec = countries(shop.service)

    assert (await agent.does("list", query="climate"))["total"] == 0
    broken = await agent.does("validate", spec=spec | {"title": "", "more": 1})
    assert [e["path"] for e in broken["errors"]] == ["title", "more"]
    assert (await agent.does("validate", spec=spec))["valid"] is True

    case = {"name": "a", "input": {"city": "Oslo"}, "expect": {"contains": "Oslo"}}
    made = await agent.does("create_draft", spec=spec, cases=[case])
    assert made["tool"]["enabled"] is False
    assert "custom_climate" not in await agent.names()
    assert not person.questions

    given = {"toolId": "climate", "input": {"city": "Oslo"}}
    refused = await agent.fails("test", **given)
    assert refused == ("DENIED", "confirmExecute")
    tested = await agent.does("test", **given, confirmExecute=True)
    assert tested["ok"] is True
    assert "Oslo" in tested["text"]
    cases = await agent.does("test", toolId="climate", cases="all", confirmExecute=True)
    assert cases["passed"] is True
    assert [q.split("custom_")[0] for q in person.questions] == [
        "Test-run ",
        "Run the test cases of ",
    ]

    refused = await agent.fails("publish", id="climate", confirmPublish="true")
    assert refused == ("DENIED", "confirmPublish")
    live = await agent.does("publish", id="climate", confirmPublish=True)
    assert live["tool"]["enabled"] is True
    assert person.questions[-1].startswith("Publish custom_climate, version")

    assert "custom_climate" in await agent.names()
    called = await agent.call("custom_climate", city="Oslo")
    assert not called.is_error
    await agent.does("set_enabled", id="climate", enabled=False)
    assert "custom_climate" not in await agent.names()
    assert len(person.questions) == 3


DOORS = [
    pytest.param(over_stdio, "auto", id="stdio-2026"),
    pytest.param(over_stdio, "legacy", id="stdio-2025"),
    pytest.param(over_http, "auto", id="http-2026"),
    pytest.param(over_http, "legacy", id="http-2025"),
]


@pytest.mark.parametrize(("door", "mode"), DOORS)
def test_an_agent_goes_the_six_steps(
    door: Door, mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        person = Person()
        async with open_shop(example_service, tmp_path / "home") as shop:
            async with door(shop, mode, elicitation_callback=person) as client:
                agent = Agent(client)
                await six_steps(shop, agent, person)
            assert example_service.api_key not in str(agent.told)
            assert await shop.statuses("climate") == [
                ("test", "ok", None, "once"),
                ("test", "ok", None, "once"),
                ("mcp", "ok", None, "none"),
            ]

    run(test())


# ------------------------------------------------------------------------ refusals
LIVE: list[tuple[str, dict[str, Any], str]] = [
    ("test", {"toolId": "order_item", "input": ORDER}, "confirmExecute"),
    ("publish", {"id": "city_weather"}, "confirmPublish"),
    ("set_enabled", {"id": "order_item", "enabled": True}, "confirmEnable"),
    ("rollback", {"id": "order_item", "version": 1}, "confirmRollback"),
    ("delete", {"id": "order_item"}, "confirmDelete"),
]


async def prepared(shop: Shop) -> None:
    """Bring both tools to where every step of `LIVE` can be taken."""
    service, studio = shop.service, shop.host.studio
    order = definition("order", service.url) | {"title": "Order again"}
    await shop.publish(order)
    await studio.set_enabled("order_item", False)
    await studio.draft(definition("weather", service.url) | {"title": "Weather again"})


NO_WORDS = [
    types.ElicitResult(action="decline"),
    types.ElicitResult(action="cancel"),
    types.ElicitResult(action="accept", content={"approve": False}),
    types.ElicitResult(action="accept", content={}),
]


@pytest.mark.parametrize("mode", MODES)
def test_only_the_word_of_the_model_and_of_the_person_together_count(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        person = Person()
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            in_process(shop, mode, elicitation_callback=person) as client,
        ):
            await prepared(shop)
            agent = Agent(client)
            before = await agent.does("list")
            for verb, arguments, flag in LIVE:
                for word in ({}, {flag: "true"}, {flag: 1}, {flag: None}):
                    refused = await agent.fails(verb, **arguments, **word)
                    assert refused == ("DENIED", flag)
                assert not person.questions
                for person.answer in NO_WORDS:
                    refused = await agent.fails(verb, **arguments, **{flag: True})
                    assert refused[0] == "DENIED"
                assert len(person.questions) == len(NO_WORDS)
                assert "Risk " in person.questions[0]
                person.questions.clear()
            assert await agent.does("list") == before
            assert not shop.orders()

    run(test())


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cannot_ask_changes_nothing_that_agents_use(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            in_process(shop, mode) as client,
        ):
            await prepared(shop)
            agent = Agent(client)
            before = await agent.does("list")
            for verb, arguments, flag in LIVE:
                assert (await agent.fails(verb, **arguments))[0] == "DENIED"
                refused = await agent.fails(verb, **arguments, **{flag: True})
                assert refused[0] == "APPROVAL_UNAVAILABLE"
            assert await agent.does("list") == before
            assert not shop.orders()

    run(test())


@pytest.mark.parametrize("mode", MODES)
def test_unknown_and_wrong_parameters_are_told(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            in_process(shop, mode, elicitation_callback=Person()) as client,
        ):
            agent = Agent(client)
            refused = "INVALID_INPUT"
            assert await agent.fails("list", limit=101) == (refused, "limit")
            assert await agent.fails("list", surprise=1) == (refused, "surprise")
            assert await agent.fails("get", id="a", value="x") == (refused, "value")
            assert await agent.fails("guide", topic="http") == (refused, "topic")
            both = {"toolId": "city_weather", "draftSpec": {}}
            assert await agent.fails("test", **both) == (refused, "toolId")
            assert (await agent.fails("get", id="nothing"))[0] == "NOT_FOUND"

    run(test())


@pytest.mark.parametrize("mode", MODES)
def test_a_definition_cannot_borrow_a_secret_and_no_answer_shows_one(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        person = Person()
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            in_process(shop, mode, elicitation_callback=person) as client,
        ):
            agent = Agent(client)
            order = definition("order", example_service.url)
            thief = order | {"id": "thief", "secretRefs": {}}
            thief["secretRefs"] = {"api_key": "custom-tool:thief:api_key"}
            given = {"input": ORDER, "confirmExecute": True}
            refused = await agent.fails("test", draftSpec=thief, **given)
            assert refused == ("INVALID_INPUT", "secretRefs.api_key")
            thief["secretRefs"] = {"api_key": "custom-tool:order_item:api_key"}
            refused = await agent.fails("test", draftSpec=thief, **given)
            assert refused == ("INVALID_INPUT", "secretRefs.api_key")
            assert not person.questions
            assert not shop.orders()

            found = await agent.does("get", id="order_item")
            assert found["secretStatus"] == {"api_key": True}
            done = await agent.does("test", toolId="order_item", **given)
            assert done["ok"] is True
            assert len(shop.orders()) == len(person.questions) == 1
            everything = "\n".join([*agent.told, *person.questions])
            for spelling in text_forms(example_service.api_key):
                assert spelling not in everything

    run(test())


def test_a_yes_for_one_step_is_no_yes_for_another(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            in_process(shop, "auto", elicitation_callback=Person()) as client,
        ):
            await prepared(shop)
            session = client.session
            asked = await session.call_tool(
                "custom_tools_delete",
                {"id": "order_item", "confirmDelete": True},
                allow_input_required=True,
            )
            assert isinstance(asked, types.InputRequiredResult)
            yes = types.ElicitResult(action="accept", content={"approve": True})
            answered = await session.call_tool(
                "custom_tools_delete",
                {"id": "city_weather", "confirmDelete": True},
                input_responses={"approval": yes},
                request_state=asked.request_state,
                allow_input_required=True,
            )
            assert isinstance(answered, types.CallToolResult)
            assert answered.is_error
            assert (await Agent(client).does("list"))["total"] == 2

    run(test())


def test_a_failed_test_is_an_error_that_keeps_its_measures(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            in_process(shop, "auto") as client,
        ):
            agent = Agent(client)
            given = {"toolId": "city_weather", "input": {"city": "Nowhere at all"}}
            result = await agent.call("custom_tools_test", **given)
            assert result.is_error
            found = result.structured_content
            assert found is not None
            assert found["ok"] is False
            assert found["errorCode"] == found["error"]["code"] == "HTTP_ERROR"
            assert {"text", "meta", "traceId"} <= set(found)

    run(test())
