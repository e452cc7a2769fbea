"""The worker processes: started late, replaced when they die, gone at the end."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from sparknb.core.errors import ExecutionFailedError
from sparknb.runtimes.monty import MontyRuntime
from tests.runtimes.monty.running import Others, python_tool, run, runtime, workers


def test_nothing_is_started_before_the_first_call() -> None:
    async def main() -> None:
        async with runtime() as opened:
            opened.prepare(python_tool("def run(): return 1"), {})
            assert workers() == []
            await run(opened, "def run(): return 1")
            assert len(workers()) == 1

    asyncio.run(main())


def test_the_module_does_not_bring_the_sandbox_with_it() -> None:
    code = (
        "import sys, sparknb.runtimes.monty;"
        "print([m for m in ('pydantic_monty', 'psutil') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_worker_knows_nothing_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPARKNB_CANARY", "canary-value")

    async def main() -> dict[str, str]:
        async with runtime() as opened:
            await run(opened, "def run(): return 1")
            return dict(psutil.Process(workers()[0]).environ())

    assert asyncio.run(main()) == {}


def test_a_hundred_calls_at_once_share_few_workers() -> None:
    source = "def run(a): return [a, a * 2]"

    async def main() -> list[Any]:
        async with runtime(at_once=2) as opened:
            calls = [run(opened, source, {"a": n}) for n in range(100)]
            outcomes = await asyncio.gather(*calls)
            assert len(workers()) <= 2
            return [outcome.data for outcome in outcomes]

    assert asyncio.run(main()) == [[n, n * 2] for n in range(100)]


def test_memory_stays_flat_over_many_calls() -> None:
    source = "def run(): return len(['x' * 1000 for _ in range(1000)])"

    async def main() -> tuple[int, int]:
        async with runtime(at_once=1) as opened:
            sizes = []
            for _ in range(2):
                for _ in range(100):
                    await run(opened, source)
                sizes.append(psutil.Process(workers()[0]).memory_info().rss)
            return sizes[0], sizes[1]

    early, late = asyncio.run(main())
    assert late < early + 8 * 1024 * 1024


def test_a_worker_that_dies_takes_its_call_along_and_nothing_else() -> None:
    async def main() -> None:
        started = asyncio.Event()

        async def tell(_: Any) -> Any:
            started.set()

        source = "async def run():\n  await call_tool('tell', {})\n  while True: pass"
        async with runtime(at_once=2) as opened:
            call = asyncio.create_task(
                run(opened, source, tools=Others({"tell": tell}))
            )
            await started.wait()
            os.kill(workers()[0], signal.SIGKILL)
            with pytest.raises(ExecutionFailedError, match="was killed"):
                await call
            assert (await run(opened, "def run(): return 2")).data == 2

    asyncio.run(main())


def test_a_worker_that_dies_while_nobody_uses_it_is_not_missed() -> None:
    async def main() -> None:
        async with runtime(at_once=1) as opened:
            await run(opened, "def run(): return 1")
            os.kill(workers()[0], signal.SIGKILL)
            while workers():  # noqa: ASYNC110  # a process of the system has no event
                await asyncio.sleep(0.01)
            assert (await run(opened, "def run(): return 2")).data == 2

    asyncio.run(main())


@pytest.mark.skipif(sys.platform != "linux", reason="only there it can be done")
def test_ctrl_c_does_not_reach_the_workers() -> None:
    async def main() -> Any:
        started = asyncio.Event()

        async def tell(_: Any) -> Any:
            started.set()

        source = (
            "async def run():\n  await call_tool('tell', {})\n"
            "  return sum(range(1_000_000))"
        )
        async with runtime() as opened:
            call = asyncio.create_task(
                run(opened, source, tools=Others({"tell": tell}))
            )
            await started.wait()
            os.kill(workers()[0], signal.SIGINT)
            return (await call).data

    assert asyncio.run(main()) == 499_999_500_000


def test_closing_ends_what_runs_and_what_waits() -> None:
    async def forever(_: Any) -> Any:
        await asyncio.Event().wait()

    async def main() -> None:
        opened = MontyRuntime(at_once=4)
        others = Others({"a": forever})
        sources = [
            "def run():\n  while True: pass",
            "import time\ndef run(): time.sleep(1000)",
            "async def run(): await call_tool('a', {})",
        ]
        calls = [
            asyncio.create_task(run(opened, source, tools=others)) for source in sources
        ]
        while len(workers()) < 3:  # noqa: ASYNC110  # the same
            await asyncio.sleep(0.01)
        async with asyncio.timeout(20):
            await opened.close()
            for call in calls:
                with pytest.raises(ExecutionFailedError, match="closed"):
                    await call
        with pytest.raises(ExecutionFailedError, match="closed"):
            await run(opened, "def run(): return 1")
        await opened.close()  # twice is fine

    asyncio.run(main())
    assert workers() == []


def test_a_call_that_is_cancelled_again_and_again_leaves_nothing_behind() -> None:
    complaints: list[Any] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        async with runtime(at_once=2) as opened:
            for turns in range(40):
                source = "def run():\n  while True: pass"
                call = asyncio.create_task(run(opened, source))
                for _ in range(turns):  # each time at another point of the call
                    await asyncio.sleep(0.0005)
                for _ in range(3):
                    call.cancel()
                    await asyncio.sleep(0)
                with pytest.raises(asyncio.CancelledError):
                    await call
            assert (await run(opened, "def run(): return 1")).data == 1

    asyncio.run(main())
    gc.collect()
    assert complaints == []
    assert workers() == []


def test_a_runtime_that_ran_nothing_closes() -> None:
    asyncio.run(MontyRuntime().close())


@pytest.mark.parametrize("content", [None, "", "not a program"])
def test_a_missing_sandbox_says_how_to_install_it(
    tmp_path: Path, content: str | None
) -> None:
    binary = tmp_path / "monty"
    if content is not None:
        binary.write_text(content)

    async def main() -> ExecutionFailedError:
        async with runtime(binary=binary) as opened:
            with pytest.raises(ExecutionFailedError) as caught:
                await run(opened, "def run(): return 1")
            return caught.value

    error = asyncio.run(main())
    assert "not installed" in error.message
    assert error.hint is not None
    assert "pip install pydantic-monty" in error.hint


def test_a_package_that_is_missing_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)

    async def main() -> ExecutionFailedError:
        async with runtime() as opened:
            with pytest.raises(ExecutionFailedError) as caught:
                await run(opened, "def run(): return 1")
            return caught.value

    assert "pip install pydantic-monty" in str(asyncio.run(main()).hint)


def test_the_sandbox_proves_its_walls() -> None:
    async def main() -> list[Any]:
        async with runtime() as opened:
            return list(await opened.prove())

    proofs = asyncio.run(main())
    assert len(proofs) >= 8
    assert [proof for proof in proofs if not proof.held] == []
    assert len({proof.attack for proof in proofs}) == len(proofs)


def test_a_missing_sandbox_cannot_prove_anything() -> None:
    async def main() -> list[Any]:
        async with runtime(binary=Path("/nowhere/monty")) as opened:
            return list(await opened.prove())

    proofs = asyncio.run(main())
    assert [proof.held for proof in proofs] == [False]
    assert "pip install" in proofs[0].detail


def test_a_wall_that_is_down_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(*_: Any) -> str:
        return "an answer"

    monkeypatch.setattr("sparknb.runtimes.proving.NoTools.call", answer)

    async def main() -> list[Any]:
        async with runtime() as opened:
            return [proof for proof in await opened.prove() if not proof.held]

    (down,) = asyncio.run(main())
    assert down.attack == "call a tool that is not listed"
    assert "it succeeded" in down.detail
