"""What the type check at save finds, and that it runs nothing (ST-40)."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.problems import Problem
from sparknb.runtimes.monty.names import Name, answers
from sparknb.runtimes.monty.workers import Lease
from tests.runtimes.monty.running import python_tool, result, runtime

_Found = list[tuple[str, int | None, int | None]]


def checked(source: str, parameters: dict[str, Any] | None = None) -> list[Problem]:
    async def main() -> list[Problem]:
        tool = python_tool(source, parameters, required=tuple(parameters or {}))
        async with runtime() as opened:
            return list(await opened.check(tool))

    return asyncio.run(main())


def places(found: list[Problem]) -> _Found:
    return [(p.code, p.line, p.column) for p in found]


def test_a_good_source_has_no_problems() -> None:
    source = (
        '"""A tool."""\n'
        "import asyncio, base64, bisect, collections, copy, csv, dataclasses\n"
        "import datetime, decimal, functools, hashlib, itertools, json, math\n"
        "import random, re, time, typing, unicodedata\n"
        "from typing import Any\n"
        "@dataclasses.dataclass\n"
        "class Row:\n  name: str\n  size: int = 0\n"
        "async def run(a: str, b: list[str]) -> dict[str, Any]:\n"
        "  row = Row(a)\n"
        "  found = await call_tool('x', {'a': a, 'b': b})\n"
        "  many = await asyncio.gather(call_tool('y', {}), call_tool('z', {}))\n"
        "  return {'row': row.name, 'found': found, 'many': many,\n"
        "          'text': f'{math.pi:.2f}', 'at': time.time()}\n"
    )
    assert checked(source, {"a": "string", "b": "array"}) == []


def test_what_the_interpreter_has_is_known_to_the_check_and_runs() -> None:
    source = (
        "class A: pass\n"
        "def run() -> list:\n"
        "  a = A()\n"
        "  setattr(a, 'b', 1)\n"
        "  try: raise ModuleNotFoundError('c')\n"
        "  except ImportError as error: found = str(error)\n"
        "  known = (FileExistsError, FileNotFoundError, IsADirectoryError,\n"
        "    NotADirectoryError, PermissionError, UnboundLocalError,\n"
        "    UnicodeDecodeError, UnicodeEncodeError)\n"
        "  return [list(map(str, filter(None, [0, 1]))), format(2, '03d'), found,\n"
        "    getattr(a, 'b'), hasattr(a, 'd'), len(known)]"
    )
    assert checked(source) == []
    assert result(source).data == [["1"], "002", "c", 1, False, 8]
    own = "def map(a: int) -> int: return a\nfilter = 1\ndef run(): return map(filter)"
    assert checked(own) == []


@pytest.mark.parametrize(
    ("source", "line", "column", "said"),
    [
        ("def run(a: int): return a.foo", 1, 25, "has no attribute `foo`"),
        ("def run(a: int):\n  x: str = a\n  return x", 2, 12, "not assignable"),
        ("def run(a):\n  return undefined", 2, 10, "`undefined`"),
        ("def run(a): return open('x')", 1, 20, "`open`"),
        ("import json\ndef run(a): return json.nope", 2, 20, "nope"),
        ("from json import nope\ndef run(a): return 1", 1, 18, "nope"),
        ("async def run(a):\n  return await call_tool(1, {})", 2, 26, "`str`"),
        ("async def run(a):\n  return await call_tool('x', 'y')", 2, 31, "`dict"),
        ("async def run(a):\n  return await call_tool('x')", 2, 16, "`input`"),
        ("def run(a: int):\n  'é'; return a.foo", 2, 15, "foo"),
        ("def run(a: int = None): return a", 1, 9, "Default value"),
    ],
)
def test_a_mistake_of_types_has_its_place(
    source: str, line: int, column: int, said: str
) -> None:
    found = checked(source, {"a": "integer"})
    assert places(found) == [("CODE_TYPES", line, column)]
    assert said in found[0].message
    assert found[0].path == "spec.runtime.source"
    assert found[0].level == "error"


def test_all_mistakes_are_found_in_the_order_of_lines() -> None:
    source = "def run(a: int):\n  b: str = a\n  c: str = a\n  return a.foo"
    found = checked(source, {"a": "integer"})
    assert [p.line for p in found] == [2, 3, 4]
    assert places(checked("def run(): return [nope, 1, open('x')]")) == [
        ("CODE_TYPES", 1, 20),
        ("CODE_TYPES", 1, 29),
    ]


def test_of_very_many_mistakes_some_are_named() -> None:
    source = "def run():\n" + "  nope\n" * 2000
    assert len(checked(source)) == 50


@pytest.mark.parametrize(
    ("source", "line", "said", "hint"),
    [
        (
            "def run():\n  a = 1\n  del a",
            3,
            "the interpreter does not support the `del` statement",
            ".pop()",
        ),
        ("def f():\n  yield 1\ndef run(): 1", 2, "support yield", "a list"),
        ("class A: 1\nclass B(A): 1\ndef run(): 1", 1, "bodies", "plain values"),
        ("class A: pass\nclass B(A): pass\ndef run(): 1", 2, "inheritance", "bases"),
        ("async def run():\n  async for a in b: 1", 2, "async for loops", "plain for"),
        ("async def run(): [a async for a in b]", 1, "comprehensions", "plain for"),
        ("async def run():\n  async with x: pass", 2, "async with", "without a with"),
        ("def run():\n  try: 1\n  except* ValueError: 1", 2, "except*", "the *"),
        (
            "def run():\n  from json import *",
            2,
            "the interpreter refuses it: Wildcard imports",
            None,
        ),
        ("def f(a):\n  nonlocal b\ndef run(): 1", 2, "no binding for nonlocal", None),
    ],
)
def test_syntax_that_the_interpreter_lacks_has_its_line_and_what_to_write_instead(
    source: str, line: int, said: str, hint: str | None
) -> None:
    found = [p for p in checked(source) if p.code == "CODE_SYNTAX"]
    assert [p.line for p in found] == [line]
    assert said in found[0].message
    assert hint is None if found[0].hint is None else str(hint) in found[0].hint


@pytest.mark.parametrize(
    ("source", "line", "column", "said"),
    [
        (
            "from dataclasses import field, asdict\ndef run(): return [field, asdict]",
            1,
            32,
            "dataclasses has no asdict",
        ),
        (
            "def run():\n  from datetime import UTC as u; return u",
            2,
            24,
            "datetime has no UTC",
        ),
        (
            "import json as j\ndef run():\n  'é'; return j.JSONEncoder",
            3,
            15,
            "json has no JSONEncoder",
        ),
    ],
)
def test_a_name_that_the_modules_of_the_interpreter_lack_is_refused(
    source: str, line: int, column: int, said: str
) -> None:
    (found, *_) = checked(source)
    assert places([found]) == [("CODE_IMPORT", line, column)]
    assert found.message == f"the interpreter's {said}"
    assert "a part of Python only" in str(found.hint)


@pytest.mark.parametrize(
    "source",
    [
        "from dataclasses import field\ndef run(): return [field]",
        "def run():\n  try: from datetime import UTC\n  except ImportError: return 1",
        "import json\ndef run(): return json.JSONDecodeError",
        "import json\ndef f(json: dict): return json.get(1)\ndef run(): return f({})",
    ],
)
def test_names_that_are_there_or_are_none_of_a_module_are_fine(source: str) -> None:
    assert checked(source) == []


def test_the_interpreter_is_asked_once_for_each_name() -> None:
    source = "import json\ndef run(): return json.dumps(json.JSONEncoder)"

    async def main() -> tuple[list[Problem], list[Problem], list[list[Name]]]:
        asked: list[list[Name]] = []

        def counted(lease: Lease, names: list[Name]) -> Mapping[Name, bool]:
            asked.append(names)
            return answers(lease, names)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sparknb.runtimes.monty.check.answers", counted)
            async with runtime() as opened:
                first = list(await opened.check(python_tool(source)))
                second = list(await opened.check(python_tool(source)))
                return first, second, asked

    first, second, asked = asyncio.run(main())
    assert first == second
    assert len(first) == 1
    assert asked == [[("json", "JSONEncoder"), ("json", "dumps")]]


def test_methods_with_decorators_are_one_problem_which_says_what_to_write() -> None:
    source = (
        "class Stack:\n"
        "  @staticmethod\n"
        "  def f() -> int: return 1\n"
        "  @classmethod\n"
        "  def make(cls):\n    return cls()\n"
        "  @property\n  def top(self): return 1\n"
        "  def plain(self): return undefined\n"
        "def run(): return Stack.make()"
    )
    found = checked(source)
    assert places(found) == [("CODE_SYNTAX", 2, 3), ("CODE_TYPES", 9, 27)]
    assert "does not support method decorators" in found[0].message
    assert found[0].hint == "write a function beside the class, or call a plain method"


_NOT_A_TEXT = "the interpreter takes one text for an exception"


@pytest.mark.parametrize(
    ("made", "name"),
    [
        ("ValueError('é', a)", "ValueError"),
        ("SystemExit(3)", "SystemExit"),
        ("KeyError(None)", "KeyError"),
        ("TypeError(['a'])", "TypeError"),
        ("OSError(b'a')", "OSError"),
    ],
)
def test_an_exception_of_something_else_than_one_text_is_refused(
    made: str, name: str
) -> None:
    (found,) = checked(f"def run(a: str):\n  'é'; raise {made}", {"a": "string"})
    assert (found.code, found.line, found.column) == ("CODE_SYNTAX", 2, 14)
    assert found.message == _NOT_A_TEXT
    assert found.hint == f'write {name}(f"...")'


@pytest.mark.parametrize(
    "made",
    [
        "ValueError",
        "ValueError()",
        "ValueError('a')",
        "ValueError(f'{a}')",
        "ValueError('a' + a)",
        "ValueError(str(a))",
        "ValueError(a)",
        "ValueError(*[a])",
    ],
)
def test_an_exception_of_one_text_is_fine(made: str) -> None:
    assert checked(f"def run(a: str):\n  raise {made}", {"a": "string"}) == []


def test_a_function_with_the_name_of_an_exception_takes_what_it_takes() -> None:
    source = "def Warning(a: int, b: int) -> int: return a\ndef run(): Warning(1, 2)"
    assert checked(source) == []


_CALLED = "async def run():\n  a = call_tool('x', {})\n"


@pytest.mark.parametrize(
    "source",
    [
        f"{_CALLED}  return a['b']",
        f"{_CALLED}  for b in a: pass",
        f"{_CALLED}  return a + 1",
        f"{_CALLED}  return 'b' + a",
        f"{_CALLED}  b: str = a",
        f"{_CALLED}  return int(a)",
        "async def run() -> str: return call_tool('x', {})",
        "async def run():\n  async def f(): return 1\n  return f().a",
    ],
)
def test_a_call_that_nobody_awaited_is_told_to_be_awaited(source: str) -> None:
    (found,) = checked(source)
    assert found.code == "CODE_TYPES"
    assert found.hint == "write await before the call, as in await call_tool(...)", (
        found.message
    )


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("return open('x').read()", "no files: take what it needs as a parameter"),
        ("return input()", "take the input as a parameter of run"),
        ("return requests.get('x')", "no network"),
        ("return json.dumps(1)", "write import json at the top"),
        ("return callable(1)", "Python has it, the interpreter of tools does not"),
        ("return undefined", None),
        ("a: str = 1", None),
        ("import asyncio\n  async def f(): 1\n  asyncio.run(1)", None),
    ],
)
def test_a_name_that_nobody_knows_says_what_to_do_where_that_is_known(
    body: str, hint: str | None
) -> None:
    (found,) = checked(f"def run():\n  {body}")
    assert found.code == "CODE_TYPES"
    assert hint is None if found.hint is None else str(hint) in found.hint


def test_a_comment_that_silences_the_checker_is_obeyed_and_no_problem() -> None:
    source = (
        "# ty: ignore\ndef run():\n  x: int = 'é'  # type: "
        "ignore\n  return x  # ty: ignore"
    )
    assert checked(source) == []


def test_nothing_of_the_source_runs(capfd: pytest.CaptureFixture[str]) -> None:
    source = (
        "def f(a=print('ran'), b=len('x' * 10 ** 9), c=[n for n in range(10 ** 12)]):\n"
        "  return 1\n"
        "@print\ndef g(): pass\n"
        "def run(): return 1"
    )
    assert checked(source) == []
    assert capfd.readouterr() == ("", "")


def test_what_the_rules_of_the_text_refuse_is_left_to_them() -> None:
    assert checked("import os\ndef run(): return os.nope") == []


def test_a_check_that_crashes_or_takes_too_long_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sparknb.runtimes.monty.check._SECONDS", 0.5)
    doubling = "".join(f"  x{n} = (x{n - 1}, x{n - 1})\n" for n in range(1, 40))
    source = f"def run():\n  x0 = 1\n{doubling}  y: int = x39\n"

    async def main() -> tuple[list[Problem], list[Problem]]:
        async with runtime() as opened:
            hard = list(await opened.check(python_tool(source)))
            easy = list(await opened.check(python_tool("def run(): return 1")))
            return hard, easy

    hard, easy = asyncio.run(main())
    assert [(p.code, p.level) for p in hard] == [("CHECK_SKIPPED", "warning")]
    assert easy == []
    assert capfd.readouterr() == ("", "")


def test_a_missing_sandbox_skips_the_check_and_says_how_to_install_it() -> None:
    async def main() -> list[Problem]:
        async with runtime(binary=Path("/nowhere/monty")) as opened:
            return list(await opened.check(python_tool("def run(): return 1")))

    found = asyncio.run(main())
    assert [(p.code, p.level) for p in found] == [("CHECK_SKIPPED", "warning")]
    assert "pip install pydantic-monty" in str(found[0].hint)
