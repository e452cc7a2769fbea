"""The two ways of asking, where they differ, and clients that misuse them."""

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from sparknb.examples import ExampleService
from sparknb.mcp import calls
from tests.mcp.agents import ORDER, Mode, Person, Shop, connected, open_shop, run, until

TOOL = "custom_order_item"
YES = types.ElicitResult(action="accept", content={"approve": True})


def code(result: Any) -> str:
    assert isinstance(result, types.CallToolResult)
    assert result.is_error
    assert result.structured_content is not None
    return str(result.structured_content["error"]["code"])


async def ask(client: Client, **arguments: Any) -> types.InputRequiredResult:
    result = await client.session.call_tool(
        TOOL, ORDER | arguments, allow_input_required=True
    )
    assert isinstance(result, types.InputRequiredResult)
    return result


async def answer(
    client: Client,
    ticket: str | None,
    given: Any = YES,
    *,
    name: str = TOOL,
    **arguments: Any,
) -> Any:
    return await client.session.call_tool(
        name,
        ORDER | arguments,
        input_responses=given and {"approval": given},
        request_state=ticket,
        allow_input_required=True,
    )


# ------------------------------------------------------------ since 2026: two requests
def test_a_question_is_a_form_with_one_box_and_a_ticket(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, "auto", elicitation_callback=Person()) as client,
        ):
            asked = await ask(client)
            assert asked.input_requests is not None
            (request,) = asked.input_requests.values()
            assert isinstance(request, types.ElicitRequest)
            assert isinstance(request.params, types.ElicitRequestFormParams)
            assert list(request.params.requested_schema["properties"]) == ["approve"]
            assert not shop.orders()
            done = await answer(client, asked.request_state)
            assert not done.is_error
            assert len(shop.orders()) == 1

    run(test())


def test_an_answer_counts_once(example_service: ExampleService, tmp_path: Path) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, "auto", elicitation_callback=Person()) as client,
        ):
            asked = await ask(client)
            await answer(client, asked.request_state)
            assert code(await answer(client, asked.request_state)) == "DENIED"
            assert len(shop.orders()) == 1

    run(test())


@pytest.mark.parametrize(
    "change",
    [{"item": "atlas"}, {"quantity": 9}, {"name": "custom_city_weather"}],
    ids=["other item", "one more argument", "other tool"],
)
def test_a_yes_for_one_call_is_no_yes_for_another(
    change: dict[str, Any], example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, "auto", elicitation_callback=Person()) as client,
        ):
            asked = await ask(client)
            assert code(await answer(client, asked.request_state, **change)) == "DENIED"
            assert code(await answer(client, asked.request_state)) == "DENIED"
            assert not example_service.requests
            assert [s[1] for s in await shop.statuses()] == ["cancelled"]

    run(test())


@pytest.mark.parametrize("ticket", ["", "x", "ü" * 1000, "../../etc/passwd"])
def test_an_invented_ticket_opens_nothing(
    ticket: str, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, "auto", elicitation_callback=Person()) as client,
        ):
            assert code(await answer(client, ticket)) == "DENIED"
            assert not shop.orders()

    run(test())


def test_a_yes_without_a_question_before_it_is_asked_all_the_same(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, "auto", elicitation_callback=Person()) as client,
        ):
            result = await answer(client, None)
            assert isinstance(result, types.InputRequiredResult)
            assert not shop.orders()

    run(test())


@pytest.mark.parametrize(
    "given",
    [
        None,
        types.ListRootsResult(roots=[]),
        types.ElicitResult(action="decline", content={"approve": True}),
    ],
    ids=["none", "another kind", "declined"],
)
def test_an_answer_that_is_no_yes_is_denied(
    given: Any, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, "auto", elicitation_callback=Person()) as client,
        ):
            asked = await ask(client)
            assert code(await answer(client, asked.request_state, given)) == "DENIED"
            assert not shop.orders()

    run(test())


