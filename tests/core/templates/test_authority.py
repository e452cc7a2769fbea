"""Hosts and ports have one reading, or they are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.templates.authority import parse_authority


@pytest.mark.parametrize(
    ("scheme", "text", "host", "origin", "prefix"),
    [
        ("https", "api.test", "api.test", "https://api.test:443", "https://api.test"),
        ("http", "API.Test:80", "api.test", "http://api.test:80", "http://api.test"),
        ("http", "a:443", "a", "http://a:443", "http://a:443"),
        ("http", "a:0080", "a", "http://a:80", "http://a"),
        ("http", "a:65535", "a", "http://a:65535", "http://a:65535"),
        ("http", "a.test.", "a.test.", "http://a.test.:80", "http://a.test."),
        ("http", "my_db-1", "my_db-1", "http://my_db-1:80", "http://my_db-1"),
        ("http", "2130706433", "2130706433", "http://2130706433:80", None),
        ("http", "0x7f.1", "0x7f.1", "http://0x7f.1:80", None),
        ("http", "[::1]:8080", "[::1]", "http://[::1]:8080", "http://[::1]:8080"),
        (
            "https",
            "[2001:DB8::0:1]",
            "[2001:db8::1]",
            "https://[2001:db8::1]:443",
            None,
        ),
        ("http", "①②⑦.⓪.⓪.①", "127.0.0.1", "http://127.0.0.1:80", None),
        ("http", "１２７.0.0.1", "127.0.0.1", "http://127.0.0.1:80", None),
        (
            "http",
            "Bücher.test",
            "xn--bcher-kva.test",
            "http://xn--bcher-kva.test:80",
            None,
        ),
        ("http", "a。test", "a.test", "http://a.test:80", None),
    ],
)
def test_a_good_authority_is_normalised(
    scheme: str, text: str, host: str, origin: str, prefix: str | None
) -> None:
    authority, problems = parse_authority(scheme, text)

    assert problems == []
    assert authority is not None
    assert (authority.host, authority.origin) == (host, origin)
    assert prefix is None or authority.prefix == prefix


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":80",
        "u@h",
        "u:p@h",
        "@h",
        "h:",
        "h:x",
        "h:80:80",
        "h:-1",
        "h:+80",
        "h:８０",
        "h:000080",
        "h:0",
        "h:65536",
        "[::1",
        "::1",
        "[]",
        "[::1]x",
        "[::1]]",
        "[fe80::1%25eth0]",
        "[fe80::1%eth0]",
        "[v1.x]",
        "[127.0.0.1]",
        "127.0.0.1%00.example.com",
        "%61.test",
        "a..b",
        ".a",
        ".",
        "a..",
        "a b",
        "a;b",
        "a,b",
        "a{b}",
        "a\\b",
        "a\nb",
        "a／b",
        "a＠b",
        "a％00b",
        "a：80",
        "℀.test",
        "💩.test",
        "\u202e.test",
        "\ud800.test",
        "é" * 300,
        "a" * 64,
        ".".join(["a" * 60] * 5),
    ],
)
def test_a_doubtful_authority_is_refused(text: str) -> None:
    authority, problems = parse_authority("http", text)

    assert authority is None
    assert {p.code for p in problems} == {"INVALID_TEMPLATE"}
    assert all(p.strict for p in problems)


def test_host_and_port_are_both_told() -> None:
    assert len(parse_authority("http", "a..b:0")[1]) == 2


@given(st.text(max_size=40) | st.text(alphabet="[]:@%.aé0１。x-", max_size=30))
def test_whatever_passes_is_plain_ascii_without_delimiters(text: str) -> None:
    authority, problems = parse_authority("https", text)

    assert (authority is None) == bool(problems)
    if authority is not None:
        bare = authority.host.strip("[]")
        assert authority.origin.isascii()
        assert not set(bare) & set("@/?#\\%[] \t\r\n\0")
        again, _ = parse_authority("https", authority.origin.removeprefix("https://"))
        assert again == authority
