import asyncio
import logging
import socket
import ssl
import struct
import time
import traceback
from collections.abc import Callable
from ipaddress import IPv4Address
from typing import Any

import httpcore
import pytest

from sparknb.core.addresses import Address
from sparknb.core.definitions import Header, TextBody
from sparknb.core.errors import HttpStatusError, SparknbError, UnreachableError
from sparknb.runtimes import streams
from sparknb.runtimes.streams import SocketStream, _connect, connect
from sparknb.runtimes.transport import system_tls
from tests.runtimes.wire import (
    Names,
    Peer,
    http_tool,
    listening,
    reply,
    run,
    runtime,
    tls_pair,
)

HERE = IPv4Address("127.0.0.1")
HOME = Names({"api.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]})


async def _until(holds: Callable[[], Any]) -> None:
    """Let the loop go round until something holds that no event tells."""
    while not holds():  # noqa: ASYNC110  # see above
        await asyncio.sleep(0)


def error_of(answer: bytes, **spec: Any) -> SparknbError:
    async def main() -> SparknbError:
        async with Peer([answer]) as peer:
            with pytest.raises(SparknbError) as caught:
                await run(http_tool(peer.url("/p?q=hush"), **spec))
        return caught.value

    return asyncio.run(main())


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
            start = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await peer.gone.wait()
            assert time.monotonic() - start < 2
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


# ----------------------------------------------------------------- broken answers
@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9\r\n\r\nConnection: close",
        b"\x00\x01\x02\r\n\r\nConnection: close",
        b"HTTP/1.1 two hundred\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
    ],
)
def test_what_is_not_http_is_a_broken_answer(answer: bytes) -> None:
    error = error_of(answer)
    assert isinstance(error, UnreachableError)
    assert "is broken" in str(error)
    assert "hush" not in str(error)


def test_a_server_that_hangs_up_without_a_word_is_a_broken_answer() -> None:
    async def main() -> None:
        async def serve(
            reader: asyncio.StreamReader, _writer: asyncio.StreamWriter
        ) -> None:
            await reader.readuntil(b"\r\n\r\n")

        async with listening(serve) as port:
            with pytest.raises(UnreachableError, match="closed before it came"):
                await run(http_tool(f"http://127.0.0.1:{port}/"))

    asyncio.run(main())


