"""What comes over HTTP and is no request of a client: refused, bounded, harmless."""

import asyncio
import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp_types import INVALID_REQUEST, PARSE_ERROR

from sparknb.core.errors import InvalidInputError
from sparknb.examples import ExampleService
from tests.mcp.agents import MODES, Mode, open_shop, run, served
from tests.mcp.posts import ACCEPT, GREETING, by_hand, legacy, opened

TOKEN = "tok-9fA3_kQ7.zX1~mB5vW8y"
HELLO = legacy(0, "initialize", **GREETING)
MODERN = {**ACCEPT, "MCP-Protocol-Version": "2026-07-28"}


async def raw(url: str, *data: bytes, close: bool = True) -> bytes:
    """Send bytes, give all that comes until the server closes."""
    host, port = url.removeprefix("http://").removesuffix("/mcp").rsplit(":", 1)
    reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    try:
        for piece in data:
            writer.write(piece)
            await writer.drain()
        if close:
            writer.write_eof()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


def head(url: str, *lines: str, method: str = "POST") -> bytes:
    authority = url.removeprefix("http://").removesuffix("/mcp")
    own = [f"{method} /mcp HTTP/1.1", f"Host: {authority}"]
    return "\r\n".join([*own, *lines, "", ""]).encode("latin-1")


