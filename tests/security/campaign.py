"""Runs all attacks against one host, as many at once as the machine likes."""

import asyncio
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from sparknb.bootstrap import open_host
from sparknb.core.results import ToolResult
from sparknb.core.validation import validate
from sparknb.core.validation.building import read_definition
from sparknb.host import Host
from tests.security.attacks import SENTINEL, Attack

__all__ = ["Campaign", "code_tool", "plant", "private_machine", "run_attacks"]

_AT_ONCE = 4
_LONGEST_CALL = 90  # seconds; a call that takes longer is broken anyway

GOOD = {
    "python": "def run():\n    return 'good'\n",
    "typescript": "export default () => 'good';\n",
}
_LOOKUP = """
def run(number: int = 0, values: list = [], q: str = ""):
    return number
"""
_SLOW = """
import time
def run(number: int = 0, values: list = [], q: str = ""):
    time.sleep(60)
"""


@dataclass(slots=True)
class Campaign:
    """What was seen while all attacks ran, and after."""

    results: dict[Attack, ToolResult] = field(default_factory=dict)
    seconds: dict[Attack, float] = field(default_factory=dict)
    good: dict[str, ToolResult] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    left: list[str] = field(default_factory=list)
    connections: int = 0
    grown: int = 0


# -------------------------------------------------------------------- the machine
@contextmanager
def private_machine(root: Path) -> Iterator[None]:
    """Give the process folders of its own, and a variable with the sentinel."""
    folders = {name: root / name for name in ("user", "temporary", "work")}
    for folder in folders.values():
        folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DENO_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(folders["user"]))
        patch.setenv("TMPDIR", str(folders["temporary"]))
        patch.setattr(tempfile, "tempdir", None)
        patch.setenv("SENTINEL", SENTINEL)
        patch.setenv("TZ", "Asia/Kathmandu")
        patch.chdir(folders["work"])
        yield


def _files(root: Path) -> set[str]:
    return {str(found) for found in root.rglob("*")}


@contextmanager
def _trap() -> Iterator[socket.socket]:
    """Give a socket that is listened on; who connects stays in its queue."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as listening:
        listening.setblocking(False)
        yield listening


def _knocks(listening: socket.socket) -> int:
    count = 0
    while True:
        try:
            listening.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def _bait(root: Path, port: int) -> Mapping[str, str]:
    """Lay out what the attacks are after; give the words for it."""
    folder = root / "bait"
    folder.mkdir()
    (folder / "secret.txt").write_text(SENTINEL, encoding="utf-8")
    (folder / "made.json").write_text(f'"{SENTINEL}"', encoding="utf-8")
    script = (
        f'export const data = "{SENTINEL}"; export type T = 1; export default data;'
    )
    (folder / "made.ts").write_text(script, encoding="utf-8")
    # the first character of the script is line 4242 of a file with the sentinel
    sources = f'"sources": ["file:///{SENTINEL}.ts"], "names": []'
    source_map = f'{{"version": 3, {sources}, "mappings": "AAipIAA"}}'
    (folder / "made.map").write_text(source_map, encoding="utf-8")
    (folder / "link").symlink_to(folder / "secret.txt")
    return {
        "@FILE@": str(folder / "secret.txt"),
        "@FOLDER@": str(folder),
        "@LINK@": str(folder / "link"),
        "@PORT@": str(port),
    }


# ---------------------------------------------------------------------- the tools
def code_tool(tool_id: str, language: str, source: str, **more: Any) -> dict[str, Any]:
    """Give the definition of a code tool that takes what `lookup` takes."""
    return {
        "id": tool_id,
        "title": "A program",
        "description": "Does what it likes.",
        "type": "code",
        "inputSchema": {"type": "object", "properties": {}},
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "timeoutMs": more.pop("timeout_ms", 30_000),
        "spec": {
            "runtime": {"language": language, "source": source},
            "permissions": {"toolIds": list(more.pop("tools", ()))},
            "limits": {"memoryMb": more.pop("memory_mb", 64), "maxOutputBytes": 65_536},
        },
        **more,
    }


def plant(host: Host, definition: dict[str, Any], source: str) -> None:
    """Publish with another source than the rules have seen, as in a registry edited."""
    report = validate(definition)
    assert report.definition is not None, report.problems
    wire = dict(report.definition.wire)
    runtime = {**wire["spec"]["runtime"], "source": source}
    wire["spec"] = {**wire["spec"], "runtime": runtime}
    record = host.registry.create_draft(read_definition(wire))
    host.registry.publish(
        record.id,
        expected_version=record.draft_version or 0,
        expected_revision=record.draft_revision,
    )


async def _publish_what_may_be_called(host: Host) -> None:
    lookup = code_tool("lookup", "python", _LOOKUP)
    lookup["inputSchema"]["properties"] = {
        "number": {"type": "integer"},
        "values": {"type": "array", "items": {"type": "string"}},
        "q": {"type": "string"},
    }
    slow = code_tool("slow", "python", _SLOW)
    slow["inputSchema"] = lookup["inputSchema"]
    for definition in (lookup, slow):
        await host.studio.draft(definition)
        await host.studio.publish(definition["id"])


# ------------------------------------------------------------------------ the run
async def run_attacks(root: Path, attacks: Sequence[Attack]) -> Campaign:
    """Run them all, call good tools after them, close, and look at what is left."""
    campaign = Campaign()
    me = psutil.Process()
    others = {child.pid for child in me.children(recursive=True)}
    with _trap() as listening:
        places = _bait(root, listening.getsockname()[1])
        host = await open_host(root / "home", keychain="memory")
        before = _files(root)
        try:
            await _publish_what_may_be_called(host)
            async with _weighed(campaign):
                await _run(host, attacks, places, campaign)
            for language, source in GOOD.items():
                plant(host, code_tool(f"good_{language}", language, source), source)
                campaign.good[language] = await host.call(f"good_{language}", {})
        finally:
            await host.close()
        made = map(Path, _files(root) - before)
        campaign.made = {
            str(path) for path in made if not path.name.startswith("registry.db")
        }
        campaign.connections = _knocks(listening)
    campaign.left = [
        child.name() for child in me.children(recursive=True) if child.pid not in others
    ]
    return campaign


@asynccontextmanager
async def _weighed(campaign: Campaign) -> AsyncIterator[None]:
    """Note by how many bytes the host itself has grown at most."""
    me = psutil.Process()
    start: int = me.memory_info().rss

    async def watch() -> None:
        while True:
            campaign.grown = max(campaign.grown, me.memory_info().rss - start)
            await asyncio.sleep(0.05)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


async def _run(
    host: Host,
    attacks: Sequence[Attack],
    places: Mapping[str, str],
    campaign: Campaign,
) -> None:
    turn = asyncio.Semaphore(_AT_ONCE)

    async def one(tool_id: str, attack: Attack) -> None:
        async with turn:
            start = time.monotonic()
            async with asyncio.timeout(_LONGEST_CALL):
                campaign.results[attack] = await host.call(tool_id, {})
            campaign.seconds[attack] = time.monotonic() - start

    planted = {}
    for number, attack in enumerate(attacks):
        definition = code_tool(
            f"attack_{number}",
            attack.language,
            GOOD[attack.language],
            timeout_ms=attack.timeout_ms,
            memory_mb=attack.memory_mb,
            tools=attack.tools,
        )
        plant(host, definition, attack.program(places))
        planted[definition["id"]] = attack
    await asyncio.gather(*(one(*each) for each in planted.items()))
