"""Comments of a Python cell: which are settings, and which were meant as one."""

import pytest

from tests.importers.cell.python_cells import DOC, document, read, told


@pytest.mark.parametrize(
    ("line", "path", "code"),
    [
        ("# titel: X", "titel", "FIELD_UNKNOWN"),
        ("# timeout: 5000", "timeout", "FIELD_UNKNOWN"),
        ("# description: X", "description", "FIELD_UNKNOWN"),
        ("# params: {}", "params", "FIELD_UNKNOWN"),
        ("# risk: none", "risk", "FIELD_VALUE"),
        ("# risk:", "risk", "FIELD_TYPE"),
        ("# timeoutMs: soon", "timeoutMs", "FIELD_TYPE"),
        ("# tools: words", "tools.0", "DEPENDENCY_SELF"),
        ("# tools: [a b]", "tools.0", "FIELD_VALUE"),
        ("# memoryMb: 1", "memoryMb", "FIELD_VALUE"),
        ("# title: @x", "title", "FIELD_VALUE"),
        ("# title: {{x}}", "title", "FIELD_VALUE"),
    ],
)
def test_a_setting_that_is_wrong_has_its_line(line: str, path: str, code: str) -> None:
    found = told(f"{DOC}# a plain comment\n{line}\ndef run():\n    return 1\n")
    assert (4, code) in {(line, code) for line, _, code in found}
    assert path in {path for _, path, _ in found} or line == "# title: @x"


def test_a_setting_that_stands_twice_is_told() -> None:
    body = f"# risk: read\n{DOC}# risk: low-write\ndef run():\n    return 1\n"
    assert told(body) == [(4, "risk", "FIELD_VALUE")]


def test_other_comments_and_comments_further_down_belong_to_the_program() -> None:
    program = (
        "# Note: this is one\n# see https://a.test/ and more\n"
        "def run():\n    # risk: none\n    return 1\n    # risk: none\n"
    )
    assert document(DOC + program)["spec"]["runtime"]["source"] == program


@pytest.mark.parametrize(
    "prose",
    [
        "# risk and effect: see below",
        "# risks: many",
        "# a risk: none",
        "# risk == 5",
        "#",
        "# params: those of run",
        "# see title",
        "# riks: many",
        "# task: read",
        "# Effects: reads the text",
        "# affects: update",
        "# expect: read",
        "# timeout: 5000",
        "# tool: weather",
        'TEXT = """\n# risk: destructive\n"""',
        "def other():\n    x = 1\n# risk: destructive\n    return x",
        "X = [\n# tools: a\n]",
        "X = 1  # risk: destructive",
    ],
)
def test_prose_below_the_first_statement_is_no_setting(prose: str) -> None:
    body = f"{DOC}import math\n\n{prose}\ndef run():\n    return 1\n"
    assert prose in document(body)["spec"]["runtime"]["source"]


@pytest.mark.parametrize(
    ("comment", "written"),
    [
        ("# risk: destructive", "# risk: destructive"),
        ("#risk:destructive", "# risk: destructive"),
        ("## effect: delete", "# effect: delete"),
        ("# Risk: destructive", "# risk: destructive"),
        ("# tools = a", "# tools: a"),
        ("# tools:", "# tools: a, b"),
        ("# timeout_ms: 5000", "# timeoutMs: 5000"),
        ("# title: Ärger", "# title: Ärger"),
    ],
)
@pytest.mark.parametrize(
    "where",
    [
        "{doc}import math\n{c}\ndef run():\n    return 1\n",
        "{doc}import math\n\n{c}\n\n@wraps\ndef run():\n    return 1\n",
        "{doc}def run():\n    return 1\n{c}\n",
        "{doc}x = 1; y = 2\n{c}\nz = 3\ndef run():\n    return 1\n{c}",
        '"""Zählt die Wörter."""  {c}\ndef run():\n    return 1\n',
        "import math\n{doc}{c}\ndef run():\n    return 1\n",
    ],
)
def test_a_setting_that_is_read_nowhere_is_refused(
    where: str, comment: str, written: str
) -> None:
    body = where.format(doc=DOC, c=comment)
    key = written.split()[1].removesuffix(":")
    lines = [n for n, line in enumerate(body.split("\n"), 2) if comment in line]
    found = [p for p in read(body).check() if p.message.startswith("the setting")]
    assert [(p.line, p.path, p.code) for p in found] == [
        (line, key, "FIELD_VALUE") for line in lines
    ]
    for each in found:
        assert "settings stand above the first statement" in (each.hint or "")
        assert f"write {written} there" in (each.hint or "")


