import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.errors import ExecutionFailedError
from sparknb.core.json_path import JsonPath, parse_json_path

ISSUES = [
    {"id": 1, "title": "Found a bug", "open": True, "by": {"login": "ada"}},
    {"id": 2, "title": "Ünïcödé 😀", "open": False, "by": None},
]
SHOP: dict[str, Any] = {
    "books": [
        {"name": "A", "price": 8.5, "tags": ["x", "y"]},
        {"name": "B", "price": 12, "tags": []},
        {"name": "C", "tags": ["y"]},
    ],
    "limit": 10,
    "": "empty",
    "a b": 1,
    "a'b": 2,
    "größe": "L",
    "😀": "smile",
    "null": None,
}


def path(text: str) -> JsonPath:
    found, problem = parse_json_path(text)
    assert found is not None, problem
    return found


def find(text: str, value: Any) -> list[Any]:
    return path(text).find(value)


@pytest.mark.parametrize(
    ("text", "value", "nodes"),
    [
        ("$", 42, [42]),
        ("$[0].title", ISSUES, ["Found a bug"]),
        ("$[-1].id", ISSUES, [2]),
        ("$[-3]", ISSUES, []),
        ("$[2]", ISSUES, []),
        ("$[*].by", ISSUES, [{"login": "ada"}, None]),
        ("$.*", {"a": 1, "b": None}, [1, None]),
        ("$.*", "text", []),
        ("$.a", [1], []),
        ("$[0]", {"0": 1}, []),
        ("$[1:3]", [0, 1, 2, 3], [1, 2]),
        ("$[::-1]", [0, 1, 2], [2, 1, 0]),
        ("$[::0]", [0, 1], []),
        ("$[0:1]", "text", []),
        ("$[0, 2, 0]", [5, 6, 7], [5, 7, 5]),
        ("$[2,:1]", [5, 6, 7], [7, 5]),
        ("$[0,1,::2]", [5, 6, 7], [5, 6, 5, 7]),
        ("$['a b', \"a'b\"]", SHOP, [1, 2]),
        ("$['']", SHOP, ["empty"]),
        ("$.größe", SHOP, ["L"]),
        ("$.😀", SHOP, ["smile"]),
        ("$.null", SHOP, [None]),
        ("$..tags[0]", SHOP, ["x", "y"]),
        ("$..b", {"a": {"b": [{"b": 1}]}}, [[{"b": 1}], 1]),
    ],
)
def test_a_path_selects_what_the_rfc_says(
    text: str, value: Any, nodes: list[Any]
) -> None:
    assert find(text, value) == nodes


@pytest.mark.parametrize(
    ("test", "names"),
    [
        ("@.price", "AB"),
        ("!@.price", "C"),
        ("@.price < 10", "A"),
        ("@.price <= 8.5", "A"),
        ("@.price > 10", "B"),
        ("@.price >= 12", "B"),
        ("@.price >= 1e1", "B"),
        ("@.price == 12", "B"),
        ("@.price != 12", "AC"),
        ("@.price < $.limit", "A"),
        ("@.name <= 'B'", "AB"),
        ("@.name < 1", ""),
        ("@.nope == @.none", "ABC"),
        ("@.nope <= @.none", "ABC"),
        ("@.nope < @.none", ""),
        ("@.price && @.tags[0]", "A"),
        ("@.price || @.tags[0]", "ABC"),
        ("(@.name=='A' || @.name=='B') && @.price > 10", "B"),
        ("@.tags == $.books[2].tags", "C"),
        ("$.limit", "ABC"),
        ("$.nope", ""),
        ("length(@.tags) == 1", "C"),
        ("length(@.name) == 1", "ABC"),
        ("length(@) == 3", "AB"),
        ("length(@.price) == 1", ""),
        ("count(@.tags[*]) > 1", "A"),
        ("count($.books[*]) == 3", "ABC"),
        ("value(@.tags[0:1]) == 'y'", "C"),
        ("value(@..nope) == null", ""),
        ("match(@.name, '[AB]')", "AB"),
        ("match(@.price, '.*')", ""),
        ("search(@.tags[0], @.tags[0])", "AC"),
        ("@.tags[?@ == 'x']", "A"),
        ("null == @.nope", ""),
        ("true == true", "ABC"),
    ],
)
def test_a_filter_keeps_what_its_test_holds_for(test: str, names: str) -> None:
    assert "".join(find(f"$.books[?{test}].name", SHOP)) == names


