"""What a Python tool gives back (ST-42), and what it prints (ST-43)."""

import asyncio
from typing import Any

import pytest

from tests.runtimes.monty.running import failing, result, run, runtime


@pytest.mark.parametrize(
    ("expression", "text", "data"),
    [
        ("'as it is'", "as it is", None),
        ("''", "", None),
        ("'{\"a\": 1}'", '{"a": 1}', None),
        ("'ä🙂\\n\\0'", "ä🙂\n\0", None),
        ("None", "null", None),
        ("True", "true", True),
        ("-7", "-7", -7),
        ("2 ** 80", "1208925819614629174706176", 2**80),
        ("1.5", "1.5", 1.5),
        ("[]", "[]", []),
        ("(1, 'b')", '[\n  1,\n  "b"\n]', [1, "b"]),
        (
            "{'b': [], 'a': {'ä': None}}",
            '{\n  "b": [],\n  "a": {\n    "ä": null\n  }\n}',
            {"b": [], "a": {"ä": None}},
        ),
        ("collections.Counter('aab')", '{\n  "a": 2,\n  "b": 1\n}', {"a": 2, "b": 1}),
    ],
)
def test_a_result_is_text_as_it_is_or_json(
    expression: str, text: str, data: Any
) -> None:
    outcome = result(f"import collections\ndef run(): return {expression}")
    assert outcome.text == text
    assert outcome.data == data
    assert outcome.bytes == len(text.encode())
    assert not outcome.truncated


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("{1}", "a set at result"),
        ("b'x'", "a bytes at result"),
        ("frozenset()", "a frozenset at result"),
        ("float('nan')", "the float nan at result"),
        ("{'a': [0, -float('inf')]}", "the float -inf at result['a'][1]"),
        ("{1: 2}", "a key of type int at result"),
        ("[{'a': {None: 1}}]", "a key of type NoneType at result[0]['a']"),
        ("{(1, 2): 3}", "a key of type tuple at result"),
        ("[decimal.Decimal(1)]", "a Decimal at result[0]"),
        ("{'at': datetime.date(2020, 1, 1)}", "a date at result['at']"),
        ("lambda: 1", "a function at result"),
        ("print", "a builtin_function_or_method at result"),
        ("int", "a type at result"),
        ("range(3)", "a range at result"),
        ("1j", "a complex at result"),
        ("...", "an ellipsis at result"),
        ("ValueError('x')", "a ValueError at result"),
        ("P(1)", "a P at result"),
        ("[P]", "a type at result[0]"),
        ("call_tool", "a function at result"),
        ("10 ** 5000", "4300 digits"),
    ],
)
def test_what_json_cannot_hold_is_named_with_its_place(
    expression: str, said: str
) -> None:
    source = (
        "import dataclasses, datetime, decimal\n"
        "@dataclasses.dataclass\nclass P:\n  x: int\n"
        f"def run():\n  return {expression}"
    )
    error = failing(source)
    assert error.message.startswith("the result cannot be written as JSON: ")
    assert said in error.message
    assert error.hint == "return texts, numbers, lists and dicts"


@pytest.mark.parametrize(
    ("returned", "place"),
    [("call_tool('x', {})", "result"), ("[1, {'a': f()}]", "result[1]['a']")],
)
def test_a_call_that_was_not_awaited_is_no_result_and_says_so(
    returned: str, place: str
) -> None:
    error = failing(f"async def f(): 1\nasync def run(): return {returned}")
    assert error.message.endswith(f"as JSON: a coroutine at {place}")
    assert error.hint is not None
    assert "write await before it" in error.hint


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x = []\n  x.append({'a': x})", "a cycle (a list that holds itself)"),
        ("x = {}\n  x['a'] = [x]", "a cycle (a dict that holds itself)"),
        ("x = 1\n  for _ in range(5000): x = [x]", "recursion depth"),
    ],
)
def test_a_result_without_end_is_refused(body: str, said: str) -> None:
    assert said in failing(f"def run():\n  {body}\n  return x").message


def test_the_same_list_twice_is_no_cycle() -> None:
    assert result("def run():\n  x = [1]\n  return [x, x]").data == [[1], [1]]


def test_a_result_above_the_limit_is_refused_and_never_cut() -> None:
    fits = result("def run(): return 'é' * 512", max_output_bytes=1024)
    assert fits.text == "é" * 512
    error = failing("def run(): return 'é' * 513", max_output_bytes=1024)
    assert "1,026 bytes" in error.message
    assert "1,024" in error.message
    error = failing("def run(): return [1] * 500", max_output_bytes=1024)
    assert "maxOutputBytes" in error.message


def test_a_source_may_call_its_own_things_like_the_builtins() -> None:
    source = (
        "str = len = type = isinstance = dict = list = json = None\n"
        "def run(): return {'a': [1.5]}"
    )
    assert result(source).data == {"a": [1.5]}


