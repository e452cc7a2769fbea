"""What becomes of a command: request, secrets, parameters, notices and refusals."""

import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.protocols import StoredSecret
from sparknb.core.validation import validate
from sparknb.importers.curl import Preview, free_id, read_curl
from tests.costs import cpu_seconds
from tests.hosting import Session

URL = "https://api.test/x"


def definition(text: str, **options: Any) -> dict[str, Any]:
    found = read_curl(text, **options)
    assert found.problems == (), found.problems
    assert found.definition is not None
    return found.definition


def request(text: str, **options: Any) -> dict[str, Any]:
    made: dict[str, Any] = definition(text, **options)["spec"]["request"]
    return made


def refusals(text: str, **options: Any) -> list[tuple[str, str]]:
    found = read_curl(text, **options)
    assert found.definition is None
    return [(problem.code, problem.path) for problem in found.problems]


def notices(found: Preview) -> str:
    return "\n".join(notice.message for notice in found.notices)


def body_of(text: str, **options: Any) -> Any:
    return json.loads(request(text, **options)["body"]["jsonTemplate"])


# ------------------------------------------------------------- acceptance example 38
def test_a_pasted_command_becomes_a_post_whose_secret_goes_to_the_keychain(
    tmp_path: Path,
) -> None:
    text = (
        "curl -sSL -XPOST 'https://api.test/x' -H 'Authorization: Bearer abc' "
        """--data-raw $'{"a":"it\\'s"}'"""
    )
    found = read_curl(text)
    made = definition(text)
    assert made["spec"]["request"]["method"] == "POST"
    assert body_of(text) == {"a": "it's"}
    assert made["secretRefs"] == {
        "authorization_secret": "custom-tool:custom_http_tool:authorization_secret"
    }
    assert found.secrets == {"authorization_secret": "Bearer abc"}
    assert "abc" not in json.dumps(found.to_wire())
    session = Session(tmp_path)
    values = {name: StoredSecret(value) for name, value in found.secrets.items()}
    accepted = session.host.imports.accept([made], secrets={made["id"]: values})
    session.run(accepted)
    status = session.run(session.host.secrets.status(made["id"]))
    assert status == {"authorization_secret": True}
    session.close()
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(b"Bearer abc" in content for content in files)


def test_graphql_braces_are_sent_as_pasted() -> None:
    text = f"""curl {URL} --json '{{"query":"{{a{{b}}}}"}}'"""
    assert body_of(text) == {"query": "{a{b}}"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"curl {URL} -d @f", "CURL_FILE"),
        (f"curl -I {URL}", "CURL_METHOD"),
        ("curl 'https://a/?api_key=1'", "CURL_SECRET"),
        ("curl https://a/$(id)", "CURL_SHELL"),
    ],
)
def test_what_no_tool_can_do_is_refused(text: str, code: str) -> None:
    assert [found for found, _ in refusals(text)] == [code]


# ------------------------------------------------------------------------- the URL
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


# ------------------------------------------------------------------ query and secrets
@pytest.mark.parametrize(
    "options",
    [
        "'https://a.test/?access_token=FAKE1'",
        "'https://a.test/?a=1&API%5FKEY=FAKE1'",
        "-G https://a.test/ -d token=FAKE1",
        "--url-query 'password=FAKE1' https://a.test/",
        "'https://a.test/?clientSecret=FAKE1'",
        "'https://a.test/?sig=FAKE1abcdefghij0123456789'",
        "'https://a.test/?x=ghp_FAKE1abcdefghij0123456789'",
        "'https://a.test/sk-FAKE1abcdefghij0123456789'",
    ],
)
def test_a_secret_in_the_url_is_refused_and_not_repeated(options: str) -> None:
    found = read_curl(f"curl {options}")
    assert [problem.code for problem in found.problems] == ["CURL_SECRET"]
    assert "FAKE1" not in json.dumps(found.to_wire()) + repr(found)


def test_names_that_only_look_secret_are_fine() -> None:
    query = (
        "keyword=tokens&sort_key=name&page_token=x&nextPageToken=y&key=name&author=a"
    )
    assert request(f"curl 'https://a.test/?{query}'")["urlTemplate"].endswith(query)


@pytest.mark.parametrize(
    "options",
    [
        "-d 'user=a&password=FAKE1'",
        "-d 'apiKey=FAKE1 with blanks'",
        "--data-urlencode 'client_secret=FAKE1'",
        "-d 'x=sk-FAKE1abcdefghij0123456789'",
        """--json '{"a":{"clientSecret":"FAKE1"}}'""",
        """--json '{"tokens":1,"token":["FAKE1"]}'""",
        """--json '{"pin_token":10101}'""",
        """--json '{"note":"sk-FAKE1abcdefghij0123456789"}'""",
        """--json '{"api_key":"FAKE1",}'""",
        """-H 'Content-Type: application/x-ndjson' -d '{"password": "FAKE1"}'""",
        "-H 'Content-Type: text/plain' -d 'sk-FAKE1abcdefghij0123456789'",
    ],
)
def test_a_secret_in_the_body_is_refused_and_not_repeated(options: str) -> None:
    found = read_curl(f"curl {URL} {options}")
    assert "CURL_SECRET" in [problem.code for problem in found.problems]
    shown = json.dumps(found.to_wire()) + repr(found)
    assert "FAKE1" not in shown
    assert "10101" not in shown


