"""A TypeScript tool takes no more than it may, and nothing of it stays (ST-41)."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from sparknb.core.errors import ExecutionFailedError
from sparknb.runtimes.deno.child import running
from sparknb.runtimes.deno.launch import find_deno, start
from tests.runtimes.deno.programs import (
    Others,
    Sandbox,
    children,
    folders,
    sandbox,
    tool,
)

_ENDLESS = "export default () => { for (;;); }"


@pytest.mark.parametrize(
    "body",
    [
        "const a = []; for (;;) a.push({ a: [1, 2] })",
        "const a = []; for (;;) try { a.push(new Uint8Array(1e7).fill(1)) } catch {}",
    ],
    ids=["objects", "buffers and a catch"],
)
def test_memory_has_a_limit_in_the_heap_and_beside_it(
    typescript: Sandbox, body: str
) -> None:
    source = f"export default () => {{ console.log('before'); {body} }}"
    message = typescript.failure(source, memory_mb=64)
    assert "the program ran out of memory: it may have 64 MiB" in message
    assert message.endswith("printed:\nbefore\n")


def test_memory_that_is_only_reserved_counts_in_the_end(typescript: Sandbox) -> None:
    source = (
        "export default () => { const a = []; for (let n = 0; n < 100; n++)"
        " a.push(new ArrayBuffer(2 ** 30)); return a.length }"
    )
    assert "allocation failed" in typescript.failure(source, memory_mb=64)


def test_calls_that_nobody_waits_for_do_not_fill_the_host(typescript: Sandbox) -> None:
    source = (
        "export default (_, sdk) => { const much = { a: 'x'.repeat(1e6) };"
        " for (let n = 0; n < 200; n++) sdk.tools.call('slow', much).catch(() => 0);"
        " for (;;); }"
    )

    async def never(_: Any) -> None:
        await asyncio.Event().wait()

    slow = Others({"slow": never})
    message = typescript.failure(source, tools=slow)
    assert "asks for more than it takes the answers of" in message
    assert len(slow.asked) < 60


def test_a_program_may_use_what_it_is_given(typescript: Sandbox) -> None:
    source = (
        "export default () => { const a = []; for (let n = 0; n < 60; n++)"
        " a.push(new Array(1 << 17).fill(n)); return a.length }"
    )
    assert typescript.result(source, memory_mb=128).data == 60
    assert "out of memory" in typescript.failure(source, memory_mb=64)


@pytest.mark.parametrize(
    "body",
    [
        "for (;;);",
        "await new Promise(() => {})",
        "for (;;) await 0",
        "await sdk.tools.call('slow', {})",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    ],
)
def test_a_call_that_is_stopped_leaves_nothing(typescript: Sandbox, body: str) -> None:
    before = folders()

    async def slow(_: Any) -> Any:
        started.set()
        await asyncio.Event().wait()

    started = asyncio.Event()
    source = (
        "export default async (input, sdk) => {"
        f" sdk.tools.call('slow', {{}}).catch(() => 1); {body} }}"
    )

    async def stopped() -> float:
        started.clear()
        task = asyncio.create_task(typescript.run(source, tools=Others({"slow": slow})))
        await started.wait()
        start = time.monotonic()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return time.monotonic() - start

    assert typescript.do(stopped()) < 5
    assert len(children()) <= 1  # the parser
    assert folders() <= before


def test_a_call_that_is_stopped_while_it_starts_leaves_nothing(
    typescript: Sandbox,
) -> None:
    before = folders()

    async def stopped(turns: int) -> None:
        task = asyncio.create_task(typescript.run(_ENDLESS))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    for turns in (0, 1, 2, 3, 5, 8, 13, 40):
        typescript.do(stopped(turns))
        assert len(children()) <= 1
        assert folders() <= before


def test_a_program_that_says_more_than_is_read_ends_at_its_limit(
    typescript: Sandbox,
) -> None:
    source = (
        "export default async (_, sdk) => { const v = '\u20ac'.repeat(2e6);"
        " for (;;) await sdk.tools.call('nope', { v }).catch(() => {}) }"
    )
    before = folders()

    async def at_its_limit() -> None:
        # as the host does
        task = asyncio.create_task(typescript.run(source, memory_mb=256))
        await asyncio.wait([task], timeout=0.8)
        task.cancel()
        await asyncio.wait([task], timeout=5)
        assert task.cancelled()

    for _ in range(3):
        typescript.do(at_its_limit())
    assert len(children()) <= 1
    assert folders() <= before
    assert typescript.result("export default () => 'good'").text == "good"


_FLOOD = (
    "data:application/javascript,const%20all=new%20Uint8Array(1e6);"
    "for(;;)Deno.stdout.writeSync(all)"
)


@pytest.mark.parametrize("cancels", [0, 1, 2])
def test_a_child_whose_output_nobody_reads_can_be_ended(cancels: int) -> None:
    before, others = folders(), set(children())

    async def ended() -> None:
        program = await start(find_deno(), "run", (), _FLOOD, heap_mb=64, data_mb=1024)
        stdout = program.process.stdout
        assert stdout is not None
        await stdout.readexactly(4 * 1024**2)
        while not stdout._paused:  # type: ignore[attr-defined]  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0)
        task = asyncio.create_task(program.end())
        for _ in range(cancels):
            await asyncio.sleep(0)
            task.cancel()
        await asyncio.wait([task], timeout=5)
        assert task.done()
        assert task.cancelled() == (cancels > 0)
        assert program.process.returncode is not None

    asyncio.run(ended())
    assert set(children()) <= others
    assert folders() <= before


def test_a_loop_that_closes_ends_a_child_that_nobody_reads() -> None:
    before, others = folders(), set(children())

    async def begun() -> None:
        async def held() -> None:
            async with running(find_deno(), 64, 1024, 30):
                entered.set()
                await asyncio.Event().wait()

        entered = asyncio.Event()
        left.append(asyncio.create_task(held()))
        await entered.wait()

    left: list[asyncio.Task[None]] = []
    asyncio.run(begun())
    assert left[0].cancelled()
    assert set(children()) <= others
    assert folders() <= before


def test_a_crash_is_told_and_the_next_call_works(typescript: Sandbox) -> None:
    async def killed() -> str:
        async def kill(_: Any) -> Any:
            for pid in set(children()) - parser:
                psutil.Process(pid).kill()

        parser = set(children())
        source = (
            "export default async (_, sdk) => {"
            " await sdk.tools.call('kill', {}); for (;;); }"
        )
        try:
            await typescript.run(source, tools=Others({"kill": kill}))
        except ExecutionFailedError as error:
            return error.message
        return "it ended well"

    assert typescript.codes(_ENDLESS) == []
    said = typescript.do(killed())
    assert said == "the sandbox crashed with SIGKILL while the program ran"
    assert typescript.result("export default () => 'good'").text == "good"


def test_each_call_has_a_process_of_its_own(typescript: Sandbox) -> None:
    source = (
        "let calls = 0; export default () => { Object.prototype.x = calls;"
        " return [++calls, 'y' in {}, (Object.prototype.y = 1)] }"
    )
    assert typescript.result(source).data == [1, False, 1]
    assert typescript.result(source).data == [1, False, 1]


def test_many_calls_at_once_take_turns() -> None:
    seen: list[int] = []
    others = set(children())

    async def look(arguments: Any) -> Any:
        seen.append(len(set(children()) - others))
        return arguments["n"]

    source = "export default async ({ n }, sdk) => await sdk.tools.call('look', { n })"

    async def many(opened: Sandbox) -> list[Any]:
        outcomes = await asyncio.gather(
            *(opened.run(source, {"n": n}, Others({"look": look})) for n in range(20))
        )
        return [outcome.data for outcome in outcomes]

    with sandbox(at_once=2) as opened:
        assert opened.do(many(opened)) == list(range(20))
    assert max(seen) <= 3  # two programs and the parser


def test_a_program_has_no_environment_and_no_file_of_its_own(
    typescript: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_VARIABLE", "canary-value")
    found: dict[str, Any] = {}

    async def look(_: Any) -> Any:
        (pid,) = set(children()) - parser
        process = psutil.Process(pid)
        found.update(environment=process.environ(), folder=Path(process.cwd()))
        found["files"] = [each.path for each in process.open_files()]
        written = [each for each in found["folder"].rglob("*") if each.is_file()]
        found["written"] = [each for each in written if not each.is_symlink()]
        found["group"] = os.getpgid(pid) == pid

    assert typescript.codes("export default () => 1") == []
    parser = set(children())
    source = "export default async (_, sdk) => await sdk.tools.call('look', {})"
    typescript.result(source, tools=Others({"look": look}))
    assert set(found["environment"]) == {
        "DENO_DIR", "DENO_DISABLE_NODE_SHIM", "DENO_EMIT_CACHE_MODE",
        "DENO_NO_UPDATE_CHECK", "NO_COLOR", "TZ",
    }  # fmt: skip
    assert found["folder"].name.startswith("sparknb-deno-")
    assert not found["folder"].exists()
    assert found["group"]
    assert found["written"] == []
    assert all(found["folder"] in Path(each).parents for each in found["files"])


def test_a_child_ends_when_its_host_is_gone() -> None:
    async def orphaned() -> int:
        async with running(find_deno(), 64, 1024, 30) as child:
            (_pid,) = set(children()) - others
            stdin = child._process.stdin
            assert stdin is not None
            stdin.close()  # as when the host is killed
            return await child._process.wait()

    others = set(children())
    with sandbox() as opened:
        assert opened.do(orphaned()) == 0


def test_work_has_a_limit_that_holds_when_nobody_holds_the_clock(
    typescript: Sandbox,
) -> None:
    limits: list[tuple[int, int]] = []

    async def look(_: Any) -> Any:
        import resource

        (pid,) = set(children()) - parser
        limits.extend(
            resource.prlimit(pid, kind)
            for kind in (
                resource.RLIMIT_CPU,
                resource.RLIMIT_DATA,
                resource.RLIMIT_CORE,
            )
        )

    assert typescript.codes("export default () => 2") == []
    parser = set(children())
    source = "export default async (_, sdk) => await sdk.tools.call('look', {})"
    more = {"timeout_ms": 3000, "memory_mb": 100}
    typescript.result(source, tools=Others({"look": look}), **more)
    (work, _), data, core = limits
    assert 3 <= work <= 10 + 3 * (os.cpu_count() or 1) + 5
    assert data == ((100 + 1024) * 1024**2,) * 2
    assert core == (0, 0)


def test_a_tool_of_another_language_is_no_program_for_it(typescript: Sandbox) -> None:
    definition = tool("export default () => 1")
    assert typescript.runtime.prepare(definition, {}).secret_names == ()
    assert typescript.runtime.prepare(definition, {}).origin is None
