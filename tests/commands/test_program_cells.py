"""Cells that hold a program, on a real host with real sandboxes."""

import json
from typing import Any

import pytest

from sparknb.commands.table import Outcome
from sparknb.commands.views import Failure
from sparknb.displays import to_text
from sparknb.importers.cell import write_cell
from tests.commands.cells import Notebook

PYTHON = '''%%spark_tool words --type python
"""Count words

Counts the words of a text, when somebody asks how long it is.
"""
# timeoutMs: 10000
from typing import Annotated


def run(text: Annotated[str, "The text"], least: int = 1) -> int:
    print("looked at", text)
    return len([word for word in text.split() if len(word) >= least])
'''
TYPESCRIPT = """%%spark_tool words --type typescript
/* ---
title: Count words
description: Counts the words of a text, when somebody asks how long it is.
params:
  text: {type: string}
--- */

export default function count(input: { text: string }): number {
  return input.text.split(" ").length;
}
"""
PROGRAMS = {"python": PYTHON, "typescript": TYPESCRIPT}


def problems(outcome: Outcome) -> list[tuple[str, str, str | None]]:
    """Give code, path and place of each problem of a refusal."""
    assert outcome.exit_code == 1
    assert isinstance(outcome.view, Failure)
    found = outcome.view.problems
    return [(p.code, p.path, found.place(p)) for p in found.problems]


def definition(notebook: Notebook) -> dict[str, Any]:
    detail = notebook.session.run(notebook.session.host.studio.get("words"))
    return dict((detail.draft or detail.shown).definition)


def test_a_program_is_saved_with_its_card(notebook: Notebook) -> None:
    assert notebook.show(PYTHON) == (
        "✓ words is a new tool: draft version 1\n"
        "\n"
        "title        Count words\n"
        "program      Python, 6 lines\n"
        "risk         read, effect read, safe to repeat\n"
        "may call     none\n"
        "calls        run without asking\n"
        "parameters   text, least?\n"
        "\n"
        "Next\n"
        "  %%spark_test words      try it\n"
        "  sparknb publish words   let agents call it"
    )
    assert "unchanged" in notebook.show(PYTHON)
    kept = definition(notebook)
    assert kept["timeoutMs"] == 10_000
    assert kept["spec"]["runtime"]["source"].startswith("from typing import")


def test_what_a_program_gives_and_prints_is_shown(notebook: Notebook) -> None:
    made = notebook.run(PYTHON, options=["--test", '{"text": "so it goes"}'])
    assert made.document["test"]["text"] == "3"
    shown = notebook.show("%%spark_test words\ntext: so it goes\nleast: 3\n")
    assert shown.startswith("✓ ok")
    assert "\n1\n" in shown
    assert "looked at so it goes" in shown


def test_a_program_in_typescript_runs_too(notebook: Notebook) -> None:
    given = '{"text": "so it goes"}'
    made = notebook.run(TYPESCRIPT, options=["--publish", "--test", given])
    assert made.exit_code == 0, made.document
    assert made.document["warnings"] == []
    assert made.document["test"]["text"] == "3"
    assert made.document["tool"]["publishedVersion"] == 1


@pytest.mark.parametrize("stage", ["--draft", "--check", "--publish"])
def test_a_type_that_is_wrong_is_told_at_its_line_and_column(
    notebook: Notebook, stage: str
) -> None:
    wrong = PYTHON.replace("return len(", "return str(")
    outcome = notebook.run(wrong, options=[stage])
    assert problems(outcome) == [("CODE_TYPES", "source", "cell line 12, column 12")]
    assert "cell line 12, column 12" in to_text(outcome.view)
    assert notebook.tools() == []


def test_three_mistakes_of_a_program_are_told_at_once(notebook: Notebook) -> None:
    wrong = PYTHON.replace("# timeoutMs: 10000", "# timeoutMs: soon\nimport os")
    wrong = wrong.replace("text: Annotated", "*, self, text: Annotated")
    for stage in ("--draft", "--check"):
        assert problems(notebook.run(wrong, options=[stage])) == [
            ("FIELD_TYPE", "timeoutMs", "cell line 6"),
            ("CODE_IMPORT", "source", "cell line 7, column 8"),
            ("CODE_ENTRY", "params.self", "cell line 11, column 12"),
        ]
    assert notebook.tools() == []


