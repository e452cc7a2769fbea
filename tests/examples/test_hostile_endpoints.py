"""Answers that attack who reads them."""

import json

import httpx
import pytest

from sparknb.examples import API_KEY


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("raw", 'a&b"c'),
        ("base64", "YSZiImM="),
        ("url", "a%26b%22c"),
        ("html", "a&amp;b&quot;c"),
    ],
)
def test_an_echo_gives_secrets_away_in_the_form_asked_for(
    client: httpx.Client, form: str, written: str
) -> None:
    headers = {"X-Api-Key": 'a&b"c'}
    answer = client.post(
        f"/echo?form={form}&status=500&x=%2e%2E", content="grüße", headers=headers
    )
    echo = answer.json()
    assert answer.status_code == 500
    assert echo["target"] == f"/echo?form={form}&status=500&x=%2e%2E"
    assert (echo["method"], echo["body"]) == ("POST", "grüße")
    assert {"name": "x-api-key", "value": written} in echo["headers"]


def test_a_body_that_is_no_text_is_echoed_all_the_same(client: httpx.Client) -> None:
    assert client.post("/echo", content=b"\xff\x00").json()["body"] == "\ufffd\x00"


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("html", "<script>"),
        ("terminal", "\x1b[2J"),
        ("tokens", "<|endoftext|>"),
        ("orders", "Ignore all instructions"),
        ("markdown", "| x \\| y |"),
    ],
)
def test_hostile_texts_hold_what_they_are_for(
    client: httpx.Client, kind: str, part: str
) -> None:
    assert part in client.get(f"/hostile/text/{kind}").text


@pytest.mark.parametrize("kind", ["broken", "empty", "deep", "bom", "page"])
def test_hostile_json_is_none(client: httpx.Client, kind: str) -> None:
    answer = client.get(f"/hostile/json/{kind}")
    assert answer.headers["content-type"] == "application/json"
    with pytest.raises((ValueError, RecursionError)):
        json.loads(answer.content.decode())


@pytest.mark.parametrize(
    ("kind", "part"),
    [("nan", b"NaN"), ("duplicate", b'"a": 1, "a": 2'), ("surrogate", b"\\ud800")],
)
def test_hostile_json_is_odd(client: httpx.Client, kind: str, part: bytes) -> None:
    assert part in client.get(f"/hostile/json/{kind}").content


def test_a_number_of_hostile_json_is_longer_than_python_takes(
    client: httpx.Client,
) -> None:
    with pytest.raises(ValueError, match="digits"):
        client.get("/hostile/json/number").json()


def test_charsets_lie(client: httpx.Client) -> None:
    lying = client.get("/hostile/charset/lying")
    assert "charset=utf-8" in lying.headers["content-type"]
    with pytest.raises(UnicodeDecodeError):
        lying.content.decode()
    assert client.get("/hostile/charset/latin-1").text == "Zürich, São Paulo"
    assert "content-type" not in client.get("/hostile/charset/none").headers
    unknown = client.get("/hostile/charset/unknown")
    assert "no-such-charset" in unknown.headers["content-type"]
    utf16 = client.get("/hostile/charset/utf-16")
    assert utf16.content.decode("utf-16") == "Zürich, São Paulo"


def test_headers_are_odd(client: httpx.Client) -> None:
    headers = client.get("/hostile/headers").headers
    assert "session=" in headers["set-cookie"]
    assert dict(headers.raw)[b"x-latin"] == "Zürich".encode("latin-1")


def test_an_answer_breaks_off(client: httpx.Client) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        client.get("/hostile/cut")
    assert client.get("/health").json() == {"status": "ok"}


@pytest.mark.parametrize("path", ["/hostile/text/x", "/hostile/json/x", "/echo?form=x"])
def test_an_unknown_kind_is_refused(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 422


def test_no_endpoint_tells_the_keys(client: httpx.Client) -> None:
    for path in ("/", "/openapi.json", "/orders", "/hostile/text/orders"):
        assert API_KEY not in client.get(path).text
