"""Text bodies: display forms go in raw."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sparknb.core.definitions import Parameter, TextBody
from sparknb.core.errors import InvalidInputError
from sparknb.core.templates import RenderedRequest, parse_text

Render = Callable[..., RenderedRequest]


@pytest.mark.parametrize(
    ("template", "arguments", "body"),
    [
        ("plain é\r\n", {}, "plain é\r\n"),
        ("<a>{{q}}</a>", {"q": "<b>&\x00😀{{n}}"}, "<a><b>&\x00😀{{n}}</a>"),
        ("{{n}} {{x}} {{b}}", {"n": 5.0, "x": 0.5, "b": True}, "5 0.5 true"),
        ("{{list}}", {"list": ["é"]}, '["é"]'),
        ("{{list | csv}}", {"list": ["a", "b"]}, "a,b"),
        ("{{q}}", {"q": ""}, ""),
    ],
)
def test_values_are_inserted_raw(
    render: Render, template: str, arguments: dict[str, Any], body: str
) -> None:
    request = render(body=TextBody("text/xml", template), **arguments)

    assert request.body == body.encode()
    assert request.headers == (("Content-Type", "text/xml"),)


@pytest.mark.parametrize("template", ["{{o}}", "{{ids | csv}}"])
def test_a_body_that_is_one_absent_value_is_no_body(
    render: Render, template: str
) -> None:
    request = render(body=TextBody("text/plain", template))

    assert request.body is None
    assert request.headers == ()


def test_an_absent_part_is_refused(render: Render) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(body=TextBody("text/plain", "{{o}} "))
    assert [p.path for p in caught.value.problems] == ["input.o"]


def test_half_a_character_is_refused(render: Render) -> None:
    with pytest.raises(InvalidInputError, match="surrogate"):
        render(body=TextBody("text/plain", "a{{q}}"), q="\ud800")


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{nobody}}", "not declared"),
        ("{{ q", "belongs to no placeholder"),
        ("{{q | json}}", "in a text body"),
        ("{{list | repeat}}", "in a text body"),
    ],
)
def test_a_bad_template_is_refused_when_saved(
    parameters: Mapping[str, Parameter], template: str, words: str
) -> None:
    parsed, [problem] = parse_text(template, parameters)

    assert parsed is None
    assert problem.code == "INVALID_TEMPLATE"
    assert words in problem.message


def test_a_template_knows_its_names() -> None:
    parsed, _ = parse_text("{{a}} {{b}}", None)
    assert parsed is not None
    assert parsed.names == {"a", "b"}
