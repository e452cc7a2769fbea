"""A tool's life: draft, publish, enable, disable, rollback, discard, delete."""

from collections.abc import Callable
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from sparknb.core.errors import (
    AlreadyExistsError,
    ConflictError,
    DeniedError,
    InvalidInputError,
    KeychainUnavailableError,
    NotFoundError,
    SecretMissingError,
    SparknbError,
)
from tests.host.coding import code_tool
from tests.hosting import Definition, Session


def changed(definition: Definition, **fields: Any) -> Definition:
    return {**definition, **fields}


def test_a_first_publish_enables_the_tool(
    session: Session, get_tool: Definition
) -> None:
    drafted = session.run(session.host.studio.draft(get_tool))
    assert drafted.created
    assert not drafted.tool.enabled
    assert drafted.tool.draft_version == 1
    outcome = session.run(session.host.studio.publish("items"))
    assert outcome.tool.enabled
    assert outcome.tool.published_version == 1


def test_a_later_publish_leaves_a_disabled_tool_disabled(
    session: Session, get_tool: Definition
) -> None:
    session.publish(get_tool)
    session.run(session.host.studio.set_enabled("items", enabled=False))
    session.publish(changed(get_tool, title="Other"))
    detail = session.run(session.host.studio.get("items"))
    assert detail.tool.published_version == 2
    assert not detail.tool.enabled


def test_saving_the_same_draft_again_stores_nothing(
    session: Session, get_tool: Definition
) -> None:
    first = session.run(session.host.studio.draft(get_tool))
    second = session.run(session.host.studio.draft(get_tool))
    assert second.unchanged
    assert second.tool == first.tool
    session.run(session.host.studio.publish("items"))
    third = session.run(session.host.studio.draft(get_tool))
    assert third.unchanged
    assert not third.tool.is_pending


