import asyncio
import logging
from collections.abc import Callable
from ipaddress import IPv4Address
from typing import Any

import httpcore
import pytest

from sparknb.core.addresses import Address
from sparknb.core.errors import UnreachableError
from sparknb.runtimes import streams
from sparknb.runtimes.streams import SocketStream, _connect, connect
from tests.runtimes.wire import (
    Names,
    Peer,
    http_tool,
    listening,
    reply,
    run,
    runtime,
)

HERE = IPv4Address("127.0.0.1")
HOME = Names({"api.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]})


async def _until(holds: Callable[[], Any]) -> None:
    """Let the loop go round until something holds that no event tells."""
    while not holds():  # noqa: ASYNC110  # see above
        await asyncio.sleep(0)


# ------------------------------------------------------------------- keep alive
def test_one_connection_serves_many_calls_in_a_row() -> None:
    async def main() -> None:
        async with Peer() as peer:
            used = runtime()
            for _ in range(5):
                await run(http_tool(peer.url()), on=used)
            assert peer.connections == 1
            await used.close()
            await peer.gone.wait()

    asyncio.run(main())


def test_calls_at_the_same_time_have_connections_of_their_own() -> None:
    async def main() -> None:
        async with Peer() as peer:
            used = runtime()
            calls = [run(http_tool(peer.url()), on=used) for _ in range(40)]
            outcomes = await asyncio.gather(*calls)
            await used.close()
        assert [o.text for o in outcomes] == ["{}"] * 40

    asyncio.run(main())


@pytest.mark.parametrize(
    "first",
    [
        reply("bye", "200 OK", "Connection: close"),
        reply("bye", length=False),
    ],
    ids=["closed", "until the end"],
)
def test_a_connection_that_is_over_is_not_used_again(
    first: bytes,
) -> None:
    async def main() -> None:
        async with Peer([first, reply("fresh")]) as peer:
            used = runtime()
            assert (await run(http_tool(peer.url()), on=used)).text == "bye"
            assert (await run(http_tool(peer.url()), on=used)).text == "fresh"
            assert peer.connections == 2
            await used.close()

    asyncio.run(main())


def test_a_connection_the_server_closed_meanwhile_is_replaced() -> None:
    async def main() -> None:
        used = runtime()
        async with Peer() as peer:
            await run(http_tool(peer.url()), on=used)
            port = peer.port
        with pytest.raises(UnreachableError, match="connection was refused"):
            await run(http_tool(f"http://127.0.0.1:{port}/"), on=used)
        await used.close()

    asyncio.run(main())


def test_a_connection_that_speaks_unasked_is_not_used_again() -> None:
    async def main() -> None:
        async def serve(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            writer.write(reply("unasked"))
            await reader.read()

        async with listening(serve) as port:
            stream = await connect([HERE], port, "peer.test")
            await _until(lambda: stream.get_extra_info("is_readable"))
            assert stream.get_extra_info("ssl_object") is None
            assert stream.get_extra_info("anything else") is None
            await stream.aclose()
            assert stream.get_extra_info("is_readable")
            await asyncio.sleep(0)
            assert stream.get_extra_info("is_readable")
            with pytest.raises(httpcore.WriteError):
                await stream.write(b"x")

    asyncio.run(main())


def test_a_sender_has_to_wait_for_a_slow_reader() -> None:
    async def main() -> None:
        sent = b"x" * 20_000_000

        async def serve(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            writer.write(sent)
            await reader.read()

        async with listening(serve) as port:
            stream = await connect([HERE], port, "peer.test")
            assert isinstance(stream, SocketStream)
            await _until(lambda: stream._inbox._is_paused)
            for _ in range(100):
                await asyncio.sleep(0)
            assert len(stream._inbox.received) < 2_000_000
            got = 0
            while got < len(sent):
                got += len(await stream.read(1 << 20))
            await stream.aclose()

    asyncio.run(main())


def test_a_writer_has_to_wait_for_a_slow_receiver_and_hears_of_its_end() -> None:
    async def main() -> None:
        go_on = asyncio.Event()

        async def serve(
            reader: asyncio.StreamReader, _writer: asyncio.StreamWriter
        ) -> None:
            await go_on.wait()
            await reader.readexactly(50_000_000)

        async with listening(serve) as port:
            stream = await connect([HERE], port, "peer.test")
            writing = asyncio.create_task(stream.write(b"x" * 50_000_000))
            for _ in range(100):
                await asyncio.sleep(0)
            assert not writing.done()
            go_on.set()
            await writing
            writing = asyncio.create_task(stream.write(b"x" * 50_000_000))
            await writing
            with pytest.raises(httpcore.ReadError):
                await stream.read(100)
            await stream.aclose()

    asyncio.run(main())


def test_the_next_address_is_tried_while_the_first_keeps_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        given_up = asyncio.Event()

        async def slow_first(address: Address, port: int) -> SocketStream:
            if address == IPv4Address("127.0.0.2"):
                try:
                    await asyncio.Event().wait()
                finally:
                    given_up.set()
            return await _connect(address, port)

        monkeypatch.setattr(streams, "_connect", slow_first)
        async with Peer() as peer:
            names = Names({"two.test": [["127.0.0.2", "127.0.0.1"]]})
            await run(http_tool(peer.url(host="two.test")), resolve=names)
        assert given_up.is_set()

    asyncio.run(main())


def test_of_two_connections_made_at_once_one_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        both = asyncio.Barrier(2)
        made: list[SocketStream] = []

        async def together(address: Address, port: int) -> SocketStream:
            stream = await _connect(address, port)
            made.append(stream)
            # the first is held back until the second is tried, then both are ready
            await both.wait()
            return stream

        monkeypatch.setattr(streams, "_connect", together)
        async with Peer() as peer:
            found = await connect([HERE, HERE], peer.port, "peer.test")
            assert found in made
            await asyncio.sleep(0)
            (other,) = (stream for stream in made if stream is not found)
            assert other._transport.is_closing()
            assert isinstance(found, SocketStream)
            assert not found._transport.is_closing()
            await found.aclose()

    asyncio.run(main())


def test_no_address_that_answers_is_told_with_its_reason() -> None:
    with pytest.raises(UnreachableError, match="tests connect to loopback only"):
        asyncio.run(connect([IPv4Address("93.184.216.34")], 80, "api.test"))


def test_a_body_that_was_cut_leaves_no_connection_behind() -> None:
    async def main() -> None:
        async with Peer([reply(b"x" * 3_000_000)]) as peer:
            used = runtime()
            tool = http_tool(peer.url(), max_size_bytes=10)
            for _ in range(2):
                assert (await run(tool, on=used)).truncated
            assert peer.connections == 2
            await used.close()

    asyncio.run(main())


# -------------------------------------------------------------------- cancelling
def test_cancelling_closes_the_connection_at_once() -> None:
    async def main() -> None:
        async with Peer([None]) as peer:
            used = runtime()
            task = asyncio.create_task(run(http_tool(peer.url()), on=used))
            await _until(lambda: peer.seen)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(peer.gone.wait(), 20)
            assert (await asyncio.wait_for(_other(used), 10)) == "fine"
            await used.close()

    async def _other(used: Any) -> str:
        async with Peer([reply("fine")]) as peer:
            return (await run(http_tool(peer.url()), on=used)).text

    asyncio.run(main())


@pytest.mark.parametrize("tls", [False, True])
def test_cancelling_in_the_middle_of_a_body_or_handshake_ends_at_once(
    tls: bool,
) -> None:
    async def main() -> None:
        started = asyncio.Event()
        ended = asyncio.Event()

        async def serve(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            writer.write(b"" if tls else b"HTTP/1.1 200 OK\r\n\r\nbeginning")
            started.set()
            try:
                while await reader.read(1000):
                    pass
            finally:
                ended.set()

        async with listening(serve) as port:
            scheme = "https" if tls else "http"
            task = asyncio.create_task(run(http_tool(f"{scheme}://127.0.0.1:{port}/")))
            await started.wait()
            for _ in range(20):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await ended.wait()

    asyncio.run(main())


# ------------------------------------------------------------------------- logs
def test_debug_logs_show_nothing_of_our_calls_and_all_of_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        answer = reply("{}", "200 OK", "X-Echo: hush-hush")
        async with Peer([answer]) as peer:
            await run(http_tool(peer.url("/x?token=hush-hush")))
            assert "hush" not in caplog.text
            async with httpcore.AsyncConnectionPool() as pool:
                await pool.request("GET", peer.url("/"))
            assert "hush" in caplog.text

    caplog.set_level(logging.DEBUG)
    asyncio.run(main())
