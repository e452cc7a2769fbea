"""What an import stores: all of it, or nothing; and nothing that was there is lost."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from sparknb.core.errors import (
    DeniedError,
    HttpStatusError,
    InvalidInputError,
    KeychainUnavailableError,
    SparknbError,
    ToolTimeoutError,
    UnreachableError,
)
from sparknb.core.protocols import StoredSecret
from sparknb.core.validation import read_definition, validate
from sparknb.host import imports
from sparknb.keychain.memory import MemoryKeychain
from tests.hosting import Definition, Session, http_tool

Open = Callable[..., Session]
CANARY = "canary-5512-captured"


def keyed(tool_id: str, url: str = "https://a.test/?q={{q}}") -> Definition:
    tool = http_tool(url, tool_id=tool_id)
    tool["spec"]["request"]["headers"] = [{"name": "X-Api-Key", "secretRef": "key"}]
    return tool | {"secretRefs": {"key": f"custom-tool:{tool_id}:key"}}


def values(*ids: str, value: str = CANARY) -> dict[str, dict[str, StoredSecret]]:
    return {tool_id: {"key": StoredSecret(value)} for tool_id in ids}


def ids(session: Session) -> list[str]:
    return sorted(tool.id for tool in session.run(session.host.studio.list()).tools)


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Give what makes the keychain refuse one reference, and take all others."""

    def refuse(reference: str) -> None:
        write = MemoryKeychain.write

        def picky(keychain: MemoryKeychain, where: str, secret: StoredSecret) -> None:
            if where == reference:
                raise KeychainUnavailableError("it is locked")
            write(keychain, where, secret)

        monkeypatch.setattr(MemoryKeychain, "write", picky)

    return refuse


# --------------------------------------------------------------------------- accept
def test_drafts_and_secrets_are_stored_together(session: Session) -> None:
    tools = [keyed("one"), http_tool("https://b.test/?q={{q}}", tool_id="two")]
    done = session.run(session.host.imports.accept(tools, secrets=values("one")))

    assert done.to_wire()["saved"] == [
        {"id": "one", "draftVersion": 1},
        {"id": "two", "draftVersion": 1},
    ]
    assert [tool.origin for tool in done.saved] == ["imported", "imported"]
    assert not any(tool.enabled for tool in done.saved)
    assert session.run(session.host.secrets.status("one")) == {"key": True}
    assert [n.code for n in done.notices] == ["SECRET_BOUND"]


def test_a_keychain_that_refuses_takes_every_draft_back(
    session: Session, refusing: Callable[[str], None]
) -> None:
    refusing("custom-tool:two:key")
    tools = [keyed("one"), keyed("two"), keyed("three")]
    accept = session.host.imports.accept(tools, secrets=values("one", "two", "three"))
    with pytest.raises(KeychainUnavailableError):
        session.run(accept)

    assert ids(session) == []
    assert session.host.keychain.read("custom-tool:one:key") is None


def test_an_id_that_is_taken_is_passed_over_and_keeps_its_secret(
    session: Session,
) -> None:
    session.run(session.host.imports.accept([keyed("one")], secrets=values("one")))
    again = [keyed("one"), keyed("two"), keyed("two")]
    given = values("one", "two", value="another-value")
    done = session.run(session.host.imports.accept(again, secrets=given))

    assert [tool.id for tool in done.saved] == ["two"]
    assert [skip.id for skip in done.skipped] == ["one", "two"]
    assert {skip.reason for skip in done.skipped} == {"ALREADY_EXISTS"}
    kept = session.host.keychain.read("custom-tool:one:key")
    assert kept is not None
    assert kept.value == CANARY


def test_one_definition_that_breaks_rules_stores_nothing(session: Session) -> None:
    bad = http_tool("no address", tool_id="bad")
    with pytest.raises(InvalidInputError):
        session.run(session.host.imports.accept([keyed("one"), bad]))
    assert ids(session) == []


def test_a_value_that_no_header_can_carry_stores_nothing(session: Session) -> None:
    secrets = values("one", value="two\nlines")
    with pytest.raises(InvalidInputError):
        session.run(session.host.imports.accept([keyed("one")], secrets=secrets))
    assert ids(session) == []


def test_what_was_checked_is_not_checked_again(session: Session) -> None:
    report = validate(keyed("one"))
    made = read_definition(report.normalized or {})
    done = session.run(session.host.imports.accept([made], origin="local"))
    assert done.saved[0].origin == "local"


def test_a_read_only_keychain_counts_only_where_it_has_the_value(
    open_session: Open, tmp_path: Path
) -> None:
    variable = "SPARKNB_SECRET__ONE__KEY"
    without = open_session(tmp_path / "a", keychain="env", environment={})
    with pytest.raises(KeychainUnavailableError) as caught:
        without.run(without.host.imports.accept([keyed("one")], secrets=values("one")))
    assert variable in (caught.value.hint or "")
    assert ids(without) == []

    there = {variable: "of the environment"}
    session = open_session(tmp_path / "b", keychain="env", environment=there)
    done = session.run(
        session.host.imports.accept([keyed("one")], secrets=values("one"))
    )
    assert [n.code for n in done.notices] == ["SECRET_CAPTURED"]
    assert ids(session) == ["one"]


