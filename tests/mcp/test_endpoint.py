"""HOST:PORT: what is an address of this machine, and what is only taken for one."""

import socket

import pytest

from sparknb.core.errors import InvalidInputError
from sparknb.mcp.endpoint import Endpoint, listen, parse_endpoint


@pytest.mark.parametrize(
    ("text", "host", "port", "is_local", "url"),
    [
        ("127.0.0.1:8765", "127.0.0.1", 8765, True, "http://127.0.0.1:8765/mcp"),
        ("127.8.9.1:1", "127.8.9.1", 1, True, "http://127.8.9.1:1/mcp"),
        ("localhost:0", "127.0.0.1", 0, True, "http://127.0.0.1:0/mcp"),
        ("[::1]:65535", "::1", 65535, True, "http://[::1]:65535/mcp"),
        ("[0:0:0:0:0:0:0:1]:9", "::1", 9, True, "http://[::1]:9/mcp"),
        ("0.0.0.0:80", "0.0.0.0", 80, False, "http://127.0.0.1:80/mcp"),  # noqa: S104  # read, not bound
        ("[::]:80", "::", 80, False, "http://[::1]:80/mcp"),
        ("192.168.1.7:80", "192.168.1.7", 80, False, "http://192.168.1.7:80/mcp"),
    ],
)
def test_an_address_and_a_port_are_read(
    text: str, host: str, port: int, is_local: bool, url: str
) -> None:
    found = parse_endpoint(text)
    assert found == Endpoint(host=host, port=port, is_local=is_local)
    assert found.url == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "8765",
        ":8765",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:-1",
        "127.0.0.1:+1",
        "127.0.0.1:65536",
        "127.0.0.1:123456789012345678901234567890",
        "127.0.0.1:१२",
        "127.0.0.1:80\n",
        " 127.0.0.1:80",
        "http://127.0.0.1:80",
        "127.1:80",
        "0x7f.1:80",
        "2130706433:80",
        "127.0.0.01:80",
        "localhost.:80",
        "LOCALHOST:80",
        "localhost.example.com:80",
        "example.com:80",
        "::1:80",
        "::1",
        "[::1]",
        "[]:80",
        "[::1%lo]:80",
        "[::ffff:127.0.0.1]:80",
        "[127.0.0.1]:80",
        "me@127.0.0.1:80",
        "x" * 100_000,
    ],
)
def test_whatever_else_is_refused_without_asking_a_name_server(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: object) -> None:
        raise AssertionError("a name was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", asked)
    with pytest.raises(InvalidInputError) as refused:
        parse_endpoint(text)
    assert refused.value.path == "--http"
    assert refused.value.hint
    assert len(refused.value.message) < 200


def test_port_0_takes_a_free_one_and_tells_which() -> None:
    listener, endpoint = listen(parse_endpoint("127.0.0.1:0"))
    with listener:
        assert endpoint.port == listener.getsockname()[1] != 0


def test_a_taken_port_is_told_and_the_next_start_after_its_end_works() -> None:
    listener, endpoint = listen(parse_endpoint("127.0.0.1:0"))
    with listener, pytest.raises(InvalidInputError, match="is taken"):
        listen(endpoint)
    again, _ = listen(endpoint)
    again.close()


def test_an_address_of_another_machine_is_told() -> None:
    with pytest.raises(InvalidInputError, match=r"does not have the address 192\.0\.2"):
        listen(parse_endpoint("192.0.2.1:0"))


def test_a_port_that_the_system_keeps_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def bind(*_: object) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(socket.socket, "bind", bind)
    with pytest.raises(InvalidInputError, match="does not let you listen on port 80"):
        listen(parse_endpoint("127.0.0.1:80"))


def test_answers_are_sent_at_once() -> None:
    """asyncio turns Nagle's algorithm off only where TCP is named."""
    listener, _ = listen(parse_endpoint("127.0.0.1:0"))
    with listener:
        assert listener.proto == socket.IPPROTO_TCP
