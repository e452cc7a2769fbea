"""IP addresses that a tool may be kept away from (ST-54 to ST-56).

Pure: nothing here resolves a name.
"""

import re
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
)

__all__ = [
    "Address",
    "is_loopback",
    "is_metadata",
    "is_metadata_name",
    "is_numeric_name",
    "is_private",
    "leads_home",
    "parse_address",
]

Address = IPv4Address | IPv6Address

_PRIVATE_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
_PRIVATE_6 = tuple(
    map(
        IPv6Network,
        (
            "::/128",
            "::1/128",
            "::ffff:0:0/96",
            "64:ff9b:1::/48",
            "100::/64",
            "2001::/23",
            "2001:db8::/32",
            "2002::/16",
            "fc00::/7",
            "fe80::/10",
            "ff00::/8",
        ),
    )
)
_METADATA: frozenset[Address] = frozenset(
    {
        IPv4Address("169.254.169.254"),
        IPv4Address("169.254.170.2"),
        IPv4Address("169.254.170.23"),
        IPv4Address("100.100.100.200"),
        IPv4Address("192.0.0.192"),
        IPv4Address("168.63.129.16"),
        IPv6Address("fd00:ec2::254"),
        IPv6Address("fd00:ec2::23"),
        IPv6Address("fd20:ce::254"),
    }
)
_METADATA_NAMES = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "instance-data",
        "instance-data.ec2.internal",
    }
)

# Where an IPv4 address stands inside an IPv6 one: the network, and the bits behind it.
_MAPPED = IPv6Network("::ffff:0:0/96")
_COMPATIBLE = IPv6Network("::/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")
_EMBEDDINGS = ((_MAPPED, 0), (_COMPATIBLE, 0), (_NAT64, 0), (_6TO4, 80))

_PART = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_MOST_PARTS = 4
_8_BITS = 0xFF
_32_BITS = 0xFFFF_FFFF


def parse_address(host: str) -> Address | None:
    """Read an address as the network would: with brackets, or as numbers.

    Reads what connecting functions of C read: one to four parts, each decimal,
    octal (`0177`) or hexadecimal (`0x7f`), the last filling the rest. A dot at the
    end is passed over. A zone (`fe80::1%eth0`) is kept.

    Returns:
        The address, or None when the host is a name.
    """
    bare = host.removeprefix("[").removesuffix("]")
    if ":" in bare:
        try:
            return IPv6Address(bare)
        except AddressValueError:
            return None
    parts = bare.removesuffix(".").split(".")
    if len(parts) > _MOST_PARTS or not all(map(_PART.fullmatch, parts)):
        return None
    numbers = [_number(part) for part in parts]
    *fronts, last = numbers
    if any(n is None or n > _8_BITS for n in fronts):
        return None
    if last is None or last > _32_BITS >> 8 * len(fronts):
        return None
    shifted = (n << 24 - 8 * i for i, n in enumerate(fronts) if n is not None)
    return IPv4Address(sum(shifted) + last)


def _number(part: str) -> int | None:
    """Give the value of one part, None for an octal number with an 8 or 9."""
    if part[:2] in {"0x", "0X"}:
        return int(part[2:] or "0", 16)
    if len(part) > 1 and part[0] == "0":
        return None if set(part) & {"8", "9"} else int(part, 8)
    return int(part[:20])  # longer ones are above 32 bits anyway


def is_numeric_name(host: str) -> bool:
    """Say whether the last label is a number, which no name of the world ends in."""
    last = host.removesuffix(".").rsplit(".", 1)[-1]
    return _PART.fullmatch(last) is not None


def is_private(address: Address) -> bool:
    """Say whether the address, or one inside it, is on the private list (ST-55)."""
    return any(map(_is_listed, _with_embedded(address)))


def is_metadata(address: Address) -> bool:
    """Say whether the address, or one inside it, answers for a cloud (ST-56)."""
    return any(a in _METADATA for a in _with_embedded(address))


def is_metadata_name(host: str) -> bool:
    """Say whether the host is a known name of a cloud's metadata service."""
    return host.rstrip(".").lower() in _METADATA_NAMES


def is_loopback(address: Address) -> bool:
    """Say whether the address leads to this machine."""
    return any(a.is_loopback or a.is_unspecified for a in _with_embedded(address))


def leads_home(host: str) -> bool:
    """Say whether the host, by its spelling, is this machine."""
    address = parse_address(host)
    if address is not None:
        return is_loopback(address)
    name = host.removesuffix(".")
    return name == "localhost" or name.endswith(".localhost")


def _is_listed(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return any(address in network for network in _PRIVATE_4)
    return any(address in network for network in _PRIVATE_6)


def _with_embedded(address: Address) -> list[Address]:
    """Give the address without its zone, and the IPv4 addresses written inside it."""
    if isinstance(address, IPv4Address):
        return [address]
    plain = IPv6Address(int(address))
    inside = [
        IPv4Address(int(plain) >> shift & _32_BITS)
        for network, shift in _EMBEDDINGS
        if plain in network
    ]
    return [plain, *inside]
