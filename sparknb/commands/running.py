"""Running a command: its outcome, also when it is refused."""

from sparknb.commands.context import Context
from sparknb.commands.outcomes import problems_view
from sparknb.commands.table import Outcome, Run, Values
from sparknb.commands.views import Failure
from sparknb.core.errors import SparknbError, UsageError

__all__ = ["failed", "run"]

_FAILED, _USAGE = 1, 2


async def run(do: Run, context: Context, values: Values) -> Outcome:
    """Run a command; a refusal comes back as an outcome too."""
    try:
        return await do(context, values)
    except SparknbError as error:
        return failed(error, context)


def failed(error: SparknbError, context: Context | None = None) -> Outcome:
    """Give the outcome of a refusal; its document is `{"error": {...}}`."""
    found = problems_view(context, error.problems)
    view = Failure(
        code=error.code,
        message=error.message,
        hint=error.hint,
        path=error.path,
        problems=found,
    )
    code = _USAGE if isinstance(error, UsageError) else _FAILED
    return Outcome({"error": error.to_wire()}, view, exit_code=code)
