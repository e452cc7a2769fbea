"""What the objects of the host look like when a cell ends with one."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from sparknb.commands.card import state_line, summary
from sparknb.commands.exchange import export_view, import_view
from sparknb.commands.looking import detail_view, difference_view, list_view
from sparknb.commands.outcomes import check_view
from sparknb.commands.views import (
    Cell,
    Code,
    Column,
    Fields,
    Line,
    Problems,
    ResultView,
    Span,
    Stack,
    Table,
    View,
)
from sparknb.commands.words import count, risk_span, secret_table, state_spans, triple
from sparknb.commands.written import Written
from sparknb.core.definitions import ToolDefinition
from sparknb.core.exchange import Export
from sparknb.core.problems import Problem
from sparknb.core.protocols import ApprovalRequest
from sparknb.core.records import ToolRecord
from sparknb.core.results import ToolResult
from sparknb.core.validation.report import Report
from sparknb.displays.bounds import MOST_ROWS
from sparknb.displays.bundle import Shown
from sparknb.displays.cards import approval_view
from sparknb.displays.safe_text import to_json
from sparknb.host.agent_formats import AgentTools
from sparknb.host.exchange import Imported
from sparknb.host.handle import Spark, Tool, Tools
from sparknb.host.outcomes import (
    CallCheck,
    Difference,
    DraftOutcome,
    StepOutcome,
    ToolDetail,
    ToolList,
)
from sparknb.host.surface import Surface
from sparknb.host.surface_entry import SurfaceEntry

__all__ = ["FORMS", "shown"]


def shown(value: object) -> Shown | None:
    """Give how a value of ours is shown; None for any other."""
    if isinstance(value, Shown):
        return value
    forms = (FORMS[kind] for kind in type(value).__mro__ if kind in FORMS)
    form = next(forms, None)
    return None if form is None else form(value)


def _result(result: ToolResult) -> Shown:
    view = ResultView(result, shows_request=True)
    return Shown(view, result.to_wire(), kind="result")


def _problem(problem: Problem) -> Shown:
    return Shown(Problems(problems=[problem]), problem.to_wire(), kind="problem")


def _approval(request: ApprovalRequest) -> Shown:
    return Shown(approval_view(request), None, kind="approval")


# ------------------------------------------------------------------ definitions
def _report(report: Report) -> Shown:
    definition = report.definition
    if definition is None or not report.valid:
        said = f"not valid: {count(len(report.errors), 'error')}"
        if report.warnings:
            said += f", {count(len(report.warnings), 'warning')}"
        parts: list[View] = [Line(said, "failed")]
    else:
        head = (Span(definition.id, "strong"), Span(" is valid"))
        parts = [Line(head, "done"), _summary(definition)]
    if report.problems:
        parts.append(Problems(problems=report.problems))
    return Shown(Stack(parts), report.to_wire(), kind="report")


def _definition(definition: ToolDefinition) -> Shown:
    head = Line((Span(definition.id, "strong"),))
    parts = Stack([head, _summary(definition)])
    return Shown(parts, definition.wire, kind="definition")


def _summary(definition: ToolDefinition) -> Fields:
    """Give what a definition does; what its author wrote is not known here."""
    written = Written(subject="definition", document=None, says=lambda _: True)
    return summary(definition, written)


def _draft(outcome: DraftOutcome) -> Shown:
    parts: list[View] = [state_line(outcome), _summary(outcome.definition)]
    if outcome.secrets:
        parts.append(secret_table(outcome.secrets))
    if outcome.warnings:
        parts.append(Problems(problems=outcome.warnings))
    return Shown(Stack(parts), outcome.to_wire(), kind="draft")


# ------------------------------------------------------------------ tools
def _step(outcome: StepOutcome) -> Shown:
    tool = outcome.tool
    parts: list[View] = [Line((Span(tool.id, "strong"), Span(": "), *_state(tool)))]
    if outcome.warnings:
        parts.append(Problems(problems=outcome.warnings))
    return Shown(Stack(parts), outcome.to_wire(), kind="step")


def _state(tool: ToolRecord) -> Iterable[Span]:
    """Give where a tool stands, with its versions."""
    yield from state_spans(tool)
    if tool.published_version is not None:
        yield Span(f", published version {tool.published_version}")
    if tool.is_pending:
        yield Span(f", draft {tool.draft_version} pending", "notice")


def _record(tool: ToolRecord) -> Shown:
    view = list_view(ToolList(tools=[tool], total=1))
    return Shown(view, tool.to_wire(), kind="tool")


def _list(found: ToolList) -> Shown:
    return Shown(list_view(found), found.to_wire(), kind="tools")


def _detail(detail: ToolDetail) -> Shown:
    return Shown(detail_view(detail), detail.to_wire(), kind="tool")


def _difference(found: Difference) -> Shown:
    return Shown(difference_view(found), found.to_wire(), kind="difference")


def _check(check: CallCheck) -> Shown:
    return Shown(check_view(check), check.to_wire(), kind="check")


# ------------------------------------------------------------------ what agents see
def _surface(surface: Surface) -> Shown:
    entries = list(islice(surface, MOST_ROWS))
    table = Table(
        title="Tools that agents may call",
        columns=(
            Column("NAME"),
            Column("TITLE", wraps=True),
            Column("RISK"),
            Column("PARAMETERS", wraps=True),
            Column("VERSION", "right"),
        ),
        rows=[
            (
                Span(entry.name, "strong"),
                entry.title,
                risk_span(entry.risk),
                _parameters(entry) or Span("none", "quiet"),
                str(entry.version),
            )
            for entry in entries
        ],
        empty="No tool is published and enabled yet.",
    )
    parts: list[View] = [table]
    left = len(surface) - len(entries)
    if left:
        parts.append(Line((Span(f"{count(left, 'more tool')} left out", "quiet"),)))
    document = {"tools": [_wire(entry) for entry in entries], "total": len(surface)}
    return Shown(Stack(parts), document, kind="surface")


def _parameters(entry: SurfaceEntry) -> str:
    schema = entry.input_schema
    required = schema.get("required", ())
    names = schema.get("properties", {})
    return ", ".join(name + ("" if name in required else "?") for name in names)


def _wire(entry: SurfaceEntry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "title": entry.title,
        "version": entry.version,
        "risk": entry.risk,
        "effect": entry.effect,
        "idempotency": entry.idempotency,
        "inputSchema": entry.input_schema,
    }


def _entry(entry: SurfaceEntry) -> Shown:
    risk = triple(entry.risk, entry.effect, entry.idempotency)
    rows: list[tuple[str, Cell]] = [
        ("tool", Span(entry.name, "strong")),
        ("title", entry.title),
        ("use", entry.description),
        ("risk", risk),
        ("version", str(entry.version)),
    ]
    schema = entry.input_schema
    required = schema.get("required", ())
    parameters = Table(
        title="Parameters",
        columns=(
            Column("PARAMETER"),
            Column("TYPE"),
            Column("NEEDED"),
            Column("DESCRIPTION", wraps=True),
        ),
        rows=[
            (
                Span(name, "strong"),
                _kind(parameter),
                "yes" if name in required else Span("no", "quiet"),
                str(parameter.get("description", "")),
            )
            for name, parameter in schema.get("properties", {}).items()
        ],
        empty="It takes no parameters.",
    )
    return Shown(Stack([Fields(rows), parameters]), _wire(entry), kind="surface-tool")


def _kind(parameter: Mapping[str, Any]) -> str:
    if "enum" in parameter:
        return " | ".join(str(value) for value in parameter["enum"])
    kind = str(parameter.get("type", "any"))
    items = parameter.get("items")
    return f"{kind} of {items.get('type', 'any')}" if items else kind


def _agent_tools(tools: AgentTools) -> Shown:
    parts: list[View] = [Code(to_json(tools), "json")]
    if tools.notes:
        parts.append(Problems(problems=tools.notes))
    document = {"tools": list(tools), "notes": [note.to_wire() for note in tools.notes]}
    return Shown(Stack(parts), document, kind="agent-tools")


def _tool(tool: Tool) -> Shown:
    return _entry(tool._entry)  # noqa: SLF001  # what it runs is no business of callers


def _tools(tools: Tools) -> Shown:
    return _surface(tools._spark.surface())  # noqa: SLF001  # one snapshot, not one a tool


def _spark(spark: Spark) -> Shown:
    return _surface(spark.surface())


# ------------------------------------------------------------------ files
def _export(made: Export) -> Shown:
    written = None if made.file is None else {"file": made.file} | made.to_wire()
    return Shown(export_view(made), written or made.payload, kind="export")


def _imported(found: Imported) -> Shown:
    return Shown(import_view(found), found.to_wire(), kind="import-export")


FORMS: Mapping[type, Callable[[Any], Shown]] = MappingProxyType(
    {
        AgentTools: _agent_tools,
        ApprovalRequest: _approval,
        CallCheck: _check,
        Difference: _difference,
        DraftOutcome: _draft,
        Export: _export,
        Imported: _imported,
        Problem: _problem,
        Report: _report,
        Spark: _spark,
        StepOutcome: _step,
        Surface: _surface,
        SurfaceEntry: _entry,
        Tool: _tool,
        ToolDefinition: _definition,
        ToolDetail: _detail,
        ToolList: _list,
        ToolRecord: _record,
        ToolResult: _result,
        Tools: _tools,
    }
)
"""The types of ours that a notebook shows, each with its form."""
