import asyncio
from dataclasses import replace

import pytest

from sparknb.core.definitions import FormBody, FormField, Header, JsonBody
from sparknb.core.errors import DeniedError, HttpStatusError
from sparknb.runtimes.redirects import Outgoing, next_hop
from sparknb.runtimes.targets import Target, parse_target, redirect_target
from tests.runtimes.wire import (
    Names,
    Peer,
    Seen,
    http_tool,
    reply,
    run,
    runtime,
    tls_pair,
)

KEY = Header(name="X-Api-Key", secret="key")


def moved(to: str | bytes, status: str = "302 Found") -> bytes:
    location = to.decode("latin-1") if isinstance(to, bytes) else to
    return reply(b"elsewhere", status, f"Location: {location}")


def target(url: str) -> Target:
    found = parse_target(url)
    assert found is not None
    return found


# ---------------------------------------------------------------- over the wire
def test_a_redirect_is_followed_within_its_origin_with_all_headers() -> None:
    async def main() -> None:
        async with Peer([moved("/b?x=1#part"), reply("there")]) as peer:
            tool = http_tool(peer.url("/a"), headers=[KEY])
            outcome = await run(tool, secrets={"key": "hush-hush"})
        assert outcome.text == "there"
        assert [seen.target for seen in peer.seen] == ["/a", "/b?x=1"]
        assert peer.seen[1].headers["x-api-key"] == "hush-hush"

    asyncio.run(main())


def test_credentials_are_dropped_for_good_when_the_origin_changes() -> None:
    async def main() -> None:
        async with Peer() as first, Peer([moved(first.url("/home"))]) as second:
            first.answers = [moved(second.url("/away")), reply("done")]
            headers = [
                KEY,
                Header(name="Authorization", secret="auth"),
                Header(name="Cookie", value_template="a=b"),
                Header(name="Proxy-Authorization", value_template="x"),
                Header(name="X-Plain", value_template="stays"),
            ]
            tool = http_tool(first.url("/start"), headers=headers)
            outcome = await run(tool, secrets={"key": "hush-hush", "auth": "psst"})
        assert outcome.text == "done"
        secret = {"x-api-key", "authorization", "cookie", "proxy-authorization"}
        assert secret <= first.seen[0].headers.keys()
        for seen in (second.seen[0], first.seen[1]):
            assert not secret & seen.headers.keys()
            assert seen.headers["x-plain"] == "stays"
        assert first.seen[1].target == "/home"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("method", "status", "becomes"),
    [
        ("POST", "303 See Other", "GET"),
        ("POST", "301 Moved Permanently", "GET"),
        ("POST", "302 Found", "GET"),
        ("POST", "307 Temporary Redirect", "POST"),
        ("POST", "308 Permanent Redirect", "POST"),
        ("PUT", "303 See Other", "GET"),
        ("PUT", "302 Found", "PUT"),
        ("PATCH", "301 Moved Permanently", "PATCH"),
        ("DELETE", "302 Found", "DELETE"),
        ("DELETE", "303 See Other", "GET"),
        ("GET", "303 See Other", "GET"),
    ],
)
def test_method_and_body_follow_the_status(
    method: str, status: str, becomes: str
) -> None:
    async def main() -> None:
        async with Peer([moved("/next", status), reply("done")]) as peer:
            headers = [Header(name="Content-Language", value_template="en")]
            body = FormBody((FormField("a", "1"),))
            await run(http_tool(peer.url(), method, headers=headers, body=body))
        first, second = peer.seen
        assert second.method == becomes
        sends = becomes not in {"GET", "DELETE"}
        assert second.body == (b"a=1" if sends else b"")
        assert ("content-type" in second.headers) is sends
        # what described the body goes with it, and only then
        stays = status[:3] in {"307", "308"} or (
            status[:3] in {"301", "302"} and method != "POST"
        )
        assert ("content-language" in second.headers) is stays
        assert first.method == method

    asyncio.run(main())


def test_ten_redirects_are_followed_and_an_eleventh_is_an_error() -> None:
    def step(seen: Seen) -> bytes:
        left = int(seen.target.removeprefix("/"))
        return moved(f"/{left - 1}") if left else reply("end")

    async def main() -> None:
        async with Peer([step]) as peer:
            assert (await run(http_tool(peer.url("/10")))).text == "end"
            assert len(peer.seen) == 11
            with pytest.raises(HttpStatusError, match="more than 10 redirects"):
                await run(http_tool(peer.url("/11")))
            assert len(peer.seen) == 22

    asyncio.run(main())


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest",
        "//169.254.169.254/",
        "http://metadata.google.internal/",
        "http://0xa9fea9fe/",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "gopher://127.0.0.1:6379/_INFO",
        "javascript:alert(1)",
        "data:text/plain,x",
        "http:relative",
        "http://user:pw@127.0.0.1/",
        "http://example.com\\@127.0.0.1/",
        "http://127.0.0.1%00.example.com/",
        "http://[fe80::1%25eth0]/",
        "http://[::1",
        "http://",
        "http:///x",
        "http://127.0.0.1:99999/",
        "http://a b/",
    ],
)
def test_a_redirect_to_where_the_tool_may_not_go_is_denied(location: str) -> None:
    async def main() -> None:
        async with Peer([moved(location)]) as peer:
            with pytest.raises(DeniedError):
                await run(http_tool(peer.url()))
        assert len(peer.seen) == 1

    asyncio.run(main())


