"""Sentences that several commands say in the same way."""

from collections.abc import Mapping, Sequence

from sparknb.commands.views import Cell, Column, Section, Span, Table, Tone
from sparknb.core.definitions import Effect, Idempotency, Risk
from sparknb.core.records import ToolRecord

__all__ = ["count", "repeats", "risk_span", "secret_table", "state_spans", "triple"]

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


def count(number: int, noun: str) -> str:
    """Give `1 tool`, `2 tools`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def risk_span(risk: Risk) -> Span:
    """Give the word for a risk; it stands for itself, the colour only repeats it."""
    return Span(risk, _RISK_TONES[risk])


def next_steps(steps: Sequence[tuple[str, str]]) -> Section:
    """Give commands that a person may want next, each with what it is for."""
    return Section("Next", [(step, Span(purpose, "quiet")) for step, purpose in steps])


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


def secret_table(status: Mapping[str, bool | None], title: str | None = None) -> Table:
    """Give the declared secrets with whether each has a value."""
    words: Mapping[bool | None, Cell] = {
        True: Span("set", "good"),
        False: Span("missing", "bad"),
        None: Span("unknown: the keychain does not answer", "warning"),
    }
    rows: Sequence[Sequence[Cell]] = [[n, words[value]] for n, value in status.items()]
    return Table(
        title=title,
        columns=(Column("SECRET"), Column("VALUE")),
        rows=rows,
        empty="This tool declares no secrets.",
    )
