"""Attacks that the sandbox tries on its own walls."""

from collections.abc import Awaitable, Sequence
from typing import NamedTuple

from sparknb.core.definitions import CodeSpec
from sparknb.core.protocols import Preview, Proof, RunOutcome
from sparknb.runtimes.monty.call import MontyCall
from sparknb.runtimes.monty.workers import Workers
from sparknb.runtimes.proving import (
    LONGEST_ATTEMPT,
    NoTools,
    proven,
    refused,
    started,
    stopped,
)
from sparknb.runtimes.turns import Turns

__all__ = ["proofs"]


class _Attack(NamedTuple):
    """A program, and a word of what must become of it."""

    name: str
    body: str
    reason: str


_ATTACKS = (
    _Attack("read a file", "return open('/etc/passwd').read()", "Permission"),
    _Attack("list a folder", "import os\n  return os.listdir('/')", "Permission"),
    _Attack("write a file", "open('/tmp/x', 'w').write('x')", "Permission"),
    _Attack("read the environment", "import os\n  return os.environ['PATH']", "os."),
    _Attack("start a process", "import subprocess", "ModuleNotFound"),
    _Attack("open a connection", "import socket", "ModuleNotFound"),
    _Attack("load a library", "import ctypes", "ModuleNotFound"),
    _Attack("leave the interpreter", "raise SystemExit", "SystemExit"),
    _Attack("take all memory", "return len('x' * (1 << 40))", "memory"),
    _Attack("recurse without end", "def f(): return f()\n  f()", "recursion"),
    _Attack("call a tool that is not listed", "await call_tool('a', {})", "DENIED"),
    _Attack("import by name", "return __import__('os').getcwd()", "NameError"),
)
_STOPPED_AFTER = 0.05


async def proofs(workers: Workers, turns: Turns) -> Sequence[Proof]:
    """Try them all; of a sandbox that is missing, the one proof says so."""

    def run(body: str) -> Awaitable[RunOutcome]:
        return _call(body, workers, turns).run({}, NoTools())

    async def attempt(found: list[Proof]) -> None:
        found.append(await started(run("return [6 * 7]")))
        if not found[0].held:
            return
        for attack in _ATTACKS:
            proof = await refused(attack.name, run(attack.body), attack.reason)
            found.append(proof)
        found.append(await stopped(run("while True: pass"), _STOPPED_AFTER))

    return await proven(attempt)


def _call(body: str, workers: Workers, turns: Turns) -> MontyCall:
    spec = CodeSpec(
        language="python",
        source=f"async def run():\n  {body}\n",
        entry_export="run",
        memory_mb=64,
    )
    return MontyCall(
        spec=spec,
        seconds=LONGEST_ATTEMPT,
        arguments={},
        flaw=None,  # past the rules of the text, to what stands behind them
        workers=workers,
        turns=turns,
        preview=Preview(),
    )
