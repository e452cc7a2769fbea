"""Keeps a Python process to its own machine.

A copy of this file is the `sitecustomize` of every kernel that is checked, and of the
Python programs that the kernel starts. It imports nothing of sparknb, as a kernel may
run in another environment. An audit hook cannot be taken away again by what runs
later. What was refused is noted in the file `refused` beside the copy, so that a cell
fails also when its code shrugs the refusal off; `watched` is there once a process is
kept. It catches slips: code that wants to can get around it.
"""

import errno
import os
import sys
from typing import Any

__all__ = ["is_local", "keep_to_loopback"]

_CONNECTS = ("socket.connect", "socket.sendto", "socket.sendmsg")
_LOOKS_UP = ("socket.getaddrinfo", "socket.gethostbyname")
_NAMES = ("socket.gethostbyaddr", "socket.getnameinfo")  # of a number, too
_LOCAL_NAMES = ("", "localhost", "ip6-localhost", "ip6-loopback")


def keep_to_loopback(notes: str) -> None:
    """Refuse every connection and name look-up that leaves this machine, for good.

    Args:
        notes: File to which a line is added for each refusal.
    """

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if not event.startswith("socket."):
            return
        if event in _CONNECTS:
            _check_address(arguments[1], notes)
        elif event in _LOOKS_UP:
            _check_name(arguments[0], notes)
        elif event in _NAMES:
            asked = arguments[0]
            _check_address(asked if isinstance(asked, tuple) else (asked,), notes)

    sys.addaudithook(watch)


def is_local(host: object) -> bool:
    """Whether a host, named or by number, is this machine."""
    import ipaddress

    if isinstance(host, bytes | bytearray):
        host = bytes(host).decode("ascii", "replace")
    if host is None:
        return True
    name = str(host).rstrip(".").lower()
    own = os.uname().nodename.lower() if hasattr(os, "uname") else ""
    if name in (*_LOCAL_NAMES, own) or name.endswith(".localhost"):
        return True
    try:
        found = ipaddress.ip_address(name.split("%", maxsplit=1)[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None) or found
    return bool(mapped.is_loopback or mapped.is_unspecified)


def _check_address(address: object, notes: str) -> None:
    """Refuse an address elsewhere; a text or bytes is a socket in the file system."""
    if isinstance(address, tuple) and address and not is_local(address[0]):
        place = ":".join(str(part) for part in address[:2])
        _note(place, notes)
        raise OSError(errno.ENETUNREACH, f"only loopback is allowed here: {place}")


def _check_name(host: object, notes: str) -> None:
    """Refuse to ask a name server; a number needs none."""
    import ipaddress
    import socket

    if is_local(host):
        return
    name = bytes(host).decode("ascii", "replace") if isinstance(host, bytes) else host
    try:
        ipaddress.ip_address(str(name))
    except ValueError:
        _note(str(name), notes)
        said = f"only loopback is allowed here: {name}"
        raise socket.gaierror(socket.EAI_NONAME, said) from None


def _note(place: str, notes: str) -> None:
    line = place.encode("utf-8", "replace").replace(b"\n", b" ")[:300] + b"\n"
    file = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


def _run_the_hidden_one(here: str) -> None:
    """Run the `sitecustomize` that this one stands before, if there is one."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    elsewhere = [p for p in sys.path if os.path.realpath(p or ".") != here]
    spec = PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


if __name__ == "sitecustomize":
    _HERE = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120  # pathlib would cost each start 10 ms
    keep_to_loopback(os.path.join(_HERE, "refused"))  # noqa: PTH118  # the same
    open(os.path.join(_HERE, "watched"), "ab").close()  # noqa: PTH118, PTH123  # the same
    _run_the_hidden_one(_HERE)
