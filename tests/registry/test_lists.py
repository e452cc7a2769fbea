"""Contract: lists, searches, change marks (ST-73)."""

from datetime import timedelta

import pytest

from sparknb.core.errors import InvalidInputError
from sparknb.core.protocols import Registry
from tests.registry.conftest import Clock
from tests.registry.definitions import definition, publish, trace


def _ids(registry: Registry, query: str | None = None) -> list[str]:
    tools, total = registry.tools(query=query)
    assert total == len(tools)
    return [tool.id for tool in tools]


def test_the_newest_update_comes_first_even_when_the_clock_stands_or_goes_back(
    registry: Registry, clock: Clock
) -> None:
    for name in ("one", "two", "three"):
        registry.create_draft(definition(name))
    clock.advance(days=-3)
    registry.save_draft(definition("one", title="Newer"))
    tools, _ = registry.tools()
    assert [tool.id for tool in tools] == ["one", "three", "two"]
    times = [tool.updated_at for tool in tools]
    assert times[0] - times[1] == timedelta(microseconds=1)


def test_tools_of_one_step_are_listed_by_id(registry: Registry) -> None:
    registry.create_drafts([(definition(name), ()) for name in ("bbb", "aaa", "ccc")])
    assert _ids(registry) == ["aaa", "bbb", "ccc"]


def test_a_limit_cuts_the_list_but_not_the_count(registry: Registry) -> None:
    registry.create_drafts([(definition(f"tool_{n}"), ()) for n in range(5)])
    for limit, length in ((2, 2), (5, 5), (9, 5), (0, 0), (-1, 0), (2**70, 5)):
        tools, total = registry.tools(limit=limit)
        assert (len(tools), total) == (length, 5)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("WEATHER_NOW", ["weather_now"]),
        ("grÖSSE", ["percent"]),
        ("größe", ["percent"]),
        ("100%", ["percent"]),
        ("%", ["percent"]),
        ("_", ["weather_now"]),
        ("\\", ["slash"]),
        ("łódź", ["slash"]),
        ("'", ["slash"]),
        ("", ["slash", "percent", "weather_now"]),
        (None, ["slash", "percent", "weather_now"]),
        ("nothing like it", []),
        ("\0", []),
        ("\ud800", []),
        ("now weather", []),
    ],
)
def test_a_query_is_a_literal_part_in_any_case(
    registry: Registry, query: str | None, found: list[str]
) -> None:
    registry.create_draft(definition("weather_now", description="Tells the rain."))
    registry.create_draft(
        definition("percent", title="Größe", description="Is 100% sure.")
    )
    registry.create_draft(
        definition("slash", title="A\\B", description="It's in ŁÓDŹ.")
    )
    assert _ids(registry, query) == found


def test_a_query_of_121_characters_is_refused(registry: Registry) -> None:
    assert _ids(registry, "x" * 120) == []
    with pytest.raises(InvalidInputError) as caught:
        registry.tools(query="x" * 121)
    assert caught.value.path == "query"


def test_a_search_sees_the_draft_and_after_a_discard_the_published_text(
    registry: Registry,
) -> None:
    registry.create_draft(definition(title="Before"))
    publish(registry)
    registry.save_draft(definition(title="After"))
    assert (_ids(registry, "after"), _ids(registry, "before")) == (["weather"], [])
    registry.discard_draft("weather")
    assert (_ids(registry, "after"), _ids(registry, "before")) == ([], ["weather"])


def test_the_mark_changes_with_every_step_and_with_nothing_else(
    registry: Registry,
) -> None:
    marks = [registry.change_mark()]

    def changed() -> None:
        assert registry.change_mark() not in marks
        marks.append(registry.change_mark())

    registry.create_draft(definition())
    changed()
    registry.save_draft(definition(title="Other"))
    changed()
    registry.record_case_run("weather", 1, {})
    changed()
    registry.mark_tested("weather")
    changed()
    publish(registry)
    changed()
    registry.save_draft(definition(title="Third"))
    changed()
    registry.discard_draft("weather")
    changed()
    registry.set_enabled("weather", enabled=False)
    changed()
    registry.add_traces([trace()])
    registry.traces()
    registry.clear_traces()
    registry.set_retention(7)
    registry.tools()
    registry.surface()
    assert registry.change_mark() == marks[-1]
    registry.delete("weather")
    changed()


def test_a_refused_step_leaves_the_mark(registry: Registry) -> None:
    registry.create_draft(definition())
    mark = registry.change_mark()
    with pytest.raises(InvalidInputError):
        registry.discard_draft("weather")
    assert registry.change_mark() == mark


def test_each_registry_has_an_id_of_its_own(registry: Registry) -> None:
    assert len(registry.id) == 32
    assert registry.id == registry.id


def test_tools_in_development_can_be_listed_alone(registry: Registry) -> None:
    for name in ("published", "changed", "draft"):
        registry.create_draft(definition(name))
    for name in ("published", "changed"):
        publish(registry, name)
    registry.save_draft(definition("changed", title="Other"))
    tools, total = registry.tools(pending=True)
    assert [tool.id for tool in tools] == ["changed", "draft"]
    assert total == 2
    assert registry.tools(pending=True, limit=0) == ([], 2)
    assert registry.tools(pending=True, query="published") == ([], 0)
    registry.discard_draft("changed")
    assert [tool.id for tool in registry.tools(pending=True)[0]] == ["draft"]
