"""Which hosts and addresses a tool may reach (ST-54 to ST-57).

`allow_private` has the three values of a tool's `allowPrivateNetwork`: None lets
private addresses through and keeps cloud metadata away, True lets all through,
False keeps both away.
"""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address

from sparknb.core.addresses import (
    Address,
    is_metadata,
    is_metadata_name,
    is_numeric_name,
    is_private,
    leads_home,
    parse_address,
)
from sparknb.core.errors import DeniedError, UnreachableError

__all__ = ["Resolve", "check_host", "checked_addresses", "resolve_name"]

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives all addresses of a name as text; raises OSError when there is none."""

_HINT_METADATA = "a person who really wants this sets spec.allowPrivateNetwork to true"
_HINT_PRIVATE = "a person who really wants this removes spec.allowPrivateNetwork"


def check_host(host: str, *, allow_private: bool | None) -> Address | None:
    """Judge what the host of a URL says by itself, before any name is resolved.

    Returns:
        The address when the host is one, None when it is a name.

    Raises:
        DeniedError: This tool may not reach it.
    """
    address = parse_address(host)
    if address is None:
        if is_numeric_name(host):
            raise DeniedError(f"{host} is neither a name nor an address")
        if allow_private is not True and is_metadata_name(host):
            raise DeniedError(
                f"{host} answers for the credentials of a cloud machine",
                hint=_HINT_METADATA,
            )
        if allow_private is False and leads_home(host):
            # Whatever answers for such a name, it means this machine (RFC 6761).
            raise DeniedError(
                f"{host} is this machine, and this tool may only reach public ones",
                hint=_HINT_PRIVATE,
            )
    else:
        _check_address(host, address, allow_private=allow_private)
    return address


async def checked_addresses(
    host: str, port: int, *, allow_private: bool | None, resolve: Resolve
) -> list[Address]:
    """Resolve a host once and judge all its addresses.

    Returns:
        At least one address; every one may be connected to.

    Raises:
        DeniedError: One of them may not be reached.
        UnreachableError: The name has no address.
    """
    literal = check_host(host, allow_private=allow_private)
    if literal is not None:
        return [literal]
    try:
        found = [ip_address(text) for text in await resolve(host, port)]
    except (
        OSError,
        ValueError,
    ) as error:  # a name that cannot be asked is a ValueError
        raise _unresolved(host) from error
    for address in found:
        _check_address(host, address, allow_private=allow_private)
    if not found:
        raise _unresolved(host)
    return list(dict.fromkeys(found))


def _check_address(host: str, address: Address, *, allow_private: bool | None) -> None:
    if allow_private is True:
        return
    place = host if parse_address(host) else f"{host} is {address}, which"
    if is_metadata(address):
        raise DeniedError(
            f"{place} answers for the credentials of a cloud machine",
            hint=_HINT_METADATA,
        )
    if allow_private is False and is_private(address):
        raise DeniedError(
            f"{place} is not a public address, and this tool may only reach those",
            hint=_HINT_PRIVATE,
        )


def _unresolved(host: str) -> UnreachableError:
    return UnreachableError(
        f"the name {host} cannot be resolved",
        hint="check its spelling, and that this machine is connected",
    )


async def resolve_name(host: str, port: int) -> Sequence[str]:
    """Ask the system for all addresses of a name.

    Runs in a thread that nobody waits for: a name server that does not answer must
    hold up neither a cancelled call nor the end of the program.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Sequence[str]] = loop.create_future()

    def settle(found: Sequence[str], error: Exception | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(found)
        else:
            answer.set_exception(error)

    def ask() -> None:
        error: Exception | None = None
        found: list[str] = []
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found = [str(row[4][0]) for row in rows]
        except (OSError, ValueError) as failure:
            error = failure
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, found, error)

    threading.Thread(target=ask, name="sparknb-resolve", daemon=True).start()
    return await answer
