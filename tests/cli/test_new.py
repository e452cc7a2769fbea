"""new: tools begun from starters at the command line."""

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from sparknb.importers.starters import STARTERS
from tests.cli.conftest import Run

WHOLE = [each.kind for each in STARTERS if not each.blanks]
PROGRAMS = ("python", "typescript")


def magic(cell: str, kind: str) -> str:
    """Give the id in the first line of a cell, which must name its language."""
    word, tool_id, *options = cell.partition("\n")[0].split()
    assert word == "%%spark_tool"
    assert options == (["--type", kind] if kind in PROGRAMS else [])
    return tool_id


def test_without_a_kind_the_starters_are_listed(
    sparknb: Run, snapshot: SnapshotAssertion
) -> None:
    assert sparknb("new").out == snapshot
    kinds = [each["kind"] for each in sparknb("new", "--json").document["starters"]]
    assert kinds == [each.kind for each in STARTERS]


@pytest.mark.parametrize("kind", WHOLE)
def test_what_is_printed_can_be_drafted_as_it_is(
    sparknb: Run, isolated_home: Path, kind: str
) -> None:
    reply = sparknb("new", kind)
    assert reply.exit == 0
    assert not (isolated_home / "sparknb").exists(), "a look makes no registry"
    drafted = sparknb("draft", "-", "--json", stdin=reply.out)
    assert drafted.exit == 0
    assert drafted.document["created"] is True
    document = sparknb("new", kind, "--json").document
    assert document["definition"]["id"] == json.loads(reply.out)["id"] + "_2"
    assert magic(document["cell"], kind) == document["definition"]["id"]


@pytest.mark.parametrize("kind", WHOLE)
def test_a_starter_is_kept_as_a_disabled_draft(sparknb: Run, kind: str) -> None:
    first = sparknb("new", kind, "--save", "--json").document
    second = sparknb("new", kind, "--save", "--json").document
    tool_id = first["definition"]["id"]
    assert first["saved"] == [{"id": tool_id, "draftVersion": 1}]
    assert second["saved"] == [{"id": f"{tool_id}_2", "draftVersion": 1}]
    tool = sparknb("show", tool_id, "--json").document["tool"]
    assert (tool["enabled"], tool["publishedVersion"]) == (False, None)


def test_a_blank_is_listed_and_keeps_the_starter_from_being_saved(
    sparknb: Run, snapshot: SnapshotAssertion
) -> None:
    reply = sparknb("new", "vision", "--json")
    assert [b["path"] for b in reply.document["blanks"]] == ["spec.providerProfileId"]
    assert "provider profile" in reply.err
    refused = sparknb("new", "vision", "--save", "--json")
    assert refused.exit == 1
    assert refused.document == snapshot
    filled = dict(reply.document["definition"], spec={"providerProfileId": "eyes"})
    assert sparknb("draft", "-", stdin=json.dumps(filled)).exit == 0


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (("new", "htp"), "NOT_FOUND", 1),
        (("new", "http", "--id", "Bad Id"), "INVALID_INPUT", 1),
        (("new", "http", "--id", "tools_list", "--save"), "INVALID_INPUT", 1),
        (("new", "--save"), "USAGE", 2),
        (("new", "--id", "mine"), "USAGE", 2),
        (("new", "http", "python"), "USAGE", 2),
    ],
)
def test_what_cannot_be_begun_is_refused(
    sparknb: Run, words: tuple[str, ...], code: str, exit_code: int
) -> None:
    reply = sparknb(*words, "--json")
    assert (reply.exit, reply.error["code"]) == (exit_code, code)


def test_an_id_that_is_taken_is_refused_when_it_is_asked_for(sparknb: Run) -> None:
    assert sparknb("new", "blank", "--id", "mine", "--save").exit == 0
    reply = sparknb("new", "http", "--id", "mine", "--save", "--json")
    assert (reply.exit, reply.error["code"]) == (1, "ALREADY_EXISTS")
    assert sparknb("show", "mine", "--json").document["tool"]["title"] == "New tool"


@pytest.mark.parametrize("kind", WHOLE)
def test_a_kept_starter_is_shown_in_a_form_that_can_be_drafted_again(
    sparknb: Run, kind: str
) -> None:
    assert sparknb("new", kind, "--id", "mine", "--save").exit == 0
    shown = sparknb("show", "mine", "--definition", env={"COLUMNS": "40"}).out
    assert json.loads(shown) == sparknb("show", "mine", "--json").document["definition"]
    again = sparknb("draft", "-", "--json", stdin=shown)
    assert (again.exit, again.document["unchanged"]) == (0, True)
    cell = sparknb("show", "mine", "--cell").out
    assert magic(cell, kind) == "mine"
    assert sparknb("show", "mine", "--cell", "--json").document == {"cell": cell[:-1]}


def test_one_form_of_a_tool_is_shown_at_a_time(sparknb: Run) -> None:
    assert sparknb("new", "http", "--id", "mine", "--save").exit == 0
    assert sparknb("show", "mine", "--cell", "--definition").exit == 2
    reply = sparknb("show", "absent", "--cell", "--json")
    assert (reply.exit, reply.error["code"]) == (1, "NOT_FOUND")


def test_what_no_cell_can_hold_is_refused_with_the_reason(sparknb: Run) -> None:
    made = sparknb("new", "typescript", "--id", "mine", "--json").document["definition"]
    noise = chr(1) * 60_000
    made["spec"]["runtime"]["source"] = f"export default () => '{noise}'"
    assert sparknb("draft", "-", stdin=json.dumps(made)).exit == 0
    reply = sparknb("show", "mine", "--cell", "--json")
    assert (reply.exit, reply.error["path"]) == (1, "--cell")
    assert reply.error["message"].endswith("the cell is larger than 262,144 bytes")
    assert "--definition" in reply.error["hint"]


def test_a_variable_is_for_the_cell_of_a_notebook(sparknb: Run) -> None:
    assert sparknb("new", "http", "--id", "mine", "--save").exit == 0
    for words in (["--var", "host"], ["--cell", "--var", "host"]):
        reply = sparknb("show", "mine", *words, "--json")
        assert (reply.exit, reply.error["path"]) == (2, "--var")


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_program_that_was_begun_is_offered_its_next_steps(
    sparknb: Run, kind: str
) -> None:
    kept = sparknb("new", kind, "--id", "mine", "--save").out
    assert "sparknb show mine --definition" in kept
    changed = sparknb("new", kind, "--id", "mine", "--json").document["definition"]
    changed["title"] = "Another"
    drafted = sparknb("draft", "-", stdin=json.dumps(changed))
    assert "mine saved" in drafted.out
    for said in (kept, drafted.out):
        assert "sparknb test mine" in said
        assert "sparknb publish mine" in said
    tested = sparknb("test", "mine", "--input", '{"text": "so it goes"}', "--json")
    assert json.loads(tested.document["text"]) == {"words": 3, "characters": 10}


def test_what_a_saved_starter_shows(sparknb: Run, snapshot: SnapshotAssertion) -> None:
    assert sparknb("new", "http", "--id", "mine", "--save").out == snapshot
