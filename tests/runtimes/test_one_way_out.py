"""Nothing but the egress opens a connection to the world."""

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

SPARKNB = Path(str(importlib.util.find_spec("sparknb").origin)).parent  # type: ignore[union-attr]  # it is installed

# What can open a connection.
DOORS = (
    "aiohttp",
    "ftplib",
    "http.client",
    "httpcore",
    "httpx",
    "imaplib",
    "requests",
    "smtplib",
    "socket",
    "urllib.request",
    "urllib3",
    "websockets",
)
MAY_OPEN_THEM = {
    "runtimes/guard.py": "asks the system for the addresses of a name",
    "runtimes/streams.py": "connects to checked addresses",
    "runtimes/transport.py": "speaks HTTP over them",
    "testing/guard.py": "keeps kernels from connecting elsewhere",
    "testing/room.py": "looks for free ports",
}
# These stand for somebody else: the example service listens, the demo is its client,
# and the MCP SDK brings its own server.
OTHERS = ("examples/", "demo/", "mcp/")


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def opened(source: str) -> set[str]:
    names = set(imported(ast.parse(source)))
    return {d for d in DOORS if any(n == d or n.startswith(f"{d}.") for n in names)}


def test_only_the_egress_imports_what_opens_connections() -> None:
    found = {}
    for path in SPARKNB.rglob("*.py"):
        place = path.relative_to(SPARKNB).as_posix()
        doors = opened(path.read_text(encoding="utf-8"))
        if doors and place not in MAY_OPEN_THEM and not place.startswith(OTHERS):
            found[place] = sorted(doors)
    assert found == {}


def test_asyncio_connects_nowhere_else() -> None:
    calls = ("open_connection(", "create_connection(", "sock_connect(", "urlopen(")
    found = {
        path.relative_to(SPARKNB).as_posix()
        for path in SPARKNB.rglob("*.py")
        if any(call in path.read_text(encoding="utf-8") for call in calls)
    }
    assert {f for f in found if not f.startswith(OTHERS)} == {"runtimes/streams.py"}


def test_each_exception_is_still_needed() -> None:
    for place in MAY_OPEN_THEM:
        assert opened((SPARKNB / place).read_text(encoding="utf-8")), place


@pytest.mark.parametrize(
    "line",
    [
        "import httpx",
        "import httpx._client as c",
        "from urllib import request",
        "from urllib.request import urlopen",
        "def f():\n    from http import client",
        "import socket, os",
    ],
)
def test_the_search_finds_every_way_to_import(line: str) -> None:
    assert opened(line)
    assert not opened("import urllib.parse\nfrom http import HTTPStatus")
