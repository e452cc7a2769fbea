"""The rules of Python source, as far as the text shows them (ST-39, ST-40)."""

from typing import Any

import pytest

from sparknb.core.input_schema import read_input_schema
from sparknb.core.problems import Problem
from sparknb.core.validation.python_source import IMPORTABLE, source_problems

_NONE: dict[str, Any] = {}


def problems(
    source: str,
    properties: dict[str, Any] | None = None,
    required: tuple[str, ...] = (),
) -> list[Problem]:
    wire = {
        "type": "object",
        "properties": {
            name: member if isinstance(member, dict) else {"type": member}
            for name, member in (properties or {}).items()
        },
        "required": list(required),
    }
    return source_problems(source, read_input_schema(wire))


def places(found: list[Problem]) -> list[tuple[str, int | None, int | None]]:
    assert {p.path for p in found} <= {"spec.runtime.source"}
    return [(p.code, p.line, p.column) for p in found]


# ---------------------------------------------------------------- the syntax
@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("def run(:\n  pass", 1, 9),
        ("def run():\n  x = = 1", 2, 7),
        ("x = 1\n'\0'", 2, 2),
        ("x = 1\ny = 'a\ud800'", 2, 7),
        ("\ufeffdef run(): pass", 1, 1),
        ("x = " + "9" * 5000, 1, 1),
        ("(" * 300, 1, 201),
    ],
)
def test_what_cannot_be_parsed_is_named_with_its_place(
    source: str, line: int, column: int
) -> None:
    found = problems(source)
    assert [p.code for p in found] == ["CODE_SYNTAX"]
    assert found[0].line == line
    assert found[0].column is not None
    assert abs(found[0].column - column) <= 1  # versions of Python differ by one


@pytest.mark.parametrize(
    "source",
    [
        "-" * 100_000 + "1",
        "1" + "+1" * 99_000,
        "x" + ".a" * 90_000,
        "x" + "[0]" * 60_000,
        "lambda:" * 20_000 + "1",
        "not " * 40_000 + "1",
        "{" * 190 + ":" + "{" * 190,
        "x = f'" + "{" * 1000,
        "match x:\n case " + "(" * 190,
        "\\\n" * 90_000,
    ],
    ids=lambda source: ascii(source[:12]),
)
def test_source_that_is_made_to_break_the_parser_is_only_refused(source: str) -> None:
    found = problems(source)
    assert [p.code for p in found] == ["CODE_SYNTAX"]
    assert found[0].line is not None


def test_an_odd_escape_in_a_text_is_no_problem() -> None:
    assert problems("def run(): return '\\d'") == []  # Python warns of it


# ------------------------------------------------- what stands where it may not
@pytest.mark.parametrize(
    ("source", "line", "column", "said", "hint"),
    [
        (
            "def run():\n  'é'; return await call_tool('a', {})",
            2,
            15,
            "await stands outside of async def",
            "write async def run(...)",
        ),
        ("def run():\n  def f(): await g()", 2, 12, "async def", "async def f(...)"),
        ("async def run():\n  return lambda: await g()", 2, 18, "await", "lambda"),
        ("async def f(a=await g()): 1\ndef run(): 1", 1, 15, "await", "move it into"),
        ("def run():\n  return sum(await g(i) for i in 'a')", 2, 14, "await", "run"),
        ("def run():\n  class A:\n    return 1", 3, 5, "return", "move it into"),
        ("def run():\n  class A:\n    x = yield 1", 3, 9, "yield", None),
        ("class A:\n  for a in 'b': yield from a\ndef run(): 1", 2, 17, "from", None),
        ("def run(): 1\ndef f(a, b, *, a): 1", 2, 16, "a is there twice", "own"),
        ("def run():\n  return lambda a, **a: 1", 2, 22, "a is there twice", "own"),
        ("def run():\n  if 1: break", 2, 9, "break stands outside of a loop", None),
        ("def run():\n  while 1: 1\n  else: continue", 3, 9, "continue", None),
        ("def run():\n  for a in 'b':\n    def f(): break", 3, 14, "break", None),
        ("def run():\n  for a in 'b':\n    class A: break", 3, 14, "break", None),
        (
            "def run():\n  try: 1\n  except: 1\n  except ValueError: 1",
            3,
            3,
            "except",
            "behind",
        ),
    ],
)
def test_what_stands_where_python_refuses_it_is_named_with_its_place(
    source: str, line: int, column: int, said: str, hint: str | None
) -> None:
    found = problems(source)
    assert places(found) == [("CODE_SYNTAX", line, column)]
    assert said in found[0].message
    assert hint is None if found[0].hint is None else str(hint) in found[0].hint


