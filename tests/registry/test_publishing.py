"""Contract: publish, enable, roll back, delete (ST-70 to ST-72, example 32)."""

from collections.abc import Callable

import pytest

from sparknb.core.definitions import secret_reference
from sparknb.core.errors import (
    ConflictError,
    DeniedError,
    InvalidInputError,
    NotFoundError,
)
from sparknb.core.protocols import Registry
from tests.registry.conftest import Clock
from tests.registry.definitions import case, definition, publish, trace


def _two_versions(registry: Registry) -> None:
    registry.create_draft(definition(), [case()])
    publish(registry)
    registry.save_draft(definition(title="Second"), [])
    publish(registry)


def test_the_first_publish_enables_and_later_ones_leave_it(registry: Registry) -> None:
    registry.create_draft(definition())
    assert publish(registry).enabled
    registry.set_enabled("weather", enabled=False)
    registry.save_draft(definition(title="Second"))
    tool = publish(registry)
    assert (tool.enabled, tool.published_version, tool.is_pending) == (False, 2, False)


def test_a_publish_archives_the_version_before(
    registry: Registry, clock: Clock
) -> None:
    registry.create_draft(definition())
    publish(registry)
    clock.advance(hours=1)
    registry.save_draft(definition(title="Second"))
    publish(registry)
    second, first = registry.versions("weather")
    assert (second.status, first.status) == ("published", "archived")
    assert second.published_at is not None
    assert first.published_at is not None
    assert second.published_at > first.published_at


@pytest.mark.parametrize(("version", "revision"), [(1, 1), (2, 2), (3, 3), (2, 4)])
def test_a_publish_of_another_state_is_a_conflict(
    registry: Registry, version: int, revision: int
) -> None:
    registry.create_draft(definition())
    publish(registry)
    registry.save_draft(definition(title="Second"))
    before, _ = registry.save_draft(definition(title="Third"))
    assert (before.draft_version, before.draft_revision) == (2, 3)
    with pytest.raises(ConflictError) as caught:
        registry.publish(
            "weather", expected_version=version, expected_revision=revision
        )
    assert caught.value.path == "id"  # the one word that each door has
    assert caught.value.hint == "look at it as it is now, then decide again"
    assert registry.get("weather") == before


def test_a_second_publish_of_the_same_draft_is_a_conflict(registry: Registry) -> None:
    registry.create_draft(definition())
    publish(registry)
    with pytest.raises(ConflictError):
        publish(registry)


def test_enabling_needs_a_published_version(registry: Registry) -> None:
    registry.create_draft(definition())
    with pytest.raises(DeniedError):
        registry.set_enabled("weather", enabled=True)
    assert not registry.set_enabled("weather", enabled=False).enabled


def test_enabling_expects_the_version_that_was_looked_at(registry: Registry) -> None:
    _two_versions(registry)
    registry.set_enabled("weather", enabled=False)
    with pytest.raises(ConflictError):
        registry.set_enabled("weather", enabled=True, expected_version=1)
    assert registry.set_enabled("weather", enabled=True, expected_version=2).enabled


def test_switching_to_the_present_state_changes_nothing(registry: Registry) -> None:
    registry.create_draft(definition())
    before = publish(registry)
    mark = registry.change_mark()
    assert registry.set_enabled("weather", enabled=True) == before
    assert registry.change_mark() == mark


def test_a_rollback_publishes_a_copy_as_a_new_version(registry: Registry) -> None:
    _two_versions(registry)
    registry.set_enabled("weather", enabled=False)
    tool = registry.rollback("weather", 1, expected_version=2)
    assert (tool.published_version, tool.draft_version, tool.enabled) == (3, 3, False)
    assert (tool.title, tool.is_pending) == ("Weather", False)
    third, second, first = registry.versions("weather")
    assert (third.status, third.source_version) == ("published", 1)
    assert (third.definition, third.digest) == (first.definition, first.digest)
    assert third.cases == first.cases
    assert (second.status, first.status) == ("archived", "archived")


def test_a_rollback_is_refused_when_it_makes_no_sense(registry: Registry) -> None:
    registry.create_draft(definition())
    with pytest.raises(InvalidInputError, match="never published"):
        registry.rollback("weather", 1, expected_version=1)
    publish(registry)
    with pytest.raises(InvalidInputError, match="published one already"):
        registry.rollback("weather", 1, expected_version=1)
    for unknown in (-1, 0, 2, 2**70):
        with pytest.raises(NotFoundError, match="no version"):
            registry.rollback("weather", unknown, expected_version=1)
    registry.save_draft(definition(title="Second"))
    with pytest.raises(InvalidInputError, match="pending draft"):
        registry.rollback("weather", 1, expected_version=1)


def test_a_rollback_from_another_version_is_a_conflict(registry: Registry) -> None:
    _two_versions(registry)
    with pytest.raises(ConflictError):
        registry.rollback("weather", 1, expected_version=1)


def test_delete_leaves_no_row_of_the_tool(registry: Registry) -> None:
    registry.create_draft(definition("other"))
    _two_versions(registry)
    registry.note_removals([secret_reference("weather", "k")])
    registry.note_removals([secret_reference("other", "k")])
    registry.add_traces([trace(), trace("other", id="t2")])
    registry.set_enabled("weather", enabled=False)
    registry.delete("weather")
    assert registry.get("weather") is None
    assert list(registry.versions("weather")) == []
    assert [t.tool_id for t in registry.traces()] == ["other"]
    assert list(registry.pending_removals()) == [secret_reference("other", "k")]
    assert registry.create_draft(definition()).draft_version == 1


