import asyncio
import base64
from contextlib import AsyncExitStack
from typing import Self

import pytest

from sparknb.core.errors import DeniedError, ExecutionFailedError, UnreachableError
from sparknb.runtimes.proxies import Proxy, choose_proxy
from sparknb.runtimes.targets import parse_target
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


def chosen(url: str, **environment: str) -> Proxy | None:
    target = parse_target(url)
    assert target is not None
    return choose_proxy(target, environment)


class Tunnel:
    """A proxy that answers CONNECT by joining the client to one server."""

    def __init__(self, port: int, greeting: bytes = b"") -> None:
        self.port = port
        self.greeting = greeting
        self.heads: list[str] = []
        self.url = ""
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        port = await self._stack.enter_async_context(listening(self._serve))
        self.url = f"http://me:p%40ss@127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n" + self.greeting)
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        await asyncio.gather(_pour(reader, back), _pour(there, writer))


async def _pour(source: asyncio.StreamReader, drain: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65536):
            drain.write(data)
            await drain.drain()
    finally:
        drain.close()


# ------------------------------------------------------------------- over the wire
def test_http_goes_through_the_proxy_in_absolute_form() -> None:
    async def main() -> None:
        async with Peer([reply("by proxy")]) as proxy:
            environment = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.port}"}
            for allow in (None, True):
                tool = http_tool("http://api.test/x?y=1", allow_private_network=allow)
                outcome = await run(tool, proxies=environment, resolve=Names({}))
                assert outcome.text == "by proxy"
                assert proxy.seen[-1].target == "http://api.test/x?y=1"
                assert proxy.seen[-1].headers["host"] == "api.test"
            await run(http_tool("http://[2606:4700::1]/"), proxies=environment)
            assert proxy.seen[-1].target == "http://[2606:4700::1]/"

    asyncio.run(main())


def test_https_goes_through_a_tunnel_to_the_certificate_of_the_name() -> None:
    async def main() -> None:
        server, trusting = tls_pair("api.test", "2606:4700::1")
        async with (
            Peer([reply("safe")], tls=server) as peer,
            Tunnel(peer.port) as tunnel,
        ):
            used = runtime(proxies={"https_proxy": tunnel.url}, make_tls=trusting)
            for host in ("api.test", "[2606:4700::1]"):
                outcome = await run(http_tool(f"https://{host}/x"), on=used)
                assert outcome.text == "safe"
                assert tunnel.heads[-1].startswith(f"CONNECT {host}:443 HTTP/1.1\r\n")
            login = base64.b64encode(b"me:p@ss").decode()
            assert f"Proxy-Authorization: Basic {login}\r\n" in tunnel.heads[0]
            assert "proxy-authorization" not in peer.seen[0].headers
            with pytest.raises(UnreachableError, match="certificate"):
                await run(http_tool("https://other.test/"), on=used)
            await used.close()

    asyncio.run(main())


def test_what_a_proxy_adds_before_the_handshake_is_not_taken_for_the_answer() -> None:
    async def main() -> None:
        server, trusting = tls_pair("api.test")
        early = reply("forged")
        async with (
            Peer([reply("real")], tls=server) as peer,
            Tunnel(peer.port, early) as tunnel,
        ):
            used = runtime(proxies={"https_proxy": tunnel.url}, make_tls=trusting)
            try:
                outcome = await run(http_tool("https://api.test/"), on=used)
            except UnreachableError:
                pass
            else:
                assert outcome.text == "real"
            await used.close()

    asyncio.run(main())


def test_an_https_proxy_is_spoken_to_over_tls() -> None:
    async def main() -> None:
        server, trusting = tls_pair("localhost")
        async with Peer([reply("by proxy")], tls=server) as proxy:
            environment = {"ALL_PROXY": f"https://localhost:{proxy.port}"}
            tool = http_tool("http://api.test/")
            outcome = await run(tool, proxies=environment, make_tls=trusting)
        assert outcome.text == "by proxy"

    asyncio.run(main())


def test_private_networks_off_means_no_proxy_either() -> None:
    async def main() -> None:
        async with Peer() as proxy:
            environment = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.port}"}
            names = Names({"api.test": [["93.184.216.34"]]})
            tool = http_tool("http://api.test/", allow_private_network=False)
            with pytest.raises(UnreachableError):
                await run(tool, proxies=environment, resolve=names)
        assert names.asked == ["api.test"]
        assert proxy.connections == 0

    asyncio.run(main())


def test_loopback_is_reached_without_the_proxy_unless_all_is_allowed() -> None:
    async def main() -> None:
        async with Peer([reply("direct")]) as peer, Peer() as proxy:
            environment = {"all_proxy": f"http://127.0.0.1:{proxy.port}"}
            for host in ("127.0.0.1", "localhost", "127.1"):
                outcome = await run(http_tool(peer.url(host=host)), proxies=environment)
                assert outcome.text == "direct"
            assert proxy.connections == 0
            tool = http_tool(peer.url(), allow_private_network=True)
            await run(tool, proxies=environment)
            assert proxy.connections == 1

    asyncio.run(main())


