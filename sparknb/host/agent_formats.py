"""Tools in the forms in which providers of models take them.

Each form comes with notes on what it has no place for, and on tools that it cannot
take at all. The limits are those that the providers document, or answer with.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any, Literal, Self, get_args

from sparknb.core.errors import InvalidInputError
from sparknb.core.json_text import readable_json
from sparknb.core.problems import Problem
from sparknb.host.surface_entry import SurfaceEntry

__all__ = ["AgentTools", "OpenAIForm", "anthropic_tools", "mcp_tool", "mcp_tools"]
__all__ += ["openai_tools"]

OpenAIForm = Literal["chat", "responses"]

_LONGEST_NAME = 64
"""Characters of a tool's name: OpenAI and Anthropic document the same limit."""

_LONGEST_DESCRIPTION = 1024
"""Characters of a function's description that OpenAI's interface takes."""

_MOST_FUNCTIONS = 128
"""Functions in one request to OpenAI."""

_WORD_END = re.compile(r"\s+\S*$")

Make = Callable[[SurfaceEntry], tuple[dict[str, Any], Iterable[Problem]]]


class AgentTools(tuple[dict[str, Any], ...]):  # noqa: SLOT001  # a tuple has no room for slots
    """A provider's list of tools: goes as it is into a request, also as JSON.

    Its text (`print`) is the list as JSON.

    Attributes:
        notes: What the provider cannot express; the path is the tool's name, empty
            where all tools are meant. Of level `warning` where a tool is left out
            or changed.
    """

    notes: tuple[Problem, ...]

    def __new__(
        cls, tools: Iterable[dict[str, Any]], notes: Iterable[Problem] = ()
    ) -> Self:
        """Keep tools together with their notes."""
        made = super().__new__(cls, tools)
        made.notes = tuple(notes)
        return made

    def __repr__(self) -> str:
        """Give the counts; `print` shows the tools."""
        tools, notes = _count(len(self), "tool"), _count(len(self.notes), "note")
        return f"<AgentTools: {tools}, {notes}>"

    def __str__(self) -> str:
        """Give the list as JSON that acts on no terminal; the notes stand beside it."""
        return readable_json(self)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


# ------------------------------------------------------------------------- MCP
def mcp_tool(entry: SurfaceEntry) -> dict[str, Any]:
    """Give one entry of `tools/list`; the annotations follow from its risk triple."""
    return {
        "name": entry.name,
        "title": entry.title,
        "description": entry.description,
        "inputSchema": entry.input_schema,
        "annotations": {
            "title": entry.title,
            "readOnlyHint": entry.risk == "read",
            "destructiveHint": entry.risk == "destructive",
            "idempotentHint": entry.idempotency in ("safe", "keyed"),
            "openWorldHint": entry.open_world,
        },
    }


def mcp_tools(entries: Iterable[SurfaceEntry]) -> AgentTools:
    """Give tools as `tools/list` of MCP does."""

    def make(entry: SurfaceEntry) -> tuple[dict[str, Any], Iterable[Problem]]:
        return mcp_tool(entry), _mcp_notes(entry)

    return _collected(entries, make, longest_name=None)


def _mcp_notes(entry: SurfaceEntry) -> Iterator[Problem]:
    if len(entry.name) > _LONGEST_NAME:
        yield Problem(
            code="NAME_LONG",
            message=f"MCP takes the name, but behind many clients stands a model that"
            f" takes at most {_LONGEST_NAME} characters",
            path=entry.name,
            level="warning",
        )
    if entry.risk in ("low-write", "high-write"):
        message = "hints know reading and destroying; between them they tell no risks"
        yield _note(f"{message} apart ({entry.risk})", entry.name)
    if entry.effect != "read":
        message = f"no hint says which effect a call has ({entry.effect})"
        yield _note(message, entry.name)


# ---------------------------------------------------------------------- OpenAI
def openai_tools(
    entries: Iterable[SurfaceEntry], *, form: OpenAIForm, strict: bool
) -> AgentTools:
    """Give tools for OpenAI's Chat Completions or Responses.

    Args:
        entries: The tools.
        form: `chat` nests a function, `responses` is flat.
        strict: Ask for strict arguments where a tool allows it: it needs every
            parameter to be required, since a value that is left out would be sent
            as null, which a call refuses.

    Raises:
        InvalidInputError: There is no such form.
    """
    if form not in get_args(OpenAIForm):
        raise InvalidInputError(
            "there is no such form of OpenAI's tools",
            path="form",
            hint=f"there are {', '.join(get_args(OpenAIForm))}",
        )

    def make(entry: SurfaceEntry) -> tuple[dict[str, Any], Iterable[Problem]]:
        notes: list[Problem] = []
        is_strict = strict and _can_be_strict(entry, notes)
        function = {
            "name": entry.name,
            "description": _cut(entry, notes),
            "parameters": _strict_schema(entry, notes)
            if is_strict
            else entry.input_schema,
            "strict": is_strict,
        }
        notes += _unsaid(entry)
        if form == "chat":
            return {"type": "function", "function": function}, notes
        return {"type": "function", **function}, notes

    made = _collected(entries, make, longest_name=_LONGEST_NAME)
    if len(made) <= _MOST_FUNCTIONS:
        return made
    too_many = Problem(
        code="NOT_EXPRESSED",
        message=f"a request takes at most {_MOST_FUNCTIONS} functions, these are"
        f" {len(made)}",
        hint="pass a part of the list",
        level="warning",
    )
    return AgentTools(made, [too_many, *made.notes])


