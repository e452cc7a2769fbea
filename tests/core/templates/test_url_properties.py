"""Whatever the template and the values: a value never changes what a URL is made of."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import h11
import httpx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sparknb.core.definitions import Parameter
from sparknb.core.errors import DeniedError, InvalidInputError
from sparknb.core.templates import RenderedRequest, parse_url
from tests.core.templates.drawing import (
    NASTY,
    Part,
    arguments_,
    filled,
    is_absent,
    misses,
    parts_of,
    text_of,
    texts,
)

Render = Callable[..., RenderedRequest]

_hosts = st.sampled_from(
    ["api.test", "api.test:8443", "127.0.0.1", "[::1]:8080", "bücher.test"]
)
_url_literals = st.sampled_from(
    ["a", "é", "%41", "%2F", "%2e", ".", "-", ";", ":", "'", "(", "+", "|", "😀", "@"]
)
_path_segments = st.lists(parts_of(_url_literals), max_size=4)
_query_parts = parts_of(_url_literals | st.sampled_from(["/", "?"]))
_query_values = st.none() | _query_parts
_queries = st.none() | st.lists(st.tuples(_query_parts, _query_values), max_size=4)


def _encode(text: str) -> str:
    return quote(text, safe="-_.!~*'()")


def _encode_literal(text: str) -> str:
    return text if text.isascii() else quote(text)


def _climbs(segment: str) -> bool:
    plain = segment.partition(";")[0]
    return not segment or re.sub("%2e", ".", plain, flags=re.IGNORECASE) in {".", ".."}


@given(
    start=st.builds("{}://{}/".format, st.sampled_from(["http", "https"]), _hosts),
    segments=_path_segments,
    query=_queries,
    arguments=arguments_,
)
def test_a_url_has_the_segments_and_pairs_of_its_template(
    render: Render,
    start: str,
    segments: list[list[Part]],
    query: list[tuple[list[Part], list[Part] | None]] | None,
    arguments: dict[str, Any],
) -> None:
    url = start + "/".join(map(text_of, segments))
    if query is not None:
        url += "?" + "&".join(
            text_of(name) + ("" if value is None else f"={text_of(value)}")
            for name, value in query
        )
    template, _ = parse_url(url, None)
    # A literal `..` does not parse, and is tested elsewhere.
    assume(template is not None)

    sent = [
        (name, value)
        for name, value in query or []
        if value is None or not is_absent(value, arguments)
    ]
    needed = [*segments, *(n for n, _ in sent), *(v for _, v in sent if v is not None)]
    if any(misses(parts, arguments) for parts in needed):
        with pytest.raises(InvalidInputError):
            render(url, **arguments)
        return
    path = [filled(s, arguments, _encode, _encode_literal) for s in segments]
    slotted = [any(kind == "name" for kind, _ in s) for s in segments]
    if any(s and _climbs(text) for s, text in zip(slotted, path, strict=True)):
        with pytest.raises(InvalidInputError):
            render(url, **arguments)
        return
    try:
        request = render(url, **arguments)
    except DeniedError:
        assert any(kind == "name" for name, _ in sent for kind, _ in name)
        return

    assert request.target.isascii()
    assert request.target.isprintable()
    assert " " not in request.target
    assert "#" not in request.target
    raw_path, mark, raw_query = request.target.partition("?")
    assert raw_path == "/" + "/".join(path)
    pairs = [
        filled(name, arguments, _encode, _encode_literal)
        + ("" if v is None else "=" + filled(v, arguments, _encode, _encode_literal))
        for name, v in sent
    ]
    empty = query is not None and not query  # a lone `?` is an empty literal pair
    assert raw_query == "&".join(pairs)
    assert bool(mark) == bool(pairs or empty)
    _agrees_with_other_readers(request)


def _agrees_with_other_readers(request: RenderedRequest) -> None:
    """Compare the host and the parts of the URL with what others read in it."""
    first, second = urlsplit(request.url), httpx.URL(request.url)
    assert first.hostname is not None
    host = first.netloc.rpartition(":")[0] if first.port else first.netloc
    assert second.raw_host.decode() == host.strip("[]")
    assert first.username is None
    assert second.userinfo == b""
    assert request.url.endswith(request.target)
    assert f"{first.path}{'?' if '?' in request.target else ''}{first.query}" == (
        request.target
    )
    h11.Request(method="GET", target=request.target, headers=[("Host", "h")])


@given(arguments=arguments_, values=st.lists(texts, max_size=4))
def test_array_forms_give_one_pair_an_element_or_one_pair_in_all(
    render: Render, arguments: dict[str, Any], values: list[str]
) -> None:
    url = (
        "https://api.test/?r={{list | repeat}}&c={{list | csv}}"
        "&s={{list | ssv}}&p={{list | pipes}}&end=1"
    )
    target = render(url, **(arguments | {"list": values})).target

    pairs = [pair.split("=") for pair in target.removeprefix("/?").split("&")]
    repeated = [unquote(value) for name, value in pairs if name == "r"]
    assert repeated == values
    others = {name: value for name, value in pairs if name != "r"}
    assert others.pop("end") == "1"
    joined = {"c": ",", "s": "%20", "p": "%7C"} if values else {}
    assert others.keys() == joined.keys()
    assert others == {
        name: joiner.join(map(_encode, values)) for name, joiner in joined.items()
    }


@given(text=NASTY.map(lambda t: f"http://api.test/{t}"), arguments=arguments_)
def test_any_url_that_compiles_keeps_its_host(
    render: Render,
    parameters: Mapping[str, Parameter],
    text: str,
    arguments: dict[str, Any],
) -> None:
    template, _ = parse_url(text, parameters)
    if template is None:
        return
    try:
        request = render(text, **arguments)
    except (InvalidInputError, DeniedError):
        return
    assert httpx.URL(request.url).host == "api.test"
    assert urlsplit(request.url).netloc == "api.test"
    assert request.target.isascii()
