"""B8: what agents may call, of 10,000 tools, beside reading the rows by hand.

By hand means one query with the sqlite3 module; for the listing also the JSON of each
definition read, and a dictionary made of what an MCP client is sent.
"""

import asyncio
import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Figure, alternate_async, compared
from benchmarks.tools import definition

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["fill", "run"]

_TOOLS = 10_000
_LAST = f"custom_bench_{_TOOLS - 1:05}"
_MOST_TIME = 3
_MOST_CACHED_MS = 1
_ROWS = """
    SELECT t.id, t.type, t.title, t.description, t.risk, t.effect, t.idempotency,
        t.enabled, t.published_version, t.draft_version, t.draft_revision, t.origin,
        t.last_test_at, t.created_at, t.updated_at, v.version, v.status,
        v.source_version, v.definition, v.digest, v.cases, v.case_run, v.created_at,
        v.published_at
    FROM tools t JOIN versions v ON v.tool_id = t.id AND v.version = t.published_version
    WHERE t.enabled = 1 ORDER BY t.id
"""
_DEFINITION = 18  # its place in a row


def run() -> list[Figure]:
    """Measure; about twenty seconds."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_run(Path(folder)))


async def _run(home: Path) -> list[Figure]:
    from sparknb.bootstrap import open_host

    host = await open_host(home=home, keychain="memory", environment={})
    try:
        file = home / "registry.db"
        fill(host, file, _TOOLS)
        with closing(sqlite3.connect(file)) as other:
            return await _measured(host, other)
    finally:
        await host.close()


def fill(host: "Host", file: Path, count: int) -> None:
    """Publish tools in one step: 10,000 commits would be another benchmark."""
    from sparknb.core.validation import validate

    entries = []
    for number in range(count):
        document = definition("http://127.0.0.1:8700") | {
            "id": f"bench_{number:05}",
            "title": f"Weather in a city, number {number}",
        }
        found = validate(document).definition
        assert found is not None
        entries.append((found, ()))
    host.registry.create_drafts(entries)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE tools SET enabled = 1, published_version = 1")
        connection.execute(
            "UPDATE versions SET status = 'published', published_at = created_at"
        )


async def _measured(host: "Host", other: sqlite3.Connection) -> list[Figure]:
    from sparknb.mcp.projection import tool

    async def ours() -> None:
        _change(other)
        assert (await host.surface()).get(_LAST) is not None

    async def theirs() -> None:
        _change(other)
        assert len(other.execute(_ROWS).fetchall()) == _TOOLS

    async def our_list() -> None:
        _change(other)
        assert len([tool(entry) for entry in await host.surface()]) == _TOOLS

    async def their_list() -> None:
        _change(other)
        assert len([_tool(row) for row in other.execute(_ROWS)]) == _TOOLS

    async def cached() -> None:
        assert (await host.surface()).get(_LAST) is not None

    async def nothing() -> None: ...

    rounds = {"calls": 1, "warm_up": 1}
    first = await alternate_async(ours, theirs, rounds=15, **rounds)
    listed = await alternate_async(our_list, their_list, rounds=8, **rounds)
    again, _ = await alternate_async(cached, nothing, rounds=20, calls=50)
    return [
        _figure("B8", "first snapshot", "sqlite3: the same rows", *first),
        _figure("B8·list", "tools/list", "sqlite3 and json: the same list", *listed),
        _cached(again),
    ]


def _change(other: sqlite3.Connection) -> None:
    """Do what another process does that changes a tool: nothing kept is good now."""
    with other:
        other.execute("UPDATE registry SET changes = changes + 1")


def _tool(row: tuple[Any, ...]) -> dict[str, Any]:
    wire = json.loads(row[_DEFINITION])
    return {
        "name": f"custom_{row[0]}",
        "title": wire["title"],
        "description": wire["description"],
        "inputSchema": {**wire["inputSchema"], "additionalProperties": False},
        "annotations": {
            "title": wire["title"],
            "readOnlyHint": wire["risk"] == "read",
            "destructiveHint": wire["risk"] == "destructive",
            "idempotentHint": wire["idempotency"] in ("safe", "keyed"),
            "openWorldHint": wire["type"] != "code",
        },
    }


def _figure(
    name: str, work: str, against: str, mine: list[float], other: list[float]
) -> Figure:
    a, b, ratio = compared(mine, other)
    return Figure(
        id=name,
        work=f"{work} of {_TOOLS:,} tools",
        against=against,
        unit="ms",
        ours=a * 1000,
        theirs=b * 1000,
        ratio=ratio,
        goal=f"≤ {_MOST_TIME}",
        met=ratio <= _MOST_TIME,
    )


def _cached(times: list[float]) -> Figure:
    milliseconds = sorted(times)[len(times) // 2] * 1000
    return Figure(
        id="B8·again",
        work=f"snapshot of {_TOOLS:,} tools, unchanged",
        against="-",
        unit="ms",
        ours=milliseconds,
        goal=f"< {_MOST_CACHED_MS} ms",
        met=milliseconds < _MOST_CACHED_MS,
    )
