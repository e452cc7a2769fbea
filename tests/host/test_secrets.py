"""Secret values: who writes them, where they may go, and what is said of them."""

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

import sparknb
from sparknb.core.errors import (
    InvalidInputError,
    KeychainUnavailableError,
    NotFoundError,
    SecretMissingError,
)
from sparknb.host import FlagApprover
from sparknb.host.vault import binding
from tests.hosting import Definition, Session, http_tool

SOURCES = Path(sparknb.__file__).parent
VALUE = "s3cret-value"


@pytest.fixture
def drafted(session: Session, post_tool: Definition) -> Session:
    session.run(session.host.studio.draft(post_tool))
    return session


def at(url: str) -> Definition:
    tool = http_tool(url, tool_id="remote")
    tool["secretRefs"] = {"key": "custom-tool:remote:key"}
    tool["spec"]["request"]["headers"] = [{"name": "X-Api-Key", "secretRef": "key"}]
    return tool


def test_status_tells_names_only(drafted: Session) -> None:
    secrets = drafted.host.secrets
    assert drafted.run(secrets.status("place_order")) == {"key": False}
    notices = drafted.run(secrets.set("place_order", "key", f"  {VALUE}\n"))
    assert [n.code for n in notices] == ["SECRET_STRIPPED", "SECRET_BOUND"]
    assert drafted.run(secrets.status("place_order")) == {"key": True}
    assert VALUE not in " ".join(map(str, notices))
    assert drafted.run(secrets.delete("place_order", "key"))
    assert not drafted.run(secrets.delete("place_order", "key"))


def variables(traceback: TracebackType | None) -> str:
    """Give the variables of our own frames, as a verbose traceback shows them."""
    found: list[str] = []
    while traceback is not None:
        frame, traceback = traceback.tb_frame, traceback.tb_next
        if Path(frame.f_code.co_filename).is_relative_to(SOURCES):
            found += map(repr, frame.f_locals.values())
    assert found
    return "\n".join(found)


@pytest.mark.parametrize(
    ("value", "match"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("x" * 16_001, "too long: at most 16000 characters"),
        ("ab\ncd", "control character"),
        ("ab\0cd", "control character"),
        ("ab—cd", r"character 3 \(U\+2014\)"),
        ("ab\U0001f600", r"U\+1F600"),
    ],
)
def test_a_value_that_cannot_be_sent_is_refused_when_it_is_set(
    drafted: Session, value: str, match: str
) -> None:
    with pytest.raises(InvalidInputError, match=match) as refused:
        drafted.run(drafted.host.secrets.set("place_order", "key", value))
    assert value == "" or value not in str(refused.value.to_wire())
    assert value == "" or repr(value) not in variables(refused.tb)
    assert drafted.run(drafted.host.secrets.status("place_order")) == {"key": False}


def test_a_short_value_gives_a_notice(drafted: Session) -> None:
    notices = drafted.run(drafted.host.secrets.set("place_order", "key", "abc"))
    assert "SECRET_SHORT" in [n.code for n in notices]


def test_only_declared_names_take_a_value(drafted: Session) -> None:
    secrets = drafted.host.secrets
    with pytest.raises(NotFoundError, match="declared: key"):
        drafted.run(secrets.set("place_order", "other", VALUE))
    with pytest.raises(NotFoundError):
        drafted.run(secrets.set("nobody", "key", VALUE))
    with pytest.raises(NotFoundError):
        drafted.run(secrets.delete("place_order", "other"))


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (None, None),
        ("https://api.test:443", "https://api.test:443"),
        ("http://127.0.0.1:8701", "127.0.0.1"),
        ("http://localhost:1", "localhost"),
        ("http://[::1]:80", "::1"),
    ],
)
def test_a_value_is_bound_to_origin_or_loopback_host(
    origin: str | None, expected: str | None
) -> None:
    assert binding(origin) == expected