def test_a_connection_that_is_torn_down_in_a_body_is_lost() -> None:
    async def main() -> None:
        async def serve(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            wire = writer.get_extra_info("socket")
            at_once = struct.pack("ii", 1, 0)
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            writer.transport.abort()

        async with listening(serve) as port:
            with pytest.raises(UnreachableError, match=r"was lost|before its end"):
                await run(http_tool(f"http://127.0.0.1:{port}/"))

    asyncio.run(main())


def test_chunks_and_interim_answers_are_read() -> None:
    async def main() -> None:
        answer = (
            b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n"
        )
        async with Peer([answer]) as peer:
            assert (await run(http_tool(peer.url()))).text == "abcde"

    asyncio.run(main())


def test_an_upgrade_nobody_asked_for_is_an_error_of_the_status() -> None:
    error = error_of(
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
    )
    assert isinstance(error, (HttpStatusError, UnreachableError))


def test_an_answer_before_the_whole_request_was_read_is_taken() -> None:
    async def main() -> None:
        async def serve(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply("too large", "413 Content Too Large"))
            while await reader.read(1 << 20):
                pass

        body = TextBody("text/plain", "{{q}}")
        async with listening(serve) as port:
            url = f"http://127.0.0.1:{port}/"
            tool = http_tool(url, "POST", body=body, parameters=["q"])
            with pytest.raises(HttpStatusError, match="413"):
                await run(tool, {"q": "x" * 1_000_000})

    asyncio.run(main())


def test_a_large_body_arrives_whole() -> None:
    async def main() -> None:
        async with Peer([lambda seen: reply(str(len(seen.body)))]) as peer:
            body = TextBody("text/plain", "{{q}}")
            tool = http_tool(peer.url(), "POST", body=body, parameters=["q"])
            assert (await run(tool, {"q": "x" * 900_000})).text == "900000"

    asyncio.run(main())


def test_a_header_that_cannot_be_written_sends_and_shows_nothing() -> None:
    value = "hush-" * 2  # written so that no line of a traceback shows it

    async def main() -> None:
        async with Peer() as peer:
            tool = http_tool(peer.url(), headers=[Header(name="Bad Name", secret="k")])
            with pytest.raises(SparknbError, match="cannot be written") as caught:
                await run(tool, secrets={"k": value})
        assert peer.seen == []
        assert value not in "".join(traceback.format_exception(caught.value))

    asyncio.run(main())


def test_a_port_where_nothing_listens_is_named() -> None:
    async def main() -> None:
        async with Peer() as peer:
            port = peer.port
        with pytest.raises(UnreachableError) as caught:
            await run(http_tool(f"http://127.0.0.1:{port}/x?token=hush"))
        assert f"nothing listens at 127.0.0.1:{port}" in str(caught.value)
        assert caught.value.hint
        assert "hush" not in str(caught.value)

    asyncio.run(main())


# --------------------------------------------------------------------------- TLS
def test_the_name_goes_into_the_handshake_and_onto_the_certificate() -> None:
    async def main() -> None:
        server, trusting = tls_pair("api.test")
        asked: list[Any] = []
        server.sni_callback = lambda _socket, name, _context: asked.append(name)
        async with Peer([reply("safe")], tls=server) as peer:
            used = runtime(
                resolve=Names({"api.test": [["127.0.0.1"]]}), make_tls=trusting
            )
            for _ in range(2):
                outcome = await run(http_tool(peer.url(host="api.test")), on=used)
                assert outcome.text == "safe"
            await used.close()
        assert asked == ["api.test"]
        assert peer.seen[0].headers["host"] == f"api.test:{peer.port}"

    asyncio.run(main())


def test_the_dot_of_the_root_does_not_change_the_certificate_wanted() -> None:
    async def main() -> None:
        server, trusting = tls_pair("api.test")
        async with Peer([reply("safe")], tls=server) as peer:
            names = Names({"api.test.": [["127.0.0.1"]]})
            tool = http_tool(peer.url(host="api.test."))
            assert (await run(tool, resolve=names, make_tls=trusting)).text == "safe"

    asyncio.run(main())


def _wrong_name() -> tuple[ssl.SSLContext, Callable[[], ssl.SSLContext]]:
    return tls_pair("elsewhere.test")


def _unknown_authority() -> tuple[ssl.SSLContext, Callable[[], ssl.SSLContext]]:
    return tls_pair("api.test")[0], system_tls


@pytest.mark.parametrize("pair", [_wrong_name, _unknown_authority])
def test_a_certificate_that_does_not_fit_is_refused_before_anything_is_sent(
    pair: Callable[[], Any],
) -> None:
    async def main() -> None:
        server, make_tls = pair()
        async with Peer(tls=server) as peer:
            tool = http_tool(
                peer.url(host="api.test"), headers=[Header(name="X", secret="k")]
            )
            with pytest.raises(UnreachableError, match=r"certificate of api\.test"):
                await run(
                    tool, secrets={"k": "hush-hush"}, resolve=HOME, make_tls=make_tls
                )
        assert peer.seen == []

    asyncio.run(main())


@pytest.mark.parametrize("greeting", [b"220 hello, this is mail\r\n", b""])
def test_a_server_that_speaks_no_tls_is_told_apart(greeting: bytes) -> None:
    async def main() -> None:
        async def serve(
            _reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            writer.write(greeting)

        async with listening(serve) as port:
            with pytest.raises(UnreachableError, match="TLS handshake"):
                await run(http_tool(f"https://127.0.0.1:{port}/"))

    asyncio.run(main())


def test_old_versions_of_tls_are_not_spoken() -> None:
    context = system_tls()
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.get_ca_certs()


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
