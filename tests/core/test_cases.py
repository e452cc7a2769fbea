import json
import re
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.cases import MOST_CASES, RESULT_CODES, judge, read_cases
from sparknb.core.codes import CODES
from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult

ROOT = Path(__file__).parents[2]
KEY = "sk-" + "a" * 20


def case(expect: Any, **changes: Any) -> dict[str, Any]:
    return {"name": "one", "input": {}, "expect": expect} | changes


def problems(*cases: Any) -> list[Problem]:
    found, told = read_cases(list(cases))
    assert not (found and told)
    return told


def paths(*cases: Any) -> list[str]:
    told = problems(*cases)
    assert {p.code for p in told} <= {"CASE_INVALID"}
    return [p.path for p in told]


def reason(expect: Any, result: ToolResult) -> str | None:
    """Give why the case fails, None when it passes."""
    (sound,), told = read_cases([case(expect)])
    assert not told
    found = judge(sound, result)
    assert found.passed == (found.reason == "as expected")
    return None if found.passed else found.reason


def answer(data: Any, text: str = "x") -> ToolResult:
    return ToolResult(ok=True, text=text, data=data)


# ------------------------------------------------------------------------- reading
EXPECTATIONS = [
    {"exact": ""},
    {"contains": "Norway"},
    {"jsonPath": "$.a[*].b", "equals": None},
    {"jsonSchema": {"type": "object"}},
    {"jsonSchema": True},
    {"errorCode": "HTTP_ERROR"},
]


@pytest.mark.parametrize("expect", EXPECTATIONS, ids=lambda e: next(iter(e)))
def test_each_kind_of_expectation_is_read(expect: Any) -> None:
    written = case(expect, input={"city": "Zürich", "n": [1, 2.5, None]})
    assert read_cases([written]) == ([written], [])


def test_no_cases_are_fine() -> None:
    assert read_cases([]) == ([], [])


@pytest.mark.parametrize("value", [None, {}, "[]", 5, [5], [None], [[]]])
def test_what_is_no_list_of_objects_is_told(value: Any) -> None:
    found, told = read_cases(value)
    assert not found
    assert [p.code for p in told] == ["CASE_INVALID"]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"name": ""}, "cases.0.name"),
        ({"name": " leading"}, "cases.0.name"),
        ({"name": "a" * 81}, "cases.0.name"),
        ({"name": "a/b"}, "cases.0.name"),
        ({"name": "é"}, "cases.0.name"),
        ({"name": 5}, "cases.0.name"),
        ({"name": None}, "cases.0.name"),
        ({"input": []}, "cases.0.input"),
        ({"input": None}, "cases.0.input"),
        ({"expect": None}, "cases.0.expect"),
        ({"expect": {}}, "cases.0.expect"),
        ({"expect": {"exact": "a", "contains": "a"}}, "cases.0.expect"),
        ({"expect": {"equals": 1}}, "cases.0.expect"),
        ({"expect": {"exact": 1}}, "cases.0.expect.exact"),
        ({"expect": {"contains": ""}}, "cases.0.expect.contains"),
        ({"expect": {"jsonPath": "$.a"}}, "cases.0.expect.equals"),
        ({"expect": {"jsonPath": "$.a[", "equals": 1}}, "cases.0.expect.jsonPath"),
        ({"expect": {"jsonPath": "", "equals": 1}}, "cases.0.expect.jsonPath"),
        ({"expect": {"errorCode": "USAGE"}}, "cases.0.expect.errorCode"),
        ({"expect": {"errorCode": "http_error"}}, "cases.0.expect.errorCode"),
        ({"expect": {"jsonSchema": []}}, "cases.0.expect.jsonSchema"),
        ({"expect": {"jsonSchema": {"type": "text"}}}, "cases.0.expect.jsonSchema"),
        ({"expect": {"exact": "a", "more": 1}}, "cases.0.expect.more"),
        ({"more": 1}, "cases.0.more"),
    ],
    ids=str,
)
def test_a_case_that_breaks_a_rule_is_told_at_its_place(
    changes: dict[str, Any], path: str
) -> None:
    assert paths(case({"exact": "a"}) | changes) == [path]


def test_every_problem_of_every_case_is_told_in_order() -> None:
    told = paths({"name": "a"}, case({"exact": 1}, name="a"), case({}, name="/"), 7)
    assert told == [
        "cases.0.input",
        "cases.0.expect",
        "cases.1.name",
        "cases.1.expect.exact",
        "cases.2.name",
        "cases.2.expect",
        "cases.3",
    ]


def test_fifty_cases_are_the_most() -> None:
    many = [case({"exact": "a"}, name=f"n{n}") for n in range(MOST_CASES + 1)]
    assert not problems(*many[:-1])
    assert paths(*many) == ["cases"]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("a\0b", "cases.0.input.q"),
        ("\ud800", "cases.0.input.q"),
        (float("nan"), "cases.0.input.q"),
        (float("inf"), "cases.0.input.q"),
        ({1, 2}, "cases"),
        ("x" * 1_100_000, "cases"),
    ],
    ids=["NUL", "surrogate", "NaN", "infinity", "no JSON", "too large"],
)
def test_what_cannot_be_kept_is_told(value: Any, path: str) -> None:
    assert paths(case({"exact": "a"}, input={"q": value})) == [path]


