import asyncio
import json
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

from sparknb.mcp.wire import (
    MAX_LINE_BYTES,
    Incoming,
    Outgoing,
    are_pipes,
    open_pipes,
)

PING: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@asynccontextmanager
async def connection() -> AsyncIterator[tuple[Incoming, Outgoing, int, int]]:
    """Give the two streams, a function that writes to them, and the other end."""
    source, feed = os.pipe()
    back, sink = os.pipe()
    try:
        async with open_pipes(source, sink) as (incoming, outgoing):
            yield incoming, outgoing, feed, back
    finally:
        for descriptor in (feed, back):
            with suppress(OSError):
                os.close(descriptor)


async def message(incoming: Incoming) -> Any:
    item = await incoming.receive()
    assert isinstance(item, SessionMessage)
    return item.message


def found_id(item: Any) -> Any:
    return item.message.id


def write(descriptor: int, *messages: Any) -> None:
    for message in messages:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        os.write(descriptor, data + b"\n")


async def answers(descriptor: int, count: int) -> list[Any]:
    """Read lines in a thread, so that the loop can write them."""

    def read() -> list[Any]:
        data = b""
        while data.count(b"\n") < count:
            data += os.read(descriptor, 65536)
        return [json.loads(line) for line in data.splitlines()]

    return await asyncio.to_thread(read)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 20))


def test_messages_are_read_one_a_line_and_the_end_is_the_end() -> None:
    async def test() -> None:
        async with connection() as (incoming, _, feed, _back):
            write(feed, PING, PING | {"id": "b"})
            os.close(feed)
            found = [item async for item in incoming]
            assert [found_id(item) for item in found] == [1, "b"]
            with pytest.raises(anyio.EndOfStream):
                await incoming.receive()

    run(test())


def test_a_message_may_come_in_pieces_and_with_carriage_returns() -> None:
    async def test() -> None:
        async with connection() as (incoming, _, feed, _back):
            waiting = asyncio.create_task(incoming.receive())
            for piece in (b'{"jsonrpc": "2.0",', b' "id": 7, "meth', b'od": "ping"}\r'):
                os.write(feed, piece)
                await asyncio.sleep(0)
            assert not waiting.done()
            os.write(feed, b"\n")
            assert found_id(await waiting) == 7

    run(test())


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b"{",
        b"[]",
        b"null",
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]}',
        b"\xff\xfe\x00",
        b'{"a": "\\ud800"}',
        b"[" * 60_000,
    ],
)
def test_a_line_that_is_no_message_is_answered_and_the_next_one_is_read(
    line: bytes,
) -> None:
    async def test() -> None:
        async with connection() as (incoming, _, feed, back):
            write(feed, line, PING)
            assert (await message(incoming)).method == "ping"
            (answer,) = await answers(back, 1)
            assert answer["id"] is None
            assert answer["error"]["code"] == -32700

    run(test())


def test_empty_lines_are_passed_over_in_silence() -> None:
    async def test() -> None:
        async with connection() as (incoming, outgoing, feed, back):
            write(feed, b"", b"   ", PING)
            assert (await message(incoming)).method == "ping"
            await outgoing.send(response(1))
            (answer,) = await answers(back, 1)
            assert answer["id"] == 1

    run(test())


def test_a_line_above_the_limit_is_refused_without_being_kept() -> None:
    async def test() -> None:
        async with connection() as (incoming, _, feed, back):

            def flood() -> None:
                for _ in range(MAX_LINE_BYTES // 65536 + 2):
                    os.write(feed, b"x" * 65536)
                os.write(feed, b"\n" + json.dumps(PING).encode() + b"\n")

            feeding = asyncio.create_task(asyncio.to_thread(flood))
            assert (await message(incoming)).method == "ping"
            await feeding
            (answer,) = await answers(back, 1)
            assert str(MAX_LINE_BYTES) in answer["error"]["message"]

    run(test())


def test_reading_pauses_while_many_bytes_wait_and_loses_nothing() -> None:
    async def test() -> None:
        async with connection() as (incoming, _, feed, _back):
            large = PING | {"params": {"x": "y" * 1_000_000}}

            def flood() -> None:
                for number in range(40):
                    data = json.dumps(large | {"id": number}).encode() + b"\n"
                    while data:
                        data = data[os.write(feed, data) :]

            feeding = asyncio.create_task(asyncio.to_thread(flood))
            found = [(await message(incoming)).id for _ in range(40)]
            await feeding
            assert found == list(range(40))

    run(test())


def response(number: int, **result: Any) -> SessionMessage:
    return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=number, result=result))


def test_sending_waits_for_a_slow_reader_and_keeps_the_order() -> None:
    async def test() -> None:
        async with connection() as (_, outgoing, _feed, back):

            async def send_all() -> None:
                for number in range(50):
                    await outgoing.send(response(number, x="z" * 100_000))

            sending = asyncio.create_task(send_all())
            done, _ = await asyncio.wait({sending}, timeout=0.05)
            assert not done
            found = await answers(back, 50)
            await sending
            assert [answer["id"] for answer in found] == list(range(50))

    run(test())


def test_a_client_that_reads_no_more_ends_both_directions() -> None:
    async def test() -> None:
        async with connection() as (incoming, outgoing, _feed, back):
            os.close(back)
            await outgoing.lost
            with pytest.raises(anyio.BrokenResourceError):
                await outgoing.send(response(1))
            with pytest.raises(anyio.EndOfStream):
                await incoming.receive()

    run(test())


def test_what_was_sent_last_still_arrives_when_the_connection_closes() -> None:
    async def test() -> None:
        source, feed = os.pipe()
        back, sink = os.pipe()
        async with open_pipes(source, sink) as (_, outgoing):
            await outgoing.send(response(1, x="z" * 500_000))
            reading = asyncio.create_task(answers(back, 1))
        assert (await reading)[0]["id"] == 1
        os.close(feed)
        os.close(back)

    run(test())


def test_pipes_are_told_from_files_and_devices(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with (tmp_path / "file").open("wb") as file, Path(os.devnull).open("rb") as nothing:
        assert are_pipes(reader, writer)
        assert not are_pipes(reader, file.fileno())
        assert not are_pipes(nothing.fileno(), writer)
    os.close(reader)
    os.close(writer)