def test_a_question_that_nobody_answers_goes_away_with_the_connection(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            async with connected(shop, "auto", elicitation_callback=Person()) as client:
                await ask(client)
            assert await shop.statuses() == [("mcp", "cancelled", "CANCELLED", "none")]
            assert not shop.orders()

    run(test())


def test_a_client_that_asks_without_end_is_stopped(
    example_service: ExampleService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "_MOST_WAITING", 3)

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, "auto", elicitation_callback=Person()) as client,
        ):
            first = await ask(client, quantity=1)
            for quantity in (2, 3):
                await ask(client, quantity=quantity)
            more = await answer(client, None, None, quantity=4)
            assert code(more) == "APPROVAL_UNAVAILABLE"
            done = await answer(client, first.request_state, quantity=1)
            assert not done.is_error
            assert len(shop.orders()) == 1
            await ask(client, quantity=5)

    run(test())


def test_a_question_unanswered_for_too_long_is_denied_and_forgotten(
    example_service: ExampleService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparknb.host.approval.ask.__kwdefaults__", {"seconds": 0.05})

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, "auto", elicitation_callback=Person()) as client,
        ):
            asked = await ask(client)
            await until(shop.statuses)
            assert code(await answer(client, asked.request_state)) == "DENIED"
            ((_, status, error, _),) = await shop.statuses()
            assert (status, error) == ("denied", "DENIED")
            assert not shop.orders()

    run(test())


# ------------------------------------------------------- until 2025: the server asks
async def legacy_code(shop: Shop, reply: Any) -> str:
    async with connected(shop, "legacy", elicitation_callback=Person(reply)) as client:
        return code(await client.call_tool(TOOL, ORDER))


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (types.METHOD_NOT_FOUND, "APPROVAL_UNAVAILABLE"),
        (types.INVALID_PARAMS, "DENIED"),
        (types.INTERNAL_ERROR, "DENIED"),
    ],
)
def test_a_client_that_fails_to_ask_allows_nothing(
    number: int, expected: str, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            reply = types.ErrorData(code=number, message="I will not")
            assert await legacy_code(shop, reply) == expected
            assert not shop.orders()

    run(test())


def test_cancelling_a_call_takes_its_open_question_back(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        asked, gone = asyncio.Event(), asyncio.Event()

        async def hesitate(context: Any, params: Any) -> types.ElicitResult:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                gone.set()
            raise AssertionError

        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, "legacy", elicitation_callback=hesitate) as client,
        ):
            call = asyncio.create_task(client.call_tool(TOOL, ORDER))
            await asked.wait()
            call.cancel()
            await gone.wait()
            await until(shop.statuses)
            ((_, status, _, _),) = await shop.statuses()
            assert status == "cancelled"
            assert not shop.orders()

    run(test())


# ----------------------------------------------------------------------- both of them
@pytest.mark.parametrize(
    ("capability", "is_asked"),
    [
        ({}, True),
        ({"form": {}}, True),
        ({"form": {}, "url": {}}, True),
        ({"url": {}}, False),
        (None, False),
    ],
    ids=["empty", "form", "both", "url only", "none"],
)
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_only_a_client_that_shows_forms_is_asked(
    *,
    mode: Mode,
    capability: dict[str, Any] | None,
    is_asked: bool,
    example_service: ExampleService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from mcp.client.session import ClientSession

    declared = types.ClientCapabilities.model_validate(
        {} if capability is None else {"elicitation": capability}
    )
    monkeypatch.setattr(ClientSession, "_build_capabilities", lambda *_: declared)

    async def test() -> None:
        person = Person()
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            connected(shop, mode, elicitation_callback=person) as client,
        ):
            result = await client.call_tool(TOOL, ORDER)
            assert len(person.questions) == is_asked
            assert bool(shop.orders()) is is_asked
            if not is_asked:
                assert code(result) == "APPROVAL_UNAVAILABLE"

    run(test())
