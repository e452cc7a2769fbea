"""What becomes of a command: URL, headers, method, body, and the whole draft."""

import json

import pytest

from sparknb.core.validation import validate
from sparknb.importers.curl import free_id, read_curl
from tests.importers.curl.previews import (
    URL,
    definition,
    notices,
    refusals,
    request,
)


# ------------------------------------------------------------------------------ the URL
@pytest.mark.parametrize(
    ("url", "template"),
    [
        ("HTTPS://API.Example.COM:443/P?X=Y#f", "https://api.example.com/P?X=Y"),
        ("http:/a.test/x", "http://a.test/x"),
        ("http://a.test:/x", "http://a.test/x"),
        ("http://a.test:8080", "http://a.test:8080/"),
        ("a.test/x", "http://a.test/x"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("http://bücher.test/ü?ü", "http://xn--bcher-kva.test/ü?ü"),
        ("http://a.test/b/../c/./d/..", "http://a.test/c/"),
        ("http://a.test/{{id}}/..//b?q={{q}}", "http://a.test//b?q={{q}}"),
        ("http://a.test/{{ id }}", "http://a.test/{{id}}"),
        ("http://a.test/%2Fx%41", "http://a.test/%2Fx%41"),
        ("http://a.test/a\\b", "http://a.test/a%5Cb"),
    ],
)
def test_a_url_is_what_curl_understands_by_it(url: str, template: str) -> None:
    assert request(f"curl '{url}'")["urlTemplate"] == template


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.test/x",
        "gopher://127.0.0.1:6379/_FLUSHALL",
        "file:///etc/passwd",
        "ftp.a.test/x",
        "http:////a.test",
        "http://u:p@a.test/",
        "http://u@a.test/",
        "http://a.test:99999/",
        "http://a.test:0/",
        "http:///",
        "http://a b.test/",
        "http://a.test/x y",
        "http://a.test/\x01",
        "http://{a,b}.test/",
        "http://a.test/{a,b}",
        "http://a.test/[1-3]",
        "http://a.test/[a-z:2]?x",
        "http://{{host}}/",
        "http://a.test:{{port}}/",
        "{{scheme}}://a.test/",
        "http://a.test/%2e%2E/x",
        "http://[fe80::1%25eth0]/",
        "",
    ],
)
def test_a_url_that_no_tool_can_call_is_refused(url: str) -> None:
    assert refusals(f"curl '{url}'") == [("CURL_URL", "curl.1")]


def test_a_url_longer_than_a_template_may_be_is_refused() -> None:
    assert refusals(f"curl {URL}?{'x' * 2000}") == [("CURL_URL", "curl.1")]


def test_no_url_and_two_urls_are_refused() -> None:
    assert refusals("curl -s") == [("CURL_URL", "curl.0")]
    assert refusals(f"curl {URL} {URL}") == [("CURL_MULTIPLE", "curl.2")]


def test_brackets_after_globoff_are_sent_percent_encoded() -> None:
    text = "curl -g 'http://a.test/[x]?f[a]={b}'"
    assert request(text)["urlTemplate"] == "http://a.test/%5Bx%5D?f%5Ba%5D=%7Bb%7D"
    assert "percent-encoded" in notices(read_curl(text))


def test_a_user_in_the_url_is_not_repeated() -> None:
    found = read_curl("curl 'https://bob:FAKEsecret@a.test/'")
    assert "FAKEsecret" not in json.dumps(found.to_wire()) + repr(found)


