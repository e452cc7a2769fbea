"""What agents see, and when they see a change."""

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.hosting import Definition, Session, http_tool


def names(session: Session) -> list[str]:
    return [entry.name for entry in session.run(session.host.surface())]


def test_only_enabled_and_published_tools_are_shown_sorted_by_name(
    session: Session, origin: str
) -> None:
    for tool_id in ("zebra", "apple", "mango"):
        session.publish(http_tool(f"{origin}/{{{{q}}}}", tool_id=tool_id))
    session.run(
        session.host.studio.draft(http_tool(f"{origin}/{{{{q}}}}", tool_id="draft"))
    )
    session.run(session.host.studio.set_enabled("mango", enabled=False))
    assert names(session) == ["custom_apple", "custom_zebra"]


def test_an_entry_shows_the_published_version_closed_to_unknown_names(
    session: Session, get_tool: Definition
) -> None:
    session.publish(get_tool)
    draft = {**get_tool, "risk": "low-write", "effect": "send"}
    draft["idempotency"] = "unsafe"
    session.run(session.host.studio.draft(draft))
    [entry] = session.run(session.host.surface())
    assert (entry.title, entry.risk, entry.effect) == ("Items", "read", "read")
    assert entry.idempotency == "safe"
    assert entry.open_world
    assert entry.input_schema == {
        "type": "object",
        "properties": {"q": {"type": "string"}},
        "required": ["q"],
        "additionalProperties": False,
    }


def test_a_captured_entry_keeps_its_version_until_the_tool_is_disabled(
    session: Session, get_tool: Definition, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("one")
    httpserver.expect_request("/two").respond_with_data("two")
    session.publish(get_tool)
    before = session.run(session.host.surface())
    session.publish(http_tool(httpserver.url_for("/two?q={{q}}")))
    after = session.run(session.host.surface())
    assert session.run(before.call("custom_items", {"q": "x"})).text == "one"
    assert session.run(after.call("custom_items", {"q": "x"})).text == "two"
    session.run(session.host.studio.set_enabled("items", enabled=False))
    denied = session.run(before.call("custom_items", {"q": "x"}))
    assert denied.error_code == "DENIED"
    session.run(session.host.studio.delete("items"))
    gone = session.run(before.call("custom_items", {"q": "x"}))
    assert gone.error_code == "NOT_FOUND"


def test_an_unchanged_registry_gives_the_same_snapshot(
    session: Session, get_tool: Definition
) -> None:
    session.publish(get_tool)
    first = session.run(session.host.surface())
    assert session.run(session.host.surface()) is first
    session.call("items", {})
    assert session.run(session.host.surface()) is first
    session.publish({**get_tool, "title": "Second"})
    assert session.run(session.host.surface()) is not first


def test_a_change_by_another_host_is_noticed(
    session: Session, get_tool: Definition, tmp_path: Path
) -> None:
    session.publish(get_tool)
    assert names(session) == ["custom_items"]
    other = Session(tmp_path / "home")

    async def wait_for_change() -> None:
        changed = asyncio.Event()
        unwatch = session.host.watch(changed.set)
        await asyncio.sleep(0)
        await asyncio.to_thread(
            other.run, other.host.studio.set_enabled("items", enabled=False)
        )
        async with asyncio.timeout(10):
            await changed.wait()
        unwatch()

    session.run(wait_for_change())
    other.close()
    assert names(session) == []


def test_ids_that_begin_like_agent_names_are_told_apart(
    session: Session, origin: str, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/plain").respond_with_data("plain")
    httpserver.expect_request("/prefixed").respond_with_data("prefixed")
    session.publish(http_tool(f"{origin}/plain?q={{{{q}}}}", tool_id="one"))
    session.publish(http_tool(f"{origin}/prefixed?q={{{{q}}}}", tool_id="custom_two"))
    assert session.call("custom_one", {"q": "x"}).text == "plain"
    assert session.call("custom_two", {"q": "x"}).text == "prefixed"
    assert session.call("custom_custom_two", {"q": "x"}).text == "prefixed"


@pytest.mark.parametrize(
    "damage",
    [
        "versions SET definition = '{'",
        "versions SET definition = ''",
        "versions SET definition = 'null'",
        "versions SET definition = '[]'",
        "versions SET definition = '{}'",
        'versions SET definition = \'{"title": 1, "type": "http"}\'',
        "versions SET cases = '{'",
        "versions SET case_run = '['",
        "versions SET created_at = 'never'",
        "versions SET created_at = 9000000000000000000",
    ],
)
def test_a_damaged_tool_is_left_out_and_the_others_are_served(
    damage: str,
    session: Session,
    httpserver: HTTPServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    httpserver.expect_request("/x").respond_with_data("fine")
    for tool_id in ("apple", "broken", "zebra"):
        session.publish(http_tool(httpserver.url_for("/{{q}}"), tool_id=tool_id))
    file = tmp_path / "home" / "registry.db"
    with closing(sqlite3.connect(file)) as other, other:
        other.execute(f"UPDATE {damage} WHERE tool_id = 'broken'")  # ours
        other.execute("UPDATE registry SET changes = changes + 1")
    with caplog.at_level(logging.WARNING):
        surface = session.run(session.host.surface())
        assert [entry.name for entry in surface] == ["custom_apple", "custom_zebra"]
    assert len(surface) == 2
    assert "broken is left out" in caplog.text
    assert surface.get("custom_broken") is None
    assert session.run(surface.call("custom_apple", {"q": "x"})).text == "fine"
    refused = session.run(surface.call("custom_broken", {"q": "x"}))
    assert refused.error_code == "REGISTRY_UNAVAILABLE"
