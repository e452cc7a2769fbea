"""Who is let in over HTTP: Host, Origin, token. Each rule with what it turns away."""

from typing import Any

import pytest

from sparknb.core.errors import InvalidInputError
from sparknb.mcp.admission import Admission, require_token
from sparknb.mcp.endpoint import parse_endpoint

TOKEN = "tok-9fA3_kQ7.zX1~mB5vW8y"
LOCAL = "127.0.0.1:8765"


def status(
    *headers: tuple[str, str],
    place: str = LOCAL,
    token: str | None = None,
    path: str = "/mcp",
    method: str = "POST",
) -> int | None:
    """Give the status of the refusal of a request with these headers."""
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
    scope: Any = {"headers": raw, "path": path, "method": method}
    found = Admission(parse_endpoint(place), token).refusal(scope)
    return None if found is None else found.status


# ------------------------------------------------------------------------- Host
@pytest.mark.parametrize(
    ("place", "host"),
    [
        (LOCAL, LOCAL),
        (LOCAL, "localhost:8765"),
        (LOCAL, "LocalHost:8765"),
        ("localhost:8765", LOCAL),
        ("[::1]:8765", "[::1]:8765"),
        ("[::1]:8765", "localhost:8765"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("127.0.0.1:80", "localhost:80"),
    ],
)
def test_our_own_names_are_let_in(place: str, host: str) -> None:
    assert status(("Host", host), place=place) is None


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:8765",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:80",
        "127.0.0.1:8765.evil.example",
        "127.0.0.1.nip.io:8765",
        "localhost.evil.example:8765",
        "localhost.:8765",
        "evil.localhost:8765",
        "127.0.0.2:8765",
        "127.1:8765",
        "0x7f000001:8765",
        "0.0.0.0:8765",
        "[::1]:8765",
        "[::ffff:127.0.0.1]:8765",
        "me@127.0.0.1:8765",
        "127.0.0.1:8765 ",
        "127.0.0.1:8765, evil.example",
        "127.0.0.1:08765",
        "ⅼocalhost:8765".encode().decode("latin-1"),
    ],
)
def test_a_name_that_only_leads_here_is_turned_away(host: str) -> None:
    assert status(("Host", host)) == 403
    assert status(("Host", host), ("Authorization", f"Bearer {TOKEN}")) == 403


def test_no_host_and_two_hosts_are_turned_away() -> None:
    assert status() == 403
    assert status(("Host", LOCAL), ("Host", LOCAL)) == 403
    assert status(("Host", LOCAL), ("Host", "evil.example")) == 403


def test_a_token_does_not_open_this_machine_to_foreign_names() -> None:
    bearer = ("Authorization", f"Bearer {TOKEN}")
    assert status(("Host", "evil.example:8765"), bearer, token=TOKEN) == 403
    assert status(("Host", LOCAL), bearer, token=TOKEN) is None


# ----------------------------------------------------------------------- Origin
@pytest.mark.parametrize("origin", [f"http://{LOCAL}", "http://localhost:8765"])
def test_a_page_of_our_own_is_let_in(origin: str) -> None:
    assert status(("Host", LOCAL), ("Origin", origin)) is None


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "http://evil.example",
        "http://evil.example:8765",
        f"https://{LOCAL}",
        "http://127.0.0.1",
        "http://127.0.0.1:8888",
        "http://localhost:8888",
        f"http://{LOCAL}.evil.example",
        f"http://{LOCAL}/",
        f"http://evil.example/{LOCAL}",
        LOCAL,
        "file://",
        "vscode-webview://x",
        f"http://{LOCAL} http://evil.example",
    ],
)
def test_a_page_of_anybody_else_is_turned_away(origin: str) -> None:
    assert status(("Host", LOCAL), ("Origin", origin)) == 403


def test_two_origins_are_turned_away() -> None:
    own = ("Origin", f"http://{LOCAL}")
    assert status(("Host", LOCAL), own, own) == 403
    assert status(("Host", LOCAL), own, ("Origin", "null")) == 403


def test_beyond_this_machine_a_page_must_come_from_where_it_asks() -> None:
    base = ("Authorization", f"Bearer {TOKEN}"), ("Host", "tools.example:8765")
    far = {"place": "0.0.0.0:8765", "token": TOKEN}
    assert status(*base, **far) is None
    for origin in ("http://tools.example:8765", "https://tools.example:8765"):
        assert status(*base, ("Origin", origin), **far) is None
    for origin in ("null", "http://evil.example", f"http://{LOCAL}"):
        assert status(*base, ("Origin", origin), **far) == 403


