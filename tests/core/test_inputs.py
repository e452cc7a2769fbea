"""The check of call inputs, with the `jsonschema` library as reference."""

import math
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.definitions import InputSchema
from sparknb.core.input_schema import read_input_schema
from sparknb.core.inputs import MOST_PROBLEMS, apply_defaults, check_input
from sparknb.core.problems import Problem
from tests.costs import cpu_seconds


def schema(*required: str, **parameters: Any) -> InputSchema:
    """Build a schema; a text stands for a parameter of that type."""
    properties = {
        name: {"type": p} if isinstance(p, str) else p for name, p in parameters.items()
    }
    wire = {"type": "object", "properties": properties, "required": list(required)}
    return read_input_schema(wire)


def paths(problems: list[Problem]) -> list[str]:
    """Give the paths; the code is always the same."""
    assert all(p.code == "INVALID_INPUT" and p.level == "error" for p in problems)
    return [p.path for p in problems]


WIDE = schema(
    "q",
    q="string",
    n="number",
    i="integer",
    b="boolean",
    a={"type": "array", "items": {"type": "integer"}},
    e={"type": "string", "enum": ["x", "y"]},
    f={"type": "number", "enum": [1, 2.5]},
)


def test_a_blank_required_text_and_an_unknown_name_are_told_together() -> None:
    assert paths(check_input(schema("q", q="string"), {"q": "  ", "z": 1})) == [
        "input.q",
        "input.z",
    ]


@pytest.mark.parametrize("arguments", [None, 5, "text", [], [("q", "x")], True])
def test_the_input_is_an_object(arguments: Any) -> None:
    assert paths(check_input(WIDE, arguments)) == ["input"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["input.q"]),
        ({"q": None}, ["input.q"]),
        ({"q": ""}, ["input.q"]),
        ({"q": "\u00a0\n"}, ["input.q"]),
        ({"q": 5}, ["input.q"]),
        ({"q": "x", "n": None}, ["input.n"]),
        ({"q": "x", "n": "5"}, ["input.n"]),
        ({"q": "x", "n": True}, ["input.n"]),
        ({"q": "x", "n": math.nan}, ["input.n"]),
        ({"q": "x", "n": math.inf}, ["input.n"]),
        ({"q": "x", "n": 10**400}, ["input.n"]),
        ({"q": "x", "i": 1.5}, ["input.i"]),
        ({"q": "x", "i": 10**6000}, ["input.i"]),
        ({"q": "x", "b": 0}, ["input.b"]),
        ({"q": "x", "b": "true"}, ["input.b"]),
        ({"q": "x", "a": "1"}, ["input.a"]),
        ({"q": "x", "a": (1,)}, ["input.a"]),
        (
            {"q": "x", "a": [1, "2", True, None, 2.0]},
            ["input.a.1", "input.a.2", "input.a.3"],
        ),
        ({"q": "x", "e": "z"}, ["input.e"]),
        ({"q": "x", "f": 2}, ["input.f"]),
        ({"q": "x", "f": True}, ["input.f"]),
        ({"q": "x", 5: 1}, ["input.<int>"]),
        ({"q": "x", "n": {1, 2}}, ["input.n"]),
    ],
    ids=range(23),
)
def test_every_problem_is_told_at_its_place(
    arguments: Any, expected: list[str]
) -> None:
    assert paths(check_input(WIDE, arguments)) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        {"q": "x"},
        {"q": " x ", "n": -1.5, "i": 5.0, "b": False, "a": [], "e": "y", "f": 1.0},
        {"q": "{{q}}\0", "i": 10**300, "a": [1, 2.0]},
    ],
)
def test_what_fits_passes(arguments: Any) -> None:
    assert check_input(WIDE, arguments) == []


def test_a_blank_text_is_a_value_where_none_is_required() -> None:
    assert check_input(schema(q="string"), {"q": " "}) == []


def test_null_says_to_leave_it_out_and_an_enum_lists_its_values() -> None:
    assert check_input(schema(q="string"), {"q": None})[0].hint == "leave it out"
    assert "x, y" in check_input(WIDE, {"q": "x", "e": "z"})[0].message
    many = schema(q={"type": "integer", "enum": list(range(50))})
    message = check_input(many, {"q": 99})[0].message
    assert "9 and 40 more" in message


def test_values_are_never_repeated() -> None:
    secret = "hunter2-hunter2"
    arguments = {"q": [secret], "e": secret, "n": secret, "a": [secret]}
    problems = check_input(WIDE, arguments)
    assert len(problems) == 4
    assert secret not in str(problems)


def test_half_characters_are_refused_where_they_stand() -> None:
    wide = schema(q="string", a={"type": "array", "items": {"type": "string"}})
    arguments = {"q": "\ud800", "a": ["x", "\udfff"], "z\ud800": 1}
    assert paths(check_input(wide, arguments)) == [
        r"input.z\ud800",
        "input.q",
        "input.a.1",
    ]


