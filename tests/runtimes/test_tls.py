import asyncio
import ssl
from collections.abc import Callable
from ipaddress import IPv4Address
from typing import Any

import pytest

from sparknb.core.definitions import Header
from sparknb.core.errors import UnreachableError
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
