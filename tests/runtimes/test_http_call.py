import asyncio
import dataclasses
import gzip
import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from sparknb.core.definitions import (
    CodeSpec,
    Extract,
    FormBody,
    FormField,
    Header,
    JsonBody,
    TextBody,
)
from sparknb.core.errors import (
    DeniedError,
    HttpStatusError,
    InvalidInputError,
    InvalidTemplateError,
    SecretMissingError,
    UnreachableError,
    UnsupportedError,
)
from tests.runtimes.wire import Peer, Seen, http_tool, reply, run, runtime

KEY = Header(name="X-Api-Key", secret="key")


# -------------------------------------------------------------- what is sent
def test_a_get_sends_the_rendered_target_and_few_headers() -> None:
    async def main() -> None:
        async with Peer() as peer:
            tool = http_tool(peer.url("/items?q={{q}}"), parameters=["q"])
            outcome = await run(tool, {"q": "a b/é&x=1"})
            assert outcome.status == 200
        (seen,) = peer.seen
        assert seen.method == "GET"
        assert seen.target == "/items?q=a%20b%2F%C3%A9%26x%3D1"
        assert seen.headers == {
            "host": f"127.0.0.1:{peer.port}",
            "user-agent": "sparknb/1.2.3",
            "accept": "*/*",
            "accept-encoding": "gzip, deflate",
        }
        assert outcome.request == {
            "method": "GET",
            "url": peer.url("/items?q=a%20b%2F%C3%A9%26x%3D1"),
            "headers": {
                "User-Agent": "sparknb/1.2.3",
                "Accept": "*/*",
                "Accept-Encoding": "gzip, deflate",
            },
            "body": None,
        }

    asyncio.run(main())


@pytest.mark.parametrize("path", ["/a//b", "/a;b=c,d", "/%7Euser/%2Fa", "/a'(b)*"])
def test_the_target_is_sent_as_written(path: str) -> None:
    async def main() -> None:
        async with Peer() as peer:
            await run(http_tool(peer.url(path)))
        assert peer.seen[0].target == path

    asyncio.run(main())


def test_a_url_without_a_path_asks_for_the_root() -> None:
    async def main() -> None:
        async with Peer() as peer:
            await run(http_tool(peer.url("?x=1#part")))
        assert peer.seen[0].target == "/?x=1"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("body", "sent", "kind"),
    [
        (JsonBody('{"a": "{{q}}"}'), b'{"a":"\xc3\xa9"}', "application/json"),
        (
            FormBody((FormField("a", "{{q}}"),)),
            b"a=%C3%A9",
            "application/x-www-form-urlencoded",
        ),
        (TextBody("text/csv", "a,{{q}}"), "a,é".encode(), "text/csv"),
        (None, b"", None),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_bodies_are_sent_with_their_length_and_type(
    method: str, body: Any, sent: bytes, kind: str | None
) -> None:
    async def main() -> None:
        async with Peer() as peer:
            tool = http_tool(peer.url(), method, body=body, parameters=["q"])
            outcome = await run(tool, {"q": "é"})
        (seen,) = peer.seen
        assert seen.method == method
        assert seen.body == sent
        assert seen.headers["content-length"] == str(len(sent))
        assert seen.headers.get("content-type") == kind
        assert outcome.request is not None
        assert outcome.request["body"] == (sent.decode() if body else None)

    asyncio.run(main())


def test_given_headers_stand_in_place_of_the_usual_ones() -> None:
    async def main() -> None:
        async with Peer() as peer:
            headers = [
                Header(name="user-agent", value_template="mine/1"),
                Header(name="Accept", value_template="text/plain"),
                Header(name="Accept-Encoding", value_template="identity"),
                Header(name="X-Latin", value_template=" {{q}}\t"),
            ]
            await run(
                http_tool(peer.url(), headers=headers, parameters=["q"]), {"q": "é"}
            )
        seen = peer.seen[0].headers
        assert seen["user-agent"] == "mine/1"
        assert seen["accept"] == "text/plain"
        assert seen["accept-encoding"] == "identity"
        assert seen["x-latin"] == "é"

    asyncio.run(main())


def test_a_secret_is_sent_and_shown_nowhere() -> None:
    async def main() -> None:
        async with Peer() as peer:
            tool = http_tool(peer.url(), headers=[KEY])
            used = runtime()
            call = used.prepare(tool, {})
            assert call.secret_names == ("key",)
            assert call.origin == f"http://127.0.0.1:{peer.port}"
            outcome = await call.run({"key": "hush-hush"})
            await used.close()
        assert peer.seen[0].headers["x-api-key"] == "hush-hush"
        assert outcome.request is not None
        assert outcome.request["headers"]["X-Api-Key"] == "[secret]"
        assert "hush" not in repr((call, call.preview, outcome))

    asyncio.run(main())


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "a\0b", "a\tb", "a\x85b", "key—key"])
def test_a_secret_that_no_header_can_hold_is_refused_by_its_name(value: str) -> None:
    async def main() -> None:
        async with Peer() as peer:
            with pytest.raises(InvalidInputError) as caught:
                await run(http_tool(peer.url(), headers=[KEY]), secrets={"key": value})
        assert "'key'" in str(caught.value)
        assert caught.value.path == "secretRefs.key"
        assert value not in str(caught.value)
        assert peer.connections == 0

    asyncio.run(main())


