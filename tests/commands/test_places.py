import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sparknb.commands.places import lines_of

TEXT = """{
  "id": "a",
  "spec": {
    "request": {"method": "GET",
      "headers": [
        {"name": "X"},
        {"name": "Y"}
      ]
    }
  },
  "last": true
}"""


def test_a_member_is_found_at_the_line_of_its_name() -> None:
    assert lines_of(TEXT, ["id", "spec.request.method", "last"]) == {
        "id": 2,
        "spec.request.method": 4,
        "last": 11,
    }


def test_an_element_is_found_by_its_index() -> None:
    found = lines_of(TEXT, ["spec.request.headers.1.name", "spec.request.headers.0"])
    assert list(found.values()) == [7, 6]


def test_what_is_missing_is_told_by_its_parent() -> None:
    assert lines_of(TEXT, ["spec.request.urlTemplate"]) == {
        "spec.request.urlTemplate": 4
    }


def test_what_has_no_parent_in_the_text_has_no_line() -> None:
    assert lines_of(TEXT, ["title", "", "spec2.x"]) == {}


def test_of_a_repeated_name_the_first_place_counts() -> None:
    assert lines_of('{"a": 1,\n"a": 2}', ["a"]) == {"a": 1}


def test_text_after_an_error_is_not_reached_but_nothing_fails() -> None:
    broken = ["", "}", "]", "{,", '{"a": "b', '{"a": [1, 2', "[,]", '"', ":::", "\x00"]
    for text in broken:
        lines_of(text, ["a", "0", "1"])


def test_strings_that_look_like_structure_mislead_nobody() -> None:
    text = '{"a": "}],{\\"b\\": 1",\n"b": 2}'
    assert lines_of(text, ["b"]) == {"b": 2}


def test_a_deep_text_is_no_trouble() -> None:
    deep = '{"a": 1, "b": ' + "[" * 100_000
    assert lines_of(deep, ["a", "b.0"]) == {"a": 1, "b.0": 1}


def _paths(value: Any, path: str = "") -> list[str]:
    found = [path] if path else []
    if isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for name, member in members:
            found += _paths(member, f"{path}.{name}" if path else str(name))
    return found


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text("abc", min_size=1), inner)
        ),
        max_leaves=15,
    )
)
def test_every_path_of_a_printed_document_has_its_own_line(document: Any) -> None:
    text = json.dumps(document, indent=1)
    paths = _paths(document)
    found = lines_of(text, paths)
    assert set(found) == set(paths)
    # with one member a line, places come in the order of the document
    lines = [found[path] for path in paths]
    assert lines == sorted(lines)


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    lines_of(text, ["a.b.c", "0.1"])
