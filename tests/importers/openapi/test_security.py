"""Credentials become secret headers, and who imports is told what to enter."""

from typing import Any

import pytest

from tests.importers.openapi.documents import (
    draft_of,
    messages,
    parameter,
    skip_of,
)

SCHEMES: dict[str, Any] = {
    "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "other key": {"type": "apiKey", "in": "header", "name": "x-key"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "bearer": {"type": "http", "scheme": "Bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "digest": {"type": "http", "scheme": "digest"},
    "oauth": {"type": "oauth2", "flows": {}},
    "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://x"},
    "mtls": {"type": "mutualTLS"},
    "host": {"type": "apiKey", "in": "header", "name": "Host"},
    "blank": {"type": "apiKey", "in": "header", "name": "X Key"},
    "ref": {"$ref": "#/components/securitySchemes/key"},
    "odd": 7,
    "a.b": {"type": "http", "scheme": "bearer"},
    "a b": {"type": "apiKey", "in": "header", "name": "X-Second"},
}
COMPONENTS = {"securitySchemes": SCHEMES}


def made_of(security: Any, **more: Any) -> Any:
    return draft_of({"security": security, **more}, components=COMPONENTS)


def secret_headers(draft: Any) -> dict[str, str]:
    headers = draft.definition["spec"]["request"].get("headers", [])
    return {h["name"]: h["secretRef"] for h in headers if "secretRef" in h}


@pytest.mark.parametrize(
    ("name", "header", "value"),
    [
        ("key", "X-Key", "<key>"),
        ("ref", "X-Key", "<key>"),
        ("cookie", "Cookie", "sid=<value>"),
        ("bearer", "Authorization", "Bearer <token>"),
        ("basic", "Authorization", "Basic <base64 of user:password>"),
        ("oauth", "Authorization", "Bearer <token>"),
        ("oidc", "Authorization", "Bearer <token>"),
    ],
)
def test_a_scheme_becomes_a_secret_header(name: str, header: str, value: str) -> None:
    made = made_of([{name: []}])
    assert secret_headers(made) == {header: name}
    assert made.definition["secretRefs"] == {name: f"custom-tool:get_things:{name}"}
    assert made.secrets == {name: value}
    told = f"the header {header} carries the secret '{name}': "
    told += f"after saving, set it to {value}"
    assert messages(made) == [told]


@pytest.mark.parametrize(
    "name", ["query", "digest", "mtls", "host", "blank", "odd", "missing"]
)
def test_a_scheme_that_no_header_carries_is_a_skip(name: str) -> None:
    skip = skip_of({"security": [{name: []}]}, components=COMPONENTS)
    assert skip.reason == "UNSUPPORTED_SECURITY"
    assert f"'{name}'" in skip.message


def test_the_first_way_that_works_as_a_whole_is_taken() -> None:
    ways: list[Any] = [
        {"query": []},
        {"key": [], "mtls": []},
        {"bearer": [], "key": []},
    ]
    made = made_of([*ways, {"basic": []}])
    assert secret_headers(made) == {"Authorization": "bearer", "X-Key": "key"}


def test_two_schemes_cannot_fill_one_header() -> None:
    for names in (("bearer", "oauth"), ("key", "other key")):
        way = {name: ["scope"] for name in names}
        skip = skip_of({"security": [way]}, components=COMPONENTS)
        assert skip.reason == "UNSUPPORTED_SECURITY"
        assert "two schemes" in skip.message


def test_what_works_without_credentials_sends_none() -> None:
    key: dict[str, Any] = {"key": []}
    ways: list[Any]
    for ways in ([key, {}], [{}, key], [{"query": []}, {}]):
        made = made_of(ways)
        assert secret_headers(made) == {}
        assert "secretRefs" not in made.definition
        assert "without credentials" in messages(made)[0]
    assert messages(made_of([{}])) == []


def test_the_operation_overrides_the_document() -> None:
    root: dict[str, Any] = {"security": [{"key": []}], "components": COMPONENTS}
    assert secret_headers(draft_of({}, **root)) == {"X-Key": "key"}
    own = draft_of({"security": [{"bearer": []}]}, **root)
    assert secret_headers(own) == {"Authorization": "bearer"}
    assert secret_headers(draft_of({"security": []}, **root)) == {}
    assert secret_headers(draft_of({"security": None}, **root)) == {}


def test_secrets_are_named_like_their_schemes() -> None:
    made = made_of([{"a.b": [], "a b": []}])
    assert secret_headers(made) == {"Authorization": "a_b", "X-Second": "a_b_2"}
    long = {"securitySchemes": {"s" * 80: SCHEMES["key"]}}
    made = draft_of({"security": [{"s" * 80: []}]}, components=long)
    assert list(made.secrets) == ["s" * 64]


# ---------------------------------------------------------- parameters like secrets
def test_a_header_parameter_named_like_a_secret_is_one() -> None:
    given = [
        parameter("X-Api-Key", "header", required=True),
        parameter("X-Plain", "header"),
    ]
    made = made_of([{"bearer": []}], parameters=given)
    assert secret_headers(made) == {
        "Authorization": "bearer",
        "X-Api-Key": "X-Api-Key",
    }
    assert list(made.definition["inputSchema"]["properties"]) == ["X_Plain"]
    assert made.secrets["X-Api-Key"] == "the value of X-Api-Key"
    assert "set it to the value of X-Api-Key" in messages(made)[1]


def test_a_header_that_a_scheme_fills_is_no_second_parameter() -> None:
    given = [parameter("x-KEY", "header", required=True)]
    made = made_of([{"key": []}], parameters=given)
    assert secret_headers(made) == {"X-Key": "key"}
    assert made.definition["inputSchema"]["properties"] == {}
    api = {"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "T"}}}
    plain = draft_of(
        {"security": [{"k": []}], "parameters": [parameter("t", "header")]},
        components=api,
    )
    assert secret_headers(plain) == {"T": "k"}
    assert "a secret fills this header" in messages(plain)[1]
