"""Which provider profiles can be made of what a person gives."""

from typing import Any

import pytest

from sparknb.core.errors import InvalidInputError
from sparknb.core.providers import (
    KeyReference,
    ProviderProfile,
    key_reference,
    make_profile,
)

URL = "https://api.example.com/v1"


def problems(profile_id: str = "eyes", **given: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInputError) as caught:
        make_profile(profile_id, **({"base_url": URL} | given))
    assert "canary" not in repr([caught.value.message, *caught.value.problems])
    return [(problem.path, problem.code) for problem in caught.value.problems]


def test_what_is_left_out_is_filled_in() -> None:
    assert make_profile("eyes", base_url=URL) == ProviderProfile(
        id="eyes", name="eyes", base_url=URL, model=None, needs_key=True
    )


def test_white_space_and_the_last_slashes_go() -> None:
    made = make_profile("eyes", base_url=f" {URL}// ", name=" Eyes ", model=" m ")
    assert (made.base_url, made.name, made.model) == (URL, "Eyes", "m")


@pytest.mark.parametrize(
    ("base_url", "origin"),
    [
        ("https://api.example.com", "https://api.example.com:443"),
        ("HTTPS://API.example.com/v1", "https://api.example.com:443"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434"),
        ("http://[::1]:8080/a/b", "http://[::1]:8080"),
        ("http://ollama/v1", "http://ollama:80"),
        ("http://169.254.169.254/v1", "http://169.254.169.254:80"),  # the guard's task
    ],
)
def test_a_base_url_has_an_origin(base_url: str, origin: str) -> None:
    assert make_profile("eyes", base_url=base_url).origin == origin


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "api.example.com/v1",
        "ftp://api.example.com",
        "https://",
        "https:///v1",
        "https://user:canary@api.example.com/v1",
        "https://api.example.com/v1?key=canary",
        "https://api.example.com/v1#canary",
        "https://api.example.com:0/v1",
        "https://api.example.com:99999/v1",
        "https://api example.com",
        "https://api.example.com/v1\r\nX: canary",
        "https://api.example.com\\v1",
        "https://api.example.com/\0",
        "https://api.example.com/größe",
        "https://api.example.com/v1/chat/completions",
        "https://api.example.com/" + "a" * 2000,
        "javascript:alert(1)",
    ],
)
def test_a_base_url_that_cannot_be_used_is_refused(base_url: str) -> None:
    assert problems(base_url=base_url) == [("baseUrl", "FIELD_VALUE")]


@pytest.mark.parametrize("profile_id", ["a", "A-1", "open.ai_2", "7", "x" * 200])
def test_an_id_may_be_any_short_name(profile_id: str) -> None:
    assert make_profile(profile_id, base_url=URL).id == profile_id


@pytest.mark.parametrize(
    "profile_id",
    ["", " ", "-a", ".a", "a b", "a:b", "a/b", "ä", "a\0", "a\n", "x" * 201, "\ud800"],
)
def test_an_id_that_is_none_is_refused(profile_id: str) -> None:
    assert ("id", "FIELD_VALUE") in problems(profile_id)


@pytest.mark.parametrize("text", ["", "  ", "x" * 201, "a\x1b[31m", "a\nb", "\u202eab"])
def test_names_are_short_and_printable(text: str) -> None:
    found = problems(name=text, model=text)
    assert found == [("name", "FIELD_VALUE"), ("model", "FIELD_VALUE")]


def test_a_key_in_a_wrong_place_is_refused_and_not_repeated() -> None:
    key = "sk-canary0123456789abcdef"
    found = problems(key, base_url=f"{URL}/{key}", name=key, model=key)
    assert found == [
        (path, "LITERAL_SECRET") for path in ("id", "baseUrl", "name", "model")
    ]


def test_the_wire_form_has_no_key() -> None:
    made = make_profile("eyes", base_url=URL, model="m", needs_key=False)
    assert made.to_wire() == {
        "id": "eyes",
        "name": "eyes",
        "baseUrl": URL,
        "model": "m",
        "needsKey": False,
    }
    assert "model" not in make_profile("eyes", base_url=URL).to_wire()


def test_a_reference_is_told_by_its_type() -> None:
    reference = key_reference("open.ai")
    assert reference == "provider:open.ai:key"
    assert reference.profile_id == "open.ai"
    assert not isinstance("provider:open.ai:key", KeyReference)
