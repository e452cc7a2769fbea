"""What the authoring tools read and answer: documents without a secret in them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sparknb.core.errors import InvalidInputError, NotFoundError, SparknbError
from sparknb.core.problems import Problem
from sparknb.core.redaction import Redactor
from sparknb.core.results import ToolResult
from sparknb.core.validation.fields import BROKEN
from sparknb.core.wording import kind_of
from sparknb.host.agent_tools_table import AgentTool
from sparknb.host.outcomes import DraftOutcome, ToolDetail

__all__ = [
    "after_saving",
    "answered",
    "detail_document",
    "read_arguments",
    "refused",
    "with_known_status",
]

_LIST = "custom_tools_list shows the tools; ids are without custom_ in front"


def read_arguments(tool: AgentTool, arguments: Any) -> dict[str, Any]:
    """Give the arguments of a call, defaults filled.

    Raises:
        InvalidInputError: Some are missing, unknown or of the wrong kind; all are
            told.
    """
    if not isinstance(arguments, dict):
        raise InvalidInputError(
            f"the arguments of {tool.name} must be an object, not {kind_of(arguments)}"
        )
    problems: list[Problem] = []
    found = tool.read(arguments, "", problems.append)
    if problems or found is BROKEN:
        told = [_of_parameter(tool, problem) for problem in problems]
        first = told[0]
        raise InvalidInputError(
            first.message, path=first.path, hint=first.hint, problems=told
        )
    return dict(found)


def _of_parameter(tool: AgentTool, problem: Problem) -> Problem:
    if problem.code != "FIELD_UNKNOWN":
        return replace(problem, code="INVALID_INPUT")
    known = ", ".join(tool.input_schema["properties"]) or "none"
    return replace(
        problem,
        code="INVALID_INPUT",
        message=f"{problem.path} is not a parameter of {tool.name}",
        hint=f"its parameters: {known}",
    )


def detail_document(detail: ToolDetail) -> dict[str, Any]:
    """Give all about a tool, as an agent sees it."""
    wire = with_known_status(detail.to_wire())
    keys = ("tool", "draft", "published", "versions", "secretStatus")
    shown = {key: wire[key] for key in (*keys, "cases", "lastCaseRun")}
    return shown if "warnings" not in wire else shown | {"warnings": wire["warnings"]}


def with_known_status(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Give a document whose `secretStatus` holds booleans only.

    Whether a secret is set is not known where the keychain does not answer; that is
    said in a warning then, and the name is left out.
    """
    status = wire["secretStatus"]
    unknown = [name for name, is_set in status.items() if is_set is None]
    if not unknown:
        return dict(wire)
    problem = Problem(
        code="KEYCHAIN_UNAVAILABLE",
        message=f"the keychain does not say whether {', '.join(unknown)} is set",
        path="secretStatus",
        hint="ask the user to unlock it, or to look with sparknb doctor",
    )
    return {
        **wire,
        "secretStatus": {n: s for n, s in status.items() if s is not None},
        "warnings": [*wire.get("warnings", ()), problem.to_wire()],
    }


def after_saving(outcome: DraftOutcome) -> list[str]:
    """Give what comes next for a draft that was stored."""
    tool_id = outcome.tool.id
    missing = [name for name, is_set in outcome.secrets.items() if is_set is False]
    steps = [
        f"ask the user to run: sparknb secret set {tool_id} {name}" for name in missing
    ]
    return [*steps, "custom_tools_test with the user's consent"]


def answered(document: Mapping[str, Any], redactor: Redactor) -> ToolResult:
    """Give a document as a result; its text is the same as JSON."""
    shown = redactor.value(dict(document))
    text = json.dumps(shown, ensure_ascii=False)
    return ToolResult(ok=True, text=text, data=shown)


def refused(error: SparknbError, redactor: Redactor) -> ToolResult:
    """Give the result of a step that was not taken: the code, and every problem."""
    hint = _LIST if isinstance(error, NotFoundError) else error.hint
    problems: Sequence[Problem] = error.problems
    if not problems and error.path:
        problems = [
            Problem(code=error.code, message=error.message, path=error.path, hint=hint)
        ]
    return ToolResult(
        ok=False,
        text=redactor.text(error.message),
        error_code=error.code,
        problems=list(_hidden(problems, redactor)),
        hint=hint and redactor.text(hint),
    )


def _hidden(problems: Iterable[Problem], redactor: Redactor) -> Iterable[Problem]:
    for problem in problems:
        yield replace(
            problem,
            message=redactor.text(problem.message),
            path=redactor.text(problem.path),
            hint=problem.hint and redactor.text(problem.hint),
        )
