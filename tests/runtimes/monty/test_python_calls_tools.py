"""Python tools that call other tools (ST-58)."""

import asyncio
from typing import Any

import pytest

from sparknb.core.errors import NotFoundError
from sparknb.runtimes.monty import MontyRuntime
from tests.runtimes.monty.running import Others, failing, result, run, runtime


async def _echo(arguments: Any) -> Any:
    return {"given": arguments}


async def _missing(_: Any) -> Any:
    raise NotFoundError("no tool has the id b")


async def _forever(_: Any) -> Any:
    await asyncio.Event().wait()


def test_a_program_gets_the_value_of_what_it_calls() -> None:
    others = Others({"a": _echo})
    source = "async def run(): return await call_tool('a', {'x': [1, None, 'é']})"
    outcome = result(source, tools=others)
    assert outcome.data == {"given": {"x": [1, None, "é"]}}
    assert others.asked == [("a", {"x": [1, None, "é"]})]


def test_a_plain_function_may_give_back_the_call() -> None:
    source = "def run(): return call_tool('a', input={})"
    assert result(source, tools=Others({"a": _echo})).data == {"given": {}}


def test_a_refusal_can_be_caught_as_code_and_message() -> None:
    source = (
        "async def run():\n"
        "  try: await call_tool('b', {})\n"
        "  except RuntimeError as error: return str(error)"
    )
    outcome = result(source, tools=Others({"b": _missing}))
    assert outcome.text == "NOT_FOUND: no tool has the id b"
    assert result(source).text == "DENIED: tool may not call b"


def test_a_refusal_that_is_not_caught_ends_the_program() -> None:
    error = failing("async def run():\n  return await call_tool('b', {})")
    assert "RuntimeError: DENIED: tool may not call b (line 2)" in error.message


@pytest.mark.parametrize(
    "call", ["call_tool()", "call_tool('a')", "call_tool('a', {}, 1)", "call_tool(x=1)"]
)
def test_a_call_with_other_arguments_is_a_type_error(call: str) -> None:
    others = Others({"a": _echo})
    error = failing(f"async def run(): return await {call}", tools=others)
    assert "TypeError: call_tool takes a tool id and an input" in error.message
    assert others.asked == []


def test_what_the_program_wrote_reaches_the_host_which_judges_it() -> None:
    others = Others({"a": _echo})
    source = "async def run():\n  await call_tool('a', 7)\n  return 1"
    assert result(source, tools=others).data == 1
    assert others.asked == [("a", 7)]


def test_several_calls_run_at_the_same_time() -> None:
    async def main() -> Any:
        meeting = asyncio.Barrier(3)

        async def meet(arguments: Any) -> Any:
            await meeting.wait()  # never passed by calls one after the other
            return arguments["n"]

        source = (
            "import asyncio\n"
            "async def run(): return await asyncio.gather("
            "*[call_tool('a', {'n': n}) for n in range(3)])"
        )
        async with runtime() as opened, asyncio.timeout(20):
            return (await run(opened, source, tools=Others({"a": meet}))).data

    assert asyncio.run(main()) == [0, 1, 2]


def test_256_calls_fit_into_one_program() -> None:
    source = (
        "async def run(): return sum([(await call_tool('a', {'n': n}))['given']['n']"
        " for n in range(256)])"
    )
    assert result(source, tools=Others({"a": _echo})).data == sum(range(256))


def test_calls_without_end_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparknb.runtimes.monty.call._MOST_SUSPENSIONS", 300)
    source = (
        "async def run():\n  while True:\n"
        "    try: await call_tool('b', {})\n    except Exception: pass"
    )
    others = Others()
    error = failing(source, tools=others)
    assert "it made more than 10,000 calls and sleeps" in error.message
    assert "less often" in str(error.hint)
    assert 0 < len(others.asked) <= 300


def test_calls_that_nobody_waits_for_are_stopped_with_the_program() -> None:
    stopped: list[bool] = []

    async def forever(_: Any) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    source = (
        "import asyncio\n"
        "async def run():\n"
        "  try: await asyncio.gather(call_tool('a', {}), call_tool('b', {}))\n"
        "  except RuntimeError: return 'done'"
    )
    assert result(source, tools=Others({"a": forever})).text == "done"
    assert stopped == [True]


def test_a_call_that_waits_is_stopped_when_the_program_is_cancelled() -> None:
    stopped: list[bool] = []

    async def forever(_: Any) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    source = "async def run(): await call_tool('a', {})"

    async def main() -> None:
        async with runtime() as opened:
            call = run(opened, source, tools=Others({"a": forever}))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(call, 0.2)

    asyncio.run(main())
    assert stopped == [True]


def test_programs_that_wait_for_programs_do_not_wait_for_each_other() -> None:
    # All places are taken by programs that wait; what they wait for has its own.
    source = (
        "import asyncio\n"
        "async def run(n): return 1 if n == 0 else sum(await asyncio.gather("
        "call_tool('same', {'n': n - 1}), call_tool('same', {'n': n - 1})))"
    )

    async def main() -> list[Any]:
        async with runtime(at_once=1) as opened, asyncio.timeout(60):
            others = Others({"same": lambda given: _again(opened, source, given)})
            runs = [run(opened, source, {"n": 3}, others) for _ in range(3)]
            return [each.data for each in await asyncio.gather(*runs)]

    assert asyncio.run(main()) == [8, 8, 8]


async def _again(opened: MontyRuntime, source: str, given: Any) -> Any:
    others = Others({"same": lambda more: _again(opened, source, more)})
    return (await run(opened, source, given, others)).data


@pytest.mark.parametrize("value", [[float("nan")], {"a": 2**80}, "é\0", None, []])
def test_any_value_of_a_tool_reaches_the_program(value: Any) -> None:
    async def give(_: Any) -> Any:
        return value

    source = "async def run(): return repr(await call_tool('a', {}))"
    assert result(source, tools=Others({"a": give})).text == repr(value)


def _deep() -> Any:
    value: Any = None
    for _ in range(5000):
        value = [value]
    return value


@pytest.mark.parametrize("value", ["half \ud800", {"a": ["\udfff"]}, _deep(), object()])
def test_an_answer_that_no_program_can_hold_is_an_error_that_it_can_catch(
    value: Any,
) -> None:
    async def give(_: Any) -> Any:
        return value

    source = (
        "async def run():\n"
        "  try: return await call_tool('a', {})\n"
        "  except RuntimeError as error: return str(error)"
    )
    found = result(source, tools=Others({"a": give})).text
    assert found.startswith("EXECUTION_FAILED: a program cannot hold")
