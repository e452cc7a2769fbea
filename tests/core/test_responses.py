import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.definitions import Extract, HttpRequest, HttpSpec, ResponseFormat
from sparknb.core.errors import ExecutionFailedError, InvalidInputError
from sparknb.core.response_json import NOT_JSON, compact, indented, read_json
from sparknb.core.responses import format_response, is_quick
from tests.costs import cpu_seconds


def spec(form: ResponseFormat, *columns: tuple[str, str]) -> HttpSpec:
    return HttpSpec(
        request=HttpRequest(method="GET", url_template="https://api.test/"),
        response_format=form,
        extract=tuple(Extract(label, path) for label, path in columns),
    )


def table(body: str, *columns: tuple[str, str]) -> list[str]:
    text, _ = format_response(spec("markdown-table", *columns), body)
    return text.split("\n")


# ---------------------------------------------------------------------- tables
def test_each_path_is_a_column_and_shorter_ones_are_padded() -> None:
    body = '{"a":[{"n":"x|y"},{"n":null}],"t":1}'
    lines = table(body, ("n", "$.a[*].n"), ("t", "$.t"))
    assert lines == ["| n | t |", "| --- | --- |", "| x\\|y | 1 |", "|  |  |"]


def test_a_table_without_any_node_has_one_empty_row() -> None:
    assert table("{}", ("a", "$.a"), ("b", "$.b"))[2:] == ["|  |  |"]


def test_cells_keep_digits_and_never_break_the_line() -> None:
    body = (
        '{"v":["1\\r\\n2\\r3\\n4|5",true,false,1.10,-0,1E400,12345678901234567890123,'
        '{"a b":[1.0,null,{}],"c":[]},"\\ud83d\\ude00é","\\ud800"]}'
    )
    assert table(body, ("v", "$.v[*]"))[2:] == [
        "| 1 2 3 4\\|5 |",
        "| true |",
        "| false |",
        "| 1.10 |",
        "| -0 |",
        "| 1E400 |",
        "| 12345678901234567890123 |",
        '| {"a b":[1.0,null,{}],"c":[]} |',
        "| 😀é |",
        "| \ufffd |",
    ]


def test_labels_are_escaped_like_cells() -> None:
    assert table("[1]", ("a|b\nc", "$[0]"))[0] == "| a\\|b c |"


@pytest.mark.parametrize("form", ["json", "text", "markdown-table"])
def test_extraction_makes_a_table_whatever_the_format(form: ResponseFormat) -> None:
    text, data = format_response(spec(form, ("a", "$.a")), '{"a": 1.50}')
    assert text.endswith("| 1.50 |")
    assert data == {"a": 1.5}
    assert type(data["a"]) is float


def test_extraction_from_no_json_gives_a_notice_and_the_raw_text() -> None:
    text, data = format_response(spec("json", ("a", "$.a")), "<html>\n</html>")
    notice, blank, rest = text.split("\n", 2)
    assert notice.startswith("> ")
    assert blank == ""
    assert rest == "<html>\n</html>"
    assert data is None


def test_too_many_nodes_fail() -> None:
    body = json.dumps([0] * 100_001)
    with pytest.raises(ExecutionFailedError):
        format_response(spec("json", ("a", "$[*]")), body)


def test_a_broken_path_of_an_imported_draft_is_a_plain_refusal() -> None:
    for work in (
        lambda: format_response(spec("json", ("a", "$.a[")), "{}"),
        lambda: is_quick(spec("json", ("a", "$.a["))),
    ):
        with pytest.raises(InvalidInputError, match="at character"):
            work()


def test_writing_a_table_can_be_stopped() -> None:
    body = json.dumps([[[1]]])
    for paths in (("$",), ("$..*",)):
        columns = [("a", path) for path in paths]
        with pytest.raises(ExecutionFailedError, match="stopped"):
            format_response(spec("json", *columns), body, stop=lambda: True)


def test_cells_that_repeat_a_large_value_take_bounded_memory() -> None:
    body = json.dumps({"a": ["x" * 1000] * 400})
    text, _ = format_response(spec("json", ("a", "$" + "['a','a','a']" * 1)), body)
    assert len(text) < 1_500_000
    wide = "$[" + ",".join(["*"] * 60) + "]"
    text, _ = format_response(spec("json", ("a", wide)), body)
    assert len(text) < 10_000_000
    assert "…[truncated middle]…" in text


def test_only_plain_paths_are_quick() -> None:
    assert is_quick(spec("text"))
    assert is_quick(spec("json", ("a", "$.a[*]")))
    assert not is_quick(spec("json", ("a", "$.a"), ("b", "$..b")))


