"""Secrets in a command: kept apart, refused, never shown; and parameters."""

import json
import pickle
from pathlib import Path
from typing import Literal

import pytest

from sparknb.core.protocols import StoredSecret
from sparknb.importers.curl import read_curl
from tests.hosting import Session
from tests.importers.curl.previews import (
    URL,
    body_of,
    definition,
    notices,
    refusals,
    request,
)


# ---------------------------------------------------------------- acceptance example 38
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


# -------------------------------------------------------------------- query and secrets
@pytest.mark.parametrize(
    "options",
    [
        "'https://a.test/?access_token=FAKE1'",
        "'https://a.test/?a=1&API%5FKEY=FAKE1'",
        "-G https://a.test/ -d token=FAKE1",
        "--url-query 'password=FAKE1' https://a.test/",
        "'https://a.test/?clientSecret=FAKE1'",
        "'https://a.test/?auth[token]=FAKE1&token[type]=a'",
        "'https://a.test/?users%5B0%5D%5Bpassword%5D=FAKE1'",
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
        "-d 'user[name]=a&user[password]=FAKE1'",
        "-d 'tokens=1&tokens%5B%5D=2&token[]=FAKE1'",
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


# ---------------------------------------------------------------------- secret headers
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
    ("header", "is_secret"),
    [
        ("Authentication: Bearer FAKE12", True),
        ("X-Upstream: Basic RkFLRTpGQUtF", True),
        ("X-Session: eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.FAKE", True),
        ("Idempotency-Key: 1f2e", False),
        ("X-Author: ada", False),
        ("X-Mode: basic auth", False),
        ("Referer: https://a.test/?sort_key=name", False),
    ],
)
def test_a_credential_is_one_under_any_name(header: str, is_secret: bool) -> None:
    found = read_curl(f"curl {URL} -H '{header}'")
    assert bool(found.secrets) == is_secret


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


# --------------------------------------------------------------------------- parameters
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


def test_a_secret_with_a_nested_name_becomes_a_parameter_too() -> None:
    options = "-d 'user[name]=a&user[password]=FAKE1'"
    found = read_curl(f"curl '{URL}?auth[token]=FAKE1' {options}", parameters="auto")
    assert found.definition is not None
    required = found.definition["inputSchema"]["required"]
    assert required == ["auth_token_", "user_password_"]
    assert "FAKE1" not in json.dumps(found.to_wire())


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


def test_two_variables_never_share_a_parameter() -> None:
    found = read_curl('curl "http://a.test/?a=%A(B)%&b=%A_B_%"', parameters="auto")
    assert (found.shell, found.problems) == ("cmd", ())
    assert found.definition is not None
    assert found.definition["inputSchema"]["required"] == ["A_B_", "A_B__"]


def test_33_secrets_are_more_than_a_tool_can_ask_for() -> None:
    members = json.dumps({f"password_{n}": "FAKE1" for n in range(33)})
    found = read_curl(f"curl {URL} --json '{members}'", parameters="auto")
    assert {problem.code for problem in found.problems} == {"CURL_SECRET"}
    assert "FAKE1" not in json.dumps(found.to_wire())


def test_17_secret_headers_are_more_than_a_tool_can_have() -> None:
    options = " ".join(f"-H 'X-{n}-Token: FAKE1'" for n in range(17))
    assert refusals(f"curl {URL} {options}") == [("FIELD_VALUE", "curl.0")]


def test_headers_that_differ_in_a_mark_only_have_secrets_of_their_own() -> None:
    found = read_curl(f"curl {URL} -H 'X-Token: FAKE1' -H 'X_Token: FAKE2'")
    assert found.secrets == {"x_token_secret": "FAKE1", "x_token_secret_2": "FAKE2"}


def test_values_that_make_no_default_stay_literal() -> None:
    text = f"curl {URL} --data-urlencode 'long={'x' * 2001}' -d 'a=%00&b=1'"
    made = definition(text, parameters="auto")
    assert made["inputSchema"]["properties"] == {}
    made = definition(f"curl '{URL}?long={'x' * 1900}&x=1e999&y'", parameters="auto")
    assert made["inputSchema"]["properties"]["x"] == {
        "type": "string",
        "default": "1e999",
    }


@pytest.mark.parametrize("name", ["${A-B}", "$env:A_B", "$global:x", "$5", "$größe"])
def test_every_variable_of_powershell_is_told(name: str) -> None:
    found = read_curl(f'curl.exe {URL} `\n -d "a={name}"')
    assert found.shell == "powershell"
    assert [problem.code for problem in found.problems] == ["CURL_SHELL"]


@pytest.mark.parametrize("parameters", ["none", "auto"])
@pytest.mark.parametrize(
    "options",
    [
        "-H 'Authorization: Bearer FAKE1234' -d 'x=FAKE1234'",
        '-H \'X-Api-Key: FAKE1234\' --json \'{"x":{"y":"a FAKE1234"}}\'',
        "-H 'X-Api-Key: FAKE1234' --url-query 'x=FAKE1234'",
        "-H 'X-Api-Key: FAKE1/234' --url-query 'x=FAKE1/234'",
        "-u 'name:FAKE1234' -H 'X-A: FAKE1234'",
        "-u 'FAKE1234:' -A 'FAKE1234'",
        "-b 'a=1; sid=FAKE1234FAKE1234' -d 'x=FAKE1234FAKE1234'",
    ],
)
def test_a_secret_that_stands_elsewhere_too_is_refused(
    options: str, parameters: Literal["none", "auto"]
) -> None:
    found = read_curl(f"curl {URL} {options}", parameters=parameters)
    assert [problem.code for problem in found.problems] == ["CURL_SECRET"]
    shown = json.dumps(found.to_wire()) + repr(found)
    assert "FAKE1" not in shown


def test_a_user_or_a_plain_word_may_stand_elsewhere() -> None:
    for options in (
        "-u 'AC1234567890:FAKE1234' -d 'account=AC1234567890'",
        "-H 'X-Token-Type: application' -d 'x=application'",
        "-b 'lang=en-GB-2024' -d 'x=en-GB-2024'",
    ):
        assert request(f"curl {URL} {options}")["headers"]