# ------------------------------------------------------------------------------ headers
@pytest.mark.parametrize(
    ("options", "code"),
    [
        (r"-H $'X-A: a\r\nX-Injected: 1'", "CURL_UNSUPPORTED_OPTION"),
        (r"-H $'Authorization: Bearer a\nX: 1'", "CURL_UNSUPPORTED_OPTION"),
        ("-H 'X-A: ☂'", "CURL_UNSUPPORTED_OPTION"),
        ("-H 'X A: b'", "CURL_UNSUPPORTED_OPTION"),
        ("-H 'X-A: {{'", "INVALID_TEMPLATE"),
        ('-H "X-A: $B"', "CURL_SHELL"),
        ('-H "$NAME: x"', "CURL_SHELL"),
        ("-H 'Authorization: a' -H 'Authorization: b'", "CURL_UNSUPPORTED_OPTION"),
        ("-u a:b --oauth2-bearer c", "CURL_UNSUPPORTED_OPTION"),
        (f"-H 'X-A: {'x' * 2001}'", "FIELD_VALUE"),
        (f"-H 'X-Api-Key: {'x' * 16001}'", "FIELD_VALUE"),
        (" ".join(f"-H 'X-{n}: v'" for n in range(33)), "FIELD_VALUE"),
    ],
)
def test_a_header_that_cannot_be_kept_is_refused(options: str, code: str) -> None:
    assert code in [found for found, _ in refusals(f"curl {URL} {options}")]


def test_headers_that_frame_a_request_are_left_out_with_a_notice() -> None:
    names = ["Host", "Content-Length", "Connection", "TE", "Accept-Encoding", "Expect"]
    options = " ".join(f"-H '{name}: 1'" for name in names)
    text = f"curl {URL} {options} -H ':authority: a.test' -H 'no colon'"
    assert "headers" not in request(text)
    said = notices(read_curl(text))
    assert all(f"the header {name} is left out" in said for name in names)
    assert "pseudo-header" in said
    assert "without a colon" in said


# ---------------------------------------------------------------------- methods, bodies
@pytest.mark.parametrize(
    ("options", "method"),
    [
        ("", "GET"),
        ("-d a=1", "POST"),
        ("-G -d a=1", "GET"),
        ("-X patch -d a=1", "PATCH"),
        ("-X DELETE", "DELETE"),
        ("-G -X PUT -d a=1", "PUT"),
    ],
)
def test_the_method_and_its_risk(options: str, method: str) -> None:
    made = definition(f"curl {URL} {options}")
    assert made["spec"]["request"]["method"] == method
    again = {
        k: v for k, v in made.items() if k not in ("risk", "effect", "idempotency")
    }
    report = validate(again)
    assert report.normalized == made


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "", "GET POST", "$M"])
def test_another_method_is_refused(method: str) -> None:
    code = "CURL_SHELL" if "$" in method else "CURL_METHOD"
    assert refusals(f'curl -X "{method}" {URL}') == [(code, "curl.2")]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_body_that_would_be_lost_is_refused(method: str) -> None:
    assert refusals(f"curl -X {method} {URL} -d a=1") == [("CURL_BODY", "curl.5")]


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        ("""--json '{"a":1}'""", "json"),
        ("""--json 'true'""", "json"),
        ("""--json 'no json'""", "text"),
        ("""-d '[1]'""", "json"),
        ("""-d '{"a":1,"a":2}'""", "text"),
        ("""-d '1'""", "text"),
        ("""-H 'Content-Type: application/ld+json' -d '1'""", "json"),
        ("""-H 'Content-Type: application/json' -d 'a=1'""", "text"),
        ("-d a=1", "form"),
        ("-d 'a=Ada Lovelace'", "form"),
        ("-d 'a[]=%C3%A9' -d 'b=x@y.z'", "form"),
        ("-d 'a=%FF'", "text"),
        ("-d 'a=%7B%7Bx%7D%7D'", "text"),
        ("-d 'a=<b>'", "text"),
        ("-d 'a'", "text"),
        ("-H 'Content-Type: text/plain' -d a=1", "text"),
        (" ".join(f"-d a{n}=1" for n in range(65)), "text"),
    ],
)
def test_the_mode_follows_the_type_and_the_text(options: str, mode: str) -> None:
    assert request(f"curl {URL} {options}")["body"]["mode"] == mode


def test_a_body_too_long_for_a_template_is_refused() -> None:
    assert refusals(f"""curl {URL} --json '"{"x" * 100_001}"'""") == [
        ("FIELD_VALUE", "curl.3")
    ]


def test_deep_json_keeps_its_braces_apart_also_where_lines_would_be_too_long() -> None:
    deep = "{" + '"a":{' * 120 + "}" * 121
    template = request(f"curl {URL} --json '{deep}'")["body"]["jsonTemplate"]
    assert "}}" not in template
    wide = json.dumps([{"a": {"b": [[1]]}}] * 2000)
    template = request(f"curl {URL} --json '{wide}'")["body"]["jsonTemplate"]
    assert "}}" not in template
    assert json.loads(template) == json.loads(wide)
    assert "\n" not in template