@pytest.mark.parametrize(
    ("text", "value", "nodes"),
    [
        ("$[?@ == 1]", [1, 1.0, True, "1"], [1, 1.0]),
        ("$[?@ == true]", [1, True], [True]),
        ("$[?@ == $.x]", {"x": [1], "y": [True], "z": [1, 2]}, [[1]]),
        ("$[?@ == $.x]", {"x": {"a": 0}, "y": {"a": False}, "z": {"b": 0}}, [{"a": 0}]),
        ("$[?@ < 2]", [1, True, "1", None], [1]),
        ("$[?@ >= null]", [None, 0], [None]),
        ("$[?@.a == 1.1]", [{"a": 1.1}], [{"a": 1.1}]),
    ],
)
def test_values_of_different_kinds_are_never_equal(
    text: str, value: Any, nodes: list[Any]
) -> None:
    assert repr(find(text, value)) == repr(nodes)


@pytest.mark.parametrize(
    ("pattern", "text", "matches", "is_found"),
    [
        ("a.c", "abc", True, True),
        ("a.c", "a\rc", False, False),
        ("a.c", "a\nc", False, False),
        ("a.c", "xabcx", False, True),
        ("a[.]c", "abc", False, False),
        (r"a\.c", "a.c", True, True),
        (r"[\]].", "]x", True, True),
        ("^ab.*", "abc", True, True),
        (r"\p{Lu}+", "ÄÖ", True, True),
        ("(", "(", False, False),
        (r"(a)\1", "aa", False, False),
        ("x" * 10_001, "x" * 10_001, False, False),
        ("\ud800", "a", False, False),
        ("日.語", "日本語", True, True),
    ],
)
def test_patterns_are_i_regexps_and_a_broken_one_matches_nothing(
    pattern: str, text: str, matches: bool, is_found: bool
) -> None:
    value = {"t": text, "p": pattern}
    assert bool(find("$[?match($.t, $.p)]", value)) is matches
    assert bool(find("$[?search($.t, $.p)]", value)) is is_found


def test_half_a_surrogate_pair_breaks_no_pattern() -> None:
    assert find("$[?search(@, 'b.')]", ["\ud800", "b\ud800"])


def test_a_pattern_that_backtracks_elsewhere_ends_at_once() -> None:
    text = "a" * 100_000 + "!"
    assert find("$[?match(@.x, '(a+)+b')]", [{"x": text}]) == []


def test_a_pattern_too_large_for_its_text_is_refused_instead_of_hanging() -> None:
    value = [{"x": "a" * 1_000_000}]
    with pytest.raises(ExecutionFailedError, match="pattern is too large"):
        find("$[?search(@.x, '(a?){300}b')]", value)


@pytest.mark.parametrize("text", ["$[07]", "$[007]", "$['x'][07]"])
def test_leading_zeros_of_the_original_are_read(text: str) -> None:
    value: Any = list(range(10))
    assert find(text, {"x": value} if "x" in text else value) == [7]


def test_zeros_inside_a_name_are_left_alone() -> None:
    assert find("$['[07]'][\"[08]\"]", {"[07]": {"[08]": 1}}) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " $",
        "$ ",
        "$.a[",
        "data[0].id",
        "$.a-b",
        "$.choices.0.message",
        "$._source.@timestamp",
        "$[-07]",
        "$[1.0]",
        "$[1e3]",
        "$[?@.a == 01]",
        "$[?@.a == -01.5]",
        "$[?@.a <> 1]",
        "$[?@.a == 1e400]",
        "$[?1]",
        "$[?!1]",
        "$[?@.a == (@.b == 1)]",
        "$[?(@.a) == 1]",
        "$[?( 1 ) != @.a]",
        "$[?@.a < ( 1 )]",
        "$[?(@.a || @.b) == true]",
        "$[?(length(@.a)) >= 1]",
        "$[?@.*==1]",
        "$[?nope(@.a)]",
        "$[?length(@.a)]",
        "$[?match(@.a)]",
        "$[?match(@.*, 'a')]",
        "$[99999999999999999999]",
        "$" + "[?@" * 300,
        "$[?" + "(" * 4000 + "@" + ")" * 4000 + "]",
        "$[?" + "!" * 4000 + "@]",
        "$[?" + "value(" * 900 + "@" + ")" * 900 + "==1]",
        "$.a | $.b",
        "$[~'a']",
        "^",
        "$['a",
        "$['\\x']",
        "\0",
    ],
)
def test_what_the_rfc_does_not_know_is_refused(text: str) -> None:
    found, problem = parse_json_path(text)
    assert found is None
    assert problem is not None
    assert problem.code == "INVALID_JSONPATH"
    assert problem.hint
    assert "\n" not in problem.message


