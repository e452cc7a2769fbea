"""A whole request: compiled once, rendered for every call."""

from collections.abc import Callable, Mapping

import pytest

from sparknb.core.definitions import (
    FormBody,
    FormField,
    Header,
    HttpRequest,
    HttpSpec,
    JsonBody,
    Method,
    Parameter,
    TextBody,
)
from sparknb.core.errors import InvalidInputError, InvalidTemplateError
from sparknb.core.templates import RenderedRequest, compile_request

Render = Callable[..., RenderedRequest]


def _spec(url: str, *headers: Header, method: Method = "GET") -> HttpSpec:
    request = HttpRequest(method=method, url_template=url, headers=headers)
    return HttpSpec(request=request, response_format="json")


def test_a_compiled_request_tells_what_approval_and_keychain_need() -> None:
    secrets = [
        Header(name="X-A", secret="one"),
        Header(name="X-B", value_template="b"),
        Header(name="X-C", secret="two"),
        Header(name="X-D", secret="one"),
    ]
    compiled = compile_request(_spec("http://API.test:80/", *secrets), {})

    assert compiled.origin == "http://api.test:80"
    assert compiled.secret_names == ("one", "two")
    assert compiled.render({}).secret_headers == (
        ("X-A", "one"),
        ("X-C", "two"),
        ("X-D", "one"),
    )


def test_headers_keep_their_order_and_the_body_names_its_type_last(
    render: Render,
) -> None:
    headers = {"X-B": "1", "X-A": "{{q}}"}
    request = render(headers=headers, body=JsonBody("{{n}}"), q="2", n=3)

    assert request.method == "POST"
    assert request.headers == (
        ("X-B", "1"),
        ("X-A", "2"),
        ("Content-Type", "application/json"),
    )
    assert request.body == b"3"


@pytest.mark.parametrize("name", ["Content-Type", "content-type", "CONTENT-TYPE"])
def test_a_header_that_names_the_type_of_the_body_stands(
    render: Render, name: str
) -> None:
    request = render(headers={name: "application/vnd.x+json"}, body=JsonBody("1"))
    assert request.headers == ((name, "application/vnd.x+json"),)


def test_a_secret_header_may_name_the_type_of_the_body(render: Render) -> None:
    request = render(secrets={"content-type": "t"}, body=JsonBody("1"))
    assert request.headers == ()


def test_where_the_header_is_left_out_the_type_follows_the_body(
    render: Render,
) -> None:
    request = render(headers={"Content-Type": "{{o}}"}, body=TextBody("text/a", "x"))
    assert request.headers == (("Content-Type", "text/a"),)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_get_and_delete_never_send_a_body(render: Render, method: Method) -> None:
    request = render(method=method, body=JsonBody('{"a": {{not read'))

    assert request.method == method
    assert request.body is None
    assert request.headers == ()


def test_all_refused_values_of_all_places_are_told_at_once(render: Render) -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(
            "https://api.test/{{q}}/{{n}}?{{o}}=1",
            headers={"X-A": "{{p}}"},
            body=FormBody((FormField("f", "a{{ids | csv}}"),)),
            q="..",
            n=10**5000,
            p="\r\n",
            ids=[],
        )

    paths = [p.path for p in caught.value.problems]
    assert paths == ["input.q", "input.n", "input.o", "input.p", "input.ids"]
    assert {p.code for p in caught.value.problems} == {"INVALID_INPUT"}


def test_no_problem_repeats_the_value(render: Render) -> None:
    value = "canary\r\n\ud800"
    with pytest.raises(InvalidInputError) as caught:
        render(headers={"X-A": "{{q}}"}, body=JsonBody("{{q | json}}"), q=value)
    assert "canary" not in f"{caught.value!r} {caught.value.to_wire()}"


def test_a_bad_request_does_not_compile_and_every_problem_has_its_path() -> None:
    request = HttpRequest(
        method="POST",
        url_template="http://{{a}}/",
        headers=(
            Header(name="A", secret="s"),
            Header(name="B", value_template="{{b"),
        ),
        body=FormBody((FormField("f", "ok"), FormField("g", "{{c}}"))),
    )
    spec = HttpSpec(request=request, response_format="json")

    with pytest.raises(InvalidTemplateError) as caught:
        compile_request(spec, {"a": Parameter(name="a", type="string", required=True)})

    assert [p.path for p in caught.value.problems] == [
        "spec.request.urlTemplate",
        "spec.request.headers.1.valueTemplate",
        "spec.request.body.fields.1.valueTemplate",
    ]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (JsonBody("{"), "spec.request.body.jsonTemplate"),
        (TextBody("text/plain", "{{a}}"), "spec.request.body.template"),
    ],
)
def test_a_bad_body_does_not_compile(body: JsonBody | TextBody, path: str) -> None:
    request = HttpRequest(method="PUT", url_template="http://h/", body=body)
    with pytest.raises(InvalidTemplateError) as caught:
        compile_request(HttpSpec(request=request, response_format="json"), {})
    assert [p.path for p in caught.value.problems] == [path]


def test_one_compiled_request_renders_many_times_alike(
    parameters: Mapping[str, Parameter],
) -> None:
    compiled = compile_request(_spec("http://h/{{q}}?o={{o}}"), parameters)

    first = compiled.render({"q": "a", "o": "b"})
    with pytest.raises(InvalidInputError):
        compiled.render({"q": ".."})
    compiled.render({"q": "c"})

    assert compiled.render({"q": "a", "o": "b"}) == first


def test_unknown_arguments_change_nothing(render: Render) -> None:
    assert render("http://h/{{q}}", q="a", other="b").target == "/a"


def test_neither_body_nor_values_show_in_the_repr_of_a_request(render: Render) -> None:
    request = render(body=JsonBody("{{q}}"), q="canary")
    assert "canary" not in repr(request)