@pytest.mark.parametrize(
    "statement", ["return 1", "yield 1", "nonlocal x", "X = await run()"]
)
def test_at_the_top_level_one_problem_of_a_place_is_enough(statement: str) -> None:
    found = problems(f"def run(): 1\n{statement}")
    assert [(p.code, p.line) for p in found] == [("CODE_SYNTAX", 2)]


def test_each_function_that_awaits_and_may_not_is_named_once() -> None:
    body = "  a = await g()\n  return [await a, await a]\n"
    source = f"def f():\n{body}async def g():\n{body}def run():\n{body}"
    assert places(problems(source)) == [
        ("CODE_SYNTAX", 2, 7),
        ("CODE_SYNTAX", 8, 7),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "async def run():\n  if await g(): return [await a for a in await g()]",
        "def run():\n  async def f(): return {await a: [await b] for a in 'b'}\n  f()",
        "def run():\n  for a in 'b':\n    if a: break\n    else: continue",
        "def run():\n  while 1:\n    try: 1\n    finally: break",
        "def run():\n  while 1:\n    for a in 'b': 1\n    else: break",
        "def run():\n  try: 1\n  except ValueError: 1\n  except: 1",
        "def run():\n  try: 1\n  except: 1\n  else: return 1",
        "def run():\n  a = 1\n  def f():\n    nonlocal a\n  return lambda: (yield)",
        "def run():\n  return lambda a, b=(lambda a: a): a",
    ],
)
def test_what_stands_where_it_may_is_fine(source: str) -> None:
    assert problems(source) == []


def test_source_that_is_made_to_break_the_compiler_is_only_read() -> None:
    # some levels of it keep a compiler of Python busy for minutes
    levels = "".join(f"{' ' * n}try: return\n{' ' * n}finally:\n" for n in range(1, 90))
    assert problems(f"def run():\n{levels}{' ' * 90}return 1") == []


def test_very_many_misplaced_statements_are_named_in_part() -> None:
    assert len(problems("def run():\n" + " break\n" * 9000)) == 50


# --------------------------------------------------------------- the imports
@pytest.mark.parametrize("module", sorted(IMPORTABLE))
def test_the_listed_modules_may_be_imported(module: str) -> None:
    assert problems(f"import {module}\ndef run():\n  from {module} import x") == []


@pytest.mark.parametrize(
    ("statement", "column"),
    [
        ("import os", 10),
        ("import json, os", 16),
        ("import os.path", 10),
        ("import collections.abc", 10),
        ("from os import path", 3),
        ("from . import x", 3),
        ("from .json import x", 3),
        ("from __future__ import annotations", 3),
        ("import jsonx as json", 10),
        ("'é'; import os", 15),
    ],
)
def test_other_modules_may_not_with_their_place(statement: str, column: int) -> None:
    found = problems(f"def run():\n  {statement}\n  return 1")
    assert places(found) == [("CODE_IMPORT", 2, column)]
    assert found[0].hint is not None
    assert "itertools" in found[0].hint


def test_an_import_is_found_wherever_it_stands() -> None:
    source = (
        "class A:\n  import os\ndef run():\n  if 0:\n    try:\n      import sys\n"
        "    except ImportError:\n      import io\n  return lambda: 1"
    )
    assert [p.line for p in problems(source)] == [2, 6, 8]