def test_an_edited_draft_does_not_carry_a_key_elsewhere(session: Session) -> None:
    host = session.host
    session.run(host.studio.draft(at("https://api.test/v1?q={{q}}")))
    session.run(host.secrets.set("remote", "key", VALUE))
    assert session.run(host.secrets.status("remote")) == {"key": True}
    session.run(host.studio.draft(at("https://evil.test/v1?q={{q}}")))
    assert session.run(host.secrets.status("remote")) == {"key": False}
    result = session.run(
        host.studio.test("remote", {"q": "x"}, approver=FlagApprover())
    )
    assert result.error_code == "SECRET_MISSING"
    assert result.text == "key of remote has no value for https://evil.test:443"
    session.run(host.secrets.set("remote", "key", VALUE))
    assert session.run(host.secrets.status("remote")) == {"key": True}


def test_another_port_or_scheme_is_another_origin(session: Session) -> None:
    host = session.host
    session.run(host.studio.draft(at("https://api.test/v1?q={{q}}")))
    session.run(host.secrets.set("remote", "key", VALUE))
    for url in ("https://api.test:8443/v1?q={{q}}", "http://api.test/v1?q={{q}}"):
        session.run(host.studio.draft(at(url)))
        assert session.run(host.secrets.status("remote")) == {"key": False}


def test_a_value_from_the_environment_is_found_and_cannot_be_written(
    open_session: Callable[..., Session], post_tool: Definition
) -> None:
    environment = {"SPARKNB_SECRET__PLACE_ORDER__KEY": VALUE}
    session = open_session(keychain="env", environment=environment)
    session.run(session.host.studio.draft(post_tool))
    secrets = session.host.secrets
    assert session.run(secrets.status("place_order")) == {"key": True}
    with pytest.raises(KeychainUnavailableError) as refused:
        session.run(secrets.set("place_order", "key", VALUE))
    assert "SPARKNB_SECRET__PLACE_ORDER__KEY" in str(refused.value.hint)
    with pytest.raises(KeychainUnavailableError):
        session.run(secrets.delete("place_order", "key"))
    session.run(session.host.studio.delete("place_order"))


def test_a_missing_value_is_told_with_the_way_to_give_it(
    open_session: Callable[..., Session], post_tool: Definition, tmp_path: Path
) -> None:
    hints = []
    for keychain in ("memory", "env"):
        session = open_session(tmp_path / keychain, keychain=keychain, environment={})
        session.run(session.host.studio.draft(post_tool))
        with pytest.raises(SecretMissingError) as refused:
            session.run(session.host.studio.publish("place_order"))
        hints.append(refused.value.hint)
        assert refused.value.message == "key of place_order has no value for localhost"
    assert hints == [
        "set it: sparknb secret set place_order key",
        "set the variable SPARKNB_SECRET__PLACE_ORDER__KEY",
    ]


def test_a_one_shot_command_does_not_store_into_memory_by_accident(
    open_session: Callable[..., Session], post_tool: Definition
) -> None:
    session = open_session(keychain="auto", one_shot=True)
    session.run(session.host.studio.draft(post_tool))
    with pytest.raises(KeychainUnavailableError, match="after this command ends"):
        session.run(session.host.secrets.set("place_order", "key", VALUE))
    assert session.run(session.host.secrets.status("place_order")) == {"key": False}


def test_a_longer_process_says_that_memory_forgets(
    open_session: Callable[..., Session], post_tool: Definition
) -> None:
    session = open_session(keychain="auto")
    session.run(session.host.studio.draft(post_tool))
    notices = session.run(session.host.secrets.set("place_order", "key", VALUE))
    (told,) = [n for n in notices if n.code == "SECRET_IN_MEMORY"]
    for way in ("other notebooks", "sparknb mcp", "sparknb doctor", "variable"):
        assert way in str(told.hint)


def test_a_locked_keychain_is_said_to_be_locked_and_not_called_missing(
    drafted: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(reference: str) -> Any:
        raise KeychainUnavailableError("the keychain is locked", hint="unlock it")

    monkeypatch.setattr(drafted.host.keychain, "read", refuse)
    result = drafted.run(
        drafted.host.studio.test("place_order", {"q": "x"}, approver=FlagApprover())
    )
    assert result.error_code == "KEYCHAIN_UNAVAILABLE"
    detail = drafted.run(drafted.host.studio.get("place_order"))
    assert detail.secret_status == {"key": None}