def test_a_missing_secret_stops_the_call() -> None:
    async def main() -> None:
        async with Peer() as peer:
            with pytest.raises(SecretMissingError, match="key"):
                await run(http_tool(peer.url(), headers=[KEY]))
        assert peer.connections == 0

    asyncio.run(main())


# ------------------------------------------------------------------- prepare
def test_the_preview_shows_the_request_and_the_beginning_of_its_body() -> None:
    tool = http_tool(
        "https://api.test/x?a={{q}}",
        "POST",
        body=TextBody("text/plain", "{{q}}" * 3),
        parameters=["q"],
    )
    preview = runtime().prepare(tool, {"q": "é" * 1000}).preview
    assert preview.method == "POST"
    assert preview.url == "https://api.test/x?a=" + "%C3%A9" * 1000
    assert preview.body == "é" * 2000
    assert runtime().prepare(http_tool("https://api.test/"), {}).preview.body is None


def test_a_definition_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    used = runtime()
    tool = http_tool("https://api.test/{{q}}", parameters=["q"])
    used.prepare(tool, {"q": "a"})
    (compiled,) = used._compiled.values()
    used.prepare(tool, {"q": "b"})
    assert list(used._compiled.values()) == [compiled]
    for number in range(300):
        used.prepare(http_tool(f"https://api.test/{number}"), {})
    assert len(used._compiled) <= 256


def test_what_cannot_be_rendered_is_refused_before_anything_is_sent() -> None:
    used = runtime()
    tool = http_tool("https://api.test/{{q}}", parameters=["q"])
    with pytest.raises(InvalidInputError) as caught:
        used.prepare(tool, {"q": ".."})
    assert caught.value.problems[0].path == "input.q"
    with pytest.raises(InvalidTemplateError):
        used.prepare(http_tool("https://api.test/{{nope}}"), {})


def test_other_types_of_tools_are_not_run() -> None:
    spec = CodeSpec(language="python", source="", entry_export="run")
    tool = dataclasses.replace(http_tool("https://api.test/"), spec=spec, type="code")
    with pytest.raises(UnsupportedError, match="code"):
        runtime().prepare(tool, {})


def test_the_guard_judges_the_host_before_anybody_is_asked() -> None:
    with pytest.raises(DeniedError):
        runtime().prepare(http_tool("http://169.254.169.254/"), {})


