"""Problems of the short form: every one, at the place that its author wrote."""

import pytest

from tests.importers.cell.told import PLAIN, WEATHER, only, problems, read, told


def test_three_mistakes_are_three_problems_on_three_lines() -> None:
    body = WEATHER.replace("[metric, imperial], default: metric", "[1]")
    body = body.replace("GET http:", "FETCH http:").replace("$.current", "current")
    assert told(body) == [
        (6, "params.units.enum.0", "FIELD_VALUE"),
        (7, "request", "FIELD_VALUE"),
        (9, "response.extract.Temperature", "INVALID_JSONPATH"),
    ]


@pytest.mark.parametrize(
    ("more", "path", "code"),
    [
        ("params: [a]", "params", "FIELD_TYPE"),
        ("params:", "params", "FIELD_TYPE"),
        ("params: {a: string}", "params.a", "FIELD_TYPE"),
        ("params: {a-b: {type: string}}", "params.a-b", "FIELD_VALUE"),
        ("params: {a: {typ: string}}", "params.a.typ", "FIELD_UNKNOWN"),
        ("headers: [a]", "headers", "FIELD_TYPE"),
        ("headers: {A: 5}", "headers.A", "FIELD_TYPE"),
        ("headers: {A: {b: c}}", "headers.A", "FIELD_TYPE"),
        ("headers: {Host: b}", "headers.Host", "HEADER_NOT_ALLOWED"),
        ("headers: {A: b, a: c}", "headers.a", "HEADER_NOT_ALLOWED"),
        ("headers: {Authorization: Bearer}", "headers.Authorization", "SENSITIVE_NAME"),
        ("headers: {A: 'secret:'}", "headers.A", "FIELD_VALUE"),
        ("headers: {A: '{{b}}'}", "headers.A", "INVALID_TEMPLATE"),
        ("headers: {A: sk-abcdefghijklmnopqrstuvwx}", "headers.A", "LITERAL_SECRET"),
        ("response: text", "response", "FIELD_TYPE"),
        ("response: {format: xml}", "response.format", "FIELD_VALUE"),
        ("response: {formt: json}", "response.formt", "FIELD_UNKNOWN"),
        ("response: {extract: [a]}", "response.extract", "FIELD_TYPE"),
        ("response: {extract: {A: 5}}", "response.extract.A", "FIELD_TYPE"),
        ("response: {maxSizeBytes: 0}", "response.maxSizeBytes", "FIELD_VALUE"),
        ("allowPrivateNetwork: no", "allowPrivateNetwork", "FIELD_TYPE"),
        ("timeoutMs: 1e9", "timeoutMs", "FIELD_VALUE"),
        ("timeoutMs: 2024-01-01", "timeoutMs", "FIELD_TYPE"),
        ("type: code", "type", "FIELD_VALUE"),
        ("type: sql", "type", "NOT_IMPLEMENTED"),
        ("risk: none", "risk", "FIELD_VALUE"),
        ("idempotency: always", "idempotency", "FIELD_VALUE"),
        ("nothing: like it", "nothing", "FIELD_UNKNOWN"),
        ("5: 6", "5", "FIELD_UNKNOWN"),
    ],
)
def test_a_mistake_is_told_once_at_its_key(more: str, path: str, code: str) -> None:
    line, problem = only(f"{PLAIN}{more}\n")
    assert (line, problem.path, problem.code) == (5, path, code)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("{a: [1, {b: .inf}]}", "body.a.1.b"),
        ("5", "body"),
        ("", "body"),
        ('{a: {b: "{{x}}"}}', "body.a.b"),
        ('{a: "{{", b: c}', "body.a"),
        ('{a: b, "{{c}}": d}', "body"),
        ('["{{b}}", "{{x | csv}}"]', "body.1"),
    ],
)
def test_a_mistake_in_a_body_is_found_in_it(body: str, path: str) -> None:
    used = PLAIN.replace("GET", "POST").replace("items\n", "items/{{b}}\n")
    used += "params: {b: {type: string}}\n"
    found = told(f"{used}body: {body}\n")
    assert {(line, where) for line, where, _ in found} == {(6, path)}


