"""Whatever the template and the values: a value never changes the shape of JSON."""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sparknb.core.definitions import JsonBody, Parameter
from sparknb.core.errors import InvalidInputError
from sparknb.core.templates import RenderedRequest, parse_json_body
from tests.core.templates.drawing import NAMES, NASTY, arguments_, filled, texts

Render = Callable[..., RenderedRequest]

_plain_json = st.none() | st.booleans() | st.integers() | texts
_slot = NAMES.map(lambda name: ("slot", name))
_needed_slot = st.sampled_from(["q", "n", "x", "b", "list"]).map(lambda n: ("slot", n))
_string = st.lists(
    st.tuples(st.just("text"), texts)
    | st.tuples(st.just("name"), st.sampled_from(["q", "n", "x", "b", "list"])),
    max_size=3,
).map(lambda parts: ("string", parts))
_literal = _plain_json.map(lambda value: ("literal", value))
_tree = st.recursive(
    _needed_slot | _string | _literal,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: ("array", items))
        | st.dictionaries(texts, inner | _slot, max_size=3).map(
            lambda members: ("object", members)
        )
    ),
    max_leaves=12,
)
_gaps = st.sampled_from(["", " ", "\n", "\t \r\n"])


def _spelled(text: str) -> str:
    """Give a JSON string in which no braces stand."""
    return json.dumps(text).replace("{", "\\u007b").replace("}", "\\u007d")


def _json_text(node: tuple[str, Any], gap: str) -> str:
    kind, content = node
    if kind == "slot":
        return f"{{{{{content}}}}}"
    if kind == "string":
        return '"{}"'.format(
            "".join(
                f"{{{{ {t} }}}}" if k == "name" else _spelled(t)[1:-1]
                for k, t in content
            )
        )
    if kind == "literal":
        return _spelled(content) if isinstance(content, str) else json.dumps(content)
    if kind == "array":
        items = f"{gap},{gap}".join(_json_text(item, gap) for item in content)
        return f"[{gap}{items}{gap}]"
    members = f"{gap},{gap}".join(
        f"{_spelled(key)}{gap}:{gap}{_json_text(value, gap)}"
        for key, value in content.items()
    )
    return f"{{{gap}{members}{gap}}}"


def _json_value(node: tuple[str, Any], arguments: Mapping[str, Any]) -> Any:
    kind, content = node
    if kind == "slot":
        return arguments[content]
    if kind == "string":
        return filled(content, arguments)
    if kind == "literal":
        return content
    if kind == "array":
        return [_json_value(item, arguments) for item in content]
    return {
        key: _json_value(value, arguments)
        for key, value in content.items()
        if value[0] != "slot" or value[1] in arguments
    }


def _same(left: Any, right: Any) -> bool:
    """Compare JSON values: types too, numbers as JSON sees them."""
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(
            _same(left[key], right[key]) for key in left
        )
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    numbers = (int, float)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, numbers) and isinstance(right, numbers):
        return left == right or math.isclose(left, right, rel_tol=1e-15)
    return type(left) is type(right) and bool(left == right)


@given(tree=_tree, gap=_gaps, arguments=arguments_)
def test_json_has_the_shape_of_its_template(
    render: Render, tree: tuple[str, Any], gap: str, arguments: dict[str, Any]
) -> None:
    body = render(body=JsonBody(_json_text(tree, gap)), **arguments).body

    assert body is not None
    assert _same(json.loads(body), _json_value(tree, arguments))


@given(tree=_tree, arguments=arguments_)
def test_json_form_inserts_any_json_unchanged(
    render: Render, tree: tuple[str, Any], arguments: dict[str, Any]
) -> None:
    value = _json_value(tree, arguments)
    template = JsonBody('{"before":1,"v":{{q | json}},"after":2}')

    body = render(body=template, q=json.dumps(value, indent=1)).body

    assert body is not None
    found = json.loads(body)
    assert list(found) == ["before", "v", "after"]
    assert _same(found["v"], json.loads(json.dumps(value)))


@given(text=texts | st.text(alphabet='{}[]:,"\\ue019.-+ truefalsn\n', max_size=20))
def test_json_form_accepts_exactly_strict_json(render: Render, text: str) -> None:
    try:
        expected = _strict_json(text)
    except ValueError:
        with pytest.raises(InvalidInputError):
            render(body=JsonBody('[{{q | json}},"end"]'), q=text)
        return
    body = render(body=JsonBody('[{{q | json}},"end"]'), q=text).body
    assert body is not None
    assert json.loads(body) == [expected, "end"]


@given(st.text(alphabet='{}[]:,"\\ue019.-+ truefalsn\nq', max_size=24))
def test_templates_without_placeholders_are_exactly_strict_json(text: str) -> None:
    # Braces that touch mean something else in a template's strings.
    assume("{{" not in text)
    assume(not re.search(r'"[^"]*}}', text))
    template, problems = parse_json_body(text, {})
    try:
        _strict_json(text)
    except ValueError:
        assert template is None
        assert problems
    else:
        assert template is not None


def _strict_json(text: str) -> Any:
    def no_constant(name: str) -> Any:
        raise ValueError(name)

    def no_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("repeated")
        return dict(pairs)

    return json.loads(text, parse_constant=no_constant, object_pairs_hook=no_repetition)


def _mutated(tree: tuple[str, Any], piece: str, at: int) -> str:
    text = _json_text(tree, " ")
    return text[:at] + piece + text[at + len(piece) % 3 :]


@given(
    text=NASTY | st.builds(_mutated, _tree, NASTY, st.integers(0, 40)),
    arguments=arguments_,
)
def test_any_json_template_that_compiles_sends_strict_json(
    render: Render,
    parameters: Mapping[str, Parameter],
    text: str,
    arguments: dict[str, Any],
) -> None:
    template, _ = parse_json_body(text, parameters)
    if template is None:
        return
    try:
        request = render(body=JsonBody(text), **arguments)
    except InvalidInputError:
        return
    if request.body is not None:
        _strict_json(request.body.decode())