@pytest.mark.parametrize(
    ("comment", "code", "hint"),
    [
        ("#risk:destructive", "FIELD_VALUE", "write # risk: destructive"),
        ("# risk:destructive", "FIELD_VALUE", "write # risk: destructive"),
        ("# tools = a", "FIELD_VALUE", "write # tools: a"),
        ("#tools:a", "FIELD_VALUE", "write # tools: a"),
        ("#tools=", "FIELD_VALUE", "write # tools: a, b"),
        ("## risk: destructive", "FIELD_VALUE", "write # risk: destructive"),
        ("# Risk: destructive", "FIELD_UNKNOWN", "did you mean risk?"),
        ("# TOOLS=a", "FIELD_UNKNOWN", "did you mean tools?"),
        ("#timeout-ms:5000", "FIELD_UNKNOWN", "did you mean timeoutMs?"),
        ("#timeout:5000", "FIELD_UNKNOWN", "did you mean timeoutMs?"),
    ],
)
def test_a_setting_in_another_spelling_is_refused(
    comment: str, code: str, hint: str
) -> None:
    for body in (f"{DOC}{comment}\n", f"# kept\n{comment}\n{DOC}"):
        (found,) = read(f"{body}def run():\n    return 1\n").check()
        assert (found.line, found.code) == (3, code)
        assert hint in (found.hint or "")


MISSPELT = {
    "# riks: low-write": "risk",
    "# Riks: Low-Write": "risk",
    "#rik=destructive": "risk",
    "# rissk: 'low-write'  # it writes": "risk",
    "# efect: send": "effect",
    "# Effcet: update": "effect",
    "# impotency: unsafe": "idempotency",
    "# idempotancy : keyed": "idempotency",
}


@pytest.mark.parametrize("comment", MISSPELT)
def test_a_misspelt_setting_is_refused_with_the_right_one(comment: str) -> None:
    key, rest = MISSPELT[comment], "def run():\n    return 1\n"
    (found,) = read(f"{DOC}# kept\n{comment}\n{rest}").check()
    assert (found.line, found.code) == (4, "FIELD_UNKNOWN")
    assert f"did you mean {key}?" in (found.hint or "")
    assert "begin otherwise" in (found.hint or "")
    (found,) = read(f"{DOC}import math\n{comment}\n{rest}").check()
    assert (found.line, found.path, found.code) == (4, key, "FIELD_VALUE")
    assert f"seems to be the setting '{key}'" in found.message
    assert f"write # {key}: " in (found.hint or "")


@pytest.mark.parametrize(
    ("comment", "key"),
    [
        ("# tiemoutms: 5000", "timeoutMs"),
        ("# Timeout: 5_000", "timeoutMs"),
        ("# Memroy_mb: 256", "memoryMb"),
        ("# maxOutptuByte: 2048", "maxOutputBytes"),
    ],
)
def test_a_misspelt_limit_is_refused_above_the_program(comment: str, key: str) -> None:
    rest = "def run():\n    return 1\n"
    (found,) = read(f"{DOC}{comment}\n{rest}").check()
    assert (found.line, found.code) == (3, "FIELD_UNKNOWN")
    assert f"did you mean {key}?" in (found.hint or "")
    assert document(f"{DOC}import math\n{comment}\n{rest}")


PROSE = """\
Riks: the city of kings
riks: many
Risks: none that I know of
disk: 5 MB at most
Disk: none
rise: update
Task: read
task: read the whole text, then count
time: 5000
Time: O(n)
date: 2026-12-01
Note: low-write
note: read
mode: read
role: read
Type: read
kind: send
access: read
state: safe
status: unsafe
usage: see below
Effects: none
Affects: update
affects: the order of the words
expect: read
Expected: delete
object: read
select: read
Author: somebody
License: MIT
Copyright: 2026
version: 1
Version = 2
Example: run("a b")
Examples: 3
Input: a text
output: 1048576
Output: bytes
Returns: int
Raises: ValueError
args: text, least
step: 1
Step: create
limit: 10
size: 256
memo: 128
months: 12
amount: 5000
minutes: 30
default: 10
cols: name, age
Goals: read
rows = 3
LEAST = 1
timeout = 30
tool = weather
see https://a.test/risk: read
pylint: disable=all
type: ignore
ruff: noqa
fmt: off
-*- coding: utf-8 -*-
risk - read
the risk: read
a: b
x = read
"""


@pytest.mark.parametrize("where", ["{c}{r}", "import math\n{c}{r}"])
def test_prose_is_not_taken_for_a_misspelt_setting(where: str) -> None:
    comments = "".join(f"# {line}\n" for line in PROSE.splitlines())
    program = where.format(c=comments, r="def run():\n    return 1\n")
    assert document(DOC + program)["spec"]["runtime"]["source"] == program


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("# tools: [a,\n#  b]", "FIELD_VALUE"),
        ("# tools: [a", "FIELD_VALUE"),
        ("# tools: a,\n#  b", "FIELD_VALUE"),
        ("# tools:\n#  - a\n#  - b", "FIELD_TYPE"),
        ("# title: 'Words\n# risk: destructive'", "FIELD_VALUE"),
        ("# title: {a\n# risk: destructive}", "FIELD_VALUE"),
    ],
)
def test_a_setting_that_goes_on_below_is_refused_at_its_line(
    setting: str, code: str
) -> None:
    body = f"{DOC}# effect: delete\n{setting}\n\ndef run():\n    return 1\n"
    found = read(body).check()[0]
    assert (found.line, found.code) == (4, code)
    assert "a setting stands on one line: # t" in (found.hint or "")
    assert all((p.line or 0) <= 5 for p in read(body).check())
