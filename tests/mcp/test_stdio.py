"""The real `sparknb mcp` in a process of its own, fed by hand and by clients."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from sparknb.examples import ExampleService
from sparknb.mcp.config import command
from tests.mcp.agents import (
    MODES,
    ORDER,
    Mode,
    Person,
    Shop,
    open_shop,
    run,
    slow_tool,
    started,
    until,
    until_requested,
)

HELLO = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Server:
    """A server process whose pipes the test holds."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def send(self, *messages: Any) -> None:
        assert self.process.stdin is not None
        for message in messages:
            raw = (
                message if isinstance(message, bytes) else json.dumps(message).encode()
            )
            self.process.stdin.write(raw + b"\n")
        await self.process.stdin.drain()

    async def read(self) -> dict[str, Any]:
        """Give the next line; whatever is no JSON-RPC fails the test."""
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        found: dict[str, Any] = json.loads(line)
        assert found["jsonrpc"] == "2.0"
        return found

    async def ask(self, number: Any, method: str, **params: Any) -> dict[str, Any]:
        await self.send(request(number, method, **params))
        while True:
            found = await self.read()
            if found.get("id") == number:
                return found

    async def leave(self) -> tuple[int, bytes, bytes]:
        """Close standard input; give the exit code and what was left to read."""
        out, errors = await self.process.communicate(b"")
        assert self.process.returncode is not None
        return self.process.returncode, out, errors


