"""Starters: valid as they are, but for what is left to the person."""

import json

import pytest

from sparknb.core.errors import NotFoundError
from sparknb.core.validation import validate
from sparknb.importers.cell import read_cell
from sparknb.importers.free_ids import free_id
from sparknb.importers.starters import STARTERS, Starter, starter

KINDS = ["blank", "http", "python", "typescript", "vision"]


def test_there_is_a_starter_for_each_way_to_begin() -> None:
    assert [each.kind for each in STARTERS] == KINDS


@pytest.mark.parametrize("each", STARTERS, ids=lambda s: s.kind)
def test_a_starter_is_valid_but_for_its_blanks(each: Starter) -> None:
    report = validate(each.document(each.tool_id))
    assert [p.path for p in report.errors] == [b.path for b in each.blanks]
    assert [p.code for p in report.warnings if p.code != "CHECK_SKIPPED"] == []


@pytest.mark.parametrize("each", STARTERS, ids=lambda s: s.kind)
def test_the_cell_of_a_starter_makes_the_same_tool(each: Starter) -> None:
    line, _, body = each.cell("my_tool").partition("\n")
    option = f" --type {each.type}" if each.type else ""
    assert line == f"%%spark_tool my_tool{option}"
    cell = read_cell(body, tool_id="my_tool", tool_type=each.type)
    assert cell.problems == ()
    assert cell.document == each.document("my_tool")
    assert json.loads(json.dumps(cell.document)) == cell.document


def test_a_cell_says_its_type_where_it_is_no_http_tool() -> None:
    types = {each.kind: each.type for each in STARTERS}
    assert types.pop("blank") is None
    assert types.pop("http") is None
    assert all(kind == word for kind, word in types.items())
    assert starter("vision").document("look")["type"] == "provider-vision"


def test_what_is_left_to_the_person_is_listed_for_vision_only() -> None:
    blanks = {each.kind: [b.path for b in each.blanks] for each in STARTERS}
    assert blanks.pop("vision") == ["spec.providerProfileId"]
    assert set(map(len, blanks.values())) == {0}


def test_the_secret_of_a_starter_belongs_to_the_tool_that_is_made() -> None:
    document = starter("http").document("my_tool")
    assert document["secretRefs"] == {
        "authorization": "custom-tool:my_tool:authorization"
    }


@pytest.mark.parametrize(
    ("kind", "hint"), [("htp", "http"), ("", "blank, http"), ("🙂" * 5000, "blank")]
)
def test_an_unknown_kind_is_told_the_nearest_or_all(kind: str, hint: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        starter(kind)
    assert hint in str(caught.value.hint)
    assert len(str(caught.value)) < 100


def test_the_first_free_id_is_taken() -> None:
    taken = {"new_tool", "new_tool_2"}
    assert free_id("new_tool", taken.__contains__) == "new_tool_3"
    assert free_id("other", taken.__contains__) == "other"
    assert free_id("a" * 64, {"a" * 64}.__contains__) == "a" * 62 + "_2"