@pytest.mark.parametrize(
    ("stage", "setting", "code"),
    [
        ("--check", "risk: none", "FIELD_VALUE"),
        ("--publish", "memory: 128", "FIELD_UNKNOWN"),
    ],
)
def test_settings_that_are_wrong_hide_nothing_of_the_program(
    notebook: Notebook, stage: str, setting: str, code: str
) -> None:
    path = setting.partition(":")[0]
    python = PYTHON.replace("timeoutMs: 10000", setting)
    python = python.replace("return len(", "return str(")
    assert problems(notebook.run(python, options=[stage])) == [
        (code, path, "cell line 6"),
        ("CODE_TYPES", "source", "cell line 12, column 12"),
    ]
    typescript = TYPESCRIPT.replace("params:", f"{setting}\nparams:")
    typescript = typescript.replace(".length;", ".length +;")
    assert problems(notebook.run(typescript, options=[stage])) == [
        (code, path, "cell line 5"),
        ("CODE_SYNTAX", "source", "cell line 11, column 40"),
    ]
    assert notebook.tools() == []


def test_a_cell_without_words_has_its_program_looked_at_as_well(
    notebook: Notebook,
) -> None:
    _, _, python = PYTHON.replace("return len(", "return str(").rpartition('"""\n')
    head = "%%spark_tool words --type python\n"
    assert problems(notebook.run(head + python)) == [
        ("FIELD_MISSING", "description", "cell line 2"),
        ("CODE_TYPES", "source", "cell line 8, column 12"),
    ]
    _, _, typescript = TYPESCRIPT.replace(";\n}", " +;\n}").rpartition("--- */\n")
    head = "%%spark_tool words --type typescript\n"
    assert problems(notebook.run(head + typescript)) == [
        ("FIELD_MISSING", "title", "cell line 2"),
        ("CODE_SYNTAX", "source", "cell line 4, column 40"),
    ]


def test_where_the_program_begins_is_not_guessed(notebook: Notebook) -> None:
    unclosed = TYPESCRIPT.replace("--- */", "").replace(".length;", ".length +;")
    assert problems(notebook.run(unclosed)) == [("FIELD_VALUE", "title", "cell line 2")]
    empty = notebook.run("%%spark_tool words --type python\n\n")
    assert problems(empty) == [("FIELD_MISSING", "", "cell line 1")]


def test_what_typescript_refuses_is_told_at_its_line(notebook: Notebook) -> None:
    wrong = TYPESCRIPT.replace("\nexport", '\nimport x from "node:fs";\nexport')
    found = problems(notebook.run(wrong))
    assert [(code, path) for code, path, _ in found] == [("CODE_IMPORT", "source")]
    assert str(found[0][2]).startswith("cell line 9")
    (broken,) = problems(notebook.run(TYPESCRIPT.replace(".length;", ".length +;")))
    assert broken[0] == "CODE_SYNTAX"
    assert str(broken[2]).startswith("cell line 10")


NOTE = """%%spark_tool note
title: Write a note
description: Writes a note somewhere, when asked.
request: POST http://127.0.0.1:9/notes
"""
TWICE = '''%%spark_tool twice --type python
"""Write two notes

Writes a note twice, when that is wanted.
"""
# tools: note


async def run() -> list:
    return [await call_tool("note", {}), await call_tool("note", {})]
'''


def test_a_program_must_have_the_risk_of_what_it_calls(notebook: Notebook) -> None:
    absent = notebook.run(TWICE)
    warned = [(w["code"], w["path"]) for w in absent.document["warnings"]]
    assert warned == [("DEPENDENCY_MISSING", "tools.0")]
    assert "cell line 6" in to_text(absent.view)
    refused = problems(notebook.run(TWICE, options=["--publish"]))
    assert refused == [("DEPENDENCY_MISSING", "tools.0", "cell line 6")]
    told = to_text(notebook.run(TWICE, options=["--publish"]).view)
    assert told.count("make it first, or remove its id") == 1
    assert "the draft is saved" in told
    assert "the draft is saved;" not in told
    notebook.run(NOTE, options=["--publish"])
    for options in ([], ["--check"]):
        outcome = notebook.run(TWICE, options=options)
        assert outcome.exit_code == 0
        warned = [(w["code"], w["path"]) for w in outcome.document["warnings"]]
        assert warned == [("DEPENDENCY_RISK", "risk")]
    refused = problems(notebook.run(TWICE, options=["--publish"]))
    assert refused == [("DEPENDENCY_RISK", "risk", "cell line 2")]
    raised = TWICE.replace("# tools", "# risk: low-write\n# tools")
    done = notebook.run(raised, options=["--publish"])
    assert done.document["warnings"] == []
    assert done.document["tool"]["publishedVersion"] == 1


