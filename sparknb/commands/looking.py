"""list, show, diff: what there is."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparknb.commands.context import Context
from sparknb.commands.inputs import ID, VAR, variables, version_option
from sparknb.commands.listing import listing, without_source
from sparknb.commands.offers import ReadyCell
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import (
    Cell,
    Code,
    Column,
    Diff,
    Fields,
    Line,
    Span,
    Stack,
    Table,
    View,
)
from sparknb.commands.words import (
    count,
    risk_span,
    secret_table,
    state_spans,
    triple,
)
from sparknb.core.canonical import digest
from sparknb.core.errors import UnsupportedError, UsageError
from sparknb.core.records import ToolRecord, VersionRecord

if TYPE_CHECKING:
    from sparknb.host.outcomes import Difference, ToolDetail, ToolList
    from sparknb.host.studio import Studio

__all__ = ["COMMANDS", "detail_view", "difference_view", "list_view"]

_GROUP = "Look"
_LISTED = 50
_NO_TOOLS = "No tools yet. Save one with `sparknb draft FILE`, or see `sparknb demo`."


async def _list(context: Context, values: Values) -> Outcome:
    query = values["query"]
    limit = values["limit"] or _LISTED
    studio = (await context.host()).studio
    if values["drafts"]:
        return await _in_development(studio, query, limit)
    found = await studio.list(query, limit)
    empty = _NO_TOOLS
    if query:
        empty = f"No tool has {query!r} in its id, title or description."
    return Outcome(found.to_wire(), list_view(found, empty))


async def _in_development(studio: "Studio", query: str | None, limit: int) -> Outcome:
    found = await studio.list(query, limit, pending=True)
    every = (await studio.list(query, limit=0)).total
    empty = "No draft waits to be published."
    view = list_view(found, empty)
    if found.total:
        said = f"{count(found.total, 'tool')} in development, of {every:,} in all."
        view = Stack((view, Line((Span(said, "quiet"),))))
    return Outcome(found.to_wire() | {"totalTools": every}, view)


def list_view(found: "ToolList", empty: str = _NO_TOOLS) -> View:
    """Give tools with where each stands; `empty` is said when there is none."""
    table = Table(
        title="Tools",
        columns=(
            Column("TOOL"),
            Column("TITLE", wraps=True),
            Column("RISK"),
            Column("STATE"),
            Column("PUBLISHED", "right"),
            Column("DRAFT", "right"),
        ),
        rows=[_row(tool) for tool in found.tools],
        empty=empty,
    )
    parts: list[View] = [table]
    hidden = found.total - len(found.tools)
    if hidden:
        said = f"{count(hidden, 'more tool')}: raise --limit, or narrow with --query"
        parts.append(Line((Span(said, "quiet"),)))
    return Stack(parts)


def _row(tool: ToolRecord) -> Sequence[Cell]:
    published, draft = tool.published_version, tool.draft_version
    return (
        Span(tool.id, "strong"),
        tool.title,
        risk_span(tool.risk),
        state_spans(tool),
        _number(published),
        Span(str(draft), "notice") if tool.is_pending else Span("-", "quiet"),
    )


def _number(version: int | None) -> Cell:
    return Span("-", "quiet") if version is None else str(version)


async def _show(context: Context, values: Values) -> Outcome:
    host = await context.host()
    if values["cell"] and values["definition"]:
        raise UsageError("--cell and --definition are two forms: ask for one")
    if values["var"] and not values["cell"]:
        raise UsageError(
            "--var names what a cell takes from the notebook",
            path="--var",
            hint="give --cell as well",
        )
    passed = variables(context, values)
    detail = await host.studio.get(values["id"], values["version"])
    if values["cell"]:
        return _as_cell(detail, passed)
    if values["definition"]:
        definition = dict(detail.shown.definition)
        return Outcome(definition, _as_json(definition))
    return Outcome(detail.to_wire(), detail_view(detail))


def _as_json(definition: Mapping[str, Any]) -> Code:
    return Code(json.dumps(definition, indent=2, ensure_ascii=False), "json")


def _as_cell(detail: "ToolDetail", passed: Mapping[str, str]) -> Outcome:
    """Give the shown version as the cell that makes it, with variables by name.

    Raises:
        UnsupportedError: A cell cannot say it.
    """
    from sparknb.importers.cell import why_no_cell, write_cell

    cell = write_cell(detail.shown.definition, passed)
    if cell is None:
        why = why_no_cell(detail.shown.definition)
        raise UnsupportedError(
            f"this definition cannot be written as a cell: {why}",
            path="--cell",
            hint=f"sparknb show {detail.tool.id} --definition prints it as JSON",
        )
    text = cell.rstrip("\n")
    return Outcome({"cell": text}, Code(text), offer=ReadyCell(text=text))


def _known_as(tool: ToolRecord) -> str:
    if tool.type == "provider-vision":
        return "images are handed to it; agents never see it"
    return f"agents call it {tool.name}"


def detail_view(detail: "ToolDetail") -> View:
    """Give all there is to know about one tool."""
    tool, shown = detail.tool, detail.shown
    definition = shown.definition
    risk, effect = definition["risk"], definition["effect"]
    rows: list[tuple[str, Cell]] = [
        ("tool", (Span(tool.id, "strong"), Span(f"  {_known_as(tool)}"))),
        ("title", str(definition["title"])),
        ("use", str(definition["description"])),
        ("risk", triple(risk, effect, definition["idempotency"])),
        ("state", (*state_spans(tool), *_pending(tool))),
    ]
    if shown.cases:
        rows.append(("cases", _cases(shown)))
    versions = Table(
        title="Versions",
        columns=(Column("VERSION", "right"), Column("STATUS"), Column("FROM", "right")),
        rows=[_version_row(v) for v in detail.versions],
    )
    parts: list[View] = [Fields(rows), versions]
    if detail.secret_status:
        parts.append(secret_table(detail.secret_status))
    program = listing(definition)
    heading = f"Definition, version {shown.version}"
    heading += "; its program follows by itself" if program else ""
    parts.append(Line((Span(heading, "quiet"),)))
    parts.append(_as_json(without_source(definition)))
    return Stack([*parts, *program])


def _pending(tool: ToolRecord) -> Sequence[Span]:
    """Give what waits beside the published version."""
    if tool.published_version is None or not tool.is_pending:
        return ()
    return (Span(f", draft {tool.draft_version} pending", "notice"),)


def _cases(version: VersionRecord) -> str:
    """Give how many test cases there are, and what came of the last run of all."""
    run = version.case_run
    if run is None:
        return f"{len(version.cases)}, not run"
    results = run.get("results", ())
    passed = sum(bool(result.get("passed")) for result in results)
    digests = (version.digest, digest(list(version.cases)))
    is_stale = digests != (run.get("specDigest"), run.get("casesDigest"))
    said = f"{len(version.cases)}; in the last run {passed} of {len(results)} passed"
    return f"{said}, before a change" if is_stale else said


def _version_row(version: VersionRecord) -> Sequence[Cell]:
    tones = {"draft": Span("draft", "notice"), "published": Span("published", "good")}
    status = tones.get(version.status, Span(version.status, "quiet"))
    return (str(version.version), status, _number(version.source_version))


async def _diff(context: Context, values: Values) -> Outcome:
    host = await context.host()
    found = await host.studio.diff(values["id"], values["a"], values["b"])
    return Outcome(found.to_wire(), difference_view(found))


def difference_view(found: "Difference") -> View:
    """Give what two versions differ in."""
    if not found.lines:
        return Line(f"Versions {found.a} and {found.b} are equal.", "done")
    return Diff(found.shown)


COMMANDS = (
    Command(
        path=("list",),
        summary="List the tools and where each stands.",
        group=_GROUP,
        options=(
            Option(
                name="--query",
                metavar="TEXT",
                help="Only tools with this text in id, title or description.",
            ),
            Option(
                name="--limit",
                kind="integer",
                metavar="N",
                minimum=1,
                help=f"At most N tools; else {_LISTED}.",
            ),
            Option(
                name="--drafts",
                kind="flag",
                help="Only tools whose draft is not published.",
            ),
        ),
        run=_list,
    ),
    Command(
        path=("show",),
        summary="Show a tool: definition, versions, secrets.",
        group=_GROUP,
        arguments=(ID,),
        options=(
            version_option("Show version N; else the draft, else what is published."),
            Option(
                name="--definition",
                kind="flag",
                help="Only the definition, as JSON that `draft` takes.",
            ),
            Option(
                name="--cell",
                kind="flag",
                help="Only a `%%spark_tool` cell that makes it; a notebook adds it.",
            ),
            VAR,
        ),
        examples=(
            "sparknb show weather",
            "sparknb show weather --definition > weather.json",
        ),
        run=_show,
    ),
    Command(
        path=("diff",),
        summary="Compare two versions of a tool.",
        details="Without numbers: what is published with the draft.",
        group=_GROUP,
        arguments=(
            ID,
            Argument(
                name="a",
                kind="integer",
                required=False,
                minimum=1,
                completion="version",
                help="The older version.",
            ),
            Argument(
                name="b",
                kind="integer",
                required=False,
                minimum=1,
                completion="version",
                help="The newer version; else the newest.",
            ),
        ),
        run=_diff,
    ),
)
