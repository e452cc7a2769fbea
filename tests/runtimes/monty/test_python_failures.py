"""How Python tools fail: the reason in words, and nothing left (ST-41)."""

import asyncio
import tracemalloc

import pytest

from sparknb.core.errors import ExecutionFailedError
from tests.runtimes.monty.running import failing, result, run, runtime, workers


@pytest.mark.parametrize(
    ("body", "said", "line"),
    [
        ("return 1 / 0", "ZeroDivisionError: division by zero", 2),
        ("raise ValueError('not ' + 'good')", "ValueError: not good", 2),
        ("raise SystemExit", "SystemExit", 2),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 2),
        ("\n  return {}['a']", "KeyError", 3),
        ("x = [\n    1,\n    undefined,\n  ]", "NameError", 4),
        ("return open('/etc/passwd').read()", "PermissionError", 2),
        ("return eval('open')('/etc/passwd')", "PermissionError", 2),
        ("exec('import subprocess')", "ModuleNotFoundError", 2),
        ("return exit()", "NameError", 2),
        ("def f(): return f()\n  return f()", "RecursionError", 2),
    ],
)
def test_the_reason_and_the_line_of_the_source_are_named(
    body: str, said: str, line: int
) -> None:
    error = failing(f"def run():\n  {body}")
    assert error.code == "EXECUTION_FAILED"
    assert said in error.message
    assert f"(line {line})" in error.message


def test_lines_are_those_of_the_innermost_function_of_the_source() -> None:
    source = "def deep(x):\n\n  return x.nope\n\ndef run():\n  return deep(1)"
    assert "(line 3)" in failing(source).message


@pytest.mark.parametrize("made", ["KeyError(n)", "ValueError('a', n)"])
def test_an_exception_of_something_else_than_one_text_says_what_to_do(
    made: str,
) -> None:
    error = failing(f"def run(n):\n  raise {made}", arguments={"n": 3})
    reason = "an exception was made of something else than one text"
    assert error.message == f"the program failed: {reason}"
    assert error.hint == "give the exception one text, as in KeyError(str(x))"


_PART = "the interpreter has a part of Python only"


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("return sorted(['b'], key=str.lower)", _PART),
        ("return str.maketrans('a', 'b')", _PART),
        ("return 'a'.translate({97: 'b'})", _PART),
        ("return int.from_bytes(b'a', 'big')", _PART),
        ("return datetime.datetime.fromtimestamp(0)", _PART),
        ("return datetime.date(2024, 1, 1).isocalendar()", _PART),
        ("return asyncio.gather(return_exceptions=True)", _PART),
        ("from datetime import UTC", _PART),
        ("return re.sub('a', lambda m: 'b', 'a')", _PART),
        ("@dataclasses.dataclass(order=True)\n  class A: pass", _PART),
        ("return None.strip()", None),
        ("return A().b", None),
    ],
)
def test_what_the_interpreter_may_lack_says_so(body: str, hint: str | None) -> None:
    imports = "import asyncio, dataclasses, datetime, re\nclass A: pass\n"
    error = failing(f"{imports}def run():\n  {body}")
    assert hint is None if error.hint is None else str(hint) in error.hint


def test_a_very_long_reason_is_cut() -> None:
    message = failing("def run(): raise ValueError('x' * 100_000)").message
    assert len(message) < 2100
    assert message.endswith("… (line 1)")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("raise ValueError('\\n' * n)", "ValueError"),
        ("return {}['é' * n]", "KeyError"),
        ("await asyncio.sleep(0)\n  raise SystemExit('x' * n)", "SystemExit"),
    ],
)
def test_of_an_enormous_reason_only_a_part_leaves_the_sandbox(
    body: str, kind: str
) -> None:
    source = f"import asyncio\nasync def run(n: int):\n  print('hello')\n  {body}"

    async def main() -> tuple[str, int]:
        async with runtime() as opened:
            await run(opened, "def run(): return 1")
            tracemalloc.start()
            try:
                with pytest.raises(ExecutionFailedError) as caught:
                    await run(opened, source, {"n": 20_000_000}, memory_mb=256)
                return caught.value.message, tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    message, most = asyncio.run(main())
    assert message.startswith(f"the program failed: {kind}: ")
    assert message.endswith("…\nprinted:\nhello\n")
    assert len(message) < 2100
    assert most < 5_000_000