def _can_be_strict(entry: SurfaceEntry, notes: list[Problem]) -> bool:
    schema = entry.input_schema
    required = schema.get("required", ())
    optional = [name for name in schema["properties"] if name not in required]
    if not optional:
        return True
    message = "strict arguments need every parameter to be required; optional here: "
    notes.append(_note(f"not strict: {message}{', '.join(optional)}", entry.name))
    return False


def _strict_schema(entry: SurfaceEntry, notes: list[Problem]) -> dict[str, Any]:
    """Give the schema with the keys that strict mode takes everywhere."""
    schema = entry.input_schema
    properties: dict[str, Any] = schema["properties"]
    with_default = [name for name, p in properties.items() if "default" in p]
    if with_default:
        listed = ", ".join(with_default)
        message = f"strict arguments have no defaults; left out for: {listed}"
        notes.append(_note(message, entry.name))
    plain = {
        name: {key: value for key, value in p.items() if key != "default"}
        for name, p in properties.items()
    }
    # Strict mode wants the list also where it is empty.
    return schema | {"properties": plain, "required": list(schema.get("required", ()))}


def _cut(entry: SurfaceEntry, notes: list[Problem]) -> str:
    """Give the description, cut at a word where it is longer than is taken."""
    text = entry.description
    if len(text) <= _LONGEST_DESCRIPTION:
        return text
    cut = text[: _LONGEST_DESCRIPTION - 1]
    notes.append(
        Problem(
            code="NOT_EXPRESSED",
            message=f"a description has at most {_LONGEST_DESCRIPTION:,} characters;"
            f" of this one, {len(text):,} long, the end is cut off",
            path=entry.name,
            hint="say first what matters most",
            level="warning",
        )
    )
    return f"{_WORD_END.sub('', cut) or cut}…"


# ------------------------------------------------------------------- Anthropic
def anthropic_tools(entries: Iterable[SurfaceEntry]) -> AgentTools:
    """Give tools for Anthropic's Messages."""

    def make(entry: SurfaceEntry) -> tuple[dict[str, Any], Iterable[Problem]]:
        tool = {
            "name": entry.name,
            "description": entry.description,
            "input_schema": entry.input_schema,
        }
        return tool, _unsaid(entry)

    return _collected(entries, make, longest_name=_LONGEST_NAME)


# ---------------------------------------------------------------------- shared
def _collected(
    entries: Iterable[SurfaceEntry], make: Make, *, longest_name: int | None
) -> AgentTools:
    """Make all tools; one whose name would have the whole request refused stays out."""
    tools: list[dict[str, Any]] = []
    notes: list[Problem] = []
    for entry in entries:
        if longest_name is not None and len(entry.name) > longest_name:
            notes.append(_left_out(entry.name, longest_name))
            continue
        tool, more = make(entry)
        # The schema is the registry's own, kept in memory: who adapts the list to a
        # model must not change what others see.
        tools.append(deepcopy(tool))
        notes += more
    return AgentTools(tools, notes)


def _left_out(name: str, longest: int) -> Problem:
    return Problem(
        code="NAME_LONG",
        message=f"left out: a name has at most {longest} characters, this one has"
        f" {len(name)}",
        path=name,
        hint=f"use an id of at most {longest - len('custom_')} characters",
        level="warning",
    )


def _unsaid(entry: SurfaceEntry) -> Sequence[Problem]:
    """Give what a form without title and annotations does not say."""
    notes = [_note("there is no place for the title", entry.name)]
    if entry.risk != "read":
        triple = f"risk {entry.risk}, effect {entry.effect}, {entry.idempotency}"
        message = f"there is no place for {triple}; a call asks a person all the same"
        notes.append(_note(message, entry.name))
    return notes


def _note(message: str, name: str) -> Problem:
    return Problem(code="NOT_EXPRESSED", message=message, path=name, level="notice")
