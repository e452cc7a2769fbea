"""Tools that name other tools: what is refused before they run (ST-60 to ST-62)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from sparknb.core.errors import (
    DeniedError,
    InvalidInputError,
    SparknbError,
    UnsupportedError,
)
from sparknb.core.records import ToolLinks
from tests.host.programs import Workshop, by_hand, program_tool
from tests.hosting import Definition, http_tool

FIRST = "spec.permissions.toolIds.0"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    opened = Workshop(tmp_path / "home")
    yield opened
    opened.close()


def refused(shop: Workshop, definition: Definition) -> SparknbError:
    """Save a draft, try to publish it, and give the refusal."""
    shop.run(shop.host.studio.draft(definition))
    with pytest.raises(SparknbError) as caught:
        shop.run(shop.host.studio.publish(definition["id"]))
    return caught.value


def told(problems: Any) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in problems]


def warned(problems: Any) -> list[tuple[str, str]]:
    """Give what is said of other tools."""
    about = ("DEPENDENCY", "TOOL_IN_USE")
    assert all(p.level != "error" for p in problems)
    return [(p.code, p.message) for p in problems if p.code.startswith(about)]


def chain(shop: Workshop, length: int) -> list[str]:
    """Publish tools that each name the next; give their ids, the first one first."""
    ids = [f"tool_{number}" for number in range(1, length + 1)]
    for position in reversed(range(length)):
        shop.add(ids[position], *ids[position + 1 : position + 2])
    return ids


# ------------------------------------------------------- acceptance example 20
def test_20_a_circle_is_refused_with_its_chain(shop: Workshop) -> None:
    shop.add("tool_a")
    shop.add("tool_b", "tool_a")
    error = refused(shop, program_tool("tool_a", "tool_b"))
    assert error.code == "INVALID_INPUT"
    assert told(error.problems) == [("DEPENDENCY_CYCLE", FIRST)]
    assert "tool_a -> tool_b -> tool_a" in error.problems[0].message


def test_20_the_risk_covers_that_of_every_tool_below(shop: Workshop) -> None:
    post = http_tool("http://127.0.0.1:9/", tool_id="order", method="POST")
    shop.publish(post)
    error = refused(shop, program_tool("buyer", "order"))
    assert told(error.problems) == [("DEPENDENCY_RISK", "risk")]
    shop.add("buyer", "order", risk="low-write")
    above = refused(shop, program_tool("shopper", "buyer"))  # two levels above
    assert told(above.problems) == [("DEPENDENCY_RISK", "risk")]
    assert above.problems[0].hint == "set risk to low-write or higher"
    shop.add("shopper", "buyer", risk="destructive")


def test_20_nine_tools_in_a_chain_are_too_many(shop: Workshop) -> None:
    eight = chain(shop, 8)
    error = refused(shop, program_tool("tool_0", "tool_1"))
    assert told(error.problems) == [("DEPENDENCY_DEPTH", FIRST)]
    assert " -> ".join(["tool_0", *eight]) in error.problems[0].message


def test_20_a_chain_that_grows_at_its_end_is_too_long_as_well(shop: Workshop) -> None:
    eight = chain(shop, 8)
    shop.add("tool_9")
    error = refused(shop, program_tool("tool_8", "tool_9"))
    assert told(error.problems) == [("DEPENDENCY_DEPTH", FIRST)]
    assert " -> ".join([*eight, "tool_9"]) in error.problems[0].message


# ------------------------------------------------------------------- the rules
def test_each_tool_that_is_not_there_is_named_at_its_place(shop: Workshop) -> None:
    shop.add("there")
    shop.run(shop.host.studio.draft(program_tool("only_draft")))
    error = refused(shop, program_tool("tool_a", "there", "only_draft", "nobody"))
    assert told(error.problems) == [
        ("DEPENDENCY_MISSING", "spec.permissions.toolIds.1"),
        ("DEPENDENCY_MISSING", "spec.permissions.toolIds.2"),
    ]
    said = [problem.message for problem in error.problems]
    assert said == ["only_draft was never published", "nobody does not exist"]
    assert [problem.hint for problem in error.problems] == [
        "publish only_draft first, or remove its id",
        "make it first, or remove its id",
    ]


def test_a_misspelt_tool_is_not_to_be_published_but_spelt_right(shop: Workshop) -> None:
    shop.add("weather")
    error = refused(shop, program_tool("whether", "wether"))
    assert error.problems[0].message == "wether does not exist"
    assert error.problems[0].hint == "did you mean weather?"


def test_all_kinds_of_problems_come_at_once_in_the_order_of_the_fields(
    shop: Workshop,
) -> None:
    shop.publish(http_tool("http://127.0.0.1:9/", tool_id="order", method="POST"))
    shop.run(shop.host.studio.set_enabled("order", enabled=False))
    error = refused(shop, program_tool("tool_a", "order", "nobody"))
    assert error.code == "INVALID_INPUT"
    assert told(error.problems) == [
        ("DEPENDENCY_RISK", "risk"),
        ("DEPENDENCY_DISABLED", FIRST),
        ("DEPENDENCY_MISSING", "spec.permissions.toolIds.1"),
    ]


def test_validate_and_save_warn_of_the_same(shop: Workshop) -> None:
    shop.add("tool_a")
    shop.add("tool_b", "tool_a")
    draft = program_tool("tool_a", "tool_b", "nobody")
    report = shop.run(shop.host.studio.validate(draft))
    assert report.valid
    expected = [
        ("DEPENDENCY_CYCLE", FIRST),
        ("DEPENDENCY_MISSING", "spec.permissions.toolIds.1"),
    ]
    assert told(report.warnings) == expected
    saved = shop.run(shop.host.studio.draft(draft))
    assert told(saved.warnings) == expected


def test_a_circle_further_down_is_told_too(shop: Workshop) -> None:
    shop.add("tool_b")
    shop.add("tool_c", "tool_b")
    by_hand(shop, program_tool("tool_b", "tool_c"))
    error = refused(shop, program_tool("tool_a", "tool_b"))
    assert told(error.problems) == [("DEPENDENCY_CYCLE", FIRST)]
    assert "tool_a -> tool_b -> tool_c -> tool_b" in error.problems[0].message


def test_a_huge_circle_made_by_hand_is_told_in_one_short_line(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.add("tool_0")
    count = 5000
    links = [
        ToolLinks(
            tool_id=f"tool_{number}",
            version=1,
            is_published=True,
            tool_ids=(f"tool_{(number + 1) % count}",),
        )
        for number in range(count)
    ]
    monkeypatch.setattr(shop.host.registry, "links", lambda: links)
    error = refused(shop, program_tool("tool_a", "tool_0"))
    assert told(error.problems) == [("DEPENDENCY_CYCLE", FIRST)]
    assert len(error.problems[0].message) < 300


# -------------------------------------------------------------- disabled tools
def test_a_disabled_tool_keeps_others_from_going_live(shop: Workshop) -> None:
    studio = shop.host.studio
    shop.add("below")
    shop.run(studio.set_enabled("below", enabled=False))
    error = refused(shop, program_tool("above", "below"))
    assert isinstance(error, DeniedError)
    assert told(error.problems) == [("DEPENDENCY_DISABLED", FIRST)]
    shop.run(studio.set_enabled("below", enabled=True))
    shop.run(studio.publish("above"))
    shop.run(studio.set_enabled("above", enabled=False))
    shop.run(studio.set_enabled("below", enabled=False))
    with pytest.raises(DeniedError, match="below is disabled"):
        shop.run(studio.set_enabled("above", enabled=True))


def test_a_tool_that_stays_disabled_may_name_disabled_ones(shop: Workshop) -> None:
    studio = shop.host.studio
    shop.add("below")
    shop.add("above", "below")
    for name in ("above", "below"):
        shop.run(studio.set_enabled(name, enabled=False))
    shop.run(studio.draft(program_tool("above", "below", title="Newer title")))
    assert not shop.run(studio.publish("above")).tool.enabled
    assert shop.run(studio.rollback("above", 1)).tool.published_version == 3


def test_a_rollback_of_an_enabled_tool_needs_enabled_ones(shop: Workshop) -> None:
    studio = shop.host.studio
    shop.add("below")
    shop.add("above", "below")
    shop.add("above")
    shop.run(studio.set_enabled("below", enabled=False))
    with pytest.raises(DeniedError, match="below is disabled"):
        shop.run(studio.rollback("above", 1))
    shop.run(studio.delete("below"))
    with pytest.raises(InvalidInputError, match="below does not exist"):
        shop.run(studio.rollback("above", 1))
    assert shop.run(studio.get("above")).tool.published_version == 2


def test_a_language_without_a_runtime_is_kept_as_a_draft(shop: Workshop) -> None:
    definition = program_tool("tool_a")
    definition["spec"]["runtime"] = {"source": "export default () => 1"}
    error = refused(shop, definition)
    assert isinstance(error, UnsupportedError)
    assert error.path == "spec.runtime.language"
    assert "typescript" in error.message


# ------------------------------------------------------------------ who uses it
def test_a_change_of_a_tool_lists_those_that_name_it(shop: Workshop) -> None:
    studio = shop.host.studio
    shop.add("below")
    shop.add("above", "below")
    shop.run(studio.draft(program_tool("planned", "below")))
    shop.run(studio.draft(program_tool("below", title="Newer title")))
    expected = [("TOOL_IN_USE", "other tools call below: above, planned (draft)")]
    hints = []
    for step in (
        studio.publish("below"),
        studio.rollback("below", 1),
        studio.set_enabled("below", enabled=False),
    ):
        outcome = shop.run(step)
        assert warned(outcome.warnings) == expected
        hints += [str(each.hint) for each in outcome.warnings]
    assert warned(shop.run(studio.delete("below"))) == expected
    assert "new version" in hints[0]
    assert "fail from now on" in hints[-1]


def test_a_tool_that_nobody_names_is_changed_without_a_word(shop: Workshop) -> None:
    studio = shop.host.studio
    shop.add("alone")
    shop.run(studio.draft(program_tool("alone", title="Newer title")))
    assert shop.run(studio.publish("alone")).warnings == []
    assert shop.run(studio.set_enabled("alone", enabled=False)).warnings == []
    assert shop.run(studio.delete("alone")) == []


def test_a_risk_that_rises_above_those_that_call_is_warned_of(
    shop: Workshop, httpserver: HTTPServer
) -> None:
    studio = shop.host.studio
    reading = http_tool(httpserver.url_for("/"), tool_id="below")
    shop.publish(reading)
    shop.add("above", "below")
    shop.run(
        studio.draft(http_tool(httpserver.url_for("/"), tool_id="below", method="POST"))
    )
    found = shop.run(studio.publish("below")).warnings
    assert [code for code, _ in warned(found)] == ["TOOL_IN_USE", "DEPENDENCY_RISK"]
    assert "above that of above" in found[1].message
