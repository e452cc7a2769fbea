"""What holds for every document: no crash, bounded time, a stable normal form."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.codes import CODES
from sparknb.core.validation import Report, read_definition, validate, validate_text
from tests.core.validation.samples import CODE, HTTP, POST, VISION, changed
from tests.costs import cpu_seconds

ODD_TEXTS = st.sampled_from(
    ["", "{{", "{{q}}", "{{q | csv}}", "\ud800", "\0", "GET", "sql", "custom-tool:a:b"]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | ODD_TEXTS
)
KEYS = st.text(max_size=5) | st.sampled_from(
    ["id", "type", "spec", "request", "headers", "body", "mode", "items", "enum"]
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=15,
)
FORM = changed(
    POST,
    spec__request__body={
        "mode": "form",
        "fields": [{"name": "a", "valueTemplate": "{{q}}"}],
    },
)
VALID = st.sampled_from([HTTP, POST, CODE, VISION, FORM])


def places(value: Any) -> list[tuple[Any, Any]]:
    """List every place of a document as a container and a key."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        found += [(value, key) for key in value]
    elif isinstance(value, list):
        found += [(value, position) for position in range(len(value))]
    for container, key in list(found):
        found += places(container[key])
    return found


@st.composite
def mutations(draw: st.DrawFn) -> Any:
    """Draw a valid definition with one to three parts dropped, altered or added."""
    document = copy.deepcopy(draw(VALID))
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(places(document)))
        change = draw(st.sampled_from(["drop", "alter", "insert"]))
        if change == "drop":
            del container[key]
        elif change == "alter":
            container[key] = draw(JSON)
        elif isinstance(container, dict):
            container[draw(KEYS)] = draw(JSON)
        else:
            container.insert(key, draw(JSON))
        if not places(document):
            break
    return document


def judged(report: Report) -> Report:
    """Check what every report promises."""
    assert report.valid == (report.definition is not None)
    assert {p.code for p in report.problems} <= CODES.keys()
    json.dumps(report.to_wire()).encode("ascii")
    for problem in report.problems:
        assert problem.message.isprintable()
        assert problem.path.isprintable()
    if report.definition is not None:
        assert read_definition(report.definition.wire) == report.definition
    return report


@given(JSON)
def test_no_json_value_crashes(document: Any) -> None:
    judged(validate(document))
    judged(validate(document, imported=True))


@given(mutations())
def test_no_changed_definition_crashes(document: Any) -> None:
    report = judged(validate(document))
    imported = judged(validate(document, imported=True))
    # An import is never stricter, and says as much.
    assert imported.valid or not report.valid
    assert len(imported.problems) == len(report.problems)


@given(mutations())
def test_a_text_is_judged_as_its_value(document: Any) -> None:
    by_text = judged(validate_text(json.dumps(document)))
    by_value = judged(validate(document))
    assert by_text.valid == by_value.valid
    if by_text.definition is not None:
        assert by_text.definition == by_value.definition


@given(mutations())
def test_a_normal_form_is_valid_and_its_own(document: Any) -> None:
    definition = validate(document).definition
    if definition is not None:
        again = validate(dict(definition.wire))
        assert again.definition == definition


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_no_text_crashes(text: str | bytes) -> None:
    judged(validate_text(text))


def growing(count: int) -> dict[str, Any]:
    """Give a document in which everything that can be long is."""
    return {f"key{n}": n for n in range(count)} | {
        "id": "a" * count,
        "title": "{{" * count,
        "description": "sk-" * count,
        "type": "http",
        "inputSchema": {
            "type": "object",
            "properties": {f"p{n}": {"type": "string", "x": 1} for n in range(count)},
            "required": ["a"] * count,
        },
        "secretRefs": {f"s{n}": "x" for n in range(count)},
        "spec": {
            "request": {
                "method": "POST",
                "urlTemplate": "https://api.test/" + "{{q}}" * count,
                "headers": [{"name": f"h{n}"} for n in range(count)],
                "body": {"mode": "json", "jsonTemplate": "[" * count},
            },
            "response": {"format": "json", "extract": [{}] * count},
        },
    }


def test_the_time_grows_with_the_document_only() -> None:
    def cost(count: int) -> float:
        document = growing(count)
        assert not validate(document).valid
        return cpu_seconds(lambda: validate(document))

    assert cost(6000) < max(cost(300), 0.002) * 200


@pytest.mark.parametrize("key", ["properties", "secretRefs", "headers"])
def test_only_as_much_is_read_as_is_allowed(key: str) -> None:
    report = validate(growing(3000))
    assert sum(key in p.path for p in report.problems) < 200