@pytest.mark.parametrize("options", [[], ["--quiet"]], ids=["card", "quiet"])
def test_publishing_from_a_cell_tells_what_it_means_for_other_tools(
    notebook: Notebook, options: list[str]
) -> None:
    notebook.run(NOTE, options=["--publish"])
    twice = TWICE.replace("# tools", "# risk: low-write\n# tools")
    notebook.run(twice, options=["--publish"])
    riskier = f"{NOTE}risk: high-write\n"
    done = notebook.run(riskier, options=["--publish", *options])
    codes = {w["code"] for w in done.document["warnings"]}
    assert codes == {"TOOL_IN_USE", "DEPENDENCY_RISK"}
    text = to_text(done.view)
    assert "is published" in text
    assert all(code in text for code in codes)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_program_goes_on_where_it_was_changed_elsewhere(
    notebook: Notebook, kind: str
) -> None:
    notebook.run(PROGRAMS[kind], options=["--publish"])
    changed = definition(notebook) | {"title": "Words", "timeoutMs": 2000}
    notebook.session.run(notebook.session.host.studio.draft(changed))
    cell = write_cell(definition(notebook))
    assert cell is not None
    assert f"--type {kind}\n" in cell
    assert "title: Words\n" in cell
    assert "unchanged" in notebook.show(cell)


def test_a_program_as_yaml_has_a_card_and_lines_too(notebook: Notebook) -> None:
    notebook.run(PYTHON)
    long = {k: v for k, v in definition(notebook).items() if k != "id"}
    assert "unchanged" in notebook.show(f"%%spark_tool words\n{json.dumps(long)}\n")
    source = "    source: |\n      x = 1\n      def run(q: str): return z\n"
    cell = (
        "%%spark_tool other\ntitle: Other\ndescription: Gives something back.\n"
        "type: code\ninputSchema:\n  type: object\n"
        "  properties: {q: {type: string}}\n  required: [q]\nrisk: read\n"
        f"effect: read\nidempotency: safe\nspec:\n  runtime:\n"
        f"    language: python\n{source}"
    )
    assert problems(notebook.run(cell)) == [
        ("CODE_TYPES", "spec.runtime.source", "cell line 17")
    ]


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_body_in_another_language_is_refused_with_a_hint(
    notebook: Notebook, kind: str
) -> None:
    yaml = f"%%spark_tool words --type {kind}\ntitle: Words\nrequest: GET http://a/\n"
    assert problems(notebook.run(yaml))
    outcome = notebook.run(PROGRAMS[kind].replace(f" --type {kind}", ""))
    assert problems(outcome) == [("FIELD_VALUE", "type", "cell line 1")]
    assert f"--type {kind}" in to_text(outcome.view)
    assert notebook.tools() == []


def test_a_vision_tool_may_be_named_by_its_type(notebook: Notebook) -> None:
    body = (
        "title: Look\ndescription: Tells what a picture shows.\n"
        "inputSchema:\n  type: object\n  properties:\n"
        "    images: {type: array, items: {type: string}}\n  required: [images]\n"
        "risk: read\neffect: read\nidempotency: safe\nspec: {providerProfileId: eyes}\n"
    )
    outcome = notebook.run(f"%%spark_tool look --type vision\n{body}")
    assert outcome.exit_code == 0, outcome.document
    refused = notebook.run(f"%%spark_tool look --type vision\n{body}type: http\n")
    assert ("type", "cell line 13") in [p[1:] for p in problems(refused)]