def request(number: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@asynccontextmanager
async def by_hand(
    shop: Shop, words: list[str] | None = None, *, greet: bool = True
) -> AsyncIterator[Server]:
    process = await asyncio.create_subprocess_exec(
        *(words or [*command(), "mcp"]),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | shop.environment,
        limit=64 * 1024 * 1024,
    )
    server = Server(process)
    try:
        if greet:
            await server.ask("hello", "initialize", **HELLO["params"])  # type: ignore[arg-type]  # a mapping
            await server.send(READY)
        yield server
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.parametrize("mode", MODES)
def test_an_official_client_lists_calls_and_orders(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        person = Person()
        async with open_shop(example_service, tmp_path / "home") as shop:
            async with started(shop, mode, elicitation_callback=person) as client:
                tools = (await client.list_tools()).tools
                assert [t.name for t in tools] == [
                    "custom_city_weather",
                    "custom_order_item",
                ]
                read = await client.call_tool("custom_city_weather", {"city": "Oslo"})
                assert not read.is_error
                done = await client.call_tool("custom_order_item", ORDER)
                assert not done.is_error
            assert len(person.questions) == len(shop.orders()) == 1
            assert await shop.statuses() == [
                ("mcp", "ok", None, "none"),
                ("mcp", "ok", None, "once"),
            ]

    run(test())


def test_the_end_of_input_ends_the_server_with_0_and_nothing_else_on_stdout(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            by_hand(shop) as server,
        ):
            answer = await server.ask(1, "tools/list")
            assert len(answer["result"]["tools"]) == 2
            code, out, errors = await server.leave()
            assert (code, out, errors) == (0, b"", b"")

    run(test())


def test_input_that_ends_before_a_word_is_no_failure(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            by_hand(shop, greet=False) as server,
        ):
            assert await server.leave() == (0, b"", b"")

    run(test())


def test_hostile_lines_do_not_end_the_server(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            by_hand(shop) as server,
        ):
            await server.send(
                b"hello?",
                b"\x00\xff" * 50,
                b'{"jsonrpc": "2.0"',
                b"[" * 60_000,
                request(1, "tools/call", name="custom_city_weather", arguments=[1]),
                request(2, "tools/call", arguments={"city": "Oslo"}),
                request(3, "tools/call", name={"a": 1}),
                request(4, "no/such/method"),
                request(5, "initialize", protocolVersion=7),
                request(6, "tools/call", name="x", arguments={}, requestState=5),
                {"jsonrpc": "2.0", "method": "notifications/cancelled"},
                {"jsonrpc": "2.0", "method": "notifications/none", "params": {"a": 1}},
                {"jsonrpc": "2.0", "id": 99, "result": {}},
            )
            answers = [await server.read() for _ in range(10)]
            parse_errors = [a for a in answers if a["id"] is None]
            assert [a["error"]["code"] for a in parse_errors] == [-32700] * 4
            by_id = {a["id"]: a for a in answers if a["id"] is not None}
            assert sorted(by_id) == [1, 2, 3, 4, 5, 6]
            assert all("error" in a for a in by_id.values())
            fine = await server.ask(
                7, "tools/call", name="custom_city_weather", arguments={"city": "Oslo"}
            )
            assert fine["result"]["isError"] is False
            assert (await server.leave())[0] == 0

    run(test())


def test_huge_arguments_and_a_huge_line_are_refused_and_the_next_call_works(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            by_hand(shop) as server,
        ):
            name = "custom_city_weather"
            large = {"city": "x" * 4_000_000}
            answer = await server.ask(1, "tools/call", name=name, arguments=large)
            error = answer["result"]["structuredContent"]["error"]
            assert error["code"] == "INVALID_INPUT"
            huge = {"city": "x" * 17_000_000}
            await server.send(request(2, "tools/call", name=name, arguments=huge))
            assert (await server.read())["error"]["code"] == -32700
            fine = await server.ask(
                3, "tools/call", name=name, arguments={"city": "Oslo"}
            )
            assert fine["result"]["isError"] is False

    run(test(), 90)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)]
)
def test_a_signal_ends_the_server_and_the_call_under_way(
    number: signal.Signals, code: int, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            await shop.publish(slow_tool(example_service))
            async with by_hand(shop) as server:
                call = request(1, "tools/call", name="custom_wait", arguments={})
                await server.send(call)
                await until_requested(example_service, "/slow")
                server.process.send_signal(number)
                answer = await server.read()
                assert answer["id"] == 1
                assert answer["error"]["code"] == types.CONNECTION_CLOSED
                assert await server.process.wait() == code
            assert await shop.statuses("wait") == [
                ("mcp", "cancelled", "CANCELLED", "none")
            ]

    run(test())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")
def test_a_signal_ends_a_server_that_nobody_has_spoken_to(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            by_hand(shop) as server,
        ):
            server.process.terminate()
            assert await server.process.wait() == 0

    run(test())


def test_a_cancelled_call_is_never_answered_and_leaves_a_trace(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            await shop.publish(slow_tool(example_service))
            async with by_hand(shop) as server:
                await server.send(
                    request(1, "tools/call", name="custom_wait", arguments={})
                )
                await until_requested(example_service, "/slow")
                await server.send(
                    {
                        "jsonrpc": "2.0",
                        "method": "notifications/cancelled",
                        "params": {"requestId": 1, "reason": "changed my mind"},
                    }
                )
                await until(lambda: shop.statuses("wait"))
                assert await shop.statuses("wait") == [
                    ("mcp", "cancelled", "CANCELLED", "none")
                ]
                assert (await server.ask(2, "ping"))["result"] == {}
                assert await server.leave() == (0, b"", b"")

    run(test())


def test_a_change_by_another_process_is_told_and_a_mere_draft_is_not(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            by_hand(shop) as server,
        ):
            await server.ask(1, "tools/list")
            await shop.host.studio.draft(slow_tool(example_service, "only_a_draft"))
            await shop.host.studio.set_enabled("order_item", enabled=False)
            told = await server.read()
            assert told["method"] == "notifications/tools/list_changed"
            tools = (await server.ask(2, "tools/list"))["result"]["tools"]
            assert [tool["name"] for tool in tools] == ["custom_city_weather"]
            assert await server.leave() == (0, b"", b"")

    run(test())


def test_a_client_of_2026_hears_of_changes_through_its_subscription(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            started(shop, "auto") as client,
        ):
            await client.list_tools()
            async with client.listen(tools_list_changed=True) as events:
                await shop.host.studio.set_enabled("order_item", enabled=False)
                await anext(events)
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["custom_city_weather"]

    run(test())


NOISY = """
import asyncio, os, subprocess, sys
from sparknb.bootstrap import open_host
from sparknb.mcp import serve_stdio

async def main():
    host = await open_host()
    read = host.surface
    async def surface():
        print("print")
        os.write(1, b"write\\n")
        subprocess.run([sys.executable, "-c", "print('child', input() if 0 else '')"])
        assert sys.stdin.read() == ""
        return await read()
    host.surface = surface
    try:
        return await serve_stdio(host)
    finally:
        await host.close()

code = asyncio.run(main())
print("after")
sys.exit(code)
"""


def test_whatever_prints_while_serving_goes_to_standard_error(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            by_hand(shop, [sys.executable, "-c", NOISY]) as server,
        ):
            assert "result" in await server.ask(1, "tools/list")
            code, out, errors = await server.leave()
            assert code == 0
            assert out == b"after\n"
            for word in (b"print", b"write", b"child"):
                assert word in errors

    run(test())


def test_files_in_place_of_pipes_work_too(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            source, sink = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
            lines = [json.dumps(m) for m in (HELLO, READY)]
            source.write_text("\n".join(lines) + "\n", encoding="utf-8")
            with source.open("rb") as feed, sink.open("wb") as out:
                done = await asyncio.to_thread(
                    subprocess.run,
                    [*command(), "mcp"],
                    stdin=feed,
                    stdout=out,
                    env=os.environ | shop.environment,
                    timeout=50,
                    check=False,
                )
            assert done.returncode == 0
            (answer,) = sink.read_text(encoding="utf-8").splitlines()
            assert json.loads(answer)["result"]["serverInfo"]["name"] == "sparknb"

    run(test())


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_is_wrong_usage_and_says_what_to_do(
    closed: str, isolated_home: Path
) -> None:
    program = " ".join([*command(), "mcp", closed])
    done = subprocess.run(
        ["sh", "-c", program], capture_output=True, text=True, timeout=50, check=False
    )
    assert done.returncode == 2
    assert "--print-config" in done.stderr
    assert "Traceback" not in done.stderr
