"""Sentences that several commands say in the same way."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from sparknb.commands.views import Cell, Column, Section, Span, Table, Tone
from sparknb.core.definitions import (
    Effect,
    Idempotency,
    Risk,
    ToolDefinition,
    ToolType,
    secret_reference,
)
from sparknb.core.problems import Problem
from sparknb.core.protocols import Keychain
from sparknb.core.records import ToolRecord

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = [
    "change_steps",
    "count",
    "draft_steps",
    "forgotten",
    "missing_secrets",
    "next_steps",
    "publishes",
    "repeats",
    "risk_span",
    "secret_step",
    "secret_table",
    "state_spans",
    "triple",
    "with_input",
]

_RISK_TONES: Mapping[Risk, Tone] = {
    "read": "good",
    "low-write": "notice",
    "high-write": "warning",
    "destructive": "bad",
}
_REPEATS: Mapping[Idempotency, str] = {
    "safe": "safe to repeat",
    "keyed": "repeatable under the same key",
    "unsafe": "not safe to repeat",
}


def publishes(tool_type: ToolType) -> str:
    """Give what the next step after a draft is for; agents see no tool for images."""
    if tool_type == "provider-vision":
        return "let images be handed to it"
    return "let agents call it"


def count(number: int, noun: str) -> str:
    """Give `1 tool`, `2 tools`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def risk_span(risk: Risk) -> Span:
    """Give the word for a risk; it stands for itself, the colour only repeats it."""
    return Span(risk, _RISK_TONES[risk])


def next_steps(steps: Sequence[tuple[str, str]]) -> Section:
    """Give commands that a person may want next, each with what it is for."""
    return Section("Next", [(step, Span(purpose, "quiet")) for step, purpose in steps])


def with_input(command: str, required: Collection[str]) -> str:
    """Give a command that calls a tool, with the place of its arguments if any are."""
    return f"{command} --input JSON" if required else command


def secret_step(keychain: Keychain, tool_id: str, name: str) -> tuple[str, str]:
    """Give the way to a secret's value: a variable where this keychain reads those."""
    variable = keychain.variable(secret_reference(tool_id, name))
    if variable is None:
        return (f"sparknb secret set {tool_id} {name}", "asks for it")
    return (f"set the variable {variable}", f"{name} is read from it")


def missing_secrets(
    keychain: Keychain, tool_id: str, status: Mapping[str, bool | None]
) -> list[tuple[str, str]]:
    """Give the ways to the values of secrets that have none, or may have none."""
    names = [name for name, is_set in status.items() if not is_set]
    return [secret_step(keychain, tool_id, name) for name in names]


def draft_steps(
    host: "Host",
    definition: ToolDefinition,
    status: Mapping[str, bool | None],
    test: str,
) -> list[tuple[str, str]]:
    """Give the way from a draft to what agents call; none where it cannot run.

    Args:
        host: Knows what runs here, and where secrets are kept.
        definition: What the draft says.
        status: Whether each of its secrets has a value.
        test: The command that tries it.
    """
    if not host.runs(definition):
        return []
    steps = missing_secrets(host.keychain, definition.id, status)
    publish = f"sparknb publish {definition.id}"
    return [*steps, (test, "try it"), (publish, publishes(definition.type))]


def change_steps(tool_id: str) -> list[tuple[str, str]]:
    """Give the ways to the text of a draft that nobody has written."""
    return [
        (
            f"sparknb show {tool_id} --definition",
            "prints it: change it, then sparknb draft FILE",
        ),
        (f"sparknb show {tool_id} --cell", "the same as a cell of a notebook"),
    ]


def forgotten(keychain: Keychain) -> list[Problem]:
    """Give the warning about a stored secret where only memory keeps it."""
    if keychain.kind != "memory" or keychain.fallback_reason is not None:
        return []  # what keeps it, or what says so by itself
    return [
        Problem(
            code="SECRET_IN_MEMORY",
            message="the memory keychain forgets it when this process ends",
            path="value",
            level="warning",
        )
    ]


def repeats(idempotency: Idempotency) -> str:
    """Give what an idempotency means for a person."""
    return _REPEATS[idempotency]


def triple(risk: Risk, effect: Effect, idempotency: Idempotency) -> tuple[Span, ...]:
    """Give risk, effect and idempotency as one phrase."""
    return (
        risk_span(risk),
        Span(f", effect {effect}, {repeats(idempotency)}"),
    )


def state_spans(tool: ToolRecord) -> tuple[Span, ...]:
    """Give where a tool stands: whether agents see it, and what is pending."""
    if tool.published_version is None:
        return (Span("draft only", "notice"),)
    if tool.enabled:
        return (Span("enabled", "good"),)
    return (Span("disabled", "quiet"),)


def secret_table(status: Mapping[str, bool | None]) -> Table:
    """Give the declared secrets with whether each has a value."""
    words: Mapping[bool | None, Cell] = {
        True: Span("set", "good"),
        False: Span("missing", "bad"),
        None: Span("unknown: the keychain does not answer", "warning"),
    }
    rows: Sequence[Sequence[Cell]] = [[n, words[value]] for n, value in status.items()]
    return Table(
        title="Secrets",
        columns=(Column("SECRET"), Column("VALUE")),
        rows=rows,
        empty="This tool declares no secrets.",
    )