def test_a_refusal_says_where() -> None:
    _, problem = parse_json_path("$.a[?@.b == ]")
    assert problem is not None
    assert "at character 13" in problem.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("$.ab[", "at character 6"),
        ("$..", "at character 4"),
        ("$[?!count(@.*)]", "has no value of its own"),
        ("$[?!value(@.a) && length(@)]", "has no value of its own"),
    ],
)
def test_a_refusal_names_the_right_reason_and_place(text: str, words: str) -> None:
    _, problem = parse_json_path(text)
    assert problem is not None
    assert words in problem.message


def test_a_refusal_repeats_no_secret() -> None:
    _, problem = parse_json_path(f"$[?hf_{'a' * 34}(@)]")
    assert problem is not None
    assert "hf_" not in problem.message


def test_parentheses_may_stand_around_what_is_true_or_false() -> None:
    value = [{"a": 1, "b": "x"}, {"a": 2}]
    assert find("$[?((@.b)) && !(length(@.b) == 2)].a", value) == [1]


def test_more_nodes_than_the_limit_fail_and_exactly_as_many_do_not() -> None:
    assert len(find("$[*]", [0] * 100_000)) == 100_000
    with pytest.raises(ExecutionFailedError, match="more than 100000 nodes"):
        find("$[*]", [0] * 100_001)


def test_a_path_that_multiplies_its_nodes_ends_at_the_limit() -> None:
    value: Any = 0
    for _ in range(25):
        value = [value]
    with pytest.raises(ExecutionFailedError, match="nodes"):
        find("$" + "[*,*]" * 25, value)


def test_an_endless_evaluation_can_be_stopped() -> None:
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    value = [[0] * 50 for _ in range(50)]
    with pytest.raises(ExecutionFailedError, match="stopped"):
        path("$..[?$..[?$..[?@ == 1]]]").find(value, stop=stop)


def test_a_path_nested_too_deeply_for_its_value_fails_plainly() -> None:
    value: Any = {"a": 1}
    value["a"] = value  # endless, as no JSON text is, but it takes the evaluation deep
    deep = "$" + "[?@.a" * 90 + "]" * 90
    limit = sys.getrecursionlimit()
    found = path(deep)
    try:
        sys.setrecursionlimit(200)
        with pytest.raises(ExecutionFailedError, match="nested too deeply"):
            found.find(value)
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("$", True),
        ("$.a[*]['b'][0][1:2].*", True),
        ("$..a", False),
        ("$[?@.a]", False),
        ("$[0,1]", False),
    ],
)
def test_only_single_steps_down_are_plain(text: str, is_plain: bool) -> None:
    assert path(text).is_plain is is_plain


def test_no_jsonpath_library_is_loaded_before_the_first_path() -> None:
    program = (
        "import sys, sparknb.core.responses\n"
        "print([m for m in ('jsonpath', 're2', 'bpe_openai') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


_PIECES = (
    "$ @ . .. [ ] * ? ( ) && || ! == < >= 'a' \"b\" a 0 -1 1.5 1e3 true null , : "
    "length( count( match( value( @.a $.b [0] [?@ 😀 \\ ~ ^ | <> =~ in 01"
)


@given(st.lists(st.sampled_from(_PIECES.split()), max_size=9).map("".join))
def test_any_text_is_either_a_path_that_can_be_walked_or_a_problem(text: str) -> None:
    found, problem = parse_json_path(f"${text}")
    assert (found is None) is (problem is not None)
    if found is not None:
        json.dumps(found.find({"a": [1, {"a": "x", "b": True}], "b": {}}))
