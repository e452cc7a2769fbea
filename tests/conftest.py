"""Every test runs in a home of its own, knows no settings of ours, and is offline."""

import errno
import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from sparknb.examples import ExampleService, serve_examples

# Property tests give the same verdict everywhere; HYPOTHESIS_PROFILE=wander explores.
hypothesis.settings.register_profile("steady", deadline=None, derandomize=True)
hypothesis.settings.register_profile("wander", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

_MASKED_PREFIXES = ("SPARKNB_", "PYTHON_KEYRING", "JUPYTER", "XDG_")
_MASKED = {
    # what colours and wraps terminal output
    "CLICOLOR_FORCE",
    "COLUMNS",
    "FORCE_COLOR",
    "GITHUB_ACTIONS",
    "NO_COLOR",
    "PY_COLORS",
    "TERMINAL_WIDTH",
    # what leads to the person's own folders and keyring
    "DBUS_SESSION_BUS_ADDRESS",
    "IPYTHONDIR",
}


def _is_masked(name: str) -> bool:
    return (
        name in _MASKED
        or name.startswith(_MASKED_PREFIXES)
        or name.lower().endswith("_proxy")
    )


# What takes long comes first: at the end no worker waits for another's long file.
_LONG = ("browser", "tutorials", "testing", "magics", "widgets", "displays", "mcp")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the folders with real kernels and browsers first; else the order stays."""
    here = Path(__file__).parent
    rank = {name: place for place, name in enumerate(_LONG)}

    def place(item: pytest.Item) -> int:
        inside = item.path.is_relative_to(here)
        top = item.path.relative_to(here).parts[0] if inside else ""
        return rank.get(top, len(_LONG))

    items.sort(key=place)


@pytest.fixture(autouse=True)
def isolated_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Give a private user folder; `SPARKNB_HOME` is `<it>/sparknb`, not yet made."""
    for name in [name for name in os.environ if _is_masked(name)]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("SPARKNB_HOME", str(home / "sparknb"))
    return home


# ------------------------------------------------------------ offline, but loopback
_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex
_getaddrinfo = socket.getaddrinfo


def _is_local_address(family: int, address: Any) -> bool:
    if family not in (socket.AF_INET, socket.AF_INET6):
        return True  # a Unix socket stays on this machine
    host = str(address[0])
    if host in ("", "localhost"):
        return True
    try:
        found = ipaddress.ip_address(host.split("%", maxsplit=1)[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None) or found
    return bool(mapped.is_loopback or mapped.is_unspecified)


def _is_local_name(host: str) -> bool:
    name = host.rstrip(".").lower()
    if name in ("", "localhost", socket.gethostname().lower()):
        return True
    if name.endswith(".localhost") or ":" in name:
        return True
    try:
        socket.inet_aton(name)  # every spelling of an address: no name server is asked
    except (OSError, UnicodeError):
        return False
    return True


def _guarded_connect(self: socket.socket, address: Any) -> None:
    if not _is_local_address(self.family, address):
        raise OSError(errno.ENETUNREACH, "tests connect to loopback only")
    _connect(self, address)


def _guarded_connect_ex(self: socket.socket, address: Any) -> int:
    if not _is_local_address(self.family, address):
        return errno.ENETUNREACH
    return _connect_ex(self, address)


def _guarded_getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name is not None and not _is_local_name(name):
        raise socket.gaierror(socket.EAI_NONAME, "tests resolve local names only")
    return _getaddrinfo(host, *arguments, **options)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process see a machine without network, as far as it is not loopback."""
    monkeypatch.setattr(socket.socket, "connect", _guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", _guarded_connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", _guarded_getaddrinfo)


@pytest.fixture(scope="session")
def example_service() -> Iterator[ExampleService]:
    """Give one running example service for the whole worker; its orders may change."""
    with serve_examples() as service:
        yield service
