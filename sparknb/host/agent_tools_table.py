"""The eleven authoring tools as data: what a model sees, and what it may pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sparknb.core.validation.fields import (
    BROKEN,
    OPTIONAL,
    Field,
    Reader,
    Tell,
    boolean,
    closed,
    exactly,
    integer,
    text,
    wrong_type,
)

__all__ = ["AGENT_TOOLS", "PREFIX", "AgentTool"]

PREFIX = "custom_tools_"

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTool:
    """One authoring tool.

    Attributes:
        input_schema: JSON Schema of the arguments, for the model.
        read: Reads the arguments; knows the same names, and is what counts.
        flag: The parameter that says that the user agreed, None where no such is.
        changes: `nothing` only looks, `drafts` is never seen by agents, `live` changes
            what agents use or sends something, `removes` cannot be undone.
    """

    verb: str
    title: str
    description: str
    input_schema: Schema
    read: Reader
    flag: str | None = None
    changes: Literal["nothing", "drafts", "live", "removes"] = "nothing"

    @property
    def name(self) -> str:
        """The name a model calls it by."""
        return f"{PREFIX}{self.verb}"


def _object(value: Any, path: str, tell: Tell) -> Any:
    if isinstance(value, dict):
        return value
    tell(wrong_type(path, "an object", value))
    return BROKEN


def _anything(value: Any, path: str, tell: Tell) -> Any:
    """Leave a value to a later check, which has more to say about it."""
    del path, tell
    return value


_id = text(1, 200)
_number = integer(1, 2**31 - 1)

_ID: Schema = {"type": "string", "description": "The tool's id, without custom_"}
_SPEC: Schema = {
    "type": "object",
    "description": "The whole definition, as custom_tools_guide describes it",
}
_CASES: Schema = {
    "type": "array",
    "items": {"type": "object"},
    "description": "Test cases {name, input, expect} to keep with the draft",
}


def _flag(action: str) -> Schema:
    said = f"true only after the user explicitly agreed to {action}"
    return {"type": "boolean", "description": said}


def _schema(*required: str, **properties: Schema) -> Schema:
    found: Schema = {"type": "object", "properties": properties}
    if required:
        found["required"] = list(required)
    return found | {"additionalProperties": False}


_TOOLS = (
    AgentTool(
        verb="guide",
        title="How to write tools",
        description=(
            "Explains how to write a tool: the form of a definition, templates, risk,"
            " secrets, safety rules, complete examples, and the six steps from idea to"
            " published tool. Read it once before you use any other custom_tools_*."
        ),
        input_schema=_schema(),
        read=closed(),
    ),
    AgentTool(
        verb="list",
        title="List tools",
        description=(
            "Lists the tools that are there, drafts too, the last changed first: id,"
            " title, description, risk, and whether each is published and enabled. Look"
            " here first, to avoid making a tool twice."
        ),
        input_schema=_schema(
            query={
                "type": "string",
                "maxLength": 120,
                "description": "Only tools with this text in id, title or description",
            },
            limit={"type": "integer", "minimum": 1, "maximum": 100, "default": 50},
        ),
        read=closed(
            Field("query", text(0, 120), OPTIONAL),
            Field("limit", integer(1, 100), 50),
        ),
    ),
    AgentTool(
        verb="get",
        title="Show a tool",
        description=(
            "Shows one tool: its draft, its published definition, its versions, its"
            " test cases and how they last went, and which secrets have a value (never"
            " the value)."
        ),
        input_schema=_schema("id", id=_ID),
        read=closed(Field("id", _id)),
    ),
    AgentTool(
        verb="validate",
        title="Check a definition",
        description=(
            "Checks a definition and lists every problem at once, each with its place"
            " and what to do. Stores nothing, sends nothing. Repeat until errors is"
            " empty, then create or save the draft."
        ),
        input_schema=_schema("spec", spec=_SPEC),
        read=closed(Field("spec", _object)),
    ),
    AgentTool(
        verb="create_draft",
        title="Create a draft",
        description=(
            "Stores a new tool as a disabled draft; no agent can call it. Fails when"
            " the id is taken: then save a draft of the tool that is there."
        ),
        input_schema=_schema("spec", spec=_SPEC, cases=_CASES),
        read=closed(Field("spec", _object), Field("cases", _anything, OPTIONAL)),
        changes="drafts",
    ),
    AgentTool(
        verb="save_draft",
        title="Save a draft",
        description=(
            "Replaces a tool's draft by a whole new definition. What is published"
            " stays as it is. Cases that are left out are kept."
        ),
        input_schema=_schema(
            "id",
            "spec",
            id=_ID,
            spec=_SPEC,
            expectedRevision={
                "type": "integer",
                "minimum": 1,
                "description": "The draftRevision that you read; else CONFLICT",
            },
            cases=_CASES,
        ),
        read=closed(
            Field("id", _id),
            Field("spec", _object),
            Field("expectedRevision", _number, OPTIONAL),
            Field("cases", _anything, OPTIONAL),
        ),
        changes="drafts",
    ),
    AgentTool(
        verb="test",
        title="Test a tool",
        description=(
            "Runs a tool for real, once, or all its test cases: the request is sent."
            " First tell the user the address, the input, the cost and the effects."
            " Give toolId (its draft, else what is published) or draftSpec (a"
            " definition that is not saved), not both. Needs confirmExecute unless what"
            " is tested is published and only reads."
        ),
        input_schema=_schema(
            toolId={"type": "string", "description": "Id of a saved tool"},
            draftSpec=_SPEC,
            input={"type": "object", "description": "The arguments; left out: {}"},
            cases={
                "const": "all",
                "description": "Run all cases of the saved tool, instead of input",
            },
            confirmExecute=_flag("this run"),
        ),
        read=closed(
            Field("toolId", _id, OPTIONAL),
            Field("draftSpec", _object, OPTIONAL),
            Field("input", _object, OPTIONAL),
            Field("cases", exactly("all"), OPTIONAL),
            Field("confirmExecute", _anything, OPTIONAL),
        ),
        flag="confirmExecute",
        changes="live",
    ),
    AgentTool(
        verb="publish",
        title="Publish a draft",
        description=(
            "Makes the draft the version that agents use; the first publish puts the"
            " tool live at once. Needs the user's explicit consent, and asks them."
        ),
        input_schema=_schema(
            "id",
            id=_ID,
            expectedDraftVersion={
                "type": "integer",
                "minimum": 1,
                "description": "The draftVersion that you looked at; else CONFLICT",
            },
            confirmPublish=_flag("publishing this draft"),
        ),
        read=closed(
            Field("id", _id),
            Field("expectedDraftVersion", _number, OPTIONAL),
            Field("confirmPublish", _anything, OPTIONAL),
        ),
        flag="confirmPublish",
        changes="live",
    ),
    AgentTool(
        verb="set_enabled",
        title="Enable or disable a tool",
        description=(
            "Takes a tool away from agents at once (enabled false; always allowed), or"
            " gives a published one back to them (enabled true; needs confirmEnable)."
        ),
        input_schema=_schema(
            "id",
            "enabled",
            id=_ID,
            enabled={"type": "boolean"},
            confirmEnable=_flag("enabling this tool"),
        ),
        read=closed(
            Field("id", _id),
            Field("enabled", boolean),
            Field("confirmEnable", _anything, OPTIONAL),
        ),
        flag="confirmEnable",
        changes="live",
    ),
    AgentTool(
        verb="rollback",
        title="Go back to an earlier version",
        description=(
            "Publishes a copy of an earlier version as a new version. Needs the user's"
            " explicit consent, and that no draft is pending."
        ),
        input_schema=_schema(
            "id",
            "version",
            id=_ID,
            version={"type": "integer", "minimum": 1},
            confirmRollback=_flag("going back to this version"),
        ),
        read=closed(
            Field("id", _id),
            Field("version", _number),
            Field("confirmRollback", _anything, OPTIONAL),
        ),
        flag="confirmRollback",
        changes="live",
    ),
    AgentTool(
        verb="delete",
        title="Delete a tool",
        description=(
            "Removes a tool for good, with its versions, secrets and traces. Needs the"
            " user's explicit consent. To stop a tool, disable it instead."
        ),
        input_schema=_schema(
            "id", id=_ID, confirmDelete=_flag("deleting this tool for good")
        ),
        read=closed(Field("id", _id), Field("confirmDelete", _anything, OPTIONAL)),
        flag="confirmDelete",
        changes="removes",
    ),
)

AGENT_TOOLS: Mapping[str, AgentTool] = {tool.name: tool for tool in _TOOLS}
"""The authoring tools by name."""
