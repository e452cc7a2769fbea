"""Contract: which tools name others."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from sparknb.core.definitions import ToolDefinition
from sparknb.core.protocols import Registry
from sparknb.core.validation import validate
from sparknb.registry import open_registry
from tests.registry.definitions import definition, publish


def program(tool_id: str, *named: str, **more: Any) -> ToolDefinition:
    runtime = {"language": "python", "source": "def run(): return 1", **more}
    report = validate(
        {
            "id": tool_id,
            "title": "Program",
            "description": "Calls what it names.",
            "type": "code",
            "inputSchema": {"type": "object", "properties": {}},
            "risk": "read",
            "effect": "read",
            "idempotency": "safe",
            "spec": {"runtime": runtime, "permissions": {"toolIds": list(named)}},
        }
    )
    assert report.definition is not None, report.errors
    return report.definition


def links(registry: Registry) -> list[tuple[str, int, bool, tuple[str, ...]]]:
    return [
        (each.tool_id, each.version, each.is_published, each.tool_ids)
        for each in registry.links()
    ]


def test_what_is_published_and_what_is_pending_is_told_apart(
    registry: Registry,
) -> None:
    assert links(registry) == []
    registry.create_draft(program("report", "weather", "cities"))
    assert links(registry) == [("report", 1, False, ("weather", "cities"))]
    publish(registry, "report")
    registry.save_draft(program("report", "weather"))
    assert links(registry) == [
        ("report", 1, True, ("weather", "cities")),
        ("report", 2, False, ("weather",)),
    ]
    publish(registry, "report")
    assert links(registry) == [("report", 2, True, ("weather",))]
    registry.set_enabled("report", enabled=False)
    registry.rollback("report", 1, expected_version=2)
    assert links(registry) == [("report", 3, True, ("weather", "cities"))]
    registry.delete("report")
    assert links(registry) == []


def test_they_come_sorted_and_only_those_that_name_a_tool(registry: Registry) -> None:
    for each in (program("zoo", "aaa"), program("alone"), program("ant", "zoo")):
        registry.create_draft(each)
    registry.create_draft(definition("plain"))
    assert [each.tool_id for each in registry.links()] == ["ant", "zoo"]


def test_words_of_a_source_are_no_names(registry: Registry) -> None:
    source = '# {"toolIds":["weather"]}\ndef run(): return \'"toolIds":["weather"\''
    registry.create_draft(program("report", source=source))
    assert links(registry) == []


def test_a_damaged_definition_does_not_hide_the_others(tmp_path: Path) -> None:
    path = tmp_path / "registry.db"
    registry = open_registry(f"sqlite:///{path}")
    for name in ("bad", "good"):
        registry.create_draft(program(name, "weather"))
    registry.close()
    with sqlite3.connect(path) as database:
        text = json.dumps({"toolIds": ["weather"]}, separators=(",", ":"))
        database.execute(
            "UPDATE versions SET definition = ? WHERE tool_id = 'bad'", [text]
        )
    database.close()
    registry = open_registry(f"sqlite:///{path}")
    assert links(registry) == [("good", 1, False, ("weather",))]
    registry.close()