def test_text_with_double_braces_that_nothing_can_hold_is_refused() -> None:
    text = f"curl {URL} -H 'Content-Type: text/css' -d 'a{{b{{c:d}}}}'"
    assert refusals(text) == [("INVALID_TEMPLATE", "curl.5")]


@pytest.mark.parametrize("body", ['{"{{c}}": 1}', '{"a": {{c}},}', "[{{c}}"])
def test_placeholders_in_what_is_nearly_json_are_told_to_be_plain_text(
    body: str,
) -> None:
    text = f"curl {URL} --json '{body}'"
    assert request(text)["body"]["mode"] == "text"
    assert "values are put into it as they are" in notices(read_curl(text))


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ("""--json '{}'""", "json"),
        ("-H 'Accept: application/vnd.x+json; q=1'", "json"),
        ("-H 'Accept: */*'", "text"),
        ("-d a=1", "text"),
    ],
)
def test_the_response_is_json_where_the_request_speaks_it(
    options: str, kind: str
) -> None:
    made = definition(f"curl {URL} {options}")
    assert made["spec"]["response"]["format"] == kind


@pytest.mark.parametrize(
    ("options", "timeout", "size"),
    [
        ("-m 2.5 --max-filesize 100", 2500, 100),
        ("-m 0 --max-filesize 1G", 300_000, 1_048_576),
        ("-m 0.1 --max-filesize 2k", 1000, 2048),
        ("-m 9999 --max-filesize 0", 300_000, 1_048_576),
    ],
)
def test_limits_are_kept_within_bounds(options: str, timeout: int, size: int) -> None:
    made = definition(f"curl {URL} {options}")
    assert made["timeoutMs"] == timeout
    assert made["spec"]["response"]["maxSizeBytes"] == size


def test_a_limit_that_only_the_shell_knows_is_refused() -> None:
    for option in ("-m", "--max-filesize"):
        assert refusals(f'curl {URL} {option} "$N"') == [("CURL_SHELL", "curl.3")]


@pytest.mark.parametrize("options", ["-m x", "-m -1", "--max-filesize 1x", "-m ''"])
def test_a_limit_that_is_no_number_is_refused(options: str) -> None:
    assert [code for code, _ in refusals(f"curl {URL} {options}")] == ["CURL_SYNTAX"]


# ---------------------------------------------------------------------- the whole draft
def test_id_and_title() -> None:
    assert definition(f"curl {URL}?q=1")["id"] == "custom_http_tool"
    made = definition(f"curl -X PUT '{URL}/{{{{id}}}}?q=1'", tool_id="put_x")
    assert (made["id"], made["title"]) == ("put_x", "PUT api.test/x/id")
    taken = {"custom_http_tool", "custom_http_tool_2"}
    assert free_id(taken.__contains__) == "custom_http_tool_3"
    assert free_id(lambda _: False) == "custom_http_tool"


def test_an_id_that_no_tool_may_have_is_refused_at_the_id() -> None:
    assert ("FIELD_VALUE", "id") in refusals(f"curl {URL}", tool_id="Ab")


def test_all_problems_come_at_once_in_the_order_of_the_words() -> None:
    found = refusals(
        "curl -X OPTIONS 'https://a.test/?token=x' -F a=b -H 'X-A: ☂' -m x -d @f"
    )
    assert [code for code, _ in found] == [
        "CURL_METHOD",
        "CURL_SECRET",
        "CURL_UNSUPPORTED_OPTION",
        "CURL_UNSUPPORTED_OPTION",
        "CURL_SYNTAX",
        "CURL_FILE",
    ]
    numbers = [int(path.removeprefix("curl.")) for _, path in found]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(
    "text",
    ["", "   \n", "<!DOCTYPE html><p>", "wget https://a.test", "curl", "\0", "☂"],
)
def test_what_is_no_command_is_refused_once(text: str) -> None:
    assert len(refusals(text)) == 1