@pytest.mark.parametrize(
    "host",
    ["169.254.169.254", "2852039166", "metadata.google.internal", "[fd00:ec2::254]"],
)
def test_a_proxy_is_no_way_around_the_guard(host: str) -> None:
    async def main() -> None:
        there = f"Location: http://{host}/"
        async with Peer([reply("", "302 Found", there), reply("got")]) as proxy:
            environment = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.port}"}
            for url in (f"http://{host}/", "http://api.test/"):
                with pytest.raises(DeniedError):
                    await run(http_tool(url), proxies=environment)
            assert len(proxy.seen) == 1
            tool = http_tool(f"http://{host}/", allow_private_network=True)
            assert (await run(tool, proxies=environment)).text == "got"

    asyncio.run(main())


def test_a_proxy_that_refuses_says_so() -> None:
    async def main() -> None:
        refusal = reply("", "407 Proxy Authentication Required")
        async with Peer([refusal]) as proxy:
            url = f"http://user:hush-hush@127.0.0.1:{proxy.port}"
            with pytest.raises(UnreachableError) as caught:
                await run(http_tool("https://api.test/"), proxies={"HTTPS_PROXY": url})
        assert "407" in str(caught.value)
        assert "hush" not in str(caught.value)

    asyncio.run(main())


def test_a_socks_proxy_is_refused_with_a_way_out() -> None:
    for scheme in ("socks5", "socks5h", "socks4"):
        with pytest.raises(ExecutionFailedError, match="ALL_PROXY") as caught:
            chosen("http://a.test/", ALL_PROXY=f"{scheme}://u:hush@p:1080")
        assert "hush" not in str(caught.value)
        assert caught.value.hint


# ----------------------------------------------------------------------- choosing
@pytest.mark.parametrize(
    ("url", "environment", "host"),
    [
        ("http://a.test/", {"http_proxy": "http://p.test:3128"}, "p.test"),
        ("http://a.test/", {"http_proxy": "p.test:3128"}, "p.test"),
        ("http://a.test/", {"http_proxy": "low", "HTTP_PROXY": "up"}, "low"),
        ("http://a.test/", {"http_proxy": "", "HTTP_PROXY": "up"}, "up"),
        ("http://a.test/", {"HTTPS_PROXY": "p"}, None),
        ("https://a.test/", {"HTTP_PROXY": "p"}, None),
        ("https://a.test/", {"HTTPS_PROXY": "s", "ALL_PROXY": "a"}, "s"),
        ("https://a.test/", {"ALL_PROXY": "a"}, "a"),
        ("http://a.test/", {"http_proxy": "http://[fd00::1]:3128"}, "[fd00::1]"),
        ("http://a.test/", {"http_proxy": " "}, None),
        ("http://a.test/", {}, None),
    ],
)
def test_the_customary_variables_choose_the_proxy(
    url: str, environment: dict[str, str], host: str | None
) -> None:
    proxy = chosen(url, **environment)
    assert (proxy.host if proxy else None) == host


@pytest.mark.parametrize(
    ("no_proxy", "url", "is_direct"),
    [
        ("*", "http://a.test/", True),
        ("a.test", "http://a.test/", True),
        ("a.test", "http://A.test./", True),
        ("A.TEST", "http://a.test/", True),
        (".a.test", "http://x.a.test/", True),
        ("*.a.test", "http://x.a.test/", True),
        ("a.test", "http://x.a.test/", True),
        ("a.test", "http://ba.test/", False),
        ("a.test", "http://a.test.evil/", False),
        ("b.test, a.test", "http://a.test/", True),
        ("b.test a.test", "http://a.test/", True),
        ("a.test:8080", "http://a.test:8080/", True),
        ("a.test:8080", "http://a.test/", False),
        ("10.0.0.0/8", "http://10.1.2.3/", True),
        ("10.0.0.0/8", "http://11.1.2.3/", False),
        ("10.1.2.3", "http://10.1.2.3/", True),
        ("10.1.2.3:80", "http://10.1.2.3/", True),
        ("fd00::1", "http://[fd00::1]/", True),
        ("[fd00::1]:80", "http://[fd00::1]/", True),
        ("fd00::/8", "http://[fd00::1]/", True),
        ("a.test", "http://10.1.2.3/", False),
        (".", "http://a.test/", False),
        ("", "http://a.test/", False),
        (":80", "http://a.test/", False),
    ],
)
def test_no_proxy_excepts_names_addresses_and_networks(
    no_proxy: str, url: str, is_direct: bool
) -> None:
    found = chosen(url, http_proxy="http://p.test", NO_PROXY=no_proxy)
    assert (found is None) is is_direct


@pytest.mark.parametrize(
    "value", ["ftp://p.test", "http://", "http://[::1", "http://p.test:x", "://"]
)
def test_a_variable_that_names_no_proxy_is_refused_without_its_value(
    value: str,
) -> None:
    with pytest.raises(ExecutionFailedError, match="HTTP_PROXY") as caught:
        chosen("http://a.test/", http_proxy=value)
    assert value not in str(caught.value)


def test_a_password_is_in_no_description_of_a_proxy() -> None:
    proxy = chosen("http://a.test/", http_proxy="http://u:hush@p.test")
    assert proxy is not None
    assert proxy.credentials == ("u", "hush")
    assert "hush" not in repr(proxy)
