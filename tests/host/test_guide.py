"""The guide is true: its examples are valid, its numbers are those of the rules."""

import json
import re
from typing import Any

import pytest

from sparknb.core.cases import MOST_CASES, read_cases
from sparknb.core.codes import CODES
from sparknb.core.definitions import RISKS
from sparknb.core.risk import derive_risk
from sparknb.core.validation import validate
from sparknb.host.agent_tools_table import AGENT_TOOLS
from sparknb.host.guide import guide

TEXT = guide(["http"])
BLOCKS = [
    json.loads(block)
    for block in re.findall(r"^```json\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
]
DEFINITIONS = [block for block in BLOCKS if isinstance(block, dict)]


@pytest.mark.parametrize("example", DEFINITIONS, ids=lambda d: d["id"])
def test_every_example_is_valid(example: dict[str, Any]) -> None:
    report = validate(example)
    assert report.valid
    assert report.problems == ()


def test_there_is_an_example_of_each_kind() -> None:
    kinds = [
        (d["type"], d["spec"].get("runtime", {}).get("language")) for d in DEFINITIONS
    ]
    assert set(kinds) == {("http", None), ("code", "typescript"), ("code", "python")}


def test_the_example_cases_are_valid_and_fit_the_first_example() -> None:
    (cases,) = [block for block in BLOCKS if isinstance(block, list)]
    assert read_cases(cases)[1] == []
    known = set(DEFINITIONS[0]["inputSchema"]["properties"])
    assert all(set(case["input"]) <= known for case in cases)
    assert str(MOST_CASES) in TEXT


def test_it_names_all_it_speaks_of() -> None:
    named = set(re.findall(r"custom_tools_\w+", TEXT)) - {"custom_tools_"}
    assert named <= set(AGENT_TOOLS)
    assert {t for t in AGENT_TOOLS if AGENT_TOOLS[t].flag == "confirmPublish"} <= named
    codes = set(re.findall(r"\b[A-Z]{4,}(?:_[A-Z]+)+\b", TEXT))
    assert codes <= set(CODES)
    assert len(re.findall(r"^[1-6]\. \*\*", TEXT, re.MULTILINE)) == 6


def test_it_says_what_runs_here() -> None:
    assert "Here run: http." in TEXT
    assert "Here run: http, typescript." in guide(["http", "typescript"])
    assert not re.findall(r"\{(?:runtimes|cases|examples)\}", TEXT)


def test_its_table_of_risks_is_the_one_that_counts() -> None:
    rows = re.findall(r"^\| ([A-Z]+) \| (.+?) / (.+?) / (.+?) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 5
    for method, *triple in rows:
        assert derive_risk(method) == tuple(triple)
    assert all(f"`{risk}`" in TEXT for risk in RISKS)


def test_it_is_short_enough_to_be_read() -> None:
    assert len(TEXT) < 20_000
