"""An agent for tests of the authoring tools, and its person."""

import json
from typing import Any

from sparknb.core.results import ToolResult
from tests.hosting import Answering, Definition, Session

SECRET = "c4n4ry-0f-the-agent"
CASE = {"name": "found", "input": {"q": "a"}, "expect": {"contains": "ok"}}


class Agent:
    """Calls the tools of one host; its person says yes unless told otherwise."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.person: Answering | None = Answering()
        self.told: list[str] = []

    def call(self, verb: str, **arguments: Any) -> ToolResult:
        tools = self.session.host.agent_tools
        result = self.session.run(
            tools.call(f"custom_tools_{verb}", arguments, self.person)
        )
        self.told += [result.text, repr(result), json.dumps(result.to_wire())]
        return result

    def does(self, verb: str, **arguments: Any) -> Any:
        """Give the document of a call that must succeed."""
        result = self.call(verb, **arguments)
        assert result.ok, result
        assert json.loads(result.text) == result.data
        return result.data

    def fails(self, verb: str, **arguments: Any) -> tuple[str | None, list[str]]:
        """Give the code and the paths of a call that must be refused."""
        result = self.call(verb, **arguments)
        assert not result.ok, result
        return result.error_code, [p.path for p in result.problems]


def with_secret(tool: Definition) -> Definition:
    tool["secretRefs"] = {"key": f"custom-tool:{tool['id']}:key"}
    headers = [{"name": "X-Api-Key", "secretRef": "key"}]
    tool["spec"]["request"]["headers"] = headers
    return tool


def copied(value: Any) -> Any:
    return json.loads(json.dumps(value))
