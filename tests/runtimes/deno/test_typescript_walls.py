"""What stands between a TypeScript tool and the machine, behind the parser (ST-38).

The rest is in tests/security; here are the walls that only this runtime can show.
"""

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.definitions import CodeSpec
from sparknb.core.errors import ExecutionFailedError
from sparknb.core.protocols import RunOutcome
from sparknb.runtimes.deno import DenoRuntime, child
from sparknb.runtimes.deno.call import run_source
from sparknb.runtimes.deno.reader import SourceReader
from tests.runtimes.deno.programs import Others, Sandbox

_SECRET = "canary in a file"


async def _unread(source: str) -> RunOutcome:
    """Run what no parser has read."""
    spec = CodeSpec(
        language="typescript", source=source, entry_export="default", memory_mb=64
    )
    return await run_source(source, spec, {}, Others(), seconds=20, binary=None)


def _replace_script(patch: pytest.MonkeyPatch, script: str) -> None:
    address = base64.b64encode(script.encode()).decode()
    patch.setattr(
        child, "_script", lambda: f"data:application/javascript;base64,{address}"
    )


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(_SECRET, encoding="utf-8")
    (tmp_path / "secret.ts").write_text(f"export default '{_SECRET}'", encoding="utf-8")
    return path


def test_all_attacks_on_itself_are_refused(typescript: Sandbox) -> None:
    found = typescript.do(typescript.runtime.prove())
    assert len(found) >= 15
    assert [proof for proof in found if not proof.held] == []
    assert all(proof.detail for proof in found)


def test_a_wall_that_is_gone_is_told(
    typescript: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Path(child.__file__).with_name("child.js").read_text(encoding="utf-8")
    open_script = script.replace("if (LEFT.has(key)) continue;", "continue;")
    assert open_script != script
    _replace_script(monkeypatch, open_script)
    found = typescript.do(typescript.runtime.prove())
    broken = {proof.attack for proof in found if not proof.held}
    assert "read a file" not in broken  # Deno itself refuses it
    assert "start a worker" in broken or "compile WebAssembly" in broken


@pytest.mark.parametrize(
    "source",
    [
        "import a from '@' with { type: 'text' }; export default () => a",
        "import a from '@' with { type: 'bytes' }; export default () => a",
        "import a from '@.ts'; export default () => a",
        "export { default } from '@.ts'",
        "export default async () => (await import('@', { with: { type: 'text' } }))",
        "const a = '@'; export default async () => (await import(a)).default",
        "export default async () => (await import('@' + '.ts')).default",
    ],
)
def test_a_local_file_is_out_of_reach_even_where_the_parser_was_passed_by(
    typescript: Sandbox, secret: Path, source: str
) -> None:
    """Trap: what stands in the graph of the main module needs no permission."""
    written = source.replace("@.ts", secret.with_suffix(".ts").as_uri())
    written = written.replace("@", secret.as_uri())
    with pytest.raises(ExecutionFailedError) as caught:
        typescript.do(_unread(written))
    assert _SECRET not in caught.value.message


@pytest.mark.parametrize("sign", ["#", "@"])
@pytest.mark.parametrize("end", ["", "\n// the end", "\n/* 😀 */"])
def test_a_comment_cannot_make_deno_open_a_file(
    typescript: Sandbox, tmp_path: Path, sign: str, end: str
) -> None:
    source_map = tmp_path / "made.map"
    source_map.write_text(
        '{"version": 3, "sources": ["file:///canary.ts"], "names": [],'
        ' "mappings": "AAipIAA"}',
        encoding="utf-8",
    )
    comment = f"//{sign} sourceMappingURL={source_map.as_uri()}"
    source = f"/* 😀 */ export default () => new Error('x').stack; {comment}{end}"
    text = typescript.result(source).text
    assert text == "Error: x\n    at default (tool.ts:1:31)"


def test_words_of_a_source_map_in_a_text_stay(typescript: Sandbox) -> None:
    source = "export default () => '//# sourceMappingURL=a' // sourceURL="
    assert typescript.result(source).text == "//# sourceMappingURL=a"


def test_a_source_is_read_again_when_it_did_not_come_by_the_rules(
    typescript: Sandbox,
) -> None:
    message = typescript.failure("import a from 'b'; export default () => a")
    assert "the source breaks a rule" in message
    assert "CODE_IMPORT" in message


def test_every_run_asks_what_the_source_is(
    typescript: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = SourceReader.read

    async def listening(self: SourceReader, source: str) -> Any:
        asked.append(source)
        return await real(self, source)

    monkeypatch.setattr(SourceReader, "read", listening)
    source = "export default () => 'once more'"
    for _ in range(2):
        typescript.result(source)
    assert asked == [source, source]


@pytest.mark.parametrize(
    "frame",
    [
        b"0 text 6\nforged",
        b"\n",
        b"@ text 6000000\n",
        b"@ text -1\n",
        b"@ other 1\nx",
        b"@ text x\n",
        b"@ failed 999999999\n",
        b"${'x'.repeat(3_000_000)}",
    ],
)
def test_a_frame_that_is_none_of_ours_ends_the_child(
    typescript: Sandbox, monkeypatch: pytest.MonkeyPatch, frame: bytes
) -> None:
    """As if a program had found the way to the channel, and even the nonce."""
    written = frame.decode().replace("\n", "\\n").replace("@", "${nonce}")
    script = f"""\
const bytes = new Uint8Array(65536);
const count = await Deno.stdin.read(bytes);
const {{ nonce }} = JSON.parse(new TextDecoder().decode(bytes.subarray(0, count)));
let left = new TextEncoder().encode(`{written}`);
while (left.length > 0) left = left.subarray(Deno.stdout.writeSync(left));
await new Promise((done) => setTimeout(done, 60_000));
"""
    _replace_script(monkeypatch, script)
    message = typescript.failure("export default () => 1")
    assert message == "the program wrote where only its sandbox may write"


def test_a_program_that_asks_for_calls_without_end_is_ended(
    typescript: Sandbox,
) -> None:
    source = (
        "export default async (_, sdk) => { for (let n = 0; n < 5_000; n++)"
        " sdk.tools.call('x', {}).catch(() => 1); for (;;); }"
    )
    message = typescript.failure(source)
    assert message == "the program asked for more than 2,000 calls"


def test_a_stack_shows_only_the_program(typescript: Sandbox) -> None:
    source = """\
Error.prepareStackTrace = (_, frames) => frames.map(String).join();
Error.stackTraceLimit = 100;
function inner() { return new Error("x").stack }
export default async () => { await 0; return inner() }
"""
    assert typescript.result(source).text == (
        "Error: x\n    at inner (tool.ts:3:27)\n    at default (tool.ts:4:46)"
    )


def test_the_scripts_are_part_of_the_package() -> None:
    from importlib.resources import files

    names = {each.name for each in files("sparknb.runtimes.deno").iterdir()}
    assert {"child.js", "reader.js"} <= names


def test_a_runtime_that_was_never_used_closes() -> None:
    async def main() -> None:
        await DenoRuntime().close()

    asyncio.run(main())
