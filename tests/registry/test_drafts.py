"""Contract: create, save and discard drafts (ST-70)."""

from typing import Any

import pytest

from sparknb.core.errors import (
    AlreadyExistsError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
)
from sparknb.core.protocols import Registry
from tests.registry.conftest import Clock
from tests.registry.definitions import case, definition, publish


def test_a_new_tool_is_a_disabled_unpublished_draft(
    registry: Registry, clock: Clock
) -> None:
    tool = registry.create_draft(definition(), [case()], origin="imported")
    assert (tool.enabled, tool.published_version, tool.is_pending) == (
        False,
        None,
        True,
    )
    assert (tool.draft_version, tool.draft_revision) == (1, 1)
    assert (tool.origin, tool.last_test_at) == ("imported", None)
    assert tool.created_at == tool.updated_at == clock.time
    assert registry.get("weather") == tool


def test_a_stored_version_holds_what_was_given_in_its_own_order(
    registry: Registry,
) -> None:
    given = definition(title="Wetter ☀ – Größe", secrets=("k", "a"))
    registry.create_draft(given, [case(n=1)])
    version = registry.version("weather", 1)
    assert version is not None
    assert list(version.definition.items()) == list(given.wire.items())
    assert list(version.definition["secretRefs"]) == ["k", "a"]
    assert version.digest == given.digest
    assert list(version.cases) == [case(n=1)]
    assert (version.status, version.source_version) == ("draft", None)
    assert (version.case_run, version.published_at) == (None, None)


def test_a_taken_id_is_refused_and_nothing_is_overwritten(registry: Registry) -> None:
    before = registry.create_draft(definition())
    with pytest.raises(AlreadyExistsError):
        registry.create_draft(definition(title="Another"))
    assert registry.get("weather") == before


def test_several_tools_are_created_in_one_step_leaving_taken_ids_out(
    registry: Registry,
) -> None:
    registry.create_draft(definition("taken"))
    entries = [(definition(name), ()) for name in ("one", "taken", "two", "one")]
    made = registry.create_drafts(entries, origin="imported")
    assert [tool.id for tool in made] == ["one", "two"]
    assert {tool.origin for tool in made} == {"imported"}
    assert registry.tools()[1] == 3


def test_saving_overwrites_the_pending_draft_at_the_same_number(
    registry: Registry,
) -> None:
    registry.create_draft(definition(), [case()])
    tool, unchanged = registry.save_draft(definition(title="Better"))
    assert (tool.draft_version, tool.draft_revision, unchanged) == (1, 2, False)
    assert tool.title == "Better"
    (version,) = registry.versions("weather")
    assert version.definition["title"] == "Better"
    assert list(version.cases) == [case()], "cases that are not given stay"


def test_saving_after_a_publish_opens_the_next_version(registry: Registry) -> None:
    registry.create_draft(definition(), [case()])
    publish(registry)
    tool, _ = registry.save_draft(definition(title="Better"))
    assert (tool.draft_version, tool.published_version) == (2, 1)
    assert tool.is_pending
    newest, published = registry.versions("weather")
    assert (newest.status, published.status) == ("draft", "published")
    assert published.definition["title"] == "Weather"
    assert list(newest.cases) == [case()]


@pytest.mark.parametrize("is_published", [False, True])
def test_saving_the_same_stores_nothing(registry: Registry, is_published: bool) -> None:
    registry.create_draft(definition(), [case(n=1)])
    before = publish(registry) if is_published else registry.get("weather")
    mark = registry.change_mark()
    assert registry.save_draft(definition()) == (before, True)
    assert registry.save_draft(definition(), [case(n=1)]) == (before, True)
    assert registry.change_mark() == mark


@pytest.mark.parametrize(
    "cases",
    [[], [case(n=1.5)], [case(n=True)], [case(n="1")], [case(n=1), case(n=1)]],
)
def test_other_cases_alone_are_a_change(registry: Registry, cases: list[Any]) -> None:
    registry.create_draft(definition(), [case(n=1)])
    tool, unchanged = registry.save_draft(definition(), cases)
    assert (tool.draft_revision, unchanged) == (2, False)
    version = registry.version("weather", 1)
    assert version is not None
    assert repr(list(version.cases)) == repr(cases)


