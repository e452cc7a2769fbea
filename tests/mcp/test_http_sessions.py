"""Sessions over HTTP: whose they are, how many there are, when they end."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.errors import RegistryUnavailableError
from sparknb.examples import ExampleService
from tests.mcp.agents import (
    ORDER,
    open_shop,
    run,
    served,
    slow_tool,
    until,
    until_requested,
)
from tests.mcp.posts import ACCEPT, GREETING, by_hand, legacy, opened

CANCELLED = ("mcp", "cancelled", "CANCELLED", "none")


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