def test_an_enormous_reason_counts_as_memory_and_may_be_caught() -> None:
    error = failing("def run(): raise ValueError('x' * 40_000_000)", memory_mb=64)
    assert "ran out of memory" in error.message
    source = (
        "def run(n: int):\n"
        "  try: raise ValueError('x' * n)\n"
        "  except ValueError as error: return len(str(error))"
    )
    assert result(source, {"n": 5_000_000}).data == 5_000_000


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (r"raise ValueError('a\nprinted:\nb')", r"ValueError: a\nprinted:\nb (line 3)"),
        (r"raise ValueError('a\r\x1b[31mb')", r"ValueError: a\r\x1b[31mb (line 3)"),
        (r"raise ValueError('a\u2028\u202eb')", r"ValueError: a\u2028\u202eb (line 3)"),
    ],
)
def test_the_reason_is_one_line_which_no_program_can_pass_for_lines_of_ours(
    body: str, told: str
) -> None:
    message = failing(f"def run():\n  print('hello')\n  {body}").message
    assert message == f"the program failed: {told}\nprinted:\nhello\n"


def test_what_is_no_json_is_told_on_one_line_too() -> None:
    source = r"def repr(x): return 'b\nprinted:\nc'" "\ndef run(): return {'a': {1}}"
    message = failing(source).message
    assert message.endswith(r"as JSON: a set at result[b\nprinted:\nc]")


@pytest.mark.parametrize(
    "body",
    [
        "return len('x' * (1 << 40))",
        "x = []\n  while True: x.append('a' * 1_000_000 + str(len(x)))",
        "return 10 ** (10 ** 9)",
        "return '%9000000000d' % 1",
        "return ','.join(['x' * 10 ** 6] * 10 ** 6)",
        "return [0] * 10 ** 9",
    ],
)
def test_memory_has_a_limit_and_the_next_call_works(
    body: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async def main() -> None:
        async with runtime() as opened:
            with pytest.raises(ExecutionFailedError, match="memory") as caught:
                await run(opened, f"def run():\n  {body}", memory_mb=64)
            assert caught.value.hint is not None
            assert (await run(opened, "def run(): return 1")).data == 1

    asyncio.run(main())
    assert capfd.readouterr() == ("", "")  # also nothing of the worker's own


def test_more_memory_may_be_given() -> None:
    source = "def run(): return len('x' * 100_000_000)"
    assert "memory" in failing(source, memory_mb=64).message
    assert result(source, memory_mb=256).data == 100_000_000


@pytest.mark.parametrize(
    "source",
    [
        "def run(a, b): return 1",
        "import os\ndef run(): return os.getcwd()",
        "def run(:",
        "",
        "\0",
    ],
)
def test_a_stored_source_that_breaks_a_rule_does_not_run(source: str) -> None:
    message = failing(source).message
    assert message.startswith("the source breaks a rule: ")
    assert "CODE_" in message
    assert "line 1" in message


def test_syntax_that_the_interpreter_lacks_is_named_with_its_line() -> None:
    message = failing("def run():\n  yield 1").message
    assert "yield" in message
    assert "(line 2)" in message


def test_time_and_chance_work_and_the_clock_is_in_utc() -> None:
    source = (
        "import random, time, datetime\n"
        "def run(): return [time.time() > 1e9, random.random() < 1, time.tzname[0],"
        " datetime.datetime.now().year > 2000]"
    )
    assert result(source).data == [True, True, "UTC", True]


# ---------------------------------------------------------------- the clock
@pytest.mark.parametrize(
    "source",
    [
        "def run():\n  while True: pass",
        "def run(): return sum(range(10 ** 12))",
        "import time\ndef run(): time.sleep(1000)",
        "import asyncio\nasync def run(): await asyncio.sleep(1e300)",
        "def run():\n  while True: print('x' * 1000)",
        "def run():\n  while True:\n    try: run()\n    except BaseException: pass",
    ],
)
def test_a_call_that_is_cancelled_ends_at_once_with_its_worker(source: str) -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        async with runtime() as opened:
            await run(opened, "def run(): return 1")
            began = loop.time()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(run(opened, source), 0.1)
            took = loop.time() - began
            assert (await run(opened, "def run(): return 2")).data == 2
            return took

    assert asyncio.run(main()) < 3


def test_the_sandbox_itself_ends_a_program_whose_host_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # what is left running by a host that was killed would else run for ever
    monkeypatch.setattr("sparknb.runtimes.monty.call._GRACE", 0.1)
    error = failing("def run():\n  while True: pass", timeout_ms=100)
    assert "TimeoutError" in error.message


def test_no_process_is_left() -> None:
    result("def run(): return 1")
    failing("def run(): return 1 / 0")
    assert workers() == []
