"""Form bodies: literal names, encoded values, pairs left out."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import pytest

from sparknb.core.definitions import FormBody, FormField, Parameter
from sparknb.core.errors import InvalidInputError
from sparknb.core.templates import RenderedRequest, parse_form_value

Render = Callable[..., RenderedRequest]


def _form(**fields: str) -> FormBody:
    return FormBody(tuple(FormField(k, v) for k, v in fields.items()))


@pytest.mark.parametrize(
    ("template", "arguments", "body"),
    [
        ("", {}, b"f="),
        ("a b&c=é+", {}, b"f=a+b%26c%3D%C3%A9%2B"),
        ("{{q}}", {"q": "a b&c=é\r\n%"}, b"f=a+b%26c%3D%C3%A9%0D%0A%25"),
        ("{{q}}", {"q": ""}, b"f="),
        ("x {{n}}", {"n": 5.0}, b"f=x+5"),
        ("{{list}}", {"list": ["a"]}, b"f=%5B%22a%22%5D"),
        ("{{list | repeat}}", {"list": ["a", "b&"]}, b"f=a&f=b%26"),
        ("{{list | csv}}", {"list": ["a,", "b"]}, b"f=a%2C,b"),
        ("x {{list | csv}}", {"list": ["a", "b"]}, b"f=x+a,b"),
        ("{{q}}", {"q": "{{n}}"}, b"f=%7B%7Bn%7D%7D"),
        ("{{d}}", {}, b"f=dd"),
        ("{{o}}", {}, b""),
        ("{{ids | repeat}}", {}, b""),
        ("{{ids | repeat}}", {"ids": []}, b""),
        ("{{list | csv}}", {"list": []}, b""),
    ],
)
def test_values_are_form_encoded(
    render: Render, template: str, arguments: dict[str, Any], body: bytes
) -> None:
    request = render(body=_form(f=template), **arguments)

    assert request.body == body
    assert request.headers == (("Content-Type", "application/x-www-form-urlencoded"),)


def test_names_are_literal_and_encoded(render: Render) -> None:
    fields = (FormField("a b[é]&", "1"), FormField("{{q}}", "2"))
    body = render(body=FormBody(fields), q="x").body
    assert body is not None
    assert parse_qsl(body.decode(), strict_parsing=True) == [
        ("a b[é]&", "1"),
        ("{{q}}", "2"),
    ]


def test_a_field_left_out_leaves_the_others(render: Render) -> None:
    body = _form(a="{{o}}", b="1", c="{{p}}", e="{{q}}")
    assert render(body=body, q="2").body == b"b=1&e=2"


def test_an_absent_part_of_a_value_is_refused(render: Render) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(body=_form(a="x{{o}}", b="{{p}} "))
    assert [p.path for p in caught.value.problems] == ["input.o", "input.p"]


def test_half_a_character_is_refused_in_every_form(render: Render) -> None:
    body = _form(a="{{q}}", b="{{list | repeat}}")
    with pytest.raises(InvalidInputError) as caught:
        render(body=body, q="\ud800", list=["\ud800", "\udc00"])
    assert [p.path for p in caught.value.problems] == ["input.q", "input.list"]


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{nobody}}", "not declared"),
        ("a}}", "belongs to no placeholder"),
        ("{{q | json}}", "in a form field"),
        ("{{list | ssv}}", "in a form field"),
        ("x{{list | repeat}}", "in a part of a form field"),
        ("{{q | repeat}}", "needs type array"),
        ("\ud800", "surrogate"),
    ],
)
def test_a_bad_value_template_is_refused_when_saved(
    parameters: Mapping[str, Parameter], template: str, words: str
) -> None:
    parsed, [problem] = parse_form_value(template, parameters)

    assert parsed is None
    assert problem.code == "INVALID_TEMPLATE"
    assert words in problem.message


@pytest.mark.parametrize(
    ("template", "has_literal"),
    [
        ("", False),
        ("{{a}}", False),
        ("{{a}}{{b}}", False),
        ("{{a}} ", True),
        ("x", True),
    ],
)
def test_a_template_knows_whether_it_holds_literal_text(
    template: str, has_literal: bool
) -> None:
    parsed, _ = parse_form_value(template, None)
    assert parsed is not None
    assert parsed.has_literal is has_literal


def test_a_template_knows_its_names() -> None:
    parsed, _ = parse_form_value("{{a}}{{b | csv}}", None)
    assert parsed is not None
    assert parsed.names == {"a", "b"}