def test_endless_levels_end() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    assert paths(case({"exact": "a"}, input={"q": deep})) == ["cases"]


@pytest.mark.parametrize(
    "changes",
    [
        {"input": {"q": [KEY]}},
        {"input": {KEY: 1}},
        {"expect": {"contains": f"Bearer {'a' * 30}"}},
        {"expect": {"jsonPath": "$.a", "equals": {"b": KEY}}},
        {"expect": {"jsonSchema": {"const": KEY}}},
    ],
    ids=str,
)
def test_what_looks_like_a_secret_is_refused_and_not_repeated(
    changes: dict[str, Any],
) -> None:
    told = problems(case({"exact": "a"}) | changes)
    assert {p.code for p in told} == {"LITERAL_SECRET"}
    assert KEY not in str(told)
    assert "a" * 30 not in str(told)


def test_the_codes_a_case_may_expect_are_ones_a_call_can_end_in() -> None:
    assert set(RESULT_CODES) <= {
        c for c, code in CODES.items() if code.use == "operation"
    }
    ends = {c for c, code in CODES.items() if code.status is not None}
    assert ends <= set(RESULT_CODES)


def test_the_cases_of_the_documentation_are_valid() -> None:
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```\n(\[.*?^\])\n```", text, re.MULTILINE | re.DOTALL)
    assert read_cases(json.loads(block))[1] == []


# ------------------------------------------------------------------------- judging
def test_exact_compares_every_character() -> None:
    assert reason({"exact": "Oslo\n"}, answer(None, "Oslo\n")) is None
    told = reason({"exact": "a long text that ends in A"}, answer(None, "a long text"))
    assert told is not None
    assert "character 12" in told


def test_contains_looks_for_a_part() -> None:
    assert reason({"contains": "slo"}, answer(None, "Oslo")) is None
    told = reason({"contains": "oslo"}, answer(None, "Oslo"))
    assert told == "the text does not contain 'oslo'; it begins 'Oslo'"


@pytest.mark.parametrize(
    ("wanted", "found", "passes"),
    [
        (1, 1.0, True),
        (1.0, 1, True),
        (1, True, False),
        (0, False, False),
        (None, None, True),
        ("1", 1, False),
        ({"a": [1, {"b": 2}]}, {"a": [1.0, {"b": 2}]}, True),
        ([1, 2], [2, 1], False),
        (10**400, 10**400, False),  # no JSON number
    ],
    ids=str,
)
def test_the_first_node_is_compared_as_json(
    wanted: Any, found: Any, passes: bool
) -> None:
    (sound,) = [case({"jsonPath": "$.v[*]", "equals": wanted})]
    result = judge(sound, answer({"v": [found, "second"]}))
    assert result.passed is passes


def test_a_path_that_finds_nothing_fails() -> None:
    told = reason({"jsonPath": "$.b", "equals": None}, answer({"a": 1}))
    assert told == "$.b finds nothing in the answer"


@pytest.mark.parametrize(
    "expect", [{"jsonPath": "$", "equals": 1}, {"jsonSchema": True}], ids=str
)
def test_without_json_a_look_into_json_fails(expect: Any) -> None:
    told = reason(expect, answer(None, "1"))
    assert told is not None
    assert "no JSON" in told


def test_a_schema_says_where_the_answer_differs() -> None:
    schema = {"properties": {"rows": {"items": {"required": ["id"]}}}}
    assert reason({"jsonSchema": schema}, answer({"rows": [{"id": 1}]})) is None
    told = reason({"jsonSchema": schema}, answer({"rows": [{"id": 1}, {}]}))
    assert told is not None
    assert told.startswith("at rows.1: ")


def test_a_failed_call_fails_every_case_that_does_not_expect_it() -> None:
    failed = ToolResult(ok=False, text="404 Not Found", error_code="HTTP_ERROR")
    assert reason({"errorCode": "HTTP_ERROR"}, failed) is None
    assert reason({"contains": "404"}, failed) == "HTTP_ERROR: 404 Not Found"
    told = reason({"errorCode": "TIMEOUT"}, failed)
    assert told == "expected TIMEOUT, but it ended in HTTP_ERROR"
    told = reason({"errorCode": "TIMEOUT"}, answer(None))
    assert told == "expected TIMEOUT, but the call succeeded"


def test_reasons_are_one_short_line_without_secrets() -> None:
    hostile = f"\x1b[31m {KEY}\n\u202e" + "x" * 10_000
    for expect in EXPECTATIONS[:2]:
        told = reason(expect, answer({"a": hostile}, hostile))
        assert told is not None
        assert KEY not in told
        assert told.isprintable()
        assert len(told) < 500