def test_of_very_many_problems_the_first_are_told_and_that_there_are_more() -> None:
    wide = schema(a={"type": "array", "items": {"type": "string"}})
    found = paths(check_input(wide, {"a": [[]] * 300_000}))
    assert found == [*(f"input.a.{n}" for n in range(MOST_PROBLEMS)), "input"]
    assert len(check_input(wide, {"a": [1] * MOST_PROBLEMS})) == MOST_PROBLEMS


def test_an_input_above_a_mebibyte_is_refused() -> None:
    small = schema("q", q="string")
    assert check_input(small, {"q": "é" * ((1 << 19) - 8)}) == []
    assert paths(check_input(small, {"q": "é" * (1 << 19)})) == ["input"]


def test_python_values_that_are_no_json_are_refused_by_their_type() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    circle: dict[str, Any] = {"q": "x"}
    circle["n"] = circle
    assert paths(check_input(WIDE, {"q": "x", "a": deep})) == ["input.a.0"]
    assert paths(check_input(WIDE, circle)) == ["input.n"]


# ---------------------------------------------------------- against jsonschema
SCALARS = ["string", "number", "integer", "boolean"]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-3, 3)
    | st.sampled_from(["", "a", "b", "1"]),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@st.composite
def parameters(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a parameter of any type, some with an enum."""
    kind = draw(st.sampled_from([*SCALARS, "array"]))
    if kind == "array":
        return {"type": kind, "items": {"type": draw(st.sampled_from(SCALARS))}}
    choices = {
        "string": st.sampled_from(["", "a", "b", "1"]),
        "number": st.sampled_from([0, 1, 1.5, -2.0]),
        "integer": st.sampled_from([0, 1, 2.0]),
    }
    if kind in choices and draw(st.booleans()):
        enum = draw(st.lists(choices[kind], min_size=1, max_size=3, unique=True))
        return {"type": kind, "enum": enum}
    return {"type": kind}


@given(
    st.dictionaries(st.sampled_from("abc"), parameters()),
    st.sets(st.sampled_from("abc")),
    st.dictionaries(st.sampled_from("abcd"), VALUES),
)
def test_the_verdict_is_that_of_the_reference(
    properties: dict[str, Any], required: set[str], arguments: dict[str, Any]
) -> None:
    names = sorted(required & properties.keys())
    wide = schema(*names, **properties)
    reference = jsonschema.Draft202012Validator(wide.to_model())
    refused = {
        ".".join(["input", *map(str, e.absolute_path)])
        for e in reference.iter_errors(arguments)
    }
    # Blank required texts are refused beyond JSON Schema; then this says nothing.
    blank = {n for n in names if isinstance(arguments.get(n), str) and not arguments[n]}
    found = set(paths(check_input(wide, arguments)))
    assert bool(found - {f"input.{n}" for n in blank}) == bool(
        refused - {f"input.{n}" for n in blank}
    )


@given(st.dictionaries(st.text(max_size=3), VALUES) | VALUES)
def test_no_input_crashes(arguments: Any) -> None:
    paths(check_input(WIDE, arguments))


def test_the_time_grows_with_the_input_only() -> None:
    def cost(count: int) -> float:
        arguments = {"q": "x", "a": ["x"] * count} | {f"u{n}": 1 for n in range(count)}
        assert len(check_input(WIDE, arguments)) == MOST_PROBLEMS + 1
        return cpu_seconds(lambda: check_input(WIDE, arguments))

    assert cost(10_000) < max(cost(500), 0.001) * 200


# -------------------------------------------------------------------- defaults
def test_absent_parameters_get_their_default_and_given_ones_keep_their_value() -> None:
    wide = schema(
        q={"type": "string", "default": "d"},
        b={"type": "boolean", "default": False},
        a={"type": "array", "items": {"type": "integer"}, "default": [1]},
        n="number",
    )
    given_input = {"q": ""}
    filled = apply_defaults(wide, given_input)
    assert filled == {"q": "", "b": False, "a": [1]}
    assert given_input == {"q": ""}
    filled["a"].append(2)
    assert apply_defaults(wide, {})["a"] == [1]


def test_data_urls_may_be_left_out_of_the_weight() -> None:
    strings = {"type": "array", "items": {"type": "string"}}
    taken = schema(images=strings, note="string")
    image, text = "DATA:image/png;base64," + "A" * 2_000_000, "x" * 2_000_000

    def refused(**arguments: Any) -> list[str]:
        return paths(check_input(taken, arguments, unweighed=["images", "other"]))

    assert refused(images=[image] * 3, note="y") == []
    assert refused(images=[text]) == ["input"]
    assert refused(images=[image], note=text) == ["input"]
    assert refused(note=image) == ["input"]
    assert refused(images=["data:" + "\ud800" * 9]) == ["input.images.0"]
    assert refused(images=[7, image]) == ["input.images.0"]
    assert refused(images=image) == ["input.images", "input"]
    assert paths(check_input(taken, {"images": [image]})) == ["input"]