@pytest.mark.parametrize("host", ["", "a b", "a/b", "[::1", "user@x", "x:y", "x, y"])
def test_beyond_this_machine_a_host_must_still_be_one(host: str) -> None:
    bearer = ("Authorization", f"Bearer {TOKEN}")
    assert status(("Host", host), bearer, place="0.0.0.0:8765", token=TOKEN) == 403


# ------------------------------------------------------------------------ token
@pytest.mark.parametrize("given", [f"Bearer {TOKEN}", f"bearer {TOKEN}"])
def test_the_token_is_let_in(given: str) -> None:
    assert status(("Host", LOCAL), ("Authorization", given), token=TOKEN) is None


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Bearer",
        "Bearer ",
        TOKEN,
        f"Basic {TOKEN}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN.upper()}",
        f"Bearer {TOKEN} {TOKEN}",
        f"Bearer {TOKEN}, Bearer {TOKEN}",
        "Bearer \xff\xfe",
        "Bearer " + "x" * 60_000,
    ],
)
def test_anything_but_the_token_is_turned_away_as_unauthorized(given: str) -> None:
    assert status(("Host", LOCAL), ("Authorization", given), token=TOKEN) == 401


def test_no_token_and_two_are_turned_away() -> None:
    right = ("Authorization", f"Bearer {TOKEN}")
    assert status(("Host", LOCAL), token=TOKEN) == 401
    assert status(("Host", LOCAL), right, right, token=TOKEN) == 401


def test_the_token_is_asked_for_before_anything_else_is_told() -> None:
    for path, method in (("/mcp", "POST"), ("/other", "GET"), ("/mcp", "PATCH")):
        found = status(("Host", LOCAL), token=TOKEN, path=path, method=method)
        assert found == 401


def test_a_challenge_says_what_is_wanted_and_nothing_of_the_token() -> None:
    scope: Any = {"headers": [(b"host", LOCAL.encode())], "path": "/", "method": "GET"}
    refusal = Admission(parse_endpoint(LOCAL), TOKEN).refusal(scope)
    assert refusal is not None
    assert dict(refusal.headers)["WWW-Authenticate"] == 'Bearer realm="sparknb"'
    assert TOKEN not in repr(refusal)


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("sh0rt-one", "too short"),
        ("a" * 40, "can be guessed"),
        ("abababababababababababababab", "can be guessed"),
        (f"{TOKEN} {TOKEN}", "letters"),
        (f"{TOKEN}\n", "letters"),
        (f"{TOKEN}\u00e9", "letters"),
        ("=" * 30, "letters"),
    ],
)
def test_a_weak_token_is_refused_with_the_reason_and_never_repeated(
    token: str, said: str
) -> None:
    with pytest.raises(InvalidInputError, match=said) as refused:
        require_token(parse_endpoint(LOCAL), token)
    error = refused.value
    assert error.path == "SPARKNB_MCP_TOKEN"
    assert token not in f"{error!r} {error} {error.hint} {error.to_wire()}"


def test_a_strong_token_is_taken_and_none_is_needed_on_this_machine_only() -> None:
    for place in (LOCAL, "0.0.0.0:1", "[::]:1"):
        require_token(parse_endpoint(place), TOKEN)
    for place in (LOCAL, "[::1]:1", "127.3.2.1:1"):
        require_token(parse_endpoint(place), None)
    for place in ("0.0.0.0:1", "[::]:1", "10.0.0.1:1", "[fe80::1]:1"):
        with pytest.raises(InvalidInputError, match="no token is set"):
            require_token(parse_endpoint(place), None)


# ----------------------------------------------------------------- what is left
@pytest.mark.parametrize("name", ["Mcp-Session-Id", "Content-Type", "Last-Event-Id"])
def test_a_header_with_two_meanings_is_turned_away(name: str) -> None:
    assert status(("Host", LOCAL), (name, "a"), (name, "b")) == 400
    assert status(("Host", LOCAL), (name, "a")) is None


def test_another_path_is_not_found_and_another_method_not_allowed() -> None:
    host = ("Host", LOCAL)
    assert status(host, path="/mcp/") is None
    for path in ("/", "/mcp2", "/MCP", "/mcp/x", "/../mcp"):
        assert status(host, path=path) == 404
    for method in ("GET", "DELETE"):
        assert status(host, method=method) is None
    for method in ("OPTIONS", "HEAD", "PUT", "PATCH", "TRACE", "CONNECT"):
        assert status(host, method=method) == 405
