"""What becomes of the JSON text that a program gives."""

import asyncio
import json
import threading
from typing import Any

import pytest

from sparknb.core.definitions import CodeSpec
from sparknb.core.response_json import json_value
from sparknb.runtimes import results
from sparknb.runtimes.deno import DenoRuntime
from sparknb.runtimes.monty import MontyRuntime
from sparknb.runtimes.results import value_of
from tests.hosting import steps_during
from tests.runtimes.code_tools import Others, code_tool


@pytest.mark.parametrize("length", [1, 3_000])
def test_the_value_is_what_the_text_says_at_any_length(length: int) -> None:
    value: list[Any] = [{"n": 5, "huge": 10**40}, None, 0.5] * length
    assert asyncio.run(value_of(json.dumps(value))) == value


def test_what_is_no_json_has_no_value_at_any_length() -> None:
    for text in ("", "[1", "[" * 200_000, "1" * 200_000 + "x"):
        assert asyncio.run(value_of(text)) is None


def test_others_go_on_while_a_long_text_is_read() -> None:
    short, long = "[1]", json.dumps(["x"] * 50_000)
    at_once = asyncio.run(steps_during(value_of(short)))
    assert asyncio.run(steps_during(value_of(long))) > at_once


@pytest.mark.parametrize(
    ("make", "spec"),
    [
        (
            DenoRuntime,
            CodeSpec(
                language="typescript",
                source="export default () => Array(60_000).fill(0)",
                entry_export="default",
            ),
        ),
        (
            MontyRuntime,
            CodeSpec(
                language="python",
                source="def run():\n    return [0] * 60_000",
                entry_export="run",
            ),
        ),
    ],
    ids=["typescript", "python"],
)
def test_a_long_result_of_a_program_is_read_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch, make: Any, spec: CodeSpec
) -> None:
    threads = []

    def watched(text: str) -> Any:
        threads.append(threading.current_thread())
        return json_value(text)

    async def main() -> Any:
        runtime = make()
        tool = code_tool(spec, {"type": "object", "properties": {}}, 30_000)
        try:
            async with asyncio.timeout(30):
                return await runtime.prepare(tool, {}).run({}, Others())
        finally:
            await runtime.close()

    monkeypatch.setattr(results, "json_value", watched)
    assert asyncio.run(main()).data == [0] * 60_000
    (thread,) = threads
    assert thread is not threading.current_thread()