def test_the_word_import_in_texts_and_comments_is_fine() -> None:
    assert (
        problems("# import os\ndef run():\n  '''import os'''\n  return 'import os'")
        == []
    )


def test_a_source_with_very_many_problems_names_some_of_them() -> None:
    assert len(problems("import os\n" * 500)) == 50


# ------------------------------------------------------------------- the run
@pytest.mark.parametrize(
    "source",
    [
        "def run(): return 1",
        "async def run(): return 1",
        '"""What it does."""\nimport json\nLIMIT = 3\ndef run(): return LIMIT',
        "A, B = 1, -2\nC: int = A + B\nD: str\ndef run(): return [A, B, C]",
        "T = {'a': [1, (2,)], 'b': {3}}\ndef run(): return T['a']",
        "N = None if 1 > 2 else f'{1}'\ndef run(): return N",
        "class A:\n  x = 1\n@staticmethod\ndef f(): pass\ndef run(): return A.x",
        "def run():\n  def run(): return 2\n  return run()",
        "pass\ndef run(): return 1",
    ],
)
def test_a_source_with_one_plain_run_is_fine(source: str) -> None:
    assert problems(source) == []


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("", 1),
        ("# nothing", 1),
        ("x = 1", 1),
        ("def go(): pass", 1),
        ("run = lambda: 1", 1),
        ("run = 3", 1),
        ("class run: pass", 1),
        ("class A:\n  def run(self): pass", 1),
        ("def run(): 1\ndef run(): 2", 2),
        ("def run(): 1\nrun = 3", 2),
        ("def run(): 1\nfrom json import loads as run", 2),
        ("def run(): 1\nclass run: pass", 2),
        ("import functools\n@functools.cache\ndef run(): 1", 2),
        ("def run(*a): 1", 1),
        ("def run(**k): 1", 1),
    ],
)
def test_anything_else_is_no_entry(source: str, line: int) -> None:
    found = problems(source)
    assert {p.code for p in found} == {"CODE_ENTRY"}
    assert line in {p.line for p in found}


@pytest.mark.parametrize(
    "second", ["def run(b): 2", "async def run(a): 2", "run = 3", "class run: pass"]
)
def test_of_two_runs_it_is_only_said_that_there_are_two(second: str) -> None:
    found = problems(f"def run(c): 1\n{second}", {"a": "string"}, ("a",))
    assert [(p.line, p.message) for p in found] == [
        (2, "run is defined more than once")
    ]


@pytest.mark.parametrize("name", ["self", "cls"])
def test_a_run_that_looks_like_a_method_is_told_what_to_remove(name: str) -> None:
    found = problems(f"def run({name}, a): 1", {"a": "string"}, ("a",))
    assert [(p.column, p.hint) for p in found] == [(9, f"remove {name} from run")]
    assert problems(f"def run({name}): 1", {name: "string"}, (name,)) == []
    found = problems(f"def run(a, {name}): 1", {"a": "string"}, ("a",))
    assert [p.message for p in found] == [f"the input schema does not declare {name}"]


@pytest.mark.parametrize(
    "statement",
    [
        "print('hi')",
        "1 + 1",
        "'a text'",
        "if True:\n  X = 1",
        "for x in []: pass",
        "while False: pass",
        "try:\n  X = 1\nexcept Exception: pass",
        "with x: pass",
        "del json",
        "X += 1",
        "json.x = 1",
        "json['x'] = 1",
        "X = print()",
        "X = [y for y in 'ab']",
        "X = (y := 1)",
        "X = lambda: 1",
        "X: int = int('1')",
        "assert True",
        "raise ValueError",
        "global X",
        "async with x: pass",
        "match 1:\n  case 1: pass",
    ],
)
def test_the_top_level_does_nothing(statement: str) -> None:
    found = problems(f"import json\nX = 1\n{statement}\ndef run(): return 1")
    assert [p.code for p in found] == ["CODE_ENTRY"]
    assert found[0].line in {3, 4}


