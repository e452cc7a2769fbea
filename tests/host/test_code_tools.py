"""Code tools in their real sandboxes, through the host: examples 16 to 19 and more."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparknb import bootstrap
from sparknb.core.errors import InvalidInputError
from sparknb.examples import ExampleService
from sparknb.host.guide_examples import EXAMPLES
from sparknb.runtimes.deno import DenoRuntime
from sparknb.runtimes.monty import MontyRuntime
from tests.host.coding import LANGUAGES, CodingSession
from tests.hosting import http_tool

EITHER = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodingSession]:
    """Give one host for all tests here: they publish, each under ids of its own."""
    session = CodingSession(tmp_path_factory.mktemp("coding") / "home")
    yield session
    session.close()


# ------------------------------------------------------------------ example 16
@pytest.mark.parametrize(
    "source",
    [
        'import x from "file:///a.json" with {type: "json"};\nexport default () => x;',
        'export default async () => await import("node:fs");',
        'export * from "./a";\nexport default () => 1;',
    ],
    ids=["static", "dynamic", "again"],
)
def test_16_typescript_that_loads_a_module_is_refused_at_save(
    house: CodingSession, source: str
) -> None:
    assert [code for code, _ in house.codes(house.define("typescript", source))] == [
        "CODE_IMPORT"
    ]


def test_16_the_word_in_a_text_is_no_import(house: CodingSession) -> None:
    source = 'const s = "import x";\nexport default () => s;'
    assert house.outcome("typescript", source).text == "import x"


def test_16_an_import_that_was_written_past_the_check_reads_nothing(
    house: CodingSession, tmp_path: Path
) -> None:
    file = tmp_path / "s.json"
    file.write_text('"canary-in-a-file"', encoding="utf-8")
    source = (
        f'import x from "{file.as_uri()}" with {{type: "json"}};\n'
        "export default () => x;"
    )
    tool_id = house.by_hand(house.define("typescript", source))
    result = house.call(tool_id, {})
    assert result.error_code == "EXECUTION_FAILED"
    assert "canary" not in str(result)


# ------------------------------------------------------------------ example 17
@pytest.mark.parametrize(
    "attempt",
    [
        'eval("1")',
        'new Worker("data:text/javascript,1")',
        'localStorage.setItem("a", "b")',
        "process.env.HOME",
        'fetch("http://127.0.0.1:9/")',
    ],
)
def test_17_what_reaches_out_of_typescript_is_gone(
    house: CodingSession, attempt: str
) -> None:
    source = f"export default async () => await ({attempt});"
    assert house.outcome("typescript", source).error_code == "EXECUTION_FAILED"


# ------------------------------------------------------------------ example 18
def test_18_memory_beside_the_heap_counts_as_well(house: CodingSession) -> None:
    source = """export default async () => {
      const kept = [];
      while (true) {
        kept.push(new Uint8Array(10_000_000).fill(1));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };"""
    result = house.outcome("typescript", source, limits={"memoryMb": 64})
    assert result.error_code == "EXECUTION_FAILED"
    assert "memory" in result.text
    assert house.outcome("typescript", "export default () => 1;").text == "1"


@pytest.mark.parametrize(
    ("language", "source"),
    [
        (
            "typescript",
            "export default () => { console.log('so far'); while (true) {} };",
        ),
        ("python", "def run():\n    print('so far')\n    while True:\n        pass\n"),
        (
            "python",
            "import time\n\ndef run():\n    print('so far')\n    time.sleep(60)\n",
        ),
    ],
    ids=["typescript", "python", "sleep"],
)
def test_18_19_what_never_ends_is_stopped_at_its_time(
    house: CodingSession, language: str, source: str
) -> None:
    result = house.outcome(language, source, timeoutMs=1000)
    assert result.error_code == "TIMEOUT"
    assert result.text.endswith(" 1000 ms\nprinted:\nso far\n")  # (ST-43)
    assert 900 <= result.meta.duration_ms < 30_000


# ------------------------------------------------------------------ example 19
def test_19_python_is_type_checked_at_save(house: CodingSession) -> None:
    source = "def run(a: int): return a.foo"
    tool = house.define("python", source, properties={"a": "integer"})
    assert house.codes(tool) == [("CODE_TYPES", 1)]
    with pytest.raises(InvalidInputError) as caught:
        house.run(house.host.studio.draft(tool))
    assert caught.value.problems[0].line == 1


def test_19_python_imports_what_is_listed_and_nothing_else(
    house: CodingSession,
) -> None:
    bad = house.define("python", "import os\n\ndef run(): return 1")
    assert house.codes(bad) == [("CODE_IMPORT", 1)]
    good = "import math\n\ndef run(): return math.floor(2.5)"
    assert house.outcome("python", good).text == "2"


def test_19_what_json_cannot_say_is_named(house: CodingSession) -> None:
    result = house.outcome("python", "def run(): return {1}")
    assert result.error_code == "EXECUTION_FAILED"
    assert "set" in result.text


# --------------------------------------------------------------------- results
@pytest.mark.parametrize(
    ("language", "source", "text"),
    [
        ("python", 'def run(): return "two\\nlines"', "two\nlines"),
        ("typescript", 'export default () => "two\\nlines";', "two\nlines"),
        ("python", "def run(): pass", "null"),
        ("typescript", "export default () => {};", "null"),
        ("python", 'def run(): return {"a": [1, "ü"]}', None),
        ("typescript", 'export default async () => ({a: [1, "ü"]});', None),
    ],
)
def test_a_text_stays_and_all_else_is_json(
    house: CodingSession, language: str, source: str, text: str | None
) -> None:
    result = house.outcome(language, source)
    assert result.text == (text or '{\n  "a": [\n    1,\n    "ü"\n  ]\n}')
    if text is None:
        assert result.data == {"a": [1, "ü"]}


@EITHER
def test_arguments_arrive_with_their_types_and_absent_ones_do_not(
    house: CodingSession, language: str
) -> None:
    source = {
        "python": "def run(n: int, t: str, more: list = []): return [n, t, more]",
        "typescript": "export default (i) => [i.n, i.t, 'more' in i ? i.more : []];",
    }[language]
    tool = house.define(language, source, properties={"n": "integer", "t": "string"})
    more = {"type": "array", "items": {"type": "boolean"}}
    tool["inputSchema"]["properties"]["more"] = more
    house.publish(tool)
    hostile = '"});process.exit()//\u2028\x00'
    called = house.call(tool["id"], {"n": -5, "t": hostile})
    assert called.data == [-5, hostile, []]
    called = house.call(tool["id"], {"n": 1, "t": "x", "more": [True]})
    assert called.data == [1, "x", [True]]


@EITHER
def test_what_a_program_prints_is_shown_to_its_author_only(
    house: CodingSession, language: str
) -> None:
    source = {
        "python": 'def run():\n    print("looked here")\n    return 1\n',
        "typescript": 'export default () => { console.log("looked here"); return 1; };',
    }[language]
    tool_id = house.new(language, source)
    result = house.run(house.host.studio.test(tool_id, {}))
    assert (result.text, result.printed.strip()) == ("1", "looked here")


@EITHER
def test_a_failure_tells_the_reason_and_what_was_printed(
    house: CodingSession, language: str
) -> None:
    source = {
        "python": 'def run():\n    print("so far")\n    raise ValueError("no luck")\n',
        "typescript": "export default () => {\n"
        '  console.log("so far");\n  throw new Error("no luck");\n};',
    }[language]
    result = house.outcome(language, source)
    assert result.error_code == "EXECUTION_FAILED"
    assert "no luck" in result.text
    assert "so far" in result.text


@EITHER
def test_a_result_beyond_its_limit_is_refused_and_never_cut(
    house: CodingSession, language: str
) -> None:
    source = {
        "python": 'def run(): return "x" * 2000',
        "typescript": 'export default () => "x".repeat(2000);',
    }[language]
    limits = {"maxOutputBytes": 1024}
    result = house.outcome(language, source, limits=limits)
    assert result.error_code == "EXECUTION_FAILED"
    assert "maxOutputBytes" in result.text or "1,024" in result.text


# ----------------------------------------------------------------------- cases
@EITHER
def test_cases_look_at_the_value_that_a_program_returns(
    house: CodingSession, language: str
) -> None:
    source = {
        "python": "def run(n: int):\n"
        "    if n < 0:\n        raise ValueError(n)\n"
        '    print("printed")\n    return {"twice": n * 2}\n',
        "typescript": "export default ({n}) => {\n"
        "  if (n < 0) throw new Error(String(n));\n"
        '  console.log("printed");\n  return {twice: n * 2};\n};',
    }[language]
    tool = house.define(language, source, properties={"n": "integer"})
    schema = {"type": "object", "required": ["twice"]}
    wanted = [
        ({"n": 2}, {"jsonPath": "$.twice", "equals": 4.0}),
        ({"n": 2}, {"jsonSchema": schema}),
        ({"n": 2}, {"exact": '{\n  "twice": 4\n}'}),
        ({"n": -1}, {"errorCode": "EXECUTION_FAILED"}),
        ({"n": "2"}, {"errorCode": "INVALID_INPUT"}),
        ({"n": 2}, {"contains": "printed"}),
    ]
    cases = [
        {"name": f"case {number}", "input": given, "expect": expect}
        for number, (given, expect) in enumerate(wanted, 1)
    ]
    house.run(house.host.studio.draft(tool, cases))
    run = house.run(house.host.studio.run_cases(tool["id"]))
    assert [each.passed for each in run.results] == [True] * 5 + [False]
    house.run(house.host.studio.save_draft(tool, cases[:5]))
    house.run(house.host.studio.run_cases(tool["id"]))
    house.run(house.host.studio.publish(tool["id"], require_cases=True))


@EITHER
def test_a_definition_that_is_not_saved_can_be_tried(
    house: CodingSession, language: str
) -> None:
    source = {"python": "def run(): return 7", "typescript": "export default () => 7;"}
    tool = house.define(language, source[language])
    assert house.run(house.host.studio.test(tool, {})).text == "7"


# ------------------------------------------------------------ a missing sandbox
@EITHER
def test_without_its_sandbox_a_program_is_kept_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    absent = tmp_path / "absent"
    missing = {
        "python": MontyRuntime(binary=absent),
        "typescript": DenoRuntime(binary=absent),
    }
    monkeypatch.setattr(bootstrap, "sandboxes", lambda: missing)
    source = {"python": "def run(): return 7", "typescript": "export default () => 7;"}
    session = CodingSession(tmp_path / "home")
    try:
        tool = session.define(language, source[language])
        (warning,) = session.run(session.host.studio.draft(tool)).warnings
        assert warning.code == "CHECK_SKIPPED"
        assert "pip install" in warning.message
        with pytest.raises(InvalidInputError) as caught:
            session.run(session.host.studio.publish(tool["id"]))
        assert [p.code for p in caught.value.problems] == ["CHECK_SKIPPED"]
        result = session.call(
            session.by_hand(session.define(language, source[language])), {}
        )
        assert result.error_code == "EXECUTION_FAILED"
        assert "pip install" in result.text
    finally:
        session.close()


# ------------------------------------------------------- what we show to others
PAGE = Path(__file__).parents[2] / "docs" / "code-tools.md"


def on_page(language: str) -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_guide_run(house: CodingSession) -> None:
    loan, counts = (dict(e) for e in EXAMPLES.values() if e["type"] == "code")
    house.publish(loan)
    given = {"amount": 1200, "yearly_percent": 0, "months": 12}
    assert house.call(loan["id"], given).data == {"payment": 100}
    house.publish(counts)
    words = {"text": "to be or not to be", "top": 1}
    assert house.call(counts["id"], words).data == [{"word": "to", "count": 2}]


def test_the_programs_of_the_page_run(
    house: CodingSession, example_service: ExampleService
) -> None:
    url = example_service.url + "/weather?city={{city}}"
    weather = http_tool(url, tool_id="weather")
    weather["inputSchema"] = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    }
    weather["spec"]["response"] = {"format": "json"}
    weather["timeoutMs"] = 60_000  # the first answer reads the list of all cities
    house.publish(weather)
    bill, warmest = map(json.loads, on_page("json"))
    house.publish(bill)
    assert house.call("split_bill", {"cents": 1000, "guests": 3}).data == {"each": 367}
    house.publish(warmest | {"timeoutMs": 60_000})
    found = house.call("warmest_city", {"cities": ["Reykjavík", "Nairobi"]})
    assert found.ok, found.text
    assert found.data["city"] == "Nairobi"
    for language, fence in (("python", "python"), ("typescript", "ts")):
        (source,) = on_page(fence)
        tool = house.new(
            language, source, properties={"city": "string"}, named=("weather",)
        )
        found = house.call(tool, {"city": "Oslo"})
        assert (found.ok, json.loads(found.text)["city"]) == (True, "Oslo"), found.text
        found = house.call(tool, {"city": "Nowhere-at-all"})
        assert found.text.startswith("HTTP_ERROR"), found.text