def test_the_order_of_keys_in_a_case_is_no_change(registry: Registry) -> None:
    registry.create_draft(definition(), [{"name": "a", "input": {"x": 1, "y": 2}}])
    other = [{"input": {"y": 2, "x": 1}, "name": "a"}]
    assert registry.save_draft(definition(), other)[1]


def test_saving_expects_the_revision_that_was_loaded(registry: Registry) -> None:
    registry.create_draft(definition())
    registry.save_draft(definition(title="First"), expected_revision=1)
    with pytest.raises(ConflictError, match="revision 2, not 1") as caught:
        registry.save_draft(definition(title="Second"), expected_revision=1)
    assert caught.value.hint
    tool = registry.get("weather")
    assert tool is not None
    assert tool.title == "First"


def test_the_type_of_a_tool_never_changes(registry: Registry) -> None:
    registry.create_draft(definition())
    with pytest.raises(InvalidInputError) as caught:
        registry.save_draft(definition(kind="code"))
    assert caught.value.path == "type"


def test_discarding_leaves_the_published_version_as_it_is(registry: Registry) -> None:
    registry.create_draft(definition())
    publish(registry)
    registry.save_draft(definition(title="Worse", description="Does something else."))
    tool = registry.discard_draft("weather")
    assert not tool.is_pending
    assert (tool.draft_version, tool.published_version) == (1, 1)
    assert (tool.title, tool.description) == ("Weather", "Tells the weather of a city.")
    assert [v.version for v in registry.versions("weather")] == [1]


def test_the_number_of_a_discarded_version_is_not_used_again(
    registry: Registry,
) -> None:
    registry.create_draft(definition())
    publish(registry)
    registry.save_draft(definition(title="Worse"))
    registry.discard_draft("weather")
    tool, _ = registry.save_draft(definition(title="Better"))
    assert (tool.draft_version, tool.draft_revision) == (3, 3)


def test_only_a_pending_draft_of_a_published_tool_can_be_discarded(
    registry: Registry,
) -> None:
    registry.create_draft(definition())
    with pytest.raises(InvalidInputError, match="never published"):
        registry.discard_draft("weather")
    publish(registry)
    with pytest.raises(InvalidInputError, match="no pending draft"):
        registry.discard_draft("weather")


@pytest.mark.parametrize(
    "tool_id", ["", "unknown", "x\0y", "\ud800", "é", "x" * 100_000, "' OR 1=1 --"]
)
def test_an_unknown_tool_is_not_found_whatever_its_name(
    registry: Registry, tool_id: str
) -> None:
    registry.create_draft(definition())
    assert registry.get(tool_id) is None
    assert registry.version(tool_id, 1) is None
    assert list(registry.versions(tool_id)) == []
    with pytest.raises(NotFoundError):
        registry.discard_draft(tool_id)
    registry.mark_tested(tool_id)
    registry.record_case_run(tool_id, 1, {})
    assert registry.tools()[1] == 1


@pytest.mark.parametrize("version", [-1, 0, 2, 2**31, 2**70])
def test_an_unknown_version_is_none(registry: Registry, version: int) -> None:
    registry.create_draft(definition())
    assert registry.version("weather", version) is None
    registry.record_case_run("weather", version, {"mode": "live"})


def test_saving_an_unknown_tool_is_not_found(registry: Registry) -> None:
    with pytest.raises(NotFoundError):
        registry.save_draft(definition())


def test_a_case_run_stays_with_the_draft_even_when_it_gets_stale(
    registry: Registry,
) -> None:
    registry.create_draft(definition())
    run = {"mode": "live", "specDigest": "x", "results": [{"name": "ä"}]}
    registry.record_case_run("weather", 1, run)
    registry.save_draft(definition(title="Changed"))
    version = registry.version("weather", 1)
    assert version is not None
    assert version.case_run == run


def test_a_test_sets_only_its_own_time(registry: Registry, clock: Clock) -> None:
    before = registry.create_draft(definition())
    clock.advance(minutes=5)
    registry.mark_tested("weather")
    after = registry.get("weather")
    assert after is not None
    assert after.last_test_at == clock.time
    assert after.updated_at == before.updated_at