@pytest.mark.parametrize("key", ["1", "1.5", "true", "null", "nan", "-3 days"])
def test_keys_that_only_look_like_numbers_are_fine(key: str) -> None:
    assert result("def run(a): return {a: [a]}", {"a": key}).data == {key: [key]}


@pytest.mark.parametrize("key", ["1", "1.5", "True", "None", "float('inf')", "-1e30"])
def test_keys_that_are_no_texts_are_refused(key: str) -> None:
    message = failing(f"def run(): return [{{'a': {{{key}: 'x'}}}}]").message
    assert "a key of type" in message
    assert "at result[0]['a']" in message


@pytest.mark.parametrize(
    "name", ["__sparknb_json", "__sparknb_asyncio", "__sparknb_main", "__sparknb_run"]
)
def test_a_source_cannot_replace_what_writes_its_result(name: str) -> None:
    source = (
        "class Writer:\n"
        "  def dumps(self, *a, **k): return [{1}]\n"
        "  def gather(self, *a, **k): return [{1}]\n"
        f"{name} = 1\n"
        f"def run():\n  global {name}\n  {name} = Writer()\n  return 'own'"
    )
    assert result(source).text == "own"


@pytest.mark.parametrize("change", ["json.dumps = 1", "setattr(json, 'dumps', 1)"])
def test_a_source_cannot_change_a_module(change: str) -> None:
    source = f"import json\ndef run():\n  {change}"
    assert "AttributeError" in failing(source).message


def test_builtins_of_the_source_cannot_print_past_the_host(
    capfd: pytest.CaptureFixture[str],
) -> None:
    source = (
        "def isinstance(*_):\n  print('from within')\n  return False\n"
        "def run(): return {1}"
    )
    assert "from within" in failing(source).message
    assert capfd.readouterr() == ("", "")


def test_prints_of_nothing_cost_nothing() -> None:
    source = "def run():\n  for _ in range(20_000): print('', end='')\n  return 1"
    assert result(source).printed == ""


def test_async_programs_and_coroutines_that_are_given_back_are_awaited() -> None:
    assert result("async def run(): return 1").data == 1
    assert result("async def f(): return 2\ndef run(): return f()").data == 2


# ----------------------------------------------------------- the arguments
def test_arguments_arrive_by_name_in_their_python_types() -> None:
    source = (
        "def run(a, b, c, d, e): return [type(x).__name__ for x in (a, b, c, d, e)]"
    )
    given = {"a": "x", "b": 1, "c": 1.5, "d": True, "e": ["y"]}
    assert result(source, given).data == ["str", "int", "float", "bool", "list"]


def test_an_integer_that_came_as_5_0_is_5() -> None:
    source = "def run(a, b): return [range(a)[-1], [type(x).__name__ for x in b]]"
    parameters = {
        "a": "integer",
        "b": {"type": "array", "items": {"type": "integer"}},
    }
    outcome = result(source, {"a": 5.0, "b": [1.0, 2]}, parameters=parameters)
    assert outcome.data == [4, ["int", "int"]]


def test_what_is_not_passed_has_the_default_of_the_program() -> None:
    source = "def run(a='here', *, b=[1]): return [a, b]"
    assert result(source, parameters={"a": "string", "b": "array"}).data == [
        "here",
        [1],
    ]


@pytest.mark.parametrize(
    "value", ["", "\0", "'; import os #", "é🙂" * 1000, "{{x}}", '"""', "\\"]
)
def test_an_argument_is_never_read_as_program(value: str) -> None:
    assert result("def run(a): return [a]", {"a": value}).data == [value]


def test_very_large_numbers_keep_all_their_digits() -> None:
    assert result("def run(a): return a", {"a": 2**200 + 1}).data == 2**200 + 1


def test_each_call_has_a_session_of_its_own() -> None:
    source = "SEEN = []\ndef run():\n  SEEN.append(1)\n  return len(SEEN)"

    async def main() -> list[Any]:
        async with runtime(at_once=1) as opened:
            return [(await run(opened, source)).data for _ in range(3)]

    assert asyncio.run(main()) == [1, 1, 1]


# ------------------------------------------------------------------ the print
def test_what_is_printed_is_kept_apart_from_the_result() -> None:
    outcome = result("def run():\n  print('a', 1)\n  print('é')\n  return 'text'")
    assert outcome.text == "text"
    assert outcome.printed == "a 1\né\n"


def test_of_very_much_print_the_first_64_kib_are_kept() -> None:
    outcome = result("def run():\n  for _ in range(400): print('é' * 500)")
    assert outcome.text == "null"
    assert len(outcome.printed.encode()) in {65535, 65536}  # no half characters
    assert outcome.printed.startswith("é" * 500 + "\n")


def test_a_failure_ends_with_what_was_printed() -> None:
    error = failing("def run():\n  print('so far')\n  return 1 / 0")
    assert error.message == (
        "the program failed: ZeroDivisionError: division by zero (line 3)\n"
        "printed:\nso far\n"
    )
    assert "printed" not in failing("def run(): return 1 / 0").message