@pytest.mark.parametrize("request_", ["GET", "http://127.0.0.1/items", "''", "' '"])
def test_a_request_is_a_method_and_a_url(request_: str) -> None:
    line, problem = only(PLAIN.replace("GET http://127.0.0.1/items", request_))
    assert (line, problem.path) == (4, "request")
    assert "such as GET" in (problem.hint or "")


@pytest.mark.parametrize("request_", ["[GET, a]", "5", ""])
def test_a_request_of_another_shape_is_told_once(request_: str) -> None:
    line, problem = only(PLAIN.replace("GET http://127.0.0.1/items", request_))
    assert (line, problem.path, problem.code) == (4, "request", "FIELD_TYPE")


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("GET ftp://a", "the URL must start with http"),
        ("get http://a", "the method must be one of"),
        ("GET http://{{a}}/", "a placeholder stands in the URL's host"),
        ("GET http://a/{{x}}", "declare it under params"),
        ("GET http://a/?token=1", "secret:NAME"),
    ],
)
def test_the_words_are_those_of_the_short_form(request_: str, words: str) -> None:
    found = problems(PLAIN.replace("GET http://127.0.0.1/items", request_))
    assert {p.path for p in found} == {"request"}
    assert words in " ".join(f"{p.message} {p.hint}" for p in found)


def test_nothing_is_derived_from_a_method_that_does_not_exist() -> None:
    line, problem = only(PLAIN.replace("GET", "FETCH") + "risk: read\n")
    assert (line, problem.path) == (4, "request")


def test_what_is_missing_is_told_where_the_body_begins() -> None:
    assert told("\n\nparams: {}\n") == [
        (4, "request", "FIELD_MISSING"),
        (4, "title", "FIELD_MISSING"),
        (4, "description", "FIELD_MISSING"),
    ]


def test_a_misspelled_key_is_judged_as_what_was_meant() -> None:
    body = WEATHER.replace("title:", "titel:").replace("params:", "parms:")
    assert told(body.replace("[metric, imperial]", "[5]")) == [
        (2, "titel", "FIELD_UNKNOWN"),
        (4, "parms", "FIELD_UNKNOWN"),
        (6, "params.units.enum.0", "FIELD_VALUE"),
        (6, "params.units.default", "FIELD_VALUE"),
    ]
    hints = [p.hint or "" for p in problems(body)]
    assert hints[0].startswith("did you mean title? ")
    assert hints[1].startswith("did you mean params? ")
    assert told(f"{PLAIN}parms: [a]\n") == [
        (5, "parms", "FIELD_UNKNOWN"),
        (5, "params", "FIELD_TYPE"),
    ]
    assert told(f"{PLAIN}titel: x\n") == [(5, "titel", "FIELD_UNKNOWN")]


@pytest.mark.parametrize(
    ("key", "meant"),
    [("parameters", "params"), ("url", "request"), ("timeout", "timeoutMs")],
)
def test_other_words_lead_to_the_right_key(key: str, meant: str) -> None:
    found = problems(f"{PLAIN}{key}: 2000\n")
    assert any((p.hint or "").startswith(f"did you mean {meant}? ") for p in found)


def test_a_word_that_yaml_reads_as_a_number_is_to_be_quoted() -> None:
    (problem,) = problems(PLAIN.replace("Items", "2024"))
    assert problem.hint == "put it in quotes"


def test_what_is_wrong_with_the_text_hides_nothing_else() -> None:
    body = f"{PLAIN}timeoutMs: 1\ntitle: again\nheaders: {{X: {{{{x}}}}}}\n"
    assert told(body) == [
        (5, "timeoutMs", "FIELD_VALUE"),
        (6, "title", "FIELD_VALUE"),
        (7, "headers.X", "FIELD_VALUE"),
    ]


def test_warnings_have_the_authors_place_too() -> None:
    line, problem = only(f"{PLAIN}params: {{a?: {{type: string}}}}\n")
    assert (line, problem.path, problem.level) == (5, "params.a", "warning")
    line, problem = only(f"{PLAIN}body: {{a: 1}}\n")
    assert (line, problem.path, problem.code) == (5, "body", "BODY_NOT_SENT")


