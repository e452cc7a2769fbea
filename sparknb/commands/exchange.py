"""export, import export: tools out to files, and in from them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sparknb.commands.cases import is_of_cases
from sparknb.commands.context import READ_LIMIT, Context, Source
from sparknb.commands.inputs import program_flaw
from sparknb.commands.outcomes import problems_view
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import (
    Cell,
    Code,
    Column,
    Line,
    Problems,
    Span,
    Stack,
    Table,
    View,
)
from sparknb.commands.words import count, next_steps, risk_span, with_input
from sparknb.core.errors import UsageError, refusal
from sparknb.core.problems import Problem, under
from sparknb.core.wording import join_path

if TYPE_CHECKING:
    from sparknb.core.exchange import Export, Skip
    from sparknb.host.exchange import Imported, ImportedTool

__all__ = ["COMMANDS", "IMPORT_EXPORT", "export_view", "import_view"]

_STANDARD_OUTPUT = "-"


# ----------------------------------------------------------------------- export
async def _export(context: Context, values: Values) -> Outcome:
    for_original = values["for_"] == "original"
    with_cases = values["with_cases"]
    if for_original and with_cases:
        raise UsageError(
            "the original refuses a file with test cases",
            path="--with-cases",
            hint="leave one of --for original and --with-cases out",
        )
    out = values["out"]
    to_file = out not in (None, _STANDARD_OUTPUT)
    studio = (await context.host()).studio
    made = await studio.export(
        values["ids"] or (),
        for_original=for_original,
        with_cases=with_cases,
        out=out if to_file else None,
    )
    if to_file:
        return Outcome({"file": out} | made.to_wire(), export_view(made))
    if notes := _notes(made):
        await context.door.notify(notes)
    return Outcome(made.payload, Code(made.text.rstrip("\n"), "json"))


def export_view(made: "Export") -> View:
    """Give what was written, or the file itself where it is in no file yet."""
    parts: list[View]
    if made.file is None:
        parts = [Code(made.text.rstrip("\n"), "json")]
    else:
        said = f"{count(len(made.tools), 'tool')} written to {made.file}"
        parts = [Line(said, "done" if made.tools else "warning")]
    if made.left_out:
        parts.append(_skipped(made.left_out, "Left out"))
    if notes := _differences(made):
        parts.append(Problems(problems=notes))
    return Stack(parts)


def _differences(made: "Export") -> list[Problem]:
    """Give what the original does not do alike; as one where nobody asked for it."""
    notes = [note for tool in made.tools for note in under(tool.id, tool.notes)]
    if made.for_original or not notes:
        return notes
    few = len(notes) == 1
    return [
        Problem(
            code="NOT_IN_ORIGINAL",
            message=f"{count(len(notes), 'thing')} here"
            f" {'is' if few else 'are'} not alike in Spark Work's Tool Studio",
            hint=f"--for original (in Python for_original=True) lists"
            f" {'it' if few else 'them'}",
            level="notice",
        )
    ]


def _notes(made: "Export") -> list[Problem]:
    """Give what is to be known beside the file, each at its tool."""
    left_out = [
        Problem(code=s.reason, message=f"left out: {s.message}", path=s.id or "")
        for s in made.left_out
    ]
    return [replace(p, level="warning") for p in left_out] + _differences(made)


# ----------------------------------------------------------------------- import
async def _import(context: Context, values: Values) -> Outcome:
    from sparknb.core.exchange import MAX_BYTES

    name = values["file"]
    data = await context.read_bytes(name, MAX_BYTES)
    flaw = program_flaw(name, data)
    if flaw is not None:
        raise refusal([flaw], name)
    if len(data) <= READ_LIMIT:  # where a line can be looked up in no time
        context.source = Source("<stdin>" if name == "-" else name, data)
    found = await (await context.host()).studio.import_(data)
    failed = bool(found.skipped) and not found.imported
    view = import_view(found, context)
    return Outcome(found.to_wire(), view, exit_code=int(failed))


def import_view(found: "Imported", context: Context | None = None) -> View:
    """Give what became of a file; its problems have lines where a context read it."""
    parts: list[View] = [_head(found)]
    if found.imported:
        parts.append(_drafts(found.imported))
    if found.skipped:
        parts.append(_skipped(found.skipped, "Skipped"))
    problems = [*_issues(found.skipped), *_warnings(found.imported), *found.notices]
    if problems:
        parts.append(problems_view(context, problems))
    refused = sum(tool.is_refused for tool in found.imported)
    if refused:
        said = f"{count(refused, 'draft')} refused at test and publish until mended"
        parts.append(Line(said, "warning"))
    if found.imported:
        parts.append(next_steps(_steps(found.imported)))
    return Stack(parts)


def _head(found: "Imported") -> Line:
    if found.imported:
        return Line(count(len(found.imported), "new draft"), "done")
    return Line("nothing was imported", "failed" if found.skipped else "notice")


def _drafts(tools: Sequence["ImportedTool"]) -> Table:
    rows: list[Sequence[Cell]] = [
        (
            Span(each.tool.id, "strong"),
            each.tool.title,
            risk_span(each.tool.risk),
            ", ".join(each.secret_names) or Span("-", "quiet"),
            str(each.case_count) if each.case_count else Span("-", "quiet"),
        )
        for each in tools
    ]
    columns = (
        Column("TOOL"),
        Column("TITLE", wraps=True),
        Column("RISK"),
        Column("SECRETS", wraps=True),
        Column("CASES", "right"),
    )
    return Table(title="New drafts", columns=columns, rows=rows)


def _skipped(skips: Sequence["Skip"], title: str) -> Table:
    rows: list[Sequence[Cell]] = [
        (Span(s.id or "(no id)", "strong"), s.reason, s.message) for s in skips
    ]
    columns = (Column("TOOL"), Column("REASON"), Column(title.upper(), wraps=True))
    return Table(title=title, columns=columns, rows=rows)


def _issues(skips: Sequence["Skip"]) -> list[Problem]:
    return [p for s in skips for p in _placed(s.position, s.issues, s.id)]


def _warnings(tools: Sequence["ImportedTool"]) -> list[Problem]:
    return [p for t in tools for p in _placed(t.position, t.warnings)]


def _placed(
    position: int | None, problems: Sequence[Problem], tool_id: str | None = None
) -> Sequence[Problem]:
    """Give problems of an entry with their paths in the file, which has lines."""
    return [replace(p, path=_path(f"tools.{position}", p, tool_id)) for p in problems]


def _path(entry: str, problem: Problem, tool_id: str | None) -> str:
    """Give where in the file a problem is: test cases stand beside the entries."""
    path = problem.path
    if path.startswith(f"{entry}.") or path == entry:
        return path
    if is_of_cases(problem) and tool_id is not None:
        cases = join_path("x-sparknb.cases", tool_id)
        return f"{cases}{path.removeprefix('cases')}"
    return f"{entry}.spec.{path}" if path else f"{entry}.spec"


def _steps(tools: Sequence["ImportedTool"]) -> list[tuple[str, str]]:
    one = tools[0].tool.id
    steps = [(f"sparknb show {one}", "look at it: nobody here wrote it")]
    for each in tools:
        if each.secret_names:
            name = each.secret_names[0]
            steps.append((f"sparknb secret set {each.tool.id} {name}", "asks for it"))
            break
    found = next((each for each in tools if _can_be_tried(each)), None)
    if found is not None:
        required = found.definition.input_schema.wire.get("required", ())
        test = with_input(f"sparknb test {found.tool.id}", required)
        steps.append((test, "try it"))
    return steps


def _can_be_tried(imported: "ImportedTool") -> bool:
    """Whether a test would run it: it breaks no rule, and its sandbox is there."""
    skipped = any(warning.code == "CHECK_SKIPPED" for warning in imported.warnings)
    return not imported.is_refused and not skipped


IMPORT_EXPORT = Command(
    path=("import", "export"),
    summary="Make drafts of an export file.",
    details=(
        "Reads files of Spark Work's Tool Studio, and those of sparknb export, also"
        " with test cases. Nothing that is there is overwritten. What cannot be used"
        " is skipped and said."
    ),
    group="Import",
    arguments=(
        Argument(
            name="file",
            kind="path",
            shown="FILE|-",
            help="An export file; - reads standard input.",
        ),
    ),
    examples=("sparknb import export tools.json",),
    run=_import,
)

COMMANDS = (
    IMPORT_EXPORT,
    Command(
        path=("export",),
        summary="Write tools to a file: definitions, no secrets.",
        details=(
            "Of each tool what is published, or the draft of one that never was."
            " Without ids all tools; without --out the file goes to standard output."
        ),
        group="Share",
        arguments=(
            Argument(
                name="ids",
                shown="ID ...",
                required=False,
                repeats=True,
                completion="tool",
                help="The tools, in this order.",
            ),
        ),
        options=(
            Option(
                name="--out",
                kind="path",
                metavar="FILE",
                help="Replace this file, whole or not at all.",
            ),
            Option(
                name="--for",
                kind="choice",
                choices=("original",),
                help="Leave out what Spark Work's Tool Studio cannot load.",
            ),
            Option(
                name="--with-cases",
                kind="flag",
                help="Add the test cases; the original refuses such a file.",
            ),
        ),
        examples=(
            "sparknb export weather order_item --out tools.json",
            "sparknb export --with-cases --out all.sparknb.json",
        ),
        run=_export,
    ),
)
