"""Code tools with their real sandboxes: programs in both languages, and a host."""

from pathlib import Path
from typing import Any

from sparknb.core.results import ToolResult
from sparknb.core.validation import validate
from tests.hosting import Definition, Session

__all__ = ["LANGUAGES", "CodingSession", "code_tool"]

LANGUAGES = ("python", "typescript")


def code_tool(
    language: str,
    source: str,
    *,
    tool_id: str = "program",
    properties: dict[str, str] | None = None,
    named: tuple[str, ...] = (),
    limits: dict[str, int] | None = None,
    **more: Any,
) -> Definition:
    """Give a definition; `properties` are required parameters with their types."""
    known = properties or {}
    return {
        "id": tool_id,
        "title": "A program",
        "description": "Does what its source says.",
        "type": "code",
        "inputSchema": {
            "type": "object",
            "properties": {name: _parameter(kind) for name, kind in known.items()},
            "required": list(known),
        },
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "timeoutMs": 20_000,
        "spec": {
            "runtime": {"language": language, "source": source},
            "permissions": {"toolIds": list(named)},
            "limits": limits or {},
        },
        **more,
    }


def _parameter(kind: str) -> dict[str, Any]:
    of_texts = {"items": {"type": "string"}} if kind == "array" else {}
    return {"type": kind, **of_texts}


class CodingSession(Session):
    """A session whose tools are programs; each gets an id of its own."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self._made = 0

    def new(self, language: str, source: str, **more: Any) -> str:
        """Publish a program; give its id."""
        tool = self.define(language, source, **more)
        self.publish(tool)
        return str(tool["id"])

    def define(self, language: str, source: str, **more: Any) -> Definition:
        """Give a definition of a program with an id that nothing has."""
        self._made += 1
        return code_tool(language, source, tool_id=f"program_{self._made}", **more)

    def outcome(self, language: str, source: str, **more: Any) -> ToolResult:
        """Publish a program without parameters and call it."""
        result: ToolResult = self.call(self.new(language, source, **more), {})
        return result

    def by_hand(self, definition: Definition) -> str:
        """Publish past the checks of the runtime, as who edits the registry does."""
        report = validate(definition)
        assert report.definition is not None
        registry = self.host.registry
        if registry.get(report.definition.id) is None:
            record = registry.create_draft(report.definition)
        else:
            record, _ = registry.save_draft(report.definition)
        registry.publish(
            record.id,
            expected_version=record.draft_version or 0,
            expected_revision=record.draft_revision,
        )
        return record.id

    def codes(self, definition: Definition) -> list[tuple[str, int | None]]:
        """Give (code, line) of all errors of a definition."""
        report = self.run(self.host.studio.validate(definition))
        return [(problem.code, problem.line) for problem in report.errors]