# --------------------------------------------------------------- who may come in
def test_a_page_that_rebound_its_name_reaches_nothing(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            rebound = {"Host": "evil.example:80"}
            foreign = {"Origin": "http://evil.example"}
            for added in (rebound, foreign, {"Origin": "null"}):
                for kind in (ACCEPT, MODERN):
                    answer = await client.post(
                        "", json=HELLO, headers={**kind, **added}
                    )
                    assert answer.status_code == 403
                    assert answer.json()["error"]["code"] == INVALID_REQUEST
                    assert "evil" not in answer.text
                assert (await client.get("", headers=added)).status_code == 403
                preflight = await client.options("", headers=added)
                assert preflight.status_code == 403
                assert "access-control-allow-origin" not in preflight.headers
            port = url.rsplit(":", 1)[1]
            own = {"Host": f"localhost:{port}".removesuffix("/mcp")}
            fine = await client.post("", json=HELLO, headers={**ACCEPT, **own})
            assert fine.status_code == 200

    run(test())


def test_requests_without_a_host_or_with_two_reach_nothing(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            none = await raw(url, b"POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
            assert none.startswith(b"HTTP/1.1 400 ")
            old = await raw(url, b"GET /mcp HTTP/1.0\r\n\r\n")
            assert old.split(b" ", 2)[1] == b"403"
            two = await raw(url, head(url, "Host: evil.example", method="GET"))
            assert two.startswith(b"HTTP/1.1 400 ")
            absolute = f"GET http://evil.example/mcp HTTP/1.1\r\n{'Host: evil.example'}"
            proxy = await raw(url, f"{absolute}\r\n\r\n".encode())
            assert proxy.startswith(b"HTTP/1.1 403 ")

    run(test())


@pytest.mark.parametrize("mode", MODES)
def test_with_a_token_every_request_needs_it(
    mode: Mode,
    example_service: ExampleService,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path, SPARKNB_MCP_TOKEN=TOKEN) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            bearer = {"Authorization": f"Bearer {TOKEN}"}
            kind = ACCEPT if mode == "legacy" else MODERN
            for given in ({}, {"Authorization": f"Bearer {TOKEN}x"}):
                answer = await client.post("", json=HELLO, headers={**kind, **given})
                assert answer.status_code == 401
                assert answer.headers["www-authenticate"].startswith("Bearer ")
                assert TOKEN not in answer.text + repr(answer.headers)
            in_query = await client.post(
                f"?access_token={TOKEN}", json=HELLO, headers=kind
            )
            assert in_query.status_code == 401
            async with (
                httpx.AsyncClient(headers=bearer, base_url=url) as known,
            ):
                session = await opened(known)
                listing = legacy(1, "tools/list")
                stolen = await client.post("", json=listing, headers=session)
                assert stolen.status_code == 401  # the session alone opens nothing
                assert (await client.get("", headers=session)).status_code == 401
                assert (await client.delete("", headers=session)).status_code == 401
                there = await known.post("", json=listing, headers=session)
                assert there.status_code == 200
            rows = repr(await shop.host.traces.list())
            assert TOKEN not in rows + repr(shop.host.settings)

    run(test())
    logged = "\n".join(
        r.getMessage() for r in caplog.records if not r.name.startswith("http")
    )
    assert TOKEN not in logged  # httpx is the client here, and no part of the server


def test_a_client_with_the_token_is_served(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        async with (
            open_shop(example_service, tmp_path, SPARKNB_MCP_TOKEN=TOKEN) as shop,
            served(shop) as url,
        ):
            bearer = {"Authorization": f"Bearer {TOKEN}"}
            async with create_mcp_http_client(headers=bearer) as sender:
                transport = streamable_http_client(url, http_client=sender)
                async with Client(transport) as client:
                    assert len((await client.list_tools()).tools) == 2

    run(test())


@pytest.mark.parametrize(
    ("place", "token", "said"),
    [
        ("0.0.0.0:0", None, "no token is set"),  # refused
        ("[::]:0", None, "no token is set"),
        ("0.0.0.0:0", "weak", "too short"),  # refused
        ("127.0.0.1:0", "weak", "too short"),
    ],
)
def test_a_server_without_a_sound_token_does_not_begin(
    place: str,
    token: str | None,
    said: str,
    example_service: ExampleService,
    tmp_path: Path,
) -> None:
    async def test() -> None:
        given = {} if token is None else {"SPARKNB_MCP_TOKEN": token}
        async with open_shop(example_service, tmp_path, **given) as shop:
            with pytest.raises(InvalidInputError, match=said):
                async with served(shop, place):
                    pytest.fail("it listens")

    run(test())


def test_with_a_token_it_listens_everywhere_and_over_ipv6(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        variables = {"SPARKNB_MCP_TOKEN": TOKEN}
        async with open_shop(example_service, tmp_path, **variables) as shop:
            bearer = {**ACCEPT, "Authorization": f"Bearer {TOKEN}"}
            for place in ("0.0.0.0:0", "[::1]:0"):  # with a token
                async with served(shop, place) as url, by_hand(url) as client:
                    answer = await client.post("", json=HELLO, headers=bearer)
                    assert answer.status_code == 200

    run(test())


# ------------------------------------------------------------- what is no request
BODIES = [
    b"",
    b"hello?",
    b"\x00\xff\xfe" * 50,
    b"null",
    b"7",
    b'"text"',
    b"[]",
    b"{}",
    json.dumps([HELLO, legacy(1, "tools/list")]).encode(),
    b'{"jsonrpc": "2.0"',
    b'{"jsonrpc": "1.0", "id": 1, "method": "initialize"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
    b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "initialize"}',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"9" * 100_000,
]


@pytest.mark.parametrize("mode", MODES)
def test_whatever_is_posted_is_answered_and_the_next_request_is_served(
    mode: Mode, example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            session = await opened(client)
            plain = {"Content-Type": "application/json"}
            kinds = [{**session, **plain}, {**ACCEPT, **plain}]
            if mode == "auto":
                kinds = [{**MODERN, **plain}]
            for headers in kinds:
                for body in BODIES:
                    answer = await client.post("", content=body, headers=headers)
                    # 2025 knows notifications only by the lack of a sound id.
                    is_news = b'"id": {"a"' in body and headers == kinds[0]
                    told = mode == "legacy" and is_news
                    least = 202 if told else 400
                    assert least <= answer.status_code < 500, body[:40]
                    assert "Traceback" not in answer.text
            listing = legacy(1, "tools/list")
            fine = await client.post("", json=listing, headers=session)
            assert fine.status_code == 200

    run(test())


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": ""},
        {"Accept": "text/html"},
        {"Accept": ""},
    ],
)
def test_the_kinds_that_a_form_can_send_or_a_page_can_read_are_refused(
    headers: dict[str, str], example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            body = json.dumps(HELLO).encode()
            sent = {"Content-Type": "application/json", **ACCEPT, **headers}
            answer = await client.post("", content=body, headers=sent)
            assert 400 <= answer.status_code < 500
            assert "mcp-session-id" not in answer.headers or answer.status_code != 200

    run(test())


def test_a_body_above_the_limit_is_refused_without_being_kept(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            said = await raw(url, head(url, "Content-Length: 4194305"))
            assert said.startswith(b"HTTP/1.1 413 ")
            chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
            grown = await raw(
                url, head(url, "Transfer-Encoding: chunked"), *[chunk] * 80
            )
            assert grown == b"" or grown.startswith(b"HTTP/1.1 413 ")
            absurd = await raw(url, head(url, f"Content-Length: {'9' * 19}"))
            assert absurd.startswith(b"HTTP/1.1 413 ")
            async with by_hand(url) as client:
                await opened(client)
                large = legacy(1, "tools/list", _meta={"x": "y" * 4_000_000})
                fits = await client.post("", json=large, headers=ACCEPT)
                assert (
                    fits.status_code == 400
                )  # read, and then found to name no session

    run(test())


def test_a_head_above_the_limit_is_refused(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            for lines in (["X: " + "y" * 200_000], ["X: y"] * 20_000):
                answer = await raw(url, head(url, *lines, method="GET"))
                assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
            garbage = await raw(url, b"\x16\x03\x01" + b"\x00" * 300)
            assert garbage.startswith(b"HTTP/1.1 400 ")

    run(test())


def test_a_client_that_never_finishes_is_closed_and_holds_nobody_up(
    example_service: ExampleService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparknb.mcp.http._HEAD_SECONDS", 0.2)
    monkeypatch.setattr("sparknb.mcp.exchange.BODY_SECONDS", 0.2)

    async def test() -> None:
        async with open_shop(example_service, tmp_path) as shop, served(shop) as url:
            async with by_hand(url) as client:
                silent = raw(url, close=False)
                half = raw(url, b"POST /mcp HTTP/1.1\r\nHost: 1", close=False)
                slow = raw(url, head(url, "Content-Length: 9"), b"{", close=False)
                waiting = asyncio.gather(silent, half, slow)
                await opened(client)
                nothing, cut, late = await waiting
            assert (nothing, cut) == (b"", b"")
            assert late.startswith(b"HTTP/1.1 408 ")

    run(test())


def test_a_request_under_way_is_no_idle_connection(
    example_service: ExampleService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of the test above: who waits for an answer is not closed."""
    monkeypatch.setattr("sparknb.mcp.http._HEAD_SECONDS", 0.05)

    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            tool: Any = {
                "id": "nap",
                "title": "Nap",
                "description": "Waits for half a second, then answers.",
                "type": "http",
                "inputSchema": {"type": "object", "properties": {}},
                "spec": {
                    "request": {
                        "method": "GET",
                        "urlTemplate": f"{example_service.url}/slow?ms=500",
                    },
                    "response": {"format": "json"},
                },
            }
            await shop.publish(tool)
            session = await opened(client)
            body = legacy(1, "tools/call", name="custom_nap", arguments={})
            answer = await client.post("", json=body, headers=session)
            assert '"isError":false' in answer.text

    run(test())


def test_only_one_request_of_a_session_hears_the_news(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            session = await opened(client)
            async with client.stream("GET", "", headers=session) as stream:
                assert stream.status_code == 200
                assert (await client.get("", headers=session)).status_code == 409
            assert (await client.get("", headers=MODERN)).status_code == 405
            assert (await client.delete("", headers=MODERN)).status_code == 405

    run(test())


def test_an_unparsable_line_is_a_parse_error_for_both_ages(
    example_service: ExampleService, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            open_shop(example_service, tmp_path) as shop,
            served(shop) as url,
            by_hand(url) as client,
        ):
            for kind in (ACCEPT, MODERN):
                headers = {**kind, "Content-Type": "application/json"}
                answer = await client.post("", content=b"{", headers=headers)
                assert answer.json()["error"]["code"] == PARSE_ERROR

    run(test())