def test_nothing_of_a_refusal_repeats_the_value(
    session: Session, refusing: Callable[[str], None]
) -> None:
    refusing("custom-tool:one:key")
    with pytest.raises(KeychainUnavailableError) as caught:
        session.run(session.host.imports.accept([keyed("one")], secrets=values("one")))
    error: BaseException | None = caught.value
    while error is not None:
        assert CANARY not in repr(error)
        trace = error.__traceback__
        while trace is not None:
            if "sparknb" in trace.tb_frame.f_code.co_filename:
                assert CANARY not in repr(trace.tb_frame.f_locals)
            trace = trace.tb_next
        error = error.__cause__ or error.__context__


# ----------------------------------------------------------------------------- keep
def test_keeping_again_is_unchanged_and_changes_the_secret(session: Session) -> None:
    keep = session.host.imports.keep
    first = session.run(keep(keyed("one"), values("one")["one"]))
    other = values("one", value="another-value")["one"]
    second = session.run(keep(keyed("one"), other))

    assert (first.outcome.created, second.outcome.unchanged) == (True, True)
    assert second.outcome.secrets == {"key": True}
    kept = session.host.keychain.read("custom-tool:one:key")
    assert kept is not None
    assert kept.value == "another-value"


@pytest.mark.parametrize("stands", ["new", "a draft", "published"])
def test_a_keychain_that_refuses_leaves_the_draft_as_it_was(
    session: Session, refusing: Callable[[str], None], stands: str
) -> None:
    before = http_tool("https://before.test/?q={{q}}", tool_id="one")
    if stands != "new":
        session.run(session.host.studio.draft(before))
    if stands == "published":
        session.run(session.host.studio.publish("one"))
    refusing("custom-tool:one:key")
    with pytest.raises(KeychainUnavailableError):
        session.run(session.host.imports.keep(keyed("one"), values("one")["one"]))

    if stands == "new":
        assert ids(session) == []
        return
    found = session.run(session.host.studio.get("one"))
    assert found.tool.is_pending == (stands == "a draft")
    request = found.shown.definition["spec"]["request"]
    assert request["urlTemplate"] == "https://before.test/?q={{q}}"


# ---------------------------------------------------------------------------- fetch
def test_a_document_is_read_by_its_address(
    session: Session, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/moved").respond_with_data(
        status=302, headers={"Location": "/api.json"}
    )
    httpserver.expect_request("/api.json").respond_with_data('{"openapi": "3.1.0"}')
    url = httpserver.url_for("/moved")
    found = session.run(session.host.imports.fetch(url))
    assert found.data == b'{"openapi": "3.1.0"}'
    assert found.url == httpserver.url_for("/api.json")


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://169.254.169.254/latest", DeniedError),
        ("http://metadata.google.internal/", DeniedError),
        (f"http://user:{CANARY}@127.0.0.1/", InvalidInputError),
        ("ftp://127.0.0.1/", InvalidInputError),
        ("http:///nothing", InvalidInputError),
        ("http://127.0.0.1:1/", UnreachableError),
    ],
)
def test_an_address_that_may_not_be_asked_is_refused(
    session: Session, url: str, error: type[SparknbError]
) -> None:
    with pytest.raises(error) as caught:
        session.run(session.host.imports.fetch(url))
    assert CANARY not in str(caught.value)
    assert "spec." not in (caught.value.hint or "")  # there is no tool yet


def test_an_answer_that_is_no_document_is_told(
    session: Session, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpserver.expect_request("/gone").respond_with_data(f"{CANARY}", status=404)
    httpserver.expect_request("/large").respond_with_data("x" * 3000)
    with pytest.raises(HttpStatusError, match="HTTP 404"):
        session.run(session.host.imports.fetch(httpserver.url_for("/gone?key=1")))
    monkeypatch.setattr(imports, "DOCUMENT_LIMIT", 2999)
    with pytest.raises(InvalidInputError, match="more than"):
        session.run(session.host.imports.fetch(httpserver.url_for("/large")))


def test_a_server_that_never_ends_is_left(
    session: Session, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drip(_: Request) -> Response:
        def pieces() -> object:
            import time

            for _ in range(40):
                time.sleep(0.05)  # the server's own slowness
                yield b"x"

        return Response(pieces())  # type: ignore[arg-type]  # werkzeug takes any iterable

    httpserver.expect_request("/slow").respond_with_handler(drip)
    monkeypatch.setattr(imports, "DOCUMENT_SECONDS", 0.3)
    with pytest.raises(ToolTimeoutError, match=r"within 0\.3 s"):
        session.run(session.host.imports.fetch(httpserver.url_for("/slow")))
