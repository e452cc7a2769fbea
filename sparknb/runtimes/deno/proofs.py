"""Attacks that the sandbox tries on its own walls."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from sparknb.core.definitions import CodeSpec
from sparknb.core.errors import DeniedError, ExecutionFailedError, SparknbError
from sparknb.core.protocols import Proof, RunOutcome
from sparknb.runtimes.deno.call import run_source
from sparknb.runtimes.deno.reader import SourceReader
from sparknb.runtimes.turns import Turns

__all__ = ["proofs"]

_SECONDS = 20.0  # for all of them, on a machine that is busy
_STOPPED_AFTER = 0.2
_TARGET = Path(__file__).with_name("reader.js")  # a file that certainly can be read
_SIGN = "runPlugin"  # stands in it

_FROM_INSIDE = {  # what a program tries; all of it must throw
    "read a file": 'Deno.readTextFileSync("/")',
    "write a file": 'Deno.writeTextFileSync("x", "x")',
    "start a process": 'new Deno.Command("x").outputSync()',
    "read the environment": "process.env.PATH.length",
    "get a module of Node": 'process.getBuiltinModule("fs").readdirSync("/")',
    "open a connection": 'await fetch("http://127.0.0.1:9/")',
    "open a web socket": 'new WebSocket("ws://127.0.0.1:9/")',
    "start a worker": 'new Worker("data:text/javascript,", { type: "module" })',
    "compile WebAssembly": "new WebAssembly.Memory({ initial: 1 })",
    "keep something in a store": 'localStorage.setItem("x", "x")',
    "run a text as code": '(() => 1).constructor("return 1")()',
    "reach the inner parts": 'globalThis[Symbol.for("Deno.internal")].core',
    "call a tool that is not listed": 'await sdk.tools.call("x", {})',
}
_FORGED = """\
export default () => {
  for (const key of ["kind", "id", "code", "value"]) Object.prototype[key] = "forged";
  JSON.stringify = () => '"forged"';
  TextEncoder.prototype.encode = () => new Uint8Array(0);
  console.log("\\n0 text 6\\nforged");
  return "honest";
};
"""

_Run = Callable[[str], Awaitable[RunOutcome]]


async def proofs(
    reader: SourceReader, turns: Turns, binary: Path | None
) -> Sequence[Proof]:
    """Try them all; of a sandbox that is missing, the one proof says so."""

    async def run(source: str) -> RunOutcome:
        # past the rules of the text, to what stands behind them
        spec = CodeSpec(
            language="typescript", source=source, entry_export="default", memory_mb=64
        )
        async with turns.turn():
            return await run_source(
                source, spec, {}, _Closed(), seconds=_SECONDS, binary=binary
            )

    started = await _started(run)
    if not started.held:
        return [started]
    try:
        async with asyncio.timeout(_SECONDS):
            groups = await asyncio.gather(
                _inside(run), _imports(run), _read(reader), _forged(run), _endless(run)
            )
    except TimeoutError:
        detail = f"the attacks took more than {_SECONDS:.0f} seconds"
        return [started, Proof(attack="end in time", held=False, detail=detail)]
    return [started, *(proof for group in groups for proof in group)]


async def _started(run: _Run) -> Proof:
    attack = "run a program and nothing else"
    try:
        async with asyncio.timeout(_SECONDS):
            outcome = await run("export default () => [6 * 7];\n")
    except TimeoutError:
        detail = f"it gave no result within {_SECONDS:.0f} seconds"
        return Proof(attack=attack, held=False, detail=detail)
    except SparknbError as error:
        return Proof(attack=attack, held=False, detail=_said(error))
    held = outcome.data == [42]
    return Proof(attack=attack, held=held, detail="it ran" if held else outcome.text)


async def _inside(run: _Run) -> list[Proof]:
    tries = ",\n".join(f"async () => {code}" for code in _FROM_INSIDE.values())
    try:
        outcome = await run(
            "export default async (_input, sdk) => {\n"
            "  const seen = [];\n"
            f"  for (const attack of [{tries}]) {{\n"
            "    try { await attack(); seen.push(null); }\n"
            "    catch (error) { seen.push(String(error)); }\n"
            "  }\n"
            "  return seen;\n"
            "};\n"
        )
    except SparknbError as error:
        return [
            Proof(attack=name, held=False, detail=_said(error)) for name in _FROM_INSIDE
        ]
    seen = outcome.data if isinstance(outcome.data, list) else []
    seen += [None] * len(_FROM_INSIDE)
    return [
        Proof(attack=name, held=said is not None, detail=said or "it succeeded")
        for name, said in zip(_FROM_INSIDE, seen, strict=False)
    ]


async def _imports(run: _Run) -> list[Proof]:
    """Load a file as a module, where nobody has read the source before."""
    place = json.dumps(_TARGET.as_uri())
    source = (
        f"import text from {place} with {{ type: 'text' }};\n"
        "export default () => text;\n"
    )
    return [await _refused(run, "read a file by import", source, "read access")]


async def _refused(run: _Run, attack: str, source: str, reason: str) -> Proof:
    try:
        outcome = await run(source)
    except ExecutionFailedError as error:
        held = reason in error.message and _SIGN not in error.message
        return Proof(attack=attack, held=held, detail=_said(error))
    detail = f"it succeeded: {outcome.text[:80]!r}"
    return Proof(attack=attack, held=False, detail=detail)


async def _read(reader: SourceReader) -> list[Proof]:
    attack = "load a module past the parser"
    source = "export default (name: string) => import(name);\n"
    try:
        reading = await reader.read(source)
    except SparknbError as error:
        return [Proof(attack=attack, held=False, detail=_said(error))]
    codes = [problem.code for problem in reading.problems]
    detail = reading.problems[0].message if codes else "the parser lets it pass"
    return [Proof(attack=attack, held="CODE_IMPORT" in codes, detail=detail)]


async def _forged(run: _Run) -> list[Proof]:
    attack = "forge a result"
    try:
        outcome = await run(_FORGED)
    except SparknbError as error:
        return [Proof(attack=attack, held=False, detail=_said(error))]
    held = outcome.text == "honest"
    detail = "the host saw the real one" if held else outcome.text[:80]
    return [Proof(attack=attack, held=held, detail=detail)]


async def _endless(run: _Run) -> list[Proof]:
    attack = "run without end"
    try:
        async with asyncio.timeout(_STOPPED_AFTER):
            await run("export default () => { for (;;); };\n")
    except TimeoutError:
        return [Proof(attack=attack, held=True, detail="it was stopped")]
    except SparknbError as error:
        return [Proof(attack=attack, held=False, detail=_said(error))]
    return [Proof(attack=attack, held=False, detail="it ended by itself")]


def _said(error: SparknbError) -> str:
    return error.message if error.hint is None else f"{error.message}; {error.hint}"


class _Closed:
    """No tool may be called."""

    async def call(self, tool_id: Any, arguments: Any) -> Any:
        """See `core.protocols.NestedTools`."""
        del tool_id, arguments
        raise DeniedError("nothing may be called here")
