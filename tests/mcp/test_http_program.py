"""The real `sparknb mcp --http` in a process of its own."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from sparknb.examples import ExampleService
from sparknb.mcp.config import command
from sparknb.mcp.endpoint import listen, parse_endpoint
from tests.mcp.agents import (
    MODES,
    Mode,
    Person,
    Shop,
    open_shop,
    run,
    slow_tool,
    until_requested,
)
from tests.mcp.posts import by_hand, calling

TOKEN = "tok-9fA3_kQ7.zX1~mB5vW8y"

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")


@asynccontextmanager
async def program(
    shop: Shop, *words: str, **variables: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *command(),
        "mcp",
        "--http",
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | shop.environment | variables,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def announced(process: asyncio.subprocess.Process) -> str:
    """Give the URL from the line that says it."""
    assert process.stderr is not None
    line = (await process.stderr.readline()).decode()
    found = re.fullmatch(r"MCP is served at (http://\S+/mcp)\n", line)
    assert found, line
    return found[1]


@posix
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)]
)
def test_a_signal_ends_the_server_within_seconds_and_its_calls_with_it(
    number: signal.Signals,
    code: int,
    mode: Mode,
    example_service: ExampleService,
    tmp_path: Path,
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path / "home") as shop:
            await shop.publish(slow_tool(example_service))
            async with program(shop, "127.0.0.1:0") as process:
                async with by_hand(await announced(process)) as client:
                    call = asyncio.create_task(calling(client, mode, "custom_wait"))
                    await until_requested(example_service, "/slow")
                    process.send_signal(number)
                    async with asyncio.timeout(15):
                        out, errors = await process.communicate()
                    await asyncio.wait([call])
                assert process.returncode == code
                assert out == b""
                assert errors == b"Ctrl-C ends.\n"
            assert await shop.statuses("wait") == [
                ("mcp", "cancelled", "CANCELLED", "none")
            ]

    run(test())


@posix
def test_a_question_that_nobody_answers_does_not_hold_the_end_up(
    example_service: ExampleService, tmp_path: Path
) -> None:
    asked = asyncio.Event()

    class Silent(Person):
        async def __call__(self, context: object, params: object) -> object:  # type: ignore[override]  # never answers
            asked.set()
            return await asyncio.get_running_loop().create_future()

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            program(shop, "127.0.0.1:0") as process,
        ):
            url = await announced(process)

            async def order() -> None:
                person = Silent()
                async with Client(
                    url,
                    mode="legacy",
                    elicitation_callback=person,  # type: ignore[arg-type]  # never answers
                ) as client:
                    await client.call_tool(
                        "custom_order_item", {"city": "Oslo", "item": "globe"}
                    )

            ordering = asyncio.create_task(order())
            await asked.wait()
            process.send_signal(signal.SIGINT)
            async with asyncio.timeout(15):
                await process.wait()
            ordering.cancel()
            await asyncio.wait([ordering])
            assert process.returncode == 130
            assert not shop.orders()

    run(test())


@posix
def test_json_is_one_document_with_the_url(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            program(shop, "localhost:0", "--json") as process,
        ):
            assert process.stdout is not None
            text = b""
            while not text.endswith(b"}\n"):
                text += await process.stdout.readline()
            url = json.loads(text)["url"]
            async with Client(url) as client:
                assert len((await client.list_tools()).tools) == 2
            process.send_signal(signal.SIGINT)
            rest, _ = await process.communicate()
            assert rest == b""

    run(test())


@posix
def test_the_token_is_asked_for_and_in_no_output(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        variables = {"SPARKNB_MCP_TOKEN": TOKEN}
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            program(shop, "0.0.0.0:0", **variables) as process,
        ):
            async with by_hand(await announced(process)) as client:
                assert (await client.get("")).status_code == 401
                right = {"Authorization": f"Bearer {TOKEN}"}
                assert (await client.get("", headers=right)).status_code == 400
            process.send_signal(signal.SIGINT)
            out, errors = await process.communicate()
            assert b"nothing is encrypted" in errors
            assert b"TLS" in errors
            assert TOKEN.encode() not in out + errors
            for file in (tmp_path / "home").rglob("*"):
                if file.is_file():
                    assert TOKEN.encode() not in file.read_bytes()

    run(test())


@pytest.mark.parametrize(
    ("place", "variables", "said"),
    [
        ("0.0.0.0:0", {}, "no token is set"),
        ("[::]:0", {}, "no token is set"),
        ("127.0.0.1:0", {"SPARKNB_MCP_TOKEN": "hunter2-hunter2"}, "too short"),
        ("example.com:80", {}, "only localhost"),
        ("8765", {}, "HOST:PORT"),
    ],
)
def test_what_cannot_be_served_is_said_with_what_to_do(
    place: str,
    variables: dict[str, str],
    said: str,
    example_service: ExampleService,
    tmp_path: Path,
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path / "home") as shop,
            program(shop, place, **variables) as process,
        ):
            out, errors = await process.communicate()
            assert process.returncode == 1
            assert out == b""
            text = " ".join(errors.decode().split())
            assert said in text
            assert "→" in text
            assert "Traceback" not in text
            assert "hunter2" not in text

    run(test())


def test_a_taken_port_is_said(example_service: ExampleService, tmp_path: Path) -> None:
    async def test() -> None:
        taken, endpoint = listen(parse_endpoint("127.0.0.1:0"))
        with taken:
            async with (
                open_shop(example_service, tmp_path / "home") as shop,
                program(shop, f"127.0.0.1:{endpoint.port}") as process,
            ):
                _, errors = await process.communicate()
                assert process.returncode == 1
                assert f"port {endpoint.port} is taken".encode() in errors

    run(test())