def test_empty_and_harmless_members_are_no_secrets() -> None:
    text = """{"password":"","token":null,"use_cookie":true,"token_count":5}"""
    assert body_of(f"curl {URL} --json '{text}'") == json.loads(text)


def test_a_placeholder_takes_the_place_of_a_secret() -> None:
    made = definition(f"curl {URL} -d 'password={{{{pw}}}}'")
    assert made["inputSchema"] == {
        "type": "object",
        "properties": {"pw": {"type": "string"}},
        "required": ["pw"],
    }


# ------------------------------------------------------------------------- headers
def test_each_sensitive_header_becomes_a_secret_of_its_own() -> None:
    found = read_curl(
        f"curl {URL} -H 'X-Api-Key: FAKE1' -H 'authToken: FAKE2' -b 'sid=FAKE3' "
        "-H 'X-Auth: FAKE4' -u 'FAKE5:FAKE6' -H 'Referer: http://a/?token=FAKE7' "
        "-H 'X-Note: sk-FAKE8abcdefghij0123456789'"
    )
    assert found.secrets == {
        "x_api_key_secret": "FAKE1",
        "authtoken_secret": "FAKE2",
        "cookie_secret": "sid=FAKE3",
        "x_auth_secret": "FAKE4",
        "authorization_secret": "Basic RkFLRTU6RkFLRTY=",
        "referer_secret": "http://a/?token=FAKE7",
        "x_note_secret": "sk-FAKE8abcdefghij0123456789",
    }
    shown = json.dumps(found.to_wire()) + repr(found) + str(found)
    assert "FAKE" not in shown
    assert "RkFLRT" not in shown
    assert set(found.secret_names) == set(found.secrets)
    codes = [notice.code for notice in found.notices]
    assert codes.count("SECRET_CAPTURED") == len(found.secrets)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(found)


@pytest.mark.parametrize(
    "value", ["Bearer $TOKEN", "Bearer ${TOKEN}", "Bearer {{token}}", "$A:$B"]
)
def test_a_secret_that_the_command_does_not_say_stays_unset(value: str) -> None:
    for parameters in ("none", "auto"):
        text = f'curl {URL} -H "Authorization: {value}"'
        found = read_curl(text, parameters=parameters)
        assert found.secrets == {}
        assert found.secret_names == ("authorization_secret",)
        assert "authorization_secret has no value yet" in notices(found)
        assert definition(text)["inputSchema"]["properties"] == {}


def test_a_login_of_variables_stays_unset() -> None:
    found = read_curl(f'curl {URL} -u "$USER:$PASSWORD"')
    assert (found.secrets, found.secret_names) == ({}, ("authorization_secret",))


def test_a_login_without_a_password_is_refused() -> None:
    assert refusals(f"curl {URL} -u bob") == [("CURL_SECRET", "curl.3")]


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
    assert all(f"The header {name} is left out" in said for name in names)
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
    wide = json.dumps([{"a": {"b": [[1]]}}] * 4000)
    template = request(f"curl {URL} --json '{wide}'")["body"]["jsonTemplate"]
    assert "}}" not in template
    assert json.loads(template) == json.loads(wide)
    assert "\n" not in template


def test_text_with_double_braces_that_nothing_can_hold_is_refused() -> None:
    text = f"curl {URL} -H 'Content-Type: text/css' -d 'a{{b{{c:d}}}}'"
    assert refusals(text) == [("INVALID_TEMPLATE", "curl.5")]


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


@pytest.mark.parametrize("options", ["-m x", "-m -1", "--max-filesize 1x", "-m ''"])
def test_a_limit_that_is_no_number_is_refused(options: str) -> None:
    assert [code for code, _ in refusals(f"curl {URL} {options}")] == ["CURL_SYNTAX"]