def test_nothing_heavy_is_loaded_before_the_first_request() -> None:
    heavy = ("httpcore", "h11", "anyio", "ssl", "jsonpath", "re2", "bpe_openai", "idna")
    program = (
        "import sys, sparknb.runtimes.http\n"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() in {"[]", "['ssl']"}  # asyncio may bring ssl


def test_closing_a_runtime_that_sent_nothing_is_fine() -> None:
    asyncio.run(runtime().close())


# ------------------------------------------------------------- what comes back
def test_json_comes_back_as_text_and_value() -> None:
    async def main() -> None:
        async with Peer([reply('{"a":1.10}')]) as peer:
            outcome = await run(http_tool(peer.url(), form="json"))
        assert outcome.text == '```json\n{\n  "a": 1.10\n}\n```'
        assert outcome.data == {"a": 1.1}
        assert outcome.bytes == 10
        assert not outcome.truncated
        assert outcome.status == 200

    asyncio.run(main())


def test_an_empty_answer_is_an_empty_text() -> None:
    async def main() -> None:
        async with Peer([b"HTTP/1.1 204 No Content\r\n\r\n"]) as peer:
            outcome = await run(http_tool(peer.url(), form="json"))
        assert (outcome.text, outcome.data, outcome.bytes) == ("", None, 0)

    asyncio.run(main())


def test_a_body_above_the_cap_is_cut_without_an_error() -> None:
    async def main() -> None:
        for packed in (False, True):
            body = b"x" * 300_000
            headers = ["Content-Encoding: gzip"] if packed else []
            raw = gzip.compress(body) if packed else body
            async with Peer([reply(raw, "200 OK", *headers)]) as peer:
                outcome = await run(http_tool(peer.url()))
            assert outcome.bytes == 262_144
            assert outcome.truncated
            assert outcome.text.startswith("xxx")

    asyncio.run(main())


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("héllo wörld", 5, "héll"),
        ("a😀b", 5, "a😀"),
        ("a😀b", 4, "a"),
        ("日本", 1, ""),
        ("abc", 3, "abc"),
    ],
)
def test_the_cap_never_leaves_half_a_character(
    text: str, limit: int, kept: str
) -> None:
    async def main() -> None:
        async with Peer([reply(text)]) as peer:
            outcome = await run(http_tool(peer.url(), max_size_bytes=limit))
        assert outcome.text == kept
        assert outcome.bytes == len(kept.encode())
        assert outcome.truncated is (len(text.encode()) > limit)

    asyncio.run(main())


def test_a_long_text_comes_whole_with_the_budget_that_the_host_clips_it_to() -> None:
    async def main() -> None:
        text = " ".join(f"w{n}" for n in range(20_000)) + "<|endoftext|>"
        async with Peer([reply(text)]) as peer:
            outcome = await run(http_tool(peer.url()))
        assert (outcome.text, outcome.truncated) == (text, False)
        assert outcome.budget == 8000
        assert outcome.bytes == len(text)

    asyncio.run(main())


def test_the_table_of_an_extraction_comes_back() -> None:
    async def main() -> None:
        body = '{"a":[{"n":"x|y"},{"n":null}],"t":1}'
        async with Peer([reply(body)]) as peer:
            for extract in (
                (Extract("n", "$.a[*].n"), Extract("t", "$.t")),
                (Extract("n", "$..n"), Extract("t", "$..t")),  # works in a thread
            ):
                tool = http_tool(peer.url(), form="markdown-table", extract=extract)
                outcome = await run(tool)
                lines = outcome.text.split("\n")
                assert lines[2:] == ["| x\\|y | 1 |", "|  |  |"]
                assert outcome.data == json.loads(body)

    asyncio.run(main())


def test_a_cancelled_extraction_stops_its_thread() -> None:
    """Cancelling returns at once; the thread notices and ends."""

    async def main() -> None:
        body = json.dumps([[0] * 200 for _ in range(200)])
        extract = (Extract("a", "$..[?$..[?$..[?@ == 1]]]"),)
        async with Peer([reply(body)]) as peer:
            used = runtime()
            call = used.prepare(http_tool(peer.url(), extract=extract), {}).run({})
            task = asyncio.create_task(call)
            while threading.active_count() == 1:  # noqa: ASYNC110  # no event tells it
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await used.close()

    # asyncio.run waits for the threads it started: this ends only if they do
    asyncio.run(main())