def test_more_parameters_than_allowed_are_told_once() -> None:
    many = ", ".join(f"p{n}: {{type: string}}" for n in range(33))
    line, problem = only(f"{PLAIN}params: {{{many}}}\n")
    assert (line, problem.path) == (5, "params")
    assert "params must have at most 32" in problem.message


def test_text_that_would_steer_a_terminal_is_spelled_out() -> None:
    (problem,) = problems(f'{PLAIN}"\\e[31m\\u202e": 1\n')
    assert problem.path.isprintable()
    assert problem.message.isprintable()


# -------------------------------------------------------------------- variables
def test_a_variable_is_filled_in_also_in_the_host() -> None:
    body = PLAIN.replace("127.0.0.1", "${host}").replace("Items", "Items of ${who}")
    cell = read(body, host="127.0.0.1:80", who="us")
    assert not cell.check()
    assert cell.document is not None
    assert cell.document["title"] == "Items of us"
    request = cell.document["spec"]["request"]
    assert request["urlTemplate"] == "http://127.0.0.1:80/items"
    assert cell.renamed == {
        "Items of us": "Items of ${who}",
        "http://127.0.0.1:80/items": "http://${host}/items",
    }


def test_a_variable_is_text_and_never_yaml() -> None:
    evil = "x\nrisk: read # }]\"'"
    cell = read(PLAIN.replace("Items", "${a}") + "timeoutMs: ${n}\n", a=evil, n="5000")
    assert cell.document is not None
    assert cell.document["title"] == evil
    assert [p.path for p in cell.check()] == ["timeoutMs"]
    nested = read(PLAIN.replace("Items", "${a}"), a="${b}", b="no")
    assert nested.document is not None
    assert nested.document["title"] == "${b}"


def test_a_variable_that_was_not_passed_is_told_with_what_to_add() -> None:
    line, problem = only(PLAIN.replace("Items", "${a} ${a}"))
    assert (line, problem.path) == (2, "title")
    assert "--var a" in (problem.hint or "")


def test_a_name_that_looks_secret_is_not_repeated() -> None:
    key = "ghp_" + "a1B2c3D4" * 5
    found = problems(f'{PLAIN}body: ["${{{key}}}"]\n"${{{key}}}": 1\n')
    assert found
    assert key not in str([(p.message, p.hint, p.path) for p in found])


def test_two_dollars_stand_for_the_text_itself() -> None:
    cell = read(PLAIN.replace("Items", "$${a} ${} ${1} $a {a}"))
    assert not cell.check()
    assert cell.document is not None
    assert cell.document["title"] == "${a} ${} ${1} $a {a}"


def test_a_variable_does_not_stand_in_a_key() -> None:
    line, problem = only(f'{PLAIN}headers:\n  "${{a}}": b\n', a="A")
    assert (line, problem.path, problem.code) == (6, "headers.${a}", "FIELD_VALUE")
    cell = read(PLAIN.replace("GET", "POST") + 'body: {"$${a}": b}\n')
    assert cell.document is not None
    assert '"${a}": "b"' in cell.document["spec"]["request"]["body"]["jsonTemplate"]


def test_a_whole_request_may_be_a_variable() -> None:
    body = PLAIN.replace("GET http://127.0.0.1/items", "${all}")
    cell = read(body, all="DELETE http://127.0.0.1/items")
    assert cell.document is not None
    assert cell.document["spec"]["request"]["method"] == "DELETE"
    assert cell.renamed == {}


def test_the_long_form_knows_variables_too() -> None:
    body = "title: ${a}\nspec: {request: {urlTemplate: [${a}, '${a}!']}}\n"
    cell = read(body.replace("[${a}", "['${a}'"), a="b")
    assert cell.document is not None
    assert cell.document["spec"]["request"]["urlTemplate"] == ["b", "b!"]
    assert cell.renamed == {"b": "${a}", "b!": "${a}!"}
