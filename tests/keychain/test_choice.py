import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparknb.core.errors import InvalidInputError
from sparknb.core.protocols import StoredSecret
from sparknb.keychain import open_keychain, variable_name
from tests.keyring_session import KeyringSession

REFERENCE = "custom-tool:weather:key"


@pytest.mark.parametrize("kind", ["os", "env", "memory"])
def test_a_kind_that_is_asked_for_is_given(kind: str) -> None:
    keychain = open_keychain(kind, registry_id="r", environment={})
    assert keychain.kind == kind
    assert keychain.fallback_reason is None


def test_opening_the_keychain_of_the_system_asks_it_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "not.a.module.Keyring")
    assert open_keychain("os", registry_id="r", environment={}).kind == "os"


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError) as caught:
        open_keychain("plaintext", registry_id="r", environment={})
    assert caught.value.path == "keychain"
    assert caught.value.hint == "use auto, os, env or memory"


def test_env_reads_the_mapping_that_it_is_given() -> None:
    environment = {"SPARKNB_SECRET__WEATHER__KEY": "value-1", "OTHER": "x"}
    keychain = open_keychain("env", registry_id="r", environment=environment)
    assert keychain.read(REFERENCE) == StoredSecret("value-1")


@pytest.mark.keyring
def test_auto_is_the_keychain_of_the_system_where_it_answers(
    session_bus: KeyringSession,
) -> None:
    keychain = open_keychain("auto", registry_id="r", environment={})
    assert keychain.kind == "os"
    assert keychain.fallback_reason is None


@pytest.mark.keyring
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_auto_never_calls_stored_values_missing_because_of_a_lock(
    own_session: KeyringSession,
) -> None:
    # keyring leaves the connection to a locked keyring to the garbage collector
    open_keychain("os", registry_id="r", environment={}).write(
        REFERENCE, StoredSecret("value-1")
    )
    own_session.lock()
    assert open_keychain("auto", registry_id="r", environment={}).kind == "os"


def test_auto_is_memory_where_there_is_no_keychain_and_says_why() -> None:
    start = time.monotonic()
    keychain = open_keychain("auto", registry_id="r", environment={})
    assert keychain.kind == "memory"
    assert keychain.fallback_reason == "no keychain of the operating system answers"
    assert time.monotonic() - start < 20


def test_auto_is_memory_where_the_choice_of_backend_is_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "not.a.module.Keyring")
    keychain = open_keychain("auto", registry_id="r", environment={})
    assert keychain.kind == "memory"
    assert "PYTHON_KEYRING_BACKEND" in str(keychain.fallback_reason)


@pytest.mark.parametrize(
    ("reference", "variable"),
    [
        ("custom-tool:weather:key", "SPARKNB_SECRET__WEATHER__KEY"),
        ("custom-tool:my_tool:api-Key", "SPARKNB_SECRET__MY_TOOL__API_KEY"),
        ("provider:open ai:key", "SPARKNB_PROVIDER_KEY__OPEN_AI"),
        ("custom-tool:a__b:key", "SPARKNB_SECRET__A__B__KEY"),
        ("custom-tool:abc:b__key", "SPARKNB_SECRET__ABC__X625F5F6B6579"),
        ("custom-tool:abc:-key", "SPARKNB_SECRET__ABC__X2D6B6579"),
    ],
)
def test_the_variable_of_a_reference_follows_one_rule(
    reference: str, variable: str
) -> None:
    assert variable_name(reference) == variable


@given(
    tools=st.tuples(*[st.from_regex(r"[a-c][ab_]{2,5}", fullmatch=True)] * 2),
    names=st.tuples(*[st.from_regex(r"[abA_-]{1,6}", fullmatch=True)] * 2),
)
@example(tools=("provider", "abc"), names=("eyes__key", "x"))
@example(tools=("abc", "abc__b"), names=("b__key", "key"))
@example(tools=("abc", "abc_"), names=("_b", "b"))
def test_two_tools_never_share_a_variable_nor_a_tool_and_a_provider(
    tools: tuple[str, str], names: tuple[str, str]
) -> None:
    one, other = (
        variable_name(f"custom-tool:{tool}:{name}")
        for tool, name in zip(tools, names, strict=True)
    )
    assert one != other or tools[0] == tools[1]
    assert variable_name("provider:eyes:key") not in (one, other)


@pytest.mark.parametrize(
    ("text", "value"), [("", None), (" \n", None), ("tok-1\r\n", "tok-1")]
)
def test_white_space_around_a_variable_does_not_count(
    text: str, value: str | None
) -> None:
    environment = {"SPARKNB_SECRET__WEATHER__KEY": text}
    keychain = open_keychain("env", registry_id="r", environment=environment)
    found = keychain.read(REFERENCE)
    assert (found and found.value) == value


def test_a_variable_that_is_set_later_does_not_count() -> None:
    environment: dict[str, str] = {}
    keychain = open_keychain("env", registry_id="r", environment=environment)
    environment["SPARKNB_SECRET__WEATHER__KEY"] = "late"
    assert keychain.read(REFERENCE) is None
