"""Test cases through the command line: kept, run, and wanted before publishing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.cli.conftest import Run, spec

Write = Callable[..., str]
CLEAR = {
    "name": "clear",
    "input": {"city": "Oslo"},
    "expect": {"jsonPath": "$.sky", "equals": "clear"},
}
RAIN = {"name": "rain", "input": {"city": "Oslo"}, "expect": {"contains": "rain"}}


@pytest.fixture
def keep(tmp_path: Path) -> Callable[..., str]:
    """Give a function that writes cases to a file and gives its name."""

    def save(*cases: Any) -> str:
        (tmp_path / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
        return "cases.json"

    return save


@pytest.fixture
def tool(service: HTTPServer, write: Write) -> str:
    return write(spec=spec(service.url_for("/weather?city={{city}}")))


def test_cases_are_kept_run_and_wanted(
    sparknb: Run, tool: str, keep: Callable[..., str]
) -> None:
    assert sparknb("draft", tool, "--cases", keep(CLEAR, RAIN)).exit == 0
    said = sparknb("test", "weather", "--cases")
    assert said.exit == 1
    assert "1 of 2 cases passed" in said.out
    assert "does not contain 'rain'" in said.out
    reply = sparknb("test", "weather", "--cases", "--json")
    assert (reply.exit, reply.document["passed"]) == (1, False)
    assert [r["passed"] for r in reply.document["results"]] == [True, False]
    refused = sparknb("publish", "weather", "--require-cases", "--yes", "--json")
    assert refused.error["code"] == "CASES_NOT_PASSING"
    assert refused.error["message"] == "weather: failing: rain"
    assert refused.error["hint"].endswith("sparknb test weather --cases")

    assert sparknb("draft", tool, "--cases", keep(CLEAR)).exit == 0
    assert sparknb("test", "weather", "--cases", "--version", "1").exit == 0
    shown = sparknb("show", "weather", "--json").document
    assert [case["name"] for case in shown["cases"]] == ["clear"]
    done = sparknb("publish", "weather", "--require-cases", "--yes", "--json")
    assert done.document["tool"]["publishedVersion"] == 1


def test_a_person_sees_the_cases_of_a_tool_and_what_came_of_them(
    sparknb: Run, tool: str, keep: Callable[..., str]
) -> None:
    def shown() -> list[str]:
        lines = sparknb("show", "weather").out.splitlines()
        return [line.split(maxsplit=1)[1] for line in lines if line[:5] == "cases"]

    sparknb("draft", tool)
    assert shown() == []
    sparknb("draft", tool, "--cases", keep(CLEAR, RAIN))
    assert shown() == ["2, not run"]
    sparknb("test", "weather", "--cases")
    assert shown() == ["2; in the last run 1 of 2 passed"]
    sparknb("draft", tool, "--cases", keep(CLEAR))
    assert shown() == ["1; in the last run 1 of 2 passed, before a change"]


def test_a_tool_that_writes_wants_an_answer_for_all_cases(
    sparknb: Run, service: HTTPServer, write: Write, keep: Callable[..., str]
) -> None:
    case = {"name": "made", "input": {"city": "a"}, "expect": {"contains": "7"}}
    sparknb(
        "draft",
        write(spec=spec(service.url_for("/order?city={{city}}"), method="POST")),
        "--cases",
        keep(case, case | {"name": "again"}),
    )
    refused = sparknb("test", "weather", "--cases", "--json")
    assert refused.error["code"] == "APPROVAL_UNAVAILABLE"
    assert not service.log
    done = sparknb("test", "weather", "--cases", "--yes", "--json")
    assert (done.exit, len(service.log)) == (0, 2)


def test_broken_cases_are_told_with_their_place_and_store_nothing(
    sparknb: Run, tool: str, keep: Callable[..., str]
) -> None:
    reply = sparknb("draft", tool, "--cases", keep(CLEAR | {"expect": {}}), "--json")
    assert (reply.exit, reply.error["code"]) == (1, "INVALID_INPUT")
    assert [issue["path"] for issue in reply.error["issues"]] == ["cases.0.expect"]
    assert reply.error["message"].startswith("the list of cases has one problem")
    assert reply.error["message"].endswith("errorCode; it has none")
    assert sparknb("list", "--json").document["total"] == 0


@pytest.mark.parametrize("text", ["", "[", '{"cases": []}', "\x00", '"x"'])
def test_a_file_that_holds_no_cases_is_refused(
    sparknb: Run, tool: str, tmp_path: Path, text: str
) -> None:
    (tmp_path / "odd.json").write_text(text, encoding="utf-8")
    reply = sparknb("draft", tool, "--cases", "odd.json", "--json")
    assert (reply.exit, reply.error["code"]) == (1, "INVALID_INPUT")


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        (["test", "weather", "--cases", "--input", "{}"], 2, "USAGE"),
        (["test", "./weather.json", "--cases"], 2, "USAGE"),
        (["draft", "weather.json", "--cases", "-"], 2, "USAGE"),
        (["draft", "weather.json", "--cases", "absent.json"], 1, "NOT_FOUND"),
        (["test", "nothing", "--cases"], 1, "NOT_FOUND"),
        (["test", "weather", "--cases"], 1, "INVALID_INPUT"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else None,
)
def test_cases_where_they_do_not_belong_are_refused(
    sparknb: Run, tool: str, words: list[str], exit_code: int, code: str
) -> None:
    sparknb("draft", tool)
    reply = sparknb(*words, "--json")
    assert (reply.exit, reply.error["code"]) == (exit_code, code)
