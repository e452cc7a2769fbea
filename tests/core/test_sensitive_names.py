"""Names under which secrets travel."""

import pytest

from sparknb.core.sensitive_names import (
    is_originally_sensitive,
    is_sensitive_field,
    is_sensitive_header,
    is_sensitive_query,
    warns_as_parameter,
)

PATTERN = [
    "token",
    "Access-Token",
    "accesstoken",
    "accessToken",
    "refresh_token",
    "client_secret",
    "password",
    "Authorization",
    "Proxy-Authorization",
    "Cookie",
    "Set-Cookie",
    "credential",
    "X-Api-Key",
    "apikey",
    "api_key",
    "private-key",
]
WORDS = [
    "authToken",
    "AuthToken",
    "authtoken",
    "accesskey",
    "X-Access-Key",
    "Ocp-Apim-Subscription-Key",
    "subscriptionKey",
    "x-functions-key",
    "X-Auth-Key",
    "x.auth.key",
    "sessiontoken",
    "signing_key",
    "clientSecret",
    "My.Token",
]
PLAIN = [
    "",
    "Accept",
    "Content-Type",
    "User-Agent",
    "Idempotency-Key",
    "X-Tokens",
    "tokenizer",
    "X-Secretary",
    "Keyword",
    "monkey",
    "author",
    "Signal",
    "max_tokens",
]


@pytest.mark.parametrize("name", PATTERN)
def test_names_of_the_pattern_are_sensitive_everywhere(name: str) -> None:
    assert is_originally_sensitive(name)
    assert is_sensitive_header(name)
    assert is_sensitive_query(name)
    assert is_sensitive_field(name)


@pytest.mark.parametrize("name", WORDS)
def test_names_made_of_sensitive_words_are_sensitive_headers_only(name: str) -> None:
    assert is_sensitive_header(name)
    assert not is_originally_sensitive(name)
    assert not is_sensitive_query(name)


@pytest.mark.parametrize("name", PLAIN)
def test_other_names_are_not_sensitive(name: str) -> None:
    assert not is_sensitive_header(name)
    assert not is_sensitive_query(name)
    assert not is_sensitive_field(name)
    assert not warns_as_parameter(name)


@pytest.mark.parametrize(
    "name",
    [
        "page_token",
        "page-token",
        "next_page_token",
        "Next-Page-Token",
        "next_token",
        "continuation_token",
        "sync_token",
        "pageToken",
        "nextPageToken",
    ],
)
def test_tokens_that_page_through_lists_may_stand_in_a_query(name: str) -> None:
    assert not is_sensitive_query(name)
    assert not warns_as_parameter(name)
    assert is_sensitive_header(name)


@pytest.mark.parametrize(
    "name", ["user_page_token", "page_token_secret", "page_token2_token"]
)
def test_longer_names_are_no_exception(name: str) -> None:
    assert is_sensitive_query(name)


@pytest.mark.parametrize(
    "name",
    [
        "key",
        "KEY",
        "sig",
        "signature",
        "auth",
        "jwt",
        "pwd",
        "clientSecret",
        "userToken",
    ],
)
def test_doubtful_query_names_warn(name: str) -> None:
    assert warns_as_parameter(name)
    assert not is_sensitive_query(name)


@pytest.mark.parametrize("name", ["clientSecret", "userPassword", "db.password"])
def test_fields_in_camel_case_are_sensitive(name: str) -> None:
    assert is_sensitive_field(name)
