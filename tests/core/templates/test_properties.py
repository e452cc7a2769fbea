"""Whatever the template and the values: headers, form pairs and texts stay theirs."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.definitions import FormBody, FormField, Parameter, TextBody
from sparknb.core.errors import InvalidInputError
from sparknb.core.templates import (
    RenderedRequest,
    parse_form_value,
    parse_header,
    parse_json_body,
    parse_text,
    parse_url,
)
from tests.core.templates.drawing import (
    NASTY,
    Part,
    arguments_,
    display_form,
    filled,
    is_absent,
    misses,
    parts_of,
    text_of,
    texts,
)

Render = Callable[..., RenderedRequest]


@given(
    template=parts_of(st.sampled_from(["a", " ", "é", "\t", ":", "("])), more=arguments_
)
def test_a_header_stays_one_header(
    render: Render, template: list[Part], more: dict[str, Any]
) -> None:
    headers = {"X-Before": "1", "X-A": text_of(template), "X-After": "2"}
    if is_absent(template, more):
        assert [n for n, _ in render(headers=headers, **more).headers] == [
            "X-Before",
            "X-After",
        ]
        return
    used = [t for kind, t in template if kind == "name"]
    shown = [display_form(more[name]) for name in used if name in more]
    refused = any(re.search("[^\t\x20-\x7e\xa0-\xff]", text) for text in shown)
    if refused or misses(template, more):
        with pytest.raises(InvalidInputError):
            render(headers=headers, **more)
        return

    sent = render(headers=headers, **more).headers

    assert [name for name, _ in sent] == ["X-Before", "X-A", "X-After"]
    assert sent[1][1] == filled(template, more).strip(" \t")
    raw = [(name.encode(), value.encode("latin-1")) for name, value in sent]
    h11.Request(method="GET", target="/", headers=[(b"Host", b"h"), *raw])


@given(
    fields=st.lists(
        st.tuples(
            texts, parts_of(texts.filter(lambda t: "{" not in t and "}" not in t))
        ),
        min_size=1,
        max_size=4,
    ),
    arguments=arguments_,
)
def test_a_form_has_the_pairs_of_its_template(
    render: Render,
    fields: list[tuple[str, list[Part]]],
    arguments: dict[str, Any],
) -> None:
    body = FormBody(tuple(FormField(name, text_of(value)) for name, value in fields))
    sent = [(n, v) for n, v in fields if not is_absent(v, arguments)]
    if any(misses(value, arguments) for _, value in sent):
        with pytest.raises(InvalidInputError):
            render(body=body, **arguments)
        return

    found = render(body=body, **arguments).body

    assert found is not None
    assert parse_qsl(found.decode("ascii"), keep_blank_values=True) == [
        (name, filled(value, arguments)) for name, value in sent
    ]


@given(
    template=parts_of(texts.filter(lambda t: "{" not in t and "}" not in t)),
    arguments=arguments_,
)
def test_a_text_body_holds_the_display_forms(
    render: Render, template: list[Part], arguments: dict[str, Any]
) -> None:
    body = TextBody("text/plain", text_of(template))
    if is_absent(template, arguments):
        assert render(body=body, **arguments).body is None
    elif misses(template, arguments):
        with pytest.raises(InvalidInputError):
            render(body=body, **arguments)
    else:
        assert render(body=body, **arguments).body == (
            filled(template, arguments).encode()
        )


@pytest.mark.parametrize(
    "parse", [parse_url, parse_header, parse_json_body, parse_form_value, parse_text]
)
@given(text=NASTY | st.text(), broken_schema=st.booleans())
def test_any_text_is_a_template_or_has_problems(
    parameters: Mapping[str, Parameter],
    parse: Callable[..., tuple[Any, list[Any]]],
    text: str,
    broken_schema: bool,
) -> None:
    template, problems = parse(text, None if broken_schema else parameters)

    assert (template is None) == bool(problems)
    assert {p.code for p in problems} <= {"INVALID_TEMPLATE"}
    assert all(p.path == "" and p.level == "error" for p in problems)
    assert len(set(problems)) == len(problems)
    if template is not None:
        assert template.names <= set(parameters) or broken_schema