# ---------------------------------------------------------------------- parameters
def test_values_become_optional_parameters_with_what_was_pasted() -> None:
    made = definition(
        f"curl '{URL}?n=5&f=1.5&t=true&s=007&e=&p%5Bs%5D=1.50' "
        """--json '{"n":5,"s":"5","o":{"x":1},"z":null,"g":1.50}'""",
        parameters="auto",
    )
    string = {"type": "string"}
    assert made["inputSchema"]["properties"] == {
        "n": {"type": "integer", "default": 5},
        "f": {"type": "number", "default": 1.5},
        "t": {"type": "boolean", "default": True},
        "s": string | {"default": "007"},
        "e": string | {"default": ""},
        "p_s_": string | {"default": "1.50", "description": "Sent as p[s]."},
        "n_2": {"type": "integer", "default": 5, "description": "Sent as n."},
        "s_2": string | {"default": "5", "description": "Sent as s."},
    }
    assert "required" not in made["inputSchema"]
    sent = made["spec"]["request"]
    assert "?n={{n}}&f={{f}}" in sent["urlTemplate"]
    assert '"g": 1.50' in sent["body"]["jsonTemplate"]


def test_variables_and_secrets_become_required_parameters_without_a_value() -> None:
    found = read_curl(
        f'curl "{URL}?q=$WHAT" -H "X-A: $WHAT" '
        "-d 'a=1&password=FAKE1&sk=sk-FAKE1abcdefghij0123456789'",
        parameters="auto",
    )
    assert found.definition is not None
    schema = found.definition["inputSchema"]
    assert schema["required"] == ["WHAT", "password", "sk"]
    assert schema["properties"]["password"] == {"type": "string"}
    assert "FAKE1" not in json.dumps(found.to_wire()) + repr(found)
    assert "was left out" in notices(found)


def test_a_secret_deep_in_the_json_becomes_a_parameter_too() -> None:
    text = """--json '{"auth":[{"api_key":"FAKE1"}],"pin_token":10101}'"""
    found = read_curl(f"curl {URL} {text}", parameters="auto")
    assert found.definition is not None
    assert found.definition["inputSchema"]["required"] == ["api_key", "pin_token"]
    shown = json.dumps(found.to_wire())
    assert "FAKE1" not in shown
    assert "10101" not in shown


def test_a_sensitive_query_name_is_refused_with_parameters_too() -> None:
    text = f"curl '{URL}?token=FAKE1'"
    assert refusals(text, parameters="auto") == [("CURL_SECRET", "curl.1")]


def test_a_variable_never_chooses_the_host() -> None:
    for text in ("curl https://$HOST/x", "curl $URL", "curl https://a.test:$PORT/"):
        for parameters in ("none", "auto"):
            assert refusals(text, parameters=parameters) == [("CURL_SHELL", "curl.1")]


def test_the_33rd_value_stays_literal_and_secrets_come_first() -> None:
    query = "&".join(f"a{n}={n}" for n in range(40))
    found = read_curl(f"curl '{URL}?{query}' -d password=FAKE1", parameters="auto")
    assert found.definition is not None
    schema = found.definition["inputSchema"]
    assert len(schema["properties"]) == 32
    assert schema["required"] == ["password"]
    assert "a31=31&a32=32" in found.definition["spec"]["request"]["urlTemplate"]
    assert "9 values stay as they are" in notices(found)


# ------------------------------------------------------------------- the whole draft
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


def test_a_paste_of_ten_megabytes_is_refused_at_once() -> None:
    text = f"curl {URL} -d '{'x' * 10_000_000}'"
    assert cpu_seconds(lambda: read_curl(text), runs=1) < 1
    assert [code for code, _ in refusals(text)] == ["CURL_SYNTAX"]


# ------------------------------------------------------------------------------ cost
def test_a_browsers_command_takes_less_than_20_ms() -> None:
    headers = " ".join(f"-H 'x-header-{n}: some value {n}; q=0.{n}'" for n in range(20))
    body = json.dumps({f"key{n}": [n, {"v": "text " * 5}] for n in range(40)})
    text = (
        f"curl '{URL}?a=1&b=2' {headers} -H 'Authorization: Bearer x' --json '{body}'"
    )
    assert cpu_seconds(lambda: read_curl(text)) < 0.02
    assert cpu_seconds(lambda: read_curl(text, parameters="auto")) < 0.02


@pytest.mark.parametrize(
    "piece", ["{", "[", '{"a":', "a=1&", "{{", "%", '"', "\\", "1,"]
)
def test_long_bodies_take_time_in_proportion(piece: str) -> None:
    def work(length: int) -> float:
        body = (piece * length)[:length].replace("'", "")
        return cpu_seconds(
            lambda: read_curl(f"curl {URL} --data-raw '{body}'", parameters="auto"),
            runs=2,
        )

    assert work(32_000) < 12 * work(4000) + 0.02


def test_random_bytes_of_text_are_answered() -> None:
    chance = random.Random(3)  # noqa: S311  # nothing here is secret
    for _ in range(200):
        text = "".join(chance.choice("curl -dHXG'\"{}[]%=&?/:@$ a1") for _ in range(80))
        found = read_curl(f"curl a.test {text}", parameters="auto")
        assert (found.definition is None) == bool(found.problems)