# ------------------------------------------------------------ the parameters
def test_the_parameters_are_those_of_the_schema() -> None:
    named = {"city": "string", "day": "integer"}
    assert problems("def run(city, day): 1", named, ("city", "day")) == []
    assert problems("def run(*, day, city): 1", named, ("city", "day")) == []
    found = problems("def run(city, when): 1", named, ("city", "day"))
    assert [p.message for p in found] == [
        "run does not take what the input schema declares: day",
        "the input schema does not declare when",
    ]


@pytest.mark.parametrize("signature", ["a, /", "a, *b", "a, **b", "*, a, **b"])
def test_parameters_have_names_and_only_those(signature: str) -> None:
    found = problems(f"def run({signature}): 1", {"a": "string"}, ("a",))
    assert [p.code for p in found] == ["CODE_ENTRY"]


@pytest.mark.parametrize(
    ("signature", "required", "fits"),
    [
        ("a", True, True),
        ("a=1", True, True),
        ("a=1", False, True),
        ("a", False, False),
        ("*, a=1", False, True),
        ("*, a", False, False),
    ],
)
def test_what_is_not_required_has_a_default(
    signature: str, required: bool, fits: bool
) -> None:
    found = problems(
        f"def run({signature}): 1", {"a": "integer"}, ("a",) if required else ()
    )
    assert [p.code for p in found] == ([] if fits else ["CODE_ENTRY"])


_TEXTS = {"type": "array", "items": {"type": "string"}}
_CHOICE = {"type": "string", "enum": ["a", "b"]}


@pytest.mark.parametrize(
    ("declared", "annotation"),
    [
        ("string", "str"),
        ("number", "float"),
        ("number", "int"),
        ("integer", "int"),
        ("boolean", "bool"),
        ("array", "list"),
        (_TEXTS, "list"),
        (_TEXTS, "list[str]"),
        (_TEXTS, "List[str]"),
        (_TEXTS, "list[Any]"),
        (_TEXTS, "typing.List"),
        ("string", "str | None"),
        ("string", "Optional[str]"),
        ("string", "typing.Union[None, str]"),
        ("string", "'str'"),
        ("string", "'str | None'"),
        ("string", "Annotated[str, 'a city']"),
        ("string", "Any"),
        ("integer", "object"),
        (_CHOICE, "Literal['a', 'b']"),
        (_CHOICE, "Literal['b', 'a', 'c']"),
        (_CHOICE, "str"),
    ],
    ids=str,
)
def test_an_annotation_that_takes_all_values_fits(
    declared: Any, annotation: str
) -> None:
    assert problems(f"def run(a: {annotation}): 1", {"a": declared}, ("a",)) == []


@pytest.mark.parametrize(
    ("declared", "annotation"),
    [
        ("string", "int"),
        ("string", "bytes"),
        ("number", "str"),
        ("integer", "float"),
        ("integer", "bool"),
        ("boolean", "int"),
        ("array", "dict"),
        ("array", "tuple"),
        ("string", "list[str]"),
        (_TEXTS, "list[int]"),
        ("string", "int | None"),
        ("string", "None"),
        ("string", "'int'"),
        ("string", "'not python ('"),
        ("string", "Strange"),
        ("string", "f('str')"),
        ("string", "Literal['a']"),
        (_CHOICE, "Literal['a']"),
        ("integer", "Literal[1]"),
    ],
    ids=str,
)
def test_an_annotation_of_another_type_does_not(declared: Any, annotation: str) -> None:
    found = problems(f"def run(a: {annotation}): 1", {"a": declared}, ("a",))
    assert places(found) == [("CODE_ENTRY", 1, 12)]


def test_all_problems_are_found_at_once_in_the_order_of_lines() -> None:
    source = "import os\nX = print()\ndef run(b: int): import sys"
    found = problems(source, {"b": "string"}, ("b",))
    assert places(found) == [
        ("CODE_IMPORT", 1, 8),
        ("CODE_ENTRY", 2, 5),
        ("CODE_ENTRY", 3, 12),
        ("CODE_IMPORT", 3, 25),
    ]
