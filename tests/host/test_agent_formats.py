"""The tools of a surface in the forms that providers take, and what these lose."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sparknb.core.errors import InvalidInputError
from sparknb.host.agent_formats import AgentTools
from sparknb.host.surface import Surface
from tests.core.validation.samples import HTTP, changed
from tests.hosting import Session

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONG_ID = "a" * 60


def surface_of(session: Session, *tools: dict[str, Any]) -> Surface:
    for tool in tools:
        session.publish(tool)
    return session.run(session.host.surface())


def notes(made: AgentTools, level: str | None = None) -> list[tuple[str, str]]:
    return [(n.code, n.path) for n in made.notes if level in (None, n.level)]


WRITING = changed(
    HTTP,
    id="send",
    risk="high-write",
    effect="send",
    idempotency="unsafe",
    spec__request__method="POST",
)
OPTIONAL = changed(
    HTTP,
    id="maybe",
    inputSchema__required=[],
    inputSchema__properties__q__default="x",
)


# ------------------------------------------------------------------------- all forms
def test_each_form_holds_the_same_names_descriptions_and_schemas(
    session: Session,
) -> None:
    surface = surface_of(session, HTTP, WRITING)
    expected = [(e.name, e.description, e.input_schema) for e in surface]
    mcp, anthropic = surface.to_mcp(), surface.to_anthropic()
    chat, responses = surface.to_openai(), surface.to_openai("responses")
    flat = [t["function"] for t in chat]
    assert [(t["name"], t["description"], t["inputSchema"]) for t in mcp] == expected
    assert [
        (t["name"], t["description"], t["input_schema"]) for t in anthropic
    ] == expected
    for functions in (flat, responses):
        made = [(f["name"], f["description"], f["parameters"]) for f in functions]
        assert made == expected
    assert {t["type"] for t in (*chat, *responses)} == {"function"}
    assert {f["strict"] for f in (*flat, *responses)} == {False}


def test_who_changes_a_list_changes_nothing_that_others_see(session: Session) -> None:
    surface = surface_of(session, HTTP)
    before = json.dumps(list(surface.to_mcp()))
    surface.to_mcp()[0]["inputSchema"]["properties"].clear()
    surface.to_openai()[0]["function"]["parameters"]["properties"].clear()
    surface.to_openai(strict=True)[0]["function"]["parameters"]["required"].clear()
    surface.to_anthropic()[0]["input_schema"]["required"].clear()
    assert json.dumps(list(surface.to_mcp())) == before
    later = session.run(session.host.surface())
    assert json.dumps(list(later.to_mcp())) == before


@pytest.mark.parametrize("form", ["", "Chat", "bogus", None])
def test_a_form_that_openai_does_not_have_is_refused(
    session: Session, form: Any
) -> None:
    surface = surface_of(session)
    with pytest.raises(InvalidInputError) as refused:
        surface.to_openai(form)
    assert refused.value.path == "form"
    assert "chat, responses" in (refused.value.hint or "")


def test_a_list_goes_into_a_request_as_json(session: Session) -> None:
    surface = surface_of(session, HTTP)
    for made in (surface.to_mcp(), surface.to_openai(), surface.to_anthropic()):
        assert json.loads(json.dumps({"tools": made}))["tools"] == list(made)
        with pytest.raises(TypeError):
            made[0] = {}  # type: ignore[index]  # it cannot be changed
        for tool in made:
            found = tool.get("function", tool)
            assert NAME.fullmatch(found["name"])
            schema = found.get("parameters") or found.get("input_schema")
            Draft202012Validator.check_schema(schema or found["inputSchema"])


def test_an_empty_surface_gives_empty_lists(session: Session) -> None:
    surface = surface_of(session)
    for made in (surface.to_mcp(), surface.to_openai(), surface.to_anthropic()):
        assert (list(made), made.notes) == ([], ())


def test_a_list_is_a_snapshot_of_its_surface(session: Session) -> None:
    surface = surface_of(session, HTTP)
    session.publish(changed(HTTP, description="Finds other items."))
    assert surface.to_anthropic()[0]["description"] == HTTP["description"]


# ----------------------------------------------------------------------------- notes
def test_notes_say_what_a_form_has_no_place_for(session: Session) -> None:
    surface = surface_of(session, HTTP, WRITING)
    for made in (surface.to_openai(), surface.to_anthropic()):
        assert notes(made) == [
            ("NOT_EXPRESSED", "custom_items"),
            ("NOT_EXPRESSED", "custom_send"),
            ("NOT_EXPRESSED", "custom_send"),
        ]
        assert "title" in made.notes[0].message
        assert "risk high-write, effect send" in made.notes[2].message
    mcp = surface.to_mcp()
    assert notes(mcp) == [("NOT_EXPRESSED", "custom_send")] * 2
    assert "high-write" in mcp.notes[0].message
    assert "send" in mcp.notes[1].message


def test_a_name_that_a_provider_refuses_leaves_its_tool_out(session: Session) -> None:
    surface = surface_of(session, HTTP, changed(HTTP, id=LONG_ID))
    for made in (surface.to_openai(), surface.to_anthropic()):
        assert len(made) == 1
        assert notes(made, "warning") == [("NAME_LONG", f"custom_{LONG_ID}")]
    mcp = surface.to_mcp()
    assert len(mcp) == 2
    assert notes(mcp, "warning") == [("NAME_LONG", f"custom_{LONG_ID}")]


def test_a_name_of_64_characters_is_taken(session: Session) -> None:
    surface = surface_of(session, changed(HTTP, id="a" * 57))
    assert len(surface.to_openai()[0]["function"]["name"]) == 64
    assert notes(surface.to_anthropic(), "warning") == []


@pytest.mark.parametrize(
    ("description", "cut"),
    [
        ("w" * 1024, "w" * 1024),
        ("w" * 1025, "w" * 1023 + "…"),
        ("some words " * 200, "some words " * 93 + "…"),
    ],
)
def test_a_description_is_cut_for_openai_alone_at_a_word(
    session: Session, description: str, cut: str
) -> None:
    surface = surface_of(session, changed(HTTP, description=description))
    made = surface.to_openai()
    shown = made[0]["function"]["description"]
    assert len(shown) <= 1024
    assert shown.replace(" …", "…") == cut.replace(" …", "…")
    assert bool(notes(made, "warning")) == (shown != description)
    assert surface.to_anthropic()[0]["description"] == description
    assert surface.to_mcp()[0]["description"] == description


def test_more_functions_than_openai_takes_are_told(session: Session) -> None:
    surface = surface_of(session, HTTP)
    entries = [surface.entries[0]] * 129
    from sparknb.host.agent_formats import openai_tools

    made = openai_tools(entries, form="chat", strict=False)
    assert notes(made, "warning") == [("NOT_EXPRESSED", "")]
    assert "128" in made.notes[0].message
    assert notes(openai_tools(entries[1:], form="chat", strict=False), "warning") == []


# ---------------------------------------------------------------------------- strict
def test_strict_arguments_are_asked_for_where_every_parameter_is_required(
    session: Session,
) -> None:
    made = surface_of(session, HTTP, OPTIONAL).to_openai("responses", strict=True)
    by_name = {tool["name"]: tool for tool in made}
    assert by_name["custom_items"]["strict"] is True
    assert by_name["custom_maybe"]["strict"] is False
    assert by_name["custom_maybe"]["parameters"]["properties"]["q"]["default"] == "x"
    assert [n.path for n in made.notes if "not strict" in n.message] == ["custom_maybe"]


def test_a_strict_schema_has_only_what_strict_mode_takes(session: Session) -> None:
    no_parameters = changed(
        HTTP,
        id="none",
        inputSchema={"type": "object", "properties": {}},
        spec__request__urlTemplate="https://api.test/",
    )
    with_default = changed(HTTP, inputSchema__properties__q__default="x")
    made = surface_of(session, with_default, no_parameters).to_openai(strict=True)
    for tool in made:
        function = tool["function"]
        schema = function["parameters"]
        assert function["strict"] is True
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
        assert all("default" not in p for p in schema["properties"].values())
    assert [n.path for n in made.notes if "default" in n.message] == ["custom_items"]
