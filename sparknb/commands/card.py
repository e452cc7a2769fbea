"""The card of a definition: what it does, what was derived, what is missing."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparknb.commands.views import Cell, Diff, Fields, Line, Span
from sparknb.commands.words import triple
from sparknb.commands.written import Written
from sparknb.core.asking import program
from sparknb.core.definitions import CodeSpec, HttpSpec, ToolDefinition
from sparknb.core.risk import derive_risk

if TYPE_CHECKING:
    from sparknb.host.outcomes import DraftOutcome

__all__ = ["derivation", "details", "difference", "required", "state_line", "summary"]

_TRIPLE = ("risk", "effect", "idempotency")
_NONE = Span("none", "quiet")

Rows = list[tuple[str, Cell]]


def state_line(outcome: "DraftOutcome") -> Line:
    """Give where saving a draft led to."""
    tool = outcome.tool
    number = tool.draft_version if tool.is_pending else tool.published_version
    if outcome.unchanged:
        said = f" is unchanged: version {number} already says all this"
    elif outcome.created:
        said = " is a new tool: draft version 1"
    else:
        said = f" saved: draft version {number}, revision {tool.draft_revision}"
    return Line((Span(tool.id, "strong"), Span(said)), "done")


def summary(definition: ToolDefinition, written: Written) -> Fields:
    """Give what a definition does, in a few fields."""
    rows = _head(definition, written)
    risk = _risk(definition)
    if isinstance(definition.spec, HttpSpec) and not _chosen(written):
        why = f" (derived from {definition.spec.request.method})"
        risk = (*risk, Span(why, "quiet"))
    rows.append(("risk", risk))
    rows.append(_parameters(definition))
    if definition.secrets:
        rows.append(("secrets", ", ".join(definition.secrets)))
    return Fields(rows)


def details(definition: ToolDefinition, written: Written) -> Fields:
    """Give the same at more length: why a risk, and where values go."""
    rows = [*_head(definition, written), ("risk", _risk(definition))]
    if isinstance(definition.spec, HttpSpec):
        rows.append(("why", _why(definition, definition.spec, written)))
    if isinstance(definition.spec, CodeSpec):
        rows.append(("may call", ", ".join(definition.spec.tool_ids) or _NONE))
    asks = "run without asking" if definition.risk == "read" else "ask a person first"
    rows.append(("calls", asks))
    rows.append(_parameters(definition))
    if isinstance(definition.spec, HttpSpec):
        found = "; ".join(_placeholders(definition))
        rows.append(("placeholders", found or _NONE))
    return Fields(rows)


def derivation(definition: ToolDefinition, written: Written) -> dict[str, str] | None:
    """Give the derived triple and where it comes from; None when the author chose."""
    if not isinstance(definition.spec, HttpSpec) or _chosen(written):
        return None
    return {
        "from": definition.spec.request.method,
        "risk": definition.risk,
        "effect": definition.effect,
        "idempotency": definition.idempotency,
    }


def required(definition: ToolDefinition) -> Sequence[str]:
    """Give the names of the parameters that every call has to give."""
    parameters = definition.input_schema.parameters.values()
    return [p.name for p in parameters if p.required]


def difference(lines: Sequence[str], renamed: Mapping[str, str]) -> Diff:
    """Give the lines of a difference, texts with variables as they are written."""
    spelled = {_json(text): _json(name) for text, name in renamed.items()}
    return Diff([_renamed(line, spelled) for line in lines])


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _renamed(line: str, spelled: Mapping[str, str]) -> str:
    for text, name in spelled.items():
        line = line.replace(text, name)
    return line


def _head(definition: ToolDefinition, written: Written) -> Rows:
    rows: Rows = [("title", written.renamed.get(definition.title, definition.title))]
    if isinstance(definition.spec, HttpSpec):
        request = definition.spec.request
        url = written.renamed.get(request.url_template, request.url_template)
        rows.append(("request", f"{request.method} {url}"))
    elif isinstance(definition.spec, CodeSpec):
        said = program(definition.spec.language, definition.spec.source)
        rows.append(("program", said))
    return rows


def _risk(definition: ToolDefinition) -> tuple[Span, ...]:
    return triple(definition.risk, definition.effect, definition.idempotency)


def _chosen(written: Written) -> list[str]:
    return [key for key in _TRIPLE if written.says(key)]


def _why(definition: ToolDefinition, spec: HttpSpec, written: Written) -> str:
    """Give what the method implies, and what the author made of it."""
    method = spec.request.method
    said = f"{method} → {'/'.join(derive_risk(method) or ())}"
    chosen = [f"{key} {definition.wire[key]}" for key in _chosen(written)]
    return f"{said}; {written.subject} says {', '.join(chosen)}" if chosen else said


def _parameters(definition: ToolDefinition) -> tuple[str, Cell]:
    parameters = definition.input_schema.parameters.values()
    shown = ", ".join(p.name + ("" if p.required else "?") for p in parameters)
    return ("parameters", shown or _NONE)


def _placeholders(definition: ToolDefinition) -> Iterator[str]:
    """Yield each place with the parameters that its templates use."""
    from sparknb.core.validation.templates import template_texts

    places: dict[str, set[str]] = {}
    for each in template_texts(definition.wire):
        used = places.setdefault(_place(each.path, definition.wire), set())
        template, _ = each.parse(each.text, None)
        used.update(template.names if template is not None else ())
    for place, used in places.items():
        if used:
            names = [n for n in definition.input_schema.parameters if n in used]
            yield f"{', '.join(names)} in {place}"


def _place(path: str, wire: Mapping[str, Any]) -> str:
    keys = path.split(".")
    if keys[2] != "headers":
        return "the URL" if keys[2] == "urlTemplate" else "the body"
    name: str = wire["spec"]["request"]["headers"][int(keys[3])]["name"]
    return f"the header {name}"
