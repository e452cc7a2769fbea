"""URL templates: what is refused at save, what is sent at call."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sparknb.core.definitions import Parameter
from sparknb.core.errors import DeniedError, InvalidInputError, SparknbError
from sparknb.core.templates import RenderedRequest, parse_url

Parameters = Mapping[str, Parameter]
Render = Callable[..., RenderedRequest]


def _paths(error: SparknbError) -> list[str]:
    return [problem.path for problem in error.problems]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://{{q}}.api.test/", "host, port or user"),
        ("http://{{q}}/", "host, port or user"),
        ("http://a{{q}}.b/", "host, port or user"),
        ("http://host{{q}}/", "host, port or user"),
        ("http://host{{q}}", "host, port or user"),
        ("https://api.test:{{n}}/", "host, port or user"),
        ("https://api.test:8{{n}}/", "host, port or user"),
        ("https://{{q}}@api.test/", "host, port or user"),
        ("https://u:{{q}}@api.test/", "host, port or user"),
        ("http://[{{q}}]/", "host, port or user"),
        ("{{q}}", "does not begin with"),
        ("{{q}}://api.test/", "does not begin with"),
        ("ht{{q}}tp://api.test/", "does not begin with"),
        ("http{{q}}://api.test/", "does not begin with"),
        ("http:{{q}}//api.test/", "does not begin with"),
        ("http:/{{q}}/api.test/", "does not begin with"),
        ("ftp://api.test/", "does not begin with"),
        ("http:/api.test/", "does not begin with"),
        ("http:api.test", "does not begin with"),
        ("//api.test/", "does not begin with"),
        ("", "does not begin with"),
        ("http://", "host is missing"),
        ("http:///{{q}}", "host is missing"),
        ("http://?{{q}}", "host is missing"),
        ("http://#", "host is missing"),
        ("http://[::1", "cannot be read"),
        ("http://127.0.0.1%00.example.com/", "no valid host"),
        ("http://example.com\\@127.0.0.1/", "backslash"),
        ("http://example.com/\\..\\x", "backslash"),
        ("http://h/a b", "space"),
        (" http://h/", "space"),
        ("http://h/\t", "control character"),
        ("http://h/\r\nX: 1", "control character"),
        ("http://h/\x00", "control character"),
        ("http://h/\x7f", "control character"),
        ("http://h/\x85", "control character"),
        ("https://u:p@api.test/", "user info"),
        ("http://h:99999/", "1-65535"),
        ("http://h/..", "'.' or '..'"),
        ("http://h/../x", "'.' or '..'"),
        ("http://h/a/./b", "'.' or '..'"),
        ("http://h/%2e%2E/x", "'.' or '..'"),
        ("http://h/.%2e?q={{q}}", "'.' or '..'"),
        ("http://h/%{{q}}", "unfinished % escape"),
        ("http://h/%2{{q}}", "unfinished % escape"),
        ("http://h/?a=%f{{q}}", "unfinished % escape"),
        ("http://h/{{nobody}}", "not declared"),
        ("http://h/?{{nobody}}=1", "not declared"),
        ("http://h/?a={{nobody}}", "not declared"),
        ("http://h/#{{nobody}}", "not declared"),
        ("http://h/{{q", "belongs to no placeholder"),
        ("http://h/?q}}", "belongs to no placeholder"),
        ("http://h/\ud800", "surrogate"),
        ("http://h/{{list | repeat}}", "in a URL's path"),
        ("http://h/{{list | ssv}}", "in a URL's path"),
        ("http://h/{{q | json}}", "in a URL's path"),
        ("http://h/?a={{q | json}}", "in a query value"),
        ("http://h/?a=1{{list | repeat}}", "in a part of a query value"),
        ("http://h/?{{list | repeat}}", "in a query name"),
        ("http://h/?{{list | repeat}}=1", "in a query name"),
        ("http://h/#{{list | csv}}", "in a URL's fragment"),
        ("http://h/?a={{q | csv}}", "needs type array"),
    ],
)
def test_a_bad_url_is_refused_when_saved(
    parameters: Parameters, url: str, words: str
) -> None:
    template, problems = parse_url(url, parameters)

    assert template is None
    assert [p.code for p in problems] == ["INVALID_TEMPLATE"]
    assert words in problems[0].message
    assert problems[0].path == ""


def test_all_problems_of_a_url_are_told_at_once(parameters: Parameters) -> None:
    url = "http://u@h/../{{nobody}}?a=%{{q | json}}&b={{nobody}}"
    assert len(parse_url(url, parameters)[1]) == 5


def test_problems_that_the_original_does_not_know_are_marked(
    parameters: Parameters,
) -> None:
    def strict(url: str) -> list[bool]:
        return [p.strict for p in parse_url(url, parameters)[1]]

    assert strict("http://u@h/") == [True]
    assert strict("http://{{q}}/") == [True]
    assert strict("http://h/..") == [True]
    assert strict("http://h/ ") == [True]
    assert strict("http://h/{{nobody}}") == [False]
    assert strict("http://h/{{q") == [False]
    assert strict("ftp://h/") == [False]


def test_with_a_broken_schema_names_are_not_judged() -> None:
    template, problems = parse_url("http://h/{{anything}}?a={{b | csv}}", None)
    assert problems == []
    assert template is not None
    assert template.names == {"anything", "b"}


def test_a_template_knows_its_host_and_names(parameters: Parameters) -> None:
    url = "HTTPS://Api.Test/{{q}}?a%20b=1&{{p}}=x&c={{n}}&d&&=e#{{o}}"
    template, _ = parse_url(url, parameters)

    assert template is not None
    assert template.origin == "https://api.test:443"
    assert template.host == "api.test"
    assert template.names == {"q", "p", "n", "o"}
    assert template.query_names == ("a b", "c", "d")


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.test", "https://api.test/"),
        ("https://api.test?a=1", "https://api.test/?a=1"),
        ("https://api.test#f", "https://api.test/"),
        ("https://api.test/?", "https://api.test/?"),
        ("https://api.test/#f?g", "https://api.test/"),
        ("HTTP://API.TEST:80/A", "http://api.test/A"),
        ("http://api.test:8080/", "http://api.test:8080/"),
        ("http://[::1]:81/x", "http://[::1]:81/x"),
        ("http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"),
        ("http://h//a//", "http://h//a//"),
        ("http://h/é/ü%C3%A9", "http://h/%C3%A9/%C3%BC%C3%A9"),
        ("http://h/?é=ü&a%20b=%zz", "http://h/?%C3%A9=%C3%BC&a%20b=%zz"),
        ("http://h/a;b=1,2!$'()*+:@~", "http://h/a;b=1,2!$'()*+:@~"),
        ('http://h/{a}|"<>^`[]', 'http://h/{a}|"<>^`[]'),
        ("http://h/?a&&b=&=c&a=1=2?/", "http://h/?a&&b=&=c&a=1=2?/"),
        ("http://h/.../..a/a..", "http://h/.../..a/a.."),
        ("http://h/100%", "http://h/100%"),
    ],
)
def test_literals_are_sent_as_written(render: Render, url: str, sent: str) -> None:
    request = render(url)

    assert request.url == sent
    assert request.url.endswith(request.target)
    assert request.target.startswith("/")


@pytest.mark.parametrize(
    ("url", "arguments", "target"),
    [
        ("/items?q={{q}}", {"q": "a b/é&x=1"}, "/items?q=a%20b%2F%C3%A9%26x%3D1"),
        ("/{{q}}", {"q": "azAZ09-_.!~*'()"}, "/azAZ09-_.!~*'()"),
        ("/{{q}}", {"q": '\x00\r\n#?%\\+;,"<{}😀'},
         "/%00%0D%0A%23%3F%25%5C%2B%3B%2C%22%3C%7B%7D%F0%9F%98%80"),
        ("/{{q}}?q={{q}}", {"q": "{{n}}"}, "/%7B%7Bn%7D%7D?q=%7B%7Bn%7D%7D"),
        ("/f/{{q}}", {"q": "../x"}, "/f/..%2Fx"),
        ("/f/{{q}}", {"q": "%2e%2e"}, "/f/%252e%252e"),
        ("/f/{{q}}", {"q": "..."}, "/f/..."),
        ("/f.{{q}}", {"q": "."}, "/f.."),
        ("/{{n}}/{{x}}/{{b}}", {"n": 5.0, "x": 1.5, "b": True}, "/5/1.5/true"),
        ("/{{list}}", {"list": ["a", "b"]}, "/%5B%22a%22%2C%22b%22%5D"),
        ("/{{list | csv}}", {"list": ["a,", "b/"]}, "/a%2C,b%2F"),
        ("/?i={{ids | repeat}}", {"ids": [1, 2]}, "/?i=1&i=2"),
        ("/?i={{ids | csv}}", {"ids": [1, 2]}, "/?i=1,2"),
        ("/?i={{list | ssv}}", {"list": ["a b", "c"]}, "/?i=a%20b%20c"),
        ("/?i={{list | pipes}}", {"list": ["a|b", "c"]}, "/?i=a%7Cb%7Cc"),
        ("/?i=[{{list | csv}}]", {"list": ["1", "2"]}, "/?i=[1,2]"),
        ("/?{{list | csv}}=1", {"list": ["1", "2"]}, "/?1,2=1"),
        ("/?a{{q}}", {"q": "b=c"}, "/?ab%3Dc"),
        ("/?{{q}}=é{{q}}", {"q": "&"}, "/?%26=%C3%A9%26"),
        ("/é{{q}}ü", {"q": "ö"}, "/%C3%A9%C3%B6%C3%BC"),
        ("/{{d}}", {}, "/dd"),
        ("/{{d}}", {"d": "given"}, "/given"),
        ("/a#{{q}}", {"q": "f"}, "/a"),
    ],
)  # fmt: skip
def test_values_are_encoded_for_their_place(
    render: Render, url: str, arguments: dict[str, Any], target: str
) -> None:
    assert render(f"https://api.test{url}", **arguments).target == target


@pytest.mark.parametrize(
    ("url", "arguments", "target"),
    [
        ("/items?q={{o}}", {}, "/items"),
        ("/items?q={{o}}", {"o": ""}, "/items?q="),
        ("/items?q={{o}}#f", {}, "/items"),
        ("/?a=1&q={{o}}&b=2", {}, "/?a=1&b=2"),
        ("/?q={{o}}&b=2", {}, "/?b=2"),
        ("/?a=1&q={{o}}", {}, "/?a=1"),
        ("/?q={{o}}&p={{p}}", {}, "/"),
        ("/?q={{o}}&p={{p}}", {"p": "x"}, "/?p=x"),
        ("/?{{q}}={{o}}", {"q": "k"}, "/"),
        ("/?i={{ids | repeat}}", {}, "/"),
        ("/?i={{ids | repeat}}", {"ids": []}, "/"),
        ("/?i={{ids | csv}}", {"ids": []}, "/"),
        ("/?i={{ids | ssv}}", {}, "/"),
        ("/?i={{list | repeat}}", {"list": []}, "/"),
        ("/?i={{list | pipes}}", {"list": []}, "/"),
        ("/?i={{none | csv}}", {}, "/"),
        ("/?i={{ids}}", {"ids": []}, "/?i=%5B%5D"),
    ],
)
def test_a_pair_whose_whole_value_is_absent_is_left_out(
    render: Render, url: str, arguments: dict[str, Any], target: str
) -> None:
    assert render(f"https://api.test{url}", **arguments).target == target


@pytest.mark.parametrize(
    "url",
    [
        "/{{o}}",
        "/a{{o}}",
        "/?{{o}}",
        "/?{{o}}=1",
        "/?a=1{{o}}",
        "/?a=%20{{o}}",
        "/#{{o}}",
        "/{{ids | csv}}",
        "/?a=1,{{ids | csv}}",
    ],
)
def test_elsewhere_an_absent_value_is_refused(render: Render, url: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(f"https://api.test{url}")

    name = "ids" if "ids" in url else "o"
    assert _paths(caught.value) == [f"input.{name}"]
    assert caught.value.problems[0].hint


@pytest.mark.parametrize("url", ["/{{list | csv}}", "/?a=1{{list | csv}}"])
def test_an_empty_array_counts_as_absent_where_a_value_is_needed(
    render: Render, url: str
) -> None:
    with pytest.raises(InvalidInputError, match="array is empty"):
        render(f"https://api.test{url}", list=[])


def test_an_empty_default_counts_as_absent_too(render: Render) -> None:
    with pytest.raises(InvalidInputError, match="array is empty"):
        render("https://api.test/{{none | csv}}")


def test_a_required_value_that_is_missing_is_told_once(render: Render) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render("https://api.test/{{q}}?a={{q}}&b={{list | repeat}}#{{q}}")
    assert _paths(caught.value) == ["input.q", "input.list"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/f/{{q}}", "."),
        ("/f/{{q}}", ".."),
        ("/f/{{q}}", ""),
        ("/f/{{q}}/g", ""),
        ("/f/.{{q}}", "."),
        ("/f/.{{q}}", ""),
        ("/f/%2e{{q}}", "."),
        ("/f/{{q}}%2E", "."),
        ("/f/{{q}}{{q}}", "."),
        ("/{{q}};v=1", ".."),
    ],
)
def test_a_value_may_not_climb_or_drop_a_path_level(
    render: Render, path: str, value: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(f"https://api.test{path}", q=value)
    assert _paths(caught.value) == ["input.q"]


def test_an_array_may_not_climb_a_path_level_either(render: Render) -> None:
    for hostile in ([".."], [""], ["."]):
        with pytest.raises(InvalidInputError):
            render("https://api.test/{{list | csv}}/x", list=hostile)


def test_every_value_of_a_refused_segment_is_named(render: Render) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render("https://api.test/{{q}}{{o}}", q=".", o=".")
    assert _paths(caught.value) == ["input.q", "input.o"]


def test_a_url_above_its_limit_blames_the_longest_value(render: Render) -> None:
    url = "https://api.test/{{q}}?o={{o}}&i={{ids | csv}}"
    room = 16_384 - len("https://api.test/?o=b")

    assert len(render(url, q="a" * room, o="b").url) == 16_384
    with pytest.raises(InvalidInputError) as caught:
        render(url, q="a" * (room + 1), o="b")

    assert _paths(caught.value) == ["input.q"]


def test_a_literal_url_above_its_limit_once_encoded_is_refused(render: Render) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render("https://api.test/" + "€" * 1900)
    assert _paths(caught.value) == ["input"]


def test_half_a_character_in_a_value_is_refused(render: Render) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render("https://api.test/{{q}}?i={{list | csv}}", q="\ud800", list=["\udc00"])
    assert _paths(caught.value) == ["input.q", "input.list"]


@pytest.mark.parametrize(
    ("url", "value"),
    [
        ("?{{q}}=1", "api_key"),
        ("?{{q}}=1", "TOKEN"),
        ("?{{q}}", "password"),
        ("?api{{q}}=1", "_key"),
        ("?api%5F{{q}}=1", "key"),
        ("?acc%65ss_{{q}}=1", "token"),
    ],
)
def test_a_sensitive_query_name_made_by_a_value_is_denied(
    render: Render, url: str, value: str
) -> None:
    with pytest.raises(DeniedError) as caught:
        render(f"https://api.test/{url}", q=value)

    assert _paths(caught.value) == ["input.q"]
    assert caught.value.code == "DENIED"
    assert value not in str(caught.value)


def test_a_harmless_query_name_made_by_a_value_is_sent(render: Render) -> None:
    assert (
        render("https://api.test/?{{q}}=1", q="page_token").target == "/?page_token=1"
    )


def test_refused_input_is_told_before_a_sensitive_name(render: Render) -> None:
    with pytest.raises(InvalidInputError):
        render("https://api.test/{{o}}?{{q}}=1", q="api_key", o="..")


@pytest.mark.parametrize(
    "url",
    [
        "http://h/" + "{" * 100_000,
        "http://" + "[" * 100_000,
        "http://" + "a." * 50_000,
        "http://" + "é" * 100_000,
        "http://h" + "/" * 100_000,
        "http://h/?" + "&" * 100_000,
        "http://h/?" + "a=" * 50_000,
        "http://h/#" + "#" * 100_000,
        "http://h/" + "%2" * 50_000,
        "http://h/" + "{{q}}" * 5_000,
        "http://h/" + "{{z}}/" * 5_000,
        "http://h/?" + "{{z}}=%{{z}}&" * 3_000,
    ],
    ids=lambda url: url[:16],
)
def test_hostile_urls_are_read_in_linear_time(parameters: Parameters, url: str) -> None:
    start = time.process_time()
    parse_url(url, parameters)
    assert time.process_time() - start < 10
