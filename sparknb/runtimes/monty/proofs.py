"""Attacks that the sandbox tries on its own walls."""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from sparknb.core.definitions import CodeSpec
from sparknb.core.errors import DeniedError, SparknbError
from sparknb.core.protocols import Preview, Proof
from sparknb.runtimes.monty.call import MontyCall
from sparknb.runtimes.monty.workers import Workers
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
_ENDLESS = "run without end"
_SECONDS = 20.0  # for all of them, on a machine that is busy
_STOPPED_AFTER = 0.05


async def proofs(workers: Workers, turns: Turns) -> Sequence[Proof]:
    """Try them all; of a sandbox that is missing, the one proof says so."""
    started = await _start(workers, turns)
    if not started.held:
        return [started]
    found = [started]
    try:
        async with asyncio.timeout(_SECONDS):
            found += [await _tried(attack, workers, turns) for attack in _ATTACKS]
            found.append(await _endless(workers, turns))
    except TimeoutError:
        detail = f"the attacks took more than {_SECONDS:.0f} seconds"
        found.append(Proof(attack="end in time", held=False, detail=detail))
    return found


async def _start(workers: Workers, turns: Turns) -> Proof:
    attack = "run a program and nothing else"
    try:
        outcome = await _call("return [6 * 7]", workers, turns).run({}, _Closed())
    except SparknbError as error:
        return Proof(attack=attack, held=False, detail=_said(error))
    held = outcome.data == [42]
    return Proof(attack=attack, held=held, detail="it ran" if held else outcome.text)


async def _tried(attack: _Attack, workers: Workers, turns: Turns) -> Proof:
    try:
        outcome = await _call(attack.body, workers, turns).run({}, _Closed())
    except SparknbError as error:
        held = attack.reason in error.message
        return Proof(attack=attack.name, held=held, detail=_said(error))
    detail = f"it succeeded: {outcome.text[:80]!r}"
    return Proof(attack=attack.name, held=False, detail=detail)


async def _endless(workers: Workers, turns: Turns) -> Proof:
    try:
        async with asyncio.timeout(_STOPPED_AFTER):
            await _call("while True: pass", workers, turns).run({}, _Closed())
    except TimeoutError:
        return Proof(attack=_ENDLESS, held=True, detail="it was stopped")
    except SparknbError as error:
        return Proof(attack=_ENDLESS, held=False, detail=_said(error))
    return Proof(attack=_ENDLESS, held=False, detail="it ended by itself")


def _said(error: SparknbError) -> str:
    return error.message if error.hint is None else f"{error.message}; {error.hint}"


def _call(body: str, workers: Workers, turns: Turns) -> MontyCall:
    spec = CodeSpec(
        language="python",
        source=f"async def run():\n  {body}\n",
        entry_export="run",
        memory_mb=64,
    )
    return MontyCall(
        spec=spec,
        seconds=_SECONDS,
        arguments={},
        flaw=None,  # past the rules of the text, to what stands behind them
        workers=workers,
        turns=turns,
        preview=Preview(),
    )


class _Closed:
    """No tool may be called."""

    async def call(self, tool_id: Any, arguments: Any) -> Any:
        """See `core.protocols.NestedTools`."""
        del tool_id, arguments
        raise DeniedError("nothing may be called here")
