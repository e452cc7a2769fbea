"""What an agent reads of a response (ST-30, ST-31)."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sparknb.core.definitions import Extract, HttpSpec
from sparknb.core.errors import ExecutionFailedError, InvalidInputError
from sparknb.core.json_path import JsonPath, parse_json_path
from sparknb.core.json_path.evaluation import Stop, never
from sparknb.core.response_json import NOT_JSON, compact, indented, read_json
from sparknb.core.two_ends import both_ends

__all__ = ["JSON_FENCE", "format_response", "is_quick"]

JSON_FENCE = ("```json\n", "\n```")
"""What stands around JSON that is shown as such."""

_NOT_JSON_NOTICE = "> The response is not JSON, so nothing was extracted from it.\n\n"
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def is_quick(spec: HttpSpec) -> bool:
    """Say whether formatting takes no longer than the response is long.

    True unless a path descends, filters or selects several things at once.
    """
    return all(_path(extract).is_plain for extract in spec.extract)


def format_response(
    spec: HttpSpec, body: str, *, stop: Stop = never
) -> tuple[str, Any]:
    """Give the text for the agent, before the clip, and the JSON value behind it.

    Args:
        spec: Says the format and the columns of a table.
        body: The decoded body, after the cap.
        stop: Asked now and then; True ends the work with an error.

    Returns:
        The text, and the value of the body, None where JSON was not asked for or
        did not come.

    Raises:
        ExecutionFailedError: A path selects too many nodes, or `stop` said so.
    """
    if spec.extract:
        value = read_json(body, keep_digits=True)
        if value is NOT_JSON:
            return _NOT_JSON_NOTICE + body, None
        return both_ends(_table(spec.extract, value, stop)), read_json(body)
    if spec.response_format == "json":
        value = read_json(body)
        if value is NOT_JSON:
            return body, None
        begin, end = JSON_FENCE
        return f"{begin}{both_ends(indented(body))}{end}", value
    return body, None


def _path(extract: Extract) -> JsonPath:
    path, problem = parse_json_path(extract.json_path)
    if path is None:
        # An imported draft may hold one; valid definitions do not.
        message = problem.message if problem else "the JSONPath cannot be read"
        raise InvalidInputError(message, hint=problem.hint if problem else None)
    return path


def _table(extracts: Sequence[Extract], value: Any, stop: Stop) -> Iterator[str]:
    columns = [_path(extract).find(value, stop=stop) for extract in extracts]

    def check() -> None:
        if stop():
            raise ExecutionFailedError("writing the table was stopped")

    yield _row([_escaped(extract.label) for extract in extracts])
    yield "\n" + _row(["---"] * len(extracts))
    for number in range(max(1, *map(len, columns))):
        check()
        yield "\n" + _row(
            [_cell(c[number], check) if number < len(c) else "" for c in columns]
        )


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any, check: Callable[[], None]) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else compact(value, check)
    return _escaped(text)


def _escaped(text: str) -> str:
    return _LINE_BREAK.sub(" ", text.replace("|", r"\|"))
