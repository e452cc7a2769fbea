"""Attacks that the sandbox tries on its own walls."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from sparknb.core.definitions import CodeSpec
from sparknb.core.errors import SparknbError
from sparknb.core.protocols import Proof, RunOutcome
from sparknb.runtimes.deno.call import run_source
from sparknb.runtimes.deno.reader import Reading, SourceReader
from sparknb.runtimes.proving import (
    LONGEST_ATTEMPT,
    NoTools,
    proven,
    refused,
    said,
    started,
    stopped,
)
from sparknb.runtimes.turns import Turns

__all__ = ["proofs"]

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
                source, spec, {}, NoTools(), seconds=LONGEST_ATTEMPT, binary=binary
            )

    async def attempt(found: list[Proof]) -> None:
        found.append(await started(run("export default () => [6 * 7];\n")))
        if not found[0].held:
            return
        groups = await asyncio.gather(
            _inside(run), _imports(run), _read(reader), _forged(run), _endless(run)
        )
        found.extend(proof for group in groups for proof in group)

    return await proven(attempt)


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
            Proof(attack=name, held=False, detail=said(error)) for name in _FROM_INSIDE
        ]
    seen = outcome.data if isinstance(outcome.data, list) else []
    seen += [None] * len(_FROM_INSIDE)
    return [
        Proof(attack=name, held=told is not None, detail=told or "it succeeded")
        for name, told in zip(_FROM_INSIDE, seen, strict=False)
    ]


async def _imports(run: _Run) -> list[Proof]:
    """Load a file as a module, where nobody has read the source before."""
    place = json.dumps(_TARGET.as_uri())
    source = (
        f"import text from {place} with {{ type: 'text' }};\n"
        "export default () => text;\n"
    )
    attack = "read a file by import"
    return [await refused(attack, run(source), "read access", sign=_SIGN)]


async def _read(reader: SourceReader) -> list[Proof]:
    attack = "load a module past the parser"
    try:
        reading = await _reading(reader)
    except SparknbError as error:
        return [Proof(attack=attack, held=False, detail=said(error))]
    codes = [problem.code for problem in reading.problems]
    detail = reading.problems[0].message if codes else "the parser lets it pass"
    return [Proof(attack=attack, held="CODE_IMPORT" in codes, detail=detail)]


async def _reading(reader: SourceReader) -> Reading:
    """Have a source read that loads a module, until the parser comes to its end."""
    source = "export default (name: string) => import(name);\n"
    while (reading := await reader.read(source)).is_late:
        source += "\n"  # what took too long is remembered by its text
    return reading


async def _forged(run: _Run) -> list[Proof]:
    attack = "forge a result"
    try:
        outcome = await run(_FORGED)
    except SparknbError as error:
        return [Proof(attack=attack, held=False, detail=said(error))]
    held = outcome.text == "honest"
    detail = "the host saw the real one" if held else outcome.text[:80]
    return [Proof(attack=attack, held=held, detail=detail)]


async def _endless(run: _Run) -> list[Proof]:
    source = "export default () => { for (;;); };\n"
    return [await stopped(run(source), _STOPPED_AFTER)]