def test_an_enabled_tool_is_not_deleted(registry: Registry) -> None:
    registry.create_draft(definition())
    before = publish(registry)
    with pytest.raises(ConflictError):
        registry.delete("weather")
    assert registry.get("weather") == before


def test_every_step_on_an_unknown_tool_is_not_found(registry: Registry) -> None:
    with pytest.raises(NotFoundError):
        registry.publish("weather", expected_version=1, expected_revision=1)
    with pytest.raises(NotFoundError):
        registry.set_enabled("weather", enabled=False)
    with pytest.raises(NotFoundError):
        registry.rollback("weather", 1, expected_version=1)
    with pytest.raises(NotFoundError):
        registry.delete("weather")


def test_a_publish_notes_the_secrets_it_drops(registry: Registry) -> None:
    old, older = (secret_reference("weather", name) for name in ("old", "older"))
    registry.create_draft(definition())
    registry.note_removals([old])
    registry.publish(
        "weather",
        expected_version=1,
        expected_revision=1,
        drop_secrets=[old, older, older],
    )
    assert list(registry.pending_removals()) == [old, older]
    registry.confirm_removals([older, "custom-tool:weather:unknown"])
    registry.confirm_removals([])
    assert list(registry.pending_removals()) == [old]


def test_removals_are_noted_once(registry: Registry) -> None:
    references = [secret_reference("weather", name) for name in ("b", "a")]
    registry.note_removals([])
    registry.note_removals(references)
    registry.note_removals(references)
    assert list(registry.pending_removals()) == sorted(references)


def test_a_refused_publish_notes_nothing(registry: Registry) -> None:
    registry.create_draft(definition())
    with pytest.raises(ConflictError):
        registry.publish(
            "weather",
            expected_version=1,
            expected_revision=2,
            drop_secrets=[secret_reference("weather", "k")],
        )
    assert list(registry.pending_removals()) == []


def test_a_secret_that_is_declared_again_is_no_longer_to_be_removed(
    registry: Registry,
) -> None:
    kept, gone = (secret_reference("weather", name) for name in ("kept", "gone"))
    registry.create_draft(definition(secrets=("kept",)))
    publish(registry)
    registry.save_draft(definition())
    registry.publish(
        "weather", expected_version=2, expected_revision=2, drop_secrets=[kept, gone]
    )
    registry.rollback("weather", 1, expected_version=2)
    assert list(registry.pending_removals()) == [gone]
    registry.save_draft(definition(title="Third", secrets=("gone",)))
    assert list(registry.pending_removals()) == []


def test_the_surface_is_what_is_enabled_in_its_published_version(
    registry: Registry,
) -> None:
    for name in ("ccc", "bbb", "aaa", "zzz_draft", "a_b"):
        registry.create_draft(definition(name))
    for name in ("ccc", "bbb", "aaa", "a_b"):
        publish(registry, name)
    registry.save_draft(definition("aaa", title="Draft only"))
    registry.set_enabled("bbb", enabled=False)
    surface = registry.surface()
    assert [row.id for row in surface] == ["a_b", "aaa", "ccc"]
    assert (surface[1].type, surface[1].number) == ("http", 1)
    tool, version = surface[1].tool(), surface[1].version()
    assert (tool.title, version.definition["title"]) == ("Draft only", "Weather")
    assert tool == registry.get("aaa")
    stored = registry.version("aaa", 1)
    assert stored is not None
    assert version == stored
    assert len(version.definition) == len(stored.definition)
    assert repr(version.definition) == repr(stored.definition)


def test_the_surface_of_an_empty_registry_is_empty(registry: Registry) -> None:
    assert list(registry.surface()) == []


CHANGES: list[Callable[[Registry], object]] = [
    lambda r: r.save_draft(definition(title="Other")),
    publish,
    lambda r: r.set_enabled("weather", enabled=False),
    lambda r: r.discard_draft("weather"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_no_step_is_taken_in_another_state_than_the_one_that_was_seen(
    registry: Registry, change: Callable[[Registry], object]
) -> None:
    _two_versions(registry)
    registry.save_draft(definition(title="Third"))
    seen = registry.get("weather")
    change(registry)
    before = (registry.get("weather"), registry.versions("weather"))
    steps: list[Callable[[], object]] = [
        lambda: registry.publish(
            "weather", expected_version=3, expected_revision=3, seen=seen
        ),
        lambda: registry.set_enabled("weather", enabled=True, seen=seen),
        lambda: registry.rollback("weather", 1, expected_version=2, seen=seen),
        lambda: registry.discard_draft("weather", seen=seen),
    ]
    for step in steps:
        with pytest.raises(ConflictError, match="nothing was done"):
            step()
    assert (registry.get("weather"), registry.versions("weather")) == before


def test_a_test_changes_nothing_that_a_step_depends_on(registry: Registry) -> None:
    _two_versions(registry)
    seen = registry.save_draft(definition(title="Third"))[0]
    registry.mark_tested("weather")
    assert not registry.discard_draft("weather", seen=seen).is_pending


def test_a_tool_of_the_same_id_and_numbers_is_not_the_one_that_was_seen(
    registry: Registry, clock: Clock
) -> None:
    seen = registry.create_draft(definition())
    registry.delete("weather")
    clock.advance(seconds=1)
    registry.create_draft(definition())
    with pytest.raises(ConflictError, match="made anew"):
        registry.publish("weather", expected_version=1, expected_revision=1, seen=seen)