def test_a_draft_never_changes_what_agents_use(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("published")
    session.publish(get_tool)
    moved = changed(get_tool, description="Something else altogether.")
    moved["spec"] = {
        **get_tool["spec"],
        "request": {
            "method": "GET",
            "urlTemplate": httpserver.url_for("/elsewhere?q={{q}}"),
        },
    }
    session.run(session.host.studio.draft(moved))
    assert session.call("items", {"q": "x"}).text == "published"
    assert next(iter(session.run(session.host.surface()))).description.startswith(
        "Finds"
    )


@pytest.mark.parametrize(
    "expectation", [{"expected_version": 7}, {"expected_revision": 9}]
)
def test_a_publish_of_another_draft_than_expected_is_a_conflict(
    session: Session, get_tool: Definition, expectation: dict[str, Any]
) -> None:
    session.run(session.host.studio.draft(get_tool))
    with pytest.raises(ConflictError, match="changed elsewhere"):
        session.run(session.host.studio.publish("items", **expectation))
    assert session.run(session.host.studio.get("items")).tool.published_version is None


def test_publishing_without_a_pending_draft_is_refused(
    session: Session, get_tool: Definition
) -> None:
    session.publish(get_tool)
    with pytest.raises(InvalidInputError, match="no pending draft"):
        session.run(session.host.studio.publish("items"))
    with pytest.raises(ConflictError):
        session.run(session.host.studio.publish("items", expected_version=1))


def test_a_stale_revision_is_a_conflict_when_saving(
    session: Session, get_tool: Definition
) -> None:
    session.run(session.host.studio.draft(get_tool))
    with pytest.raises(ConflictError):
        session.run(
            session.host.studio.save_draft(
                changed(get_tool, title="New"), expected_revision=7
            )
        )


def test_rollback_makes_a_new_version_from_an_old_one(
    session: Session, get_tool: Definition
) -> None:
    session.publish(get_tool)
    session.publish(changed(get_tool, title="Second"))
    outcome = session.run(session.host.studio.rollback("items", 1))
    assert outcome.tool.published_version == 3
    detail = session.run(session.host.studio.get("items"))
    assert detail.published is not None
    assert detail.published.source_version == 1
    assert detail.published.definition["title"] == "Items"


def test_rollback_is_refused_with_a_pending_draft_and_to_unfit_versions(
    session: Session, get_tool: Definition
) -> None:
    studio = session.host.studio
    session.publish(get_tool)
    with pytest.raises(InvalidInputError, match="published one already"):
        session.run(studio.rollback("items", 1))
    with pytest.raises(NotFoundError):
        session.run(studio.rollback("items", 5))
    session.run(studio.draft(changed(get_tool, title="Second")))
    with pytest.raises(InvalidInputError, match="a pending draft"):
        session.run(studio.rollback("items", 1))


def test_discarding_keeps_the_published_version(
    session: Session, get_tool: Definition
) -> None:
    studio = session.host.studio
    session.publish(get_tool)
    session.run(studio.draft(changed(get_tool, title="Second")))
    outcome = session.run(studio.discard_draft("items"))
    assert not outcome.tool.is_pending
    assert outcome.tool.title == "Items"
    with pytest.raises(InvalidInputError):
        session.run(studio.discard_draft("items"))


def test_a_refused_definition_is_not_stored(
    session: Session, get_tool: Definition
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        session.run(
            session.host.studio.draft(
                changed(get_tool, description="short", timeoutMs=999)
            )
        )
    assert [p.path for p in refused.value.problems] == ["description", "timeoutMs"]
    assert session.run(session.host.studio.list()).total == 0


def test_an_id_is_taken_once(session: Session, get_tool: Definition) -> None:
    session.run(session.host.studio.create_draft(get_tool))
    with pytest.raises(AlreadyExistsError):
        session.run(session.host.studio.create_draft(get_tool))


@pytest.mark.parametrize(
    "step",
    [
        lambda studio: studio.get("nobody"),
        lambda studio: studio.publish("nobody"),
        lambda studio: studio.rollback("nobody", 1),
        lambda studio: studio.delete("nobody"),
        lambda studio: studio.discard_draft("nobody"),
        lambda studio: studio.set_enabled("nobody", enabled=True),
        lambda studio: studio.set_enabled("nobody", enabled=False),
        lambda studio: studio.diff("nobody"),
        lambda studio: studio.test("nobody", {}),
    ],
)
def test_each_step_names_a_tool_that_is_not_there(
    session: Session, step: Callable[..., Any]
) -> None:
    with pytest.raises(NotFoundError, match="nobody"):
        session.run(step(session.host.studio))


def test_enabling_needs_a_published_version(
    session: Session, get_tool: Definition
) -> None:
    session.run(session.host.studio.draft(get_tool))
    with pytest.raises(DeniedError, match="never published"):
        session.run(session.host.studio.set_enabled("items", enabled=True))


def test_publishing_needs_all_secrets(session: Session, post_tool: Definition) -> None:
    session.run(session.host.studio.draft(post_tool))
    with pytest.raises(SecretMissingError, match="key"):
        session.run(session.host.studio.publish("place_order"))
    session.run(session.host.secrets.set("place_order", "key", "long-enough-value"))
    outcome = session.run(session.host.studio.publish("place_order"))
    assert outcome.tool.enabled


def test_delete_leaves_no_row_secret_or_trace(
    session: Session, post_tool: Definition
) -> None:
    host = session.host
    session.run(host.studio.draft(post_tool))
    session.run(host.secrets.set("place_order", "key", "long-enough-value"))
    session.run(host.studio.publish("place_order"))
    session.call("place_order", {"q": "x"})
    session.run(host.studio.delete("place_order"))
    assert session.run(host.studio.list()).total == 0
    assert session.run(host.traces.list()) == []
    assert host.keychain.read("custom-tool:place_order:key") is None
    assert host.registry.versions("place_order") == []


def test_a_secret_that_no_version_in_use_declares_is_removed_by_publish(
    session: Session, post_tool: Definition
) -> None:
    host = session.host
    session.run(host.studio.draft(post_tool))
    session.run(host.secrets.set("place_order", "key", "long-enough-value"))
    session.run(host.studio.publish("place_order"))
    bare = {k: v for k, v in post_tool.items() if k != "secretRefs"}
    request = {k: v for k, v in post_tool["spec"]["request"].items() if k != "headers"}
    bare["spec"] = {**post_tool["spec"], "request": request}
    session.run(host.studio.draft(bare))
    assert host.keychain.read("custom-tool:place_order:key") is not None
    session.run(host.studio.publish("place_order"))
    assert host.keychain.read("custom-tool:place_order:key") is None
    with pytest.raises(SecretMissingError):
        session.run(host.studio.rollback("place_order", 1))


def test_a_cleanup_that_fails_is_reported_and_made_up_for(
    session: Session, post_tool: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = session.host
    renamed = {**post_tool, "secretRefs": {"other": "custom-tool:place_order:other"}}
    renamed["spec"] = {
        **post_tool["spec"],
        "request": {
            **post_tool["spec"]["request"],
            "headers": [{"name": "X-Api-Key", "secretRef": "other"}],
        },
    }
    session.run(host.studio.draft(post_tool))
    session.run(host.secrets.set("place_order", "key", "long-enough-value"))
    session.run(host.studio.publish("place_order"))
    session.run(host.studio.draft(renamed))
    session.run(host.secrets.set("place_order", "other", "long-enough-value"))

    def refuse(reference: str) -> bool:
        raise KeychainUnavailableError("it is locked")

    with monkeypatch.context() as patch:
        patch.setattr(host.keychain, "remove", refuse)
        outcome = session.run(host.studio.publish("place_order"))
    assert outcome.tool.published_version == 2
    assert [w.code for w in outcome.warnings] == ["KEYCHAIN_UNAVAILABLE"]
    assert host.keychain.read("custom-tool:place_order:key") is not None
    session.publish({**renamed, "title": "Third"})
    assert host.keychain.read("custom-tool:place_order:key") is None
    assert host.keychain.read("custom-tool:place_order:other") is not None


def test_a_name_dropped_between_two_drafts_is_removed_in_the_end(
    session: Session, post_tool: Definition, get_tool: Definition
) -> None:
    host = session.host
    session.run(host.studio.draft(post_tool))
    session.run(host.secrets.set("place_order", "key", "long-enough-value"))
    bare = {**get_tool, "id": "place_order"}
    session.run(host.studio.draft(bare))
    session.run(host.studio.publish("place_order"))
    assert host.keychain.read("custom-tool:place_order:key") is None


def test_a_difference_shows_what_changed(
    session: Session, get_tool: Definition
) -> None:
    session.publish(get_tool)
    session.run(session.host.studio.draft(changed(get_tool, title="Second")))
    difference = session.run(session.host.studio.diff("items"))
    assert (difference.a, difference.b) == (1, 2)
    assert '-  "title": "Items",' in difference.lines
    assert '+  "title": "Second",' in difference.lines
    same = session.run(session.host.studio.diff("items", 1, 1))
    assert not same.lines


def test_a_difference_of_programs_shows_only_their_lines_that_changed(
    session: Session,
) -> None:
    before = 'def run():\n    a = "\u2028"\n    return a\n'
    session.publish(code_tool("python", before))
    after = before.replace("return a", "return 1")
    session.run(session.host.studio.draft(code_tool("python", after)))
    found = session.run(session.host.studio.diff("program"))
    changes = [line for line in found.shown[2:] if line.startswith(("+", "-"))]
    assert changes == ["-            return a", "+            return 1"]
    assert '"source": "def run' in found.to_wire()["diff"]  # one text, as it is stored


def test_a_draft_of_another_type_is_refused(
    session: Session, get_tool: Definition
) -> None:
    session.run(session.host.studio.draft(get_tool))
    code = {
        **{k: v for k, v in get_tool.items() if k != "spec"},
        "type": "code",
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "spec": {
            "runtime": {"language": "python", "source": "def run(q):\n    return q\n"}
        },
    }
    with pytest.raises(SparknbError) as refused:
        session.run(session.host.studio.draft(code))
    assert refused.value.path == "type"


def test_the_list_is_found_by_literal_text(
    session: Session, get_tool: Definition
) -> None:
    session.run(session.host.studio.draft(get_tool))
    session.run(
        session.host.studio.draft(changed(get_tool, id="rate", title="100 % ÄPFEL_x"))
    )
    studio = session.host.studio
    assert [t.id for t in session.run(studio.list()).tools] == ["rate", "items"]
    assert [t.id for t in session.run(studio.list("% äpfel_")).tools] == ["rate"]
    assert session.run(studio.list("%x")).total == 0
    with pytest.raises(InvalidInputError):
        session.run(studio.list("x" * 121))


def test_all_refusals_are_told_in_one_form_whoever_refuses(
    session: Session, get_tool: Definition
) -> None:
    studio = session.host.studio
    session.run(studio.draft(get_tool))
    code = {"runtime": {"language": "python", "source": "def run(): ..."}}
    other = changed(get_tool, type="code", risk="read", effect="read", spec=code)
    steps: list[Callable[[], Any]] = [
        lambda: studio.create_draft(get_tool),
        lambda: studio.save_draft(get_tool, expected_revision=9),
        lambda: studio.save_draft(changed(other, idempotency="safe")),
        lambda: studio.discard_draft("items"),
        lambda: studio.discard_draft("absent"),
        lambda: studio.publish("items", expected_revision=9),
        lambda: studio.rollback("items", 1),
        lambda: studio.set_enabled("items", True),
        lambda: studio.list("x" * 121),
        lambda: studio.export(["absent"]),
        lambda: studio.run_cases("items"),
    ]
    for step in steps:
        with pytest.raises(SparknbError) as refused:
            session.run(step())
        for text in (refused.value.message, refused.value.hint or "x"):
            assert text[0].islower(), text
            assert not text.endswith("."), text
