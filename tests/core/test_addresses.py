from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.addresses import (
    is_loopback,
    is_metadata,
    is_metadata_name,
    is_numeric_name,
    is_private,
    parse_address,
)

ANY = "0.0.0.0"  # noqa: S104  # judged here, never listened on


@pytest.mark.parametrize(
    ("host", "meant"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("127.0.1", "127.0.0.1"),
        ("127.65535", "127.0.255.255"),
        ("0x7f.1", "127.0.0.1"),
        ("0X7F.0x0.0x0.0x1", "127.0.0.1"),
        ("0177.0.0.01", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("0", ANY),
        ("0x", ANY),
        ("4294967295", "255.255.255.255"),
        ("0251.254.0xa9.254", "169.254.169.254"),
        ("[::1]", "::1"),
        ("::1", "::1"),
        ("[::ffff:7f00:1]", "::ffff:7f00:1"),
        ("[fe80::1%eth0]", "fe80::1%eth0"),
    ],
)
def test_a_host_of_numbers_means_the_address_that_would_be_connected_to(
    host: str, meant: str
) -> None:
    assert parse_address(host) == ip_address(meant)


@pytest.mark.parametrize(
    "host",
    [
        "",
        ".",
        "api.test",
        "10.0.0.1.example.com",
        "1.2.3.4.5",
        "256.1.1.1",
        "1.2.3.256",
        "1.2.65536",
        "1.16777216",
        "4294967296",
        "1" * 5000,
        "0x1ffffffff",
        "08.1.1.1",
        "1.1.1.09",
        "1..1",
        "-1",
        "0y1",
        "１２７.0.0.1",
        "[:::]",
        "[1.2.3.4:5]",
    ],
)
def test_anything_else_is_a_name(host: str) -> None:
    assert parse_address(host) is None


@pytest.mark.parametrize("host", ["1.2.3.4.5", "256.1.1.1", "a.0x1", "a.1.", "08"])
def test_a_name_that_ends_in_a_number_is_told_apart(host: str) -> None:
    assert is_numeric_name(host)


@pytest.mark.parametrize("host", ["a.1b", "a", "1.2.3.4.example", "0xg", ""])
def test_a_name_that_does_not_end_in_a_number_is_a_plain_name(host: str) -> None:
    assert not is_numeric_name(host)


@pytest.mark.parametrize(
    ("first", "last", "outside"),
    [
        (ANY, "0.255.255.255", "1.0.0.0"),
        ("10.0.0.0", "10.255.255.255", "11.0.0.0"),
        ("100.64.0.0", "100.127.255.255", "100.128.0.0"),
        ("127.0.0.0", "127.255.255.255", "128.0.0.0"),
        ("169.254.0.0", "169.254.255.255", "169.255.0.0"),
        ("172.16.0.0", "172.31.255.255", "172.32.0.0"),
        ("192.0.0.0", "192.0.0.255", "192.0.1.0"),
        ("192.0.2.0", "192.0.2.255", "192.0.3.0"),
        ("192.88.99.0", "192.88.99.255", "192.88.100.0"),
        ("192.168.0.0", "192.168.255.255", "192.169.0.0"),
        ("198.18.0.0", "198.19.255.255", "198.20.0.0"),
        ("198.51.100.0", "198.51.100.255", "198.51.101.0"),
        ("203.0.113.0", "203.0.113.255", "203.0.114.0"),
        ("224.0.0.0", "239.255.255.255", "223.255.255.255"),
        ("240.0.0.0", "255.255.255.255", "8.8.8.8"),
        ("::", "::1", "2606:4700::1"),
        ("::ffff:0:0", "::ffff:ffff:ffff", "::1:0:0:0"),
        ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "64:ff9b:2::"),
        ("100::", "100::ffff:ffff:ffff:ffff", "100:0:0:1::"),
        ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fbff::"),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fec0::"),
        ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "feff::"),
    ],
)
def test_private_networks_are_known_to_their_borders(
    first: str, last: str, outside: str
) -> None:
    assert is_private(ip_address(first))
    assert is_private(ip_address(last))
    assert not is_private(ip_address(outside))


@pytest.mark.parametrize(
    "text",
    [
        "::10.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "2002:a00:1::",
        "fe80::1%3",
    ],
)
def test_a_private_address_inside_another_is_found(text: str) -> None:
    assert is_private(ip_address(text))


def test_a_public_address_inside_another_is_public() -> None:
    assert not is_private(ip_address("64:ff9b::8.8.8.8"))


@pytest.mark.parametrize(
    "text",
    [
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
        "::ffff:169.254.169.254",
        "::169.254.169.254",
        "64:ff9b::169.254.169.254",
        "2002:a9fe:a9fe::1",
        "fd00:ec2::254%1",
    ],
)
def test_metadata_addresses_are_found_in_every_wrapping(text: str) -> None:
    assert is_metadata(ip_address(text))


def test_neighbours_of_metadata_addresses_are_none() -> None:
    assert not is_metadata(ip_address("169.254.169.253"))
    assert not is_metadata(ip_address("fd00:ec2::255"))


def test_metadata_names_are_known_in_any_case_and_with_a_dot() -> None:
    for name in (
        "metadata",
        "METADATA.google.internal.",
        "metadata.goog",
        "Instance-Data",
        "instance-data.ec2.internal..",
    ):
        assert is_metadata_name(name)
    assert not is_metadata_name("metadata.example")


def test_loopback_is_what_leads_to_this_machine() -> None:
    for text in ("127.0.0.1", "127.9.9.9", ANY, "::1", "::", "::ffff:127.0.0.1"):
        assert is_loopback(ip_address(text))
    for text in ("10.0.0.1", "fe80::1", "::ffff:10.0.0.1"):
        assert not is_loopback(ip_address(text))


@given(st.ip_addresses(v=4))
def test_every_spelling_of_an_ipv4_address_means_it(address: object) -> None:
    number = int(address)  # type: ignore[call-overload]  # the strategy is untyped
    for spelling in (str(address), str(number), hex(number), f"0{number:o}"):
        assert parse_address(spelling) == address


@given(st.text(alphabet="0123456789abcdefxX.:[]%-", max_size=20))
def test_no_host_breaks_the_reader(host: str) -> None:
    address = parse_address(host)
    if address is not None:
        assert is_private(address) in {True, False}
