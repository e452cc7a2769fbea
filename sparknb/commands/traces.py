"""traces: what was called, and how it ended."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, get_args

from sparknb.commands.context import Context, Question
from sparknb.commands.inputs import YES
from sparknb.commands.table import Command, Option, Outcome, Values
from sparknb.commands.views import Cell, Column, Line, Span, Stack, Table, Tone, View
from sparknb.commands.words import count
from sparknb.core.errors import InvalidInputError, UsageError
from sparknb.core.records import RETENTION_DAYS, TraceRecord
from sparknb.core.results import CallStatus

if TYPE_CHECKING:
    from sparknb.host import Host

__all__ = ["COMMANDS", "read_since"]

_AGO = re.compile(r"([0-9]{1,6})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_TONES: dict[CallStatus, Tone] = {
    "ok": "good",
    "error": "bad",
    "timeout": "bad",
    "denied": "warning",
    "cancelled": "quiet",
}


def read_since(text: str, now: datetime) -> datetime:
    """Give the time that `2h`, `7d`, `2026-11-30` or an ISO 8601 time means.

    A time without a zone is the person's own time.

    Raises:
        UsageError: It means none.
    """
    try:
        if ago := _AGO.fullmatch(text):
            return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            "--since wants a time",
            path="--since",
            hint="such as 30m, 12h, 7d, 2026-11-30 or 2026-11-30T14:00",
        ) from None


async def _traces(context: Context, values: Values) -> Outcome:
    chosen = [k for k in ("clear", "retention") if values[k]]
    filters = [k for k in ("status", "since", "limit") if values[k] is not None]
    if len(chosen) > 1:
        raise UsageError("--clear and --retention are two commands: give one of them")
    if chosen and filters:
        raise UsageError(f"--{filters[0]} goes with the list, not with --{chosen[0]}")
    since = values["since"] and read_since(values["since"], datetime.now(UTC))
    if values["clear"]:
        return await _clear(context, values)
    if values["yes"]:
        raise UsageError("--yes goes with --clear")
    host = await context.host()
    if values["retention"]:
        try:
            await host.traces.set_retention(values["retention"])
        except InvalidInputError as error:
            error.path = "--retention"
            raise
        days = values["retention"]
        line = Line(f"Traces are kept for {days} days from now on.", "done")
        return Outcome({"retentionDays": days}, line)
    return await _list(host, values, since)


async def _list(host: "Host", values: Values, since: datetime | None) -> Outcome:
    filters: dict[str, Any] = {"tool": values["tool"], "status": values["status"]}
    limit = values["limit"] or 50
    found = await host.traces.list(**filters, since=since, limit=limit)
    days = await host.traces.retention()
    document = {"traces": [t.to_wire() for t in found], "retentionDays": days}
    narrowed = any(filters.values()) or since is not None
    empty = "No traces yet: each call and each test leaves one."
    table = Table(
        title="Calls",
        columns=(
            Column("TIME (UTC)"),
            Column("TOOL"),
            Column("VER", "right"),
            Column("SOURCE"),
            Column("STATUS"),
            Column("APPROVAL"),
            Column("MS", "right"),
            Column("BYTES", "right"),
        ),
        rows=[_row(trace) for trace in found],
        empty="No trace matches." if narrowed else empty,
    )
    parts: list[View] = [table]
    if found:
        said = f"{count(len(found), 'trace')}; kept for {days} days"
        parts.append(Line((Span(said, "quiet"),)))
    return Outcome(document, Stack(parts))


def _row(trace: TraceRecord) -> Sequence[Cell]:
    time = trace.created_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    version = "unsaved" if trace.tool_version is None else str(trace.tool_version)
    status = Span(trace.error_code or trace.status, _TONES[trace.status])
    return (
        Span(time, "quiet"),
        trace.tool_id,
        version,
        trace.source,
        status,
        trace.approval,
        f"{trace.duration_ms:,}",
        f"{trace.output_bytes:,}",
    )


async def _clear(context: Context, values: Values) -> Outcome:
    tool = values["tool"]
    what = f"all traces of {tool}" if tool else "all traces"

    async def describe() -> Question:
        return Question(f"Remove {what}?", (("then", "they are gone for good"),))

    await context.consent(values, describe)
    removed = await (await context.host()).traces.clear(tool)
    line = Line(f"{count(removed, 'trace')} removed.", "done")
    return Outcome({"removed": removed}, line)


COMMANDS = (
    Command(
        path=("traces",),
        summary="Show what was called and how it ended; newest first.",
        details="A trace never holds inputs, outputs, URLs or secrets.",
        group="Look",
        options=(
            Option(
                name="--tool", metavar="ID", completion="tool", help="Only this tool."
            ),
            Option(
                name="--status",
                kind="choice",
                choices=get_args(CallStatus),
                help="Only calls that ended so.",
            ),
            Option(
                name="--since",
                metavar="TIME",
                help="Only newer ones: 30m, 12h, 7d, or a date and time.",
            ),
            Option(
                name="--limit",
                kind="integer",
                metavar="N",
                minimum=1,
                help="At most N, up to 200; else 50.",
            ),
            Option(
                name="--retention",
                kind="integer",
                metavar="DAYS",
                minimum=1,
                help="Keep traces for so long from now on: "
                + ", ".join(map(str, RETENTION_DAYS))
                + " days.",
            ),
            Option(
                name="--clear",
                kind="flag",
                help="Remove all traces, or those of --tool; asks first.",
            ),
            YES,
        ),
        examples=("sparknb traces --tool weather --status error --since 7d",),
        run=_traces,
    ),
)