def test_each_hop_is_judged_by_what_its_name_resolves_to() -> None:
    async def main() -> None:
        async with Peer([moved("http://inside.test/")]) as peer:
            names = Names({"inside.test": [["169.254.169.254"]]})
            with pytest.raises(DeniedError, match=r"inside\.test is 169"):
                await run(http_tool(peer.url()), resolve=names)

    asyncio.run(main())


def test_a_secret_never_goes_from_https_to_http() -> None:
    async def main() -> None:
        server, trusting = tls_pair("api.test")
        names = Names({"api.test": [["127.0.0.1"]]})
        async with (
            Peer([reply("plain")]) as plain,
            Peer([moved(plain.url())], tls=server) as secure,
        ):
            used = runtime(resolve=names, make_tls=trusting)
            url = secure.url(host="api.test")
            tool = http_tool(url, headers=[KEY])
            with pytest.raises(DeniedError, match="https to http"):
                await run(tool, secrets={"key": "hush-hush"}, on=used)
            assert plain.connections == 0
            assert (await run(http_tool(url), on=used)).text == "plain"
            await used.close()

    asyncio.run(main())


def test_a_secret_that_was_dropped_still_keeps_the_way_down_shut() -> None:
    ask = Outgoing(
        method="GET",
        target=target("https://a.test/"),
        headers=(("X-Api-Key", "v"), ("X", "y")),
        secret_headers=frozenset({"x-api-key"}),
    )
    away = next_hop(ask, 302, b"https://b.test/")
    assert away is not None
    assert away.headers == (("X", "y"),)
    with pytest.raises(DeniedError):
        next_hop(away, 302, b"http://c.test/")
    harmless = replace(away, secret_headers=frozenset())
    assert next_hop(harmless, 302, b"http://c.test/") is not None


def test_what_is_no_redirect_ends_the_journey() -> None:
    ask = Outgoing(method="GET", target=target("http://a.test/"))
    for status in (200, 201, 300, 304, 305, 306, 404):
        assert next_hop(ask, status, b"/x") is None
    assert next_hop(ask, 302, None) is None


def test_a_json_body_survives_a_308_to_another_port() -> None:
    async def main() -> None:
        async with Peer() as other:
            there = moved(other.url("/b"), "308 Permanent Redirect")
            async with Peer([there]) as peer:
                await run(http_tool(peer.url("/a"), "POST", body=JsonBody('{"a":1}')))
        assert other.seen[0].body == b'{"a":1}'
        assert other.seen[0].headers["content-type"] == "application/json"

    asyncio.run(main())


# ------------------------------------------------------------------- Location
BASE = "http://h.test:8080/a/b/c?q=1"


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("d", "http://h.test:8080/a/b/d"),
        ("./d", "http://h.test:8080/a/b/d"),
        ("../d", "http://h.test:8080/a/d"),
        ("../../../../d", "http://h.test:8080/d"),
        ("/d/./e/../f", "http://h.test:8080/d/f"),
        ("?x=2", "http://h.test:8080/a/b/c?x=2"),
        ("", "http://h.test:8080/a/b/c?q=1"),
        ("#part", "http://h.test:8080/a/b/c?q=1"),
        ("  /d  ", "http://h.test:8080/d"),
        ("//other.test", "http://other.test:80/"),
        ("//other.test?x", "http://other.test:80/?x"),
        ("HTTPS://OTHER.test/X", "https://other.test:443/X"),
        ("http://other.test:80/../x", "http://other.test:80/x"),
        ("http://other.test//h/x", "http://other.test:80//h/x"),
        ("//other.test//hx/../y", "http://other.test:80//y"),
        ("/d//e/..", "http://h.test:8080/d//"),
        (".//d/.", "http://h.test:8080/a/b//d/"),
        ("/d/..?x=/../y", "http://h.test:8080/?x=/../y"),
        ("/a b\tc", "http://h.test:8080/a%20b%09c"),
        ("/\\evil.test", "http://h.test:8080/%5Cevil.test"),
        ("/%zz%2f", "http://h.test:8080/%zz%2f"),
        ("/d:e", "http://h.test:8080/d:e"),
        ("http://bücher.test/ü", "http://xn--bcher-kva.test:80/%C3%BC"),
        ("http://１２７.0.0.1/", "http://127.0.0.1:80/"),
    ],
)
def test_a_location_is_resolved_as_the_rfc_says(location: str, url: str) -> None:
    found = redirect_target(target(BASE), location.encode())
    assert f"{found.scheme}://{found.host}:{found.port}{found.path}" == url


def test_bytes_that_are_no_utf_8_are_kept_as_latin_1() -> None:
    assert redirect_target(target(BASE), b"/\xfc").path == "/%C3%BC"


@pytest.mark.parametrize(
    "url", ["ftp://a/", "http:/a", "http://u@a/", "a", "", "http://", "http://a:0/"]
)
def test_what_is_no_http_url_is_no_target(url: str) -> None:
    assert parse_target(url) is None


def test_a_target_shows_neither_its_query_nor_a_default_port() -> None:
    assert target("https://a.test:443/x?token=hush").shown == "https://a.test/x"
    assert target("http://[::1]:8080#x").shown == "http://[::1]:8080/"
    assert target("http://[::1]:8080").authority == "[::1]:8080"