# ------------------------------------------------------------------------ json
def test_json_is_indented_with_the_digits_it_came_with() -> None:
    body = '\ufeff {"a":[],"b":{}, "c":[1.10,12345678901234567890123,1E400,-0,"x"]} '
    text, data = format_response(spec("json"), body)
    assert text == (
        '```json\n{\n  "a": [],\n  "b": {},\n  "c": [\n    1.10,\n'
        '    12345678901234567890123,\n    1E400,\n    -0,\n    "x"\n  ]\n}\n```'
    )
    assert data == {
        "a": [],
        "b": {},
        "c": [1.1, 12345678901234567890123, "1E400", 0, "x"],
    }


def test_escapes_are_written_as_characters_where_there_are_any() -> None:
    text, data = format_response(
        spec("json"), '["\\u00e9\\n\\u003c\\ud83d\\ude00", "\\ud800x"]'
    )
    assert text == '```json\n[\n  "é\\n<😀",\n  "\\ud800x"\n]\n```'
    assert data == ["é\n<😀", "\ufffdx"]


def test_half_surrogates_are_mended_everywhere_in_the_value() -> None:
    assert read_json('{"\\ud800": ["\\udfff", 1]}') == {"\ufffd": ["\ufffd", 1]}


@pytest.mark.parametrize("body", ["42", '"x"', "true", "null", "[]", "1.0e5"])
def test_scalars_are_json(body: str) -> None:
    text, data = format_response(spec("json"), body)
    assert text == f"```json\n{body}\n```"
    assert data == json.loads(body)


@pytest.mark.parametrize(
    "body",
    [
        "",
        " ",
        "{",
        "NaN",
        "[Infinity]",
        "-Infinity",
        "[01]",
        "{'a': 1}",
        "[1]x",
        '"\n"',
    ],
)
def test_what_is_not_json_is_shown_raw(body: str) -> None:
    assert format_response(spec("json"), body) == (body, None)


@pytest.mark.parametrize("form", ["text", "markdown-table"])
def test_other_formats_show_the_text_as_it_is(form: ResponseFormat) -> None:
    assert format_response(spec(form), '{"a":1}') == ('{"a":1}', None)


def test_128_levels_are_json_and_129_are_not() -> None:
    for depth in (128, 129):
        for left, right in (("[", "]"), ('{"a":', "}")):
            body = left * depth + "1" + right * depth
            assert (read_json(body) is NOT_JSON) is (depth == 129)
    assert read_json("[" * 200_000) is NOT_JSON
    assert read_json("[" * 100_000 + "]" * 100_000) is NOT_JSON


def test_brackets_in_strings_are_no_depth() -> None:
    body = json.dumps(["[" * 500, '\\"[' * 100, ["]"]] * 3)
    assert read_json(body) == json.loads(body)
    wide = "[" + ",".join(["[]"] * 200) + "]"
    assert read_json(wide) == [[]] * 200


def test_numbers_of_any_length_are_read() -> None:
    digits = "7" * 5000
    assert read_json(digits) == digits
    assert compact(read_json(digits, keep_digits=True), lambda: None) == digits
    text, _ = format_response(spec("json"), f"[{digits}]")
    assert digits in text


def test_deep_and_wide_json_stays_bounded_when_indented() -> None:
    body = "[" * 127 + ",".join("1" * 100_000) + "]" * 127
    text, _ = format_response(spec("json"), body)
    assert len(text) < 10_000_000
    assert text.startswith("```json\n[\n  [")
    assert text.endswith("  ]\n]\n```")


def test_hostile_texts_are_told_from_json_at_once() -> None:
    for body in (
        '"' + '\\"' * 500_000,
        "[" * 1_000_000,
        '{"a":' * 200_000,
        "1" * 10**6,
    ):
        assert cpu_seconds(partial(read_json, body), runs=1) < 5


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(_JSON, st.booleans())
def test_what_is_written_reads_back_as_the_same(value: Any, is_ascii: bool) -> None:
    body = json.dumps(value, ensure_ascii=is_ascii)
    again = read_json(body)
    assert json.loads("".join(indented(body))) == again
    kept = compact(read_json(body, keep_digits=True), lambda: None)
    assert json.loads(kept) == again
    assert kept == json.dumps(
        json.loads(body), ensure_ascii=False, separators=(",", ":")
    )


@given(st.text(alphabet='{}[]",:\\u0d8 \n1-.eE+truefalsn', max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    value = read_json(text)
    if value is not NOT_JSON:
        assert json.loads("".join(indented(text))) == json.loads(text)
