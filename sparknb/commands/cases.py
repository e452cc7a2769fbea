"""The test cases of a tool: read from a file, run, and shown."""

from typing import TYPE_CHECKING, Any

from sparknb.commands.context import READ_LIMIT, Context
from sparknb.commands.outcomes import step_view
from sparknb.commands.table import Option, Outcome, Values
from sparknb.commands.views import Column, Line, Span, Stack, Table
from sparknb.commands.words import count
from sparknb.core.errors import InvalidInputError, UsageError
from sparknb.core.problems import Problem

if TYPE_CHECKING:
    from sparknb.core.cases import CaseResult, CaseRun
    from sparknb.core.protocols import Approver

__all__ = ["CASES", "CASE_FILE", "is_of_cases", "read_case_file", "run_cases"]

CASES = Option(
    name="--cases",
    kind="flag",
    help="Run all test cases of the tool, in place of one input.",
)
CASE_FILE = Option(
    name="--cases",
    kind="path",
    metavar="FILE",
    help="Keep these test cases with the draft: a JSON array. Left out: as before.",
)


async def read_case_file(context: Context, name: str | None) -> Any:
    """Give what a file of cases holds, None without one; the host checks it.

    Raises:
        NotFoundError: There is no such file.
        InvalidInputError: It is not JSON.
        UsageError: It would be standard input, which the definition may need.
    """
    if name is None:
        return None
    if name == "-":
        raise UsageError("--cases takes a file, not standard input")
    from sparknb.core.json_text import parse_json

    definition = context.source
    data = (await context.read(name)).data
    context.source = definition
    found, problems = parse_json(data, READ_LIMIT)
    if problems:
        first = problems[0]
        raise InvalidInputError(
            f"{name} is not usable JSON: {first.message}",
            path="--cases",
            hint=first.hint,
        )
    return found


def is_of_cases(problem: Problem) -> bool:
    """Say whether a problem is one of the test cases, not of the definition."""
    return problem.code == "CASE_INVALID" or problem.path.startswith("cases.")


async def run_cases(context: Context, values: Values, by: "Approver | None") -> Outcome:
    """Run all cases of a tool by id; one that fails fails the command.

    Raises:
        UsageError: Together with an input.
        NotFoundError: No such tool or version.
        InvalidInputError: It has no cases.
    """
    if values["input"] is not None:
        raise UsageError("--cases brings its own inputs: leave out --input")
    studio = (await context.host()).studio
    run = await studio.run_cases(
        values["target"], version=values["version"], approver=by
    )
    return Outcome(run.to_wire(), _view(run), exit_code=0 if run.passed else 1)


def _view(run: "CaseRun") -> Stack:
    passed = sum(result.passed for result in run.results)
    said = f": {passed} of {count(len(run.results), 'case')} passed"
    line = Line(
        (Span(run.tool_id, "strong"), Span(f", version {run.version}{said}")),
        "done" if run.passed else "failed",
    )
    table = Table(
        title="Cases",
        columns=[Column("CASE"), Column("RESULT"), Column("WHY", wraps=True)],
        rows=[
            [result.name, _verdict(result), Span(result.reason, "quiet")]
            for result in run.results
        ],
    )
    return step_view(line, (), table)


def _verdict(result: "CaseResult") -> Span:
    return Span("passed", "good") if result.passed else Span("failed", "bad")