def test_errors_of_the_status_carry_the_beginning_of_the_page() -> None:
    async def main() -> None:
        page = "é" * 2000
        async with Peer([reply(page, "404 Not Found")]) as peer:
            with pytest.raises(HttpStatusError) as caught:
                await run(http_tool(peer.url("/a/b?token=hush")))
        message = str(caught.value)
        first, rest = message.split("\n")
        assert first == f"HTTP 404 Not Found from http://127.0.0.1:{peer.port}/a/b"
        assert rest == "é" * 500

    asyncio.run(main())


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        ("500 ", "HTTP 500 Internal Server Error from"),
        ("599 ", "HTTP 599 from"),
        ("418 I'm a\x01 tea\xffpot", "HTTP 418 I'm a teaÿpot from"),
        ("304 Not Modified", "HTTP 304 Not Modified from"),
        ("300 Multiple Choices", "HTTP 300 Multiple Choices from"),
        ("302 Found", "HTTP 302 Found from"),
    ],
)
def test_every_status_outside_2xx_is_an_error(status: str, shown: str) -> None:
    async def main() -> None:
        async with Peer([reply(b"", status)]) as peer:
            with pytest.raises(HttpStatusError) as caught:
                await run(http_tool(peer.url()))
        assert str(caught.value).startswith(shown)

    asyncio.run(main())


def test_a_broken_error_page_does_not_hide_the_status() -> None:
    async def main() -> None:
        answer = reply(b"no gzip", "503 Busy", "Content-Encoding: gzip")
        async with Peer([answer]) as peer:
            with pytest.raises(HttpStatusError, match="HTTP 503 Busy"):
                await run(http_tool(peer.url()))

    asyncio.run(main())


def test_a_broken_success_is_an_error() -> None:
    async def main() -> None:
        async with Peer(
            [reply(b"no gzip", "200 OK", "Content-Encoding: gzip")]
        ) as peer:
            with pytest.raises(UnreachableError, match="cannot be decompressed"):
                await run(http_tool(peer.url()))

    asyncio.run(main())


def test_json_that_grows_when_it_is_indented_is_bounded_all_the_same() -> None:
    async def main() -> None:
        body = "[" * 120 + ",".join("1" * 3000) + "]" * 120
        async with Peer([reply(body)]) as peer:
            outcome = await run(http_tool(peer.url(), form="json"))
        assert outcome.bytes == len(body) < 8000
        assert len(outcome.text) < 10_000_000
        assert outcome.text.endswith("]\n```")

    asyncio.run(main())


def test_an_endless_error_page_is_not_read_to_its_end() -> None:
    async def main() -> None:
        async with Peer([reply(b"x" * 5_000_000, "500 Oops", length=False)]) as peer:
            with pytest.raises(HttpStatusError, match=r"x{500}$"):
                await run(http_tool(peer.url()))

    asyncio.run(main())


def test_cookies_of_an_answer_are_not_kept() -> None:
    async def main() -> None:
        async with Peer([reply("", "200 OK", "Set-Cookie: a=b")]) as peer:
            used = runtime()
            for _ in range(2):
                await run(http_tool(peer.url()), on=used)
            await used.close()
        assert all("cookie" not in seen.headers for seen in peer.seen)
        assert peer.connections == 1

    asyncio.run(main())


def test_a_failed_call_is_not_tried_again() -> None:
    def hang_up(_: Seen) -> bytes:
        return b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\nabc"

    async def main() -> None:
        async with Peer([hang_up]) as peer:
            with pytest.raises(UnreachableError, match="closed before its end"):
                await run(http_tool(peer.url()))
        assert len(peer.seen) == 1

    asyncio.run(main())
