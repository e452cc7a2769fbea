"""Header values go in raw, and nothing in them can start another header."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sparknb.core.definitions import Parameter
from sparknb.core.errors import InvalidInputError
from sparknb.core.templates import RenderedRequest, parse_header

Render = Callable[..., RenderedRequest]


@pytest.mark.parametrize(
    ("template", "arguments", "value"),
    [
        ("", {}, ""),
        ("plain", {}, "plain"),
        ("{{q}}", {"q": 'a "b" %20 é ÿ\tc'}, 'a "b" %20 é ÿ\tc'),
        ("v{{n}};{{b}}", {"n": 2, "b": False}, "v2;false"),
        ("{{list}}", {"list": ["a", "b"]}, '["a","b"]'),
        ("{{list | csv}}", {"list": ["a", "b"]}, "a,b"),
        ("x {{list | csv}}", {"list": ["a", "b"]}, "x a,b"),
        ("{{q}}", {"q": "{{n}}"}, "{{n}}"),
        ("{{q}}", {"q": ""}, ""),
        ("{{q}}", {"q": " \ta b\t "}, "a b"),
        (" {{o}}", {"o": "a"}, "a"),
        ("{{d}}", {}, "dd"),
    ],
)
def test_values_are_inserted_raw(
    render: Render, template: str, arguments: dict[str, Any], value: str
) -> None:
    assert render(headers={"X-A": template}, **arguments).headers == (("X-A", value),)


@pytest.mark.parametrize(
    "value",
    [
        "a\r\nX: 1",
        "\n",
        "\r",
        "\x00",
        "\x1f",
        "\x7f",
        "\x80",
        "\x9f",
        "Ā",
        "😀",
        "\ud800",
    ],
)
@pytest.mark.parametrize("template", ["{{q}}", "a {{q}}"])
def test_a_value_that_no_header_may_hold_is_refused(
    render: Render, template: str, value: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(headers={"X-A": template}, q=value)
    assert [p.path for p in caught.value.problems] == ["input.q"]


def test_an_element_that_no_header_may_hold_is_refused(render: Render) -> None:
    with pytest.raises(InvalidInputError):
        render(headers={"X-A": "{{list | csv}}"}, list=["a", "b\r\nX: 1"])


@pytest.mark.parametrize("template", ["{{o}}", "{{ o }}", "{{ids | csv}}"])
def test_a_header_whose_whole_value_is_absent_is_left_out(
    render: Render, template: str
) -> None:
    assert render(headers={"X-A": template, "X-B": "b"}).headers == (("X-B", "b"),)


def test_a_header_whose_whole_value_is_an_empty_array_is_left_out(
    render: Render,
) -> None:
    assert render(headers={"X-A": "{{list | csv}}"}, list=[]).headers == ()


def test_an_absent_part_of_a_header_is_refused(render: Render) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(headers={"X-A": "a {{o}}"})
    assert [p.path for p in caught.value.problems] == ["input.o"]


@pytest.mark.parametrize(
    ("template", "words", "strict"),
    [
        ("{{nobody}}", "not declared", False),
        ("{{q", "belongs to no placeholder", False),
        ("{{q | json}}", "in a header", False),
        ("{{list | repeat}}", "in a header", False),
        ("{{q | csv}}", "needs type array", False),
        ("a\r\nb", "control characters", True),
        ("a\x00", "control characters", True),
        ("€", "U+00FF", True),
    ],
)
def test_a_bad_header_template_is_refused_when_saved(
    parameters: Mapping[str, Parameter], template: str, words: str, strict: bool
) -> None:
    parsed, [problem] = parse_header(template, parameters)

    assert parsed is None
    assert problem.code == "INVALID_TEMPLATE"
    assert words in problem.message
    assert problem.strict is strict


def test_a_template_knows_its_names() -> None:
    template, _ = parse_header("{{a}} {{b | csv}}", None)
    assert template is not None
    assert template.names == {"a", "b"}
