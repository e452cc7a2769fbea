import asyncio
import socket
import struct
import traceback
from ipaddress import IPv4Address
from typing import Any

import pytest

from sparknb.core.definitions import Header, TextBody
from sparknb.core.errors import HttpStatusError, SparknbError, UnreachableError
from tests.runtimes.wire import (
    Names,
    Peer,
    http_tool,
    listening,
    reply,
    run,
)

HERE = IPv4Address("127.0.0.1")
HOME = Names({"api.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]})


def error_of(answer: bytes, **spec: Any) -> SparknbError:
    async def main() -> SparknbError:
        async with Peer([answer]) as peer:
            with pytest.raises(SparknbError) as caught:
                await run(http_tool(peer.url("/p?q=hush"), **spec))
        return caught.value

    return asyncio.run(main())


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
