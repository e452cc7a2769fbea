"""Test cases of a tool: how one is written, and whether a result is what it expects.

Cases belong to a draft and travel with the version (ST-78 to ST-80).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sparknb.core import case_schemas
from sparknb.core.canonical import canonical
from sparknb.core.errors import InvalidInputError, SparknbError
from sparknb.core.json_path import parse_json_path
from sparknb.core.json_text import MAX_BYTES, find_flaws
from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult
from sparknb.core.secret_scan import contains_secret
from sparknb.core.validation.fields import (
    BROKEN,
    Field,
    Reader,
    Tell,
    bad_value,
    choice,
    closed,
    listing,
    text,
    wrong_type,
)
from sparknb.core.validation.report import in_document_order
from sparknb.core.wording import join_path, kind_of, show

__all__ = ["MOST_CASES", "RESULT_CODES", "CaseResult", "CaseRun", "judge", "read_cases"]

MOST_CASES = 50
RESULT_CODES = (
    "INVALID_INPUT",
    "INVALID_TEMPLATE",
    "SECRET_MISSING",
    "TIMEOUT",
    "CANCELLED",
    "DENIED",
    "APPROVAL_UNAVAILABLE",
    "KEYCHAIN_UNAVAILABLE",
    "UNREACHABLE",
    "HTTP_ERROR",
    "EXECUTION_FAILED",
    "NOT_IMPLEMENTED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "CONFLICT",
    "CASES_NOT_PASSING",
)
"""What a case may expect a call to end in (ST-16)."""

_ROOT = "cases"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,79}")
_NAME_RULE = (
    "begin with a letter or digit and hold only letters, digits, blanks and _ . -"
)
_LONGEST_TEXT = 100_000
_AS_EXPECTED = "as expected"
_AROUND = 20


# ------------------------------------------------------------------------- running
@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What one case came to; `reason` is a sentence in any event."""

    name: str
    passed: bool
    reason: str
    duration_ms: int = 0
    error_code: str | None = None

    def to_wire(self) -> dict[str, Any]:
        """Give `{name, passed, reason, durationMs, errorCode?}`."""
        wire: dict[str, Any] = {
            "name": self.name,
            "passed": self.passed,
            "reason": self.reason,
            "durationMs": self.duration_ms,
        }
        if self.error_code is not None:
            wire["errorCode"] = self.error_code
        return wire


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """A run of all cases of one version.

    Attributes:
        spec_digest: Of the definition that ran.
        cases_digest: Of the cases as they were written then.
        ran_at: ISO 8601, UTC.
    """

    tool_id: str
    version: int
    results: Sequence[CaseResult]
    spec_digest: str
    cases_digest: str
    ran_at: str
    mode: Literal["live", "replay"] = "live"

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return all(result.passed for result in self.results)

    def to_wire(self) -> dict[str, Any]:
        """Give `{toolId, version, passed, results, specDigest, casesDigest, mode}`."""
        return {
            "toolId": self.tool_id,
            "version": self.version,
            "passed": self.passed,
            "results": [result.to_wire() for result in self.results],
            "specDigest": self.spec_digest,
            "casesDigest": self.cases_digest,
            "mode": self.mode,
        }

    def to_record(self) -> dict[str, Any]:
        """Give what is kept with the version (ST-80)."""
        return {
            "results": [result.to_wire() for result in self.results],
            "specDigest": self.spec_digest,
            "casesDigest": self.cases_digest,
            "ranAt": self.ran_at,
            "mode": self.mode,
        }


# ------------------------------------------------------------------------- reading
def read_cases(value: Any) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Judge cases given as a JSON value.

    Returns:
        The cases in normal form, empty if there is any problem; and all problems,
        each `CASE_INVALID` or `LITERAL_SECRET` at `cases.N…`.
    """
    unusable = _unusable(value)
    if unusable:
        return [], unusable
    problems: list[Problem] = []
    sound = _cases(value, _ROOT, problems.append)
    problems = [replace(p, code="CASE_INVALID", strict=False) for p in problems]
    if isinstance(value, list):
        problems += _repeated_names(value)
        problems += _secrets_in(value, _ROOT)
    if problems:
        return [], in_document_order(problems, {_ROOT: value})
    return sound, []


def _unusable(value: Any) -> list[Problem]:
    """Find what JSON cannot carry, and what is too large to be looked at."""
    try:
        flaws = find_flaws(value)
        size = 0 if flaws else len(canonical(value))
    except RecursionError:
        return [_problem("the cases have too many levels", _ROOT)]
    except InvalidInputError as error:
        return [_problem(error.message, _ROOT)]
    if size > MAX_BYTES:
        return [_problem(f"the cases are larger than {MAX_BYTES:,} bytes", _ROOT)]
    return [_problem(flaw.message, join_path(_ROOT, flaw.path)) for flaw in flaws]


def _problem(message: str, path: str) -> Problem:
    return Problem(code="CASE_INVALID", message=message, path=path)


def _json_object(value: Any, path: str, tell: Tell) -> Any:
    if isinstance(value, dict):
        return value
    tell(wrong_type(path, "an object", value))
    return BROKEN


def _any_json(value: Any, path: str, tell: Tell) -> Any:
    del path, tell
    return value


def _json_path(value: Any, path: str, tell: Tell) -> Any:
    read = text(1, 500)(value, path, tell)
    if read is BROKEN:
        return BROKEN
    _, problem = parse_json_path(read)
    if problem is not None:
        tell(replace(problem, path=path))
        return BROKEN
    return read


def _schema(value: Any, path: str, tell: Tell) -> Any:
    if not isinstance(value, dict | bool):
        tell(wrong_type(path, "a JSON Schema", value))
        return BROKEN
    flaw = case_schemas.flaw_of(value)
    if flaw is not None:
        tell(bad_value(path, f"is no schema that can be used: {flaw}"))
        return BROKEN
    return value


_KINDS: Mapping[str, Reader] = {
    "exact": closed(Field("exact", text(0, _LONGEST_TEXT))),
    "contains": closed(Field("contains", text(1, _LONGEST_TEXT))),
    "jsonPath": closed(Field("jsonPath", _json_path), Field("equals", _any_json)),
    "jsonSchema": closed(Field("jsonSchema", _schema)),
    "errorCode": closed(Field("errorCode", choice(*RESULT_CODES))),
}


def _expectation(value: Any, path: str, tell: Tell) -> Any:
    if not isinstance(value, dict):
        tell(wrong_type(path, "an object", value))
        return BROKEN
    kinds = [kind for kind in _KINDS if kind in value]
    if len(kinds) == 1:
        return _KINDS[kinds[0]](value, path, tell)
    found = f"it has {' and '.join(kinds)}" if kinds else "it has none"
    rule = f"must have exactly one of {', '.join(_KINDS)}; {found}"
    tell(bad_value(path, rule))
    return BROKEN


_cases = listing(
    closed(
        Field("name", text(1, 80, _NAME, _NAME_RULE)),
        Field("input", _json_object),
        Field("expect", _expectation),
    ),
    most=MOST_CASES,
)


def _repeated_names(cases: Sequence[Any]) -> Iterator[Problem]:
    seen: set[str] = set()
    for position, case in enumerate(cases):
        name = case.get("name") if isinstance(case, dict) else None
        if isinstance(name, str) and name in seen:
            said = f"another case has the name '{show(name)}' already"
            yield _problem(said, f"{_ROOT}.{position}.name")
        elif isinstance(name, str):
            seen.add(name)


def _secrets_in(value: Any, path: str) -> Iterator[Problem]:
    """Yield the places of what looks like a secret (ST-36)."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _secrets_in(key, join_path(path, key))
            yield from _secrets_in(member, join_path(path, key))
    elif isinstance(value, list):
        for position, member in enumerate(value):
            yield from _secrets_in(member, f"{path}.{position}")
    elif isinstance(value, str) and contains_secret(value):
        yield Problem(
            code="LITERAL_SECRET",
            message="this text of a case looks like a secret",
            path=path,
            hint="cases are kept and exported: use an invented value",
        )


# ------------------------------------------------------------------------- judging
def judge(case: Mapping[str, Any], result: ToolResult) -> CaseResult:
    """Compare what a call came to with what the case expects (ST-79).

    Args:
        case: One in normal form.
        result: The result of calling the tool with the case's input, redacted.
    """
    expect: Mapping[str, Any] = case["expect"]
    if "errorCode" in expect:
        reason = _wrong_code(expect["errorCode"], result)
    elif not result.ok:
        reason = f"{result.error_code}: {show(result.text, 300)}"
    else:
        kind = next(kind for kind in _JUDGES if kind in expect)
        reason = _JUDGES[kind](expect, result)
    return CaseResult(
        name=case["name"],
        passed=reason is None,
        reason=reason or _AS_EXPECTED,
        duration_ms=result.meta.duration_ms,
        error_code=result.error_code,
    )


def _wrong_code(wanted: str, result: ToolResult) -> str | None:
    if result.error_code == wanted:
        return None
    came = "the call succeeded" if result.ok else f"it ended in {result.error_code}"
    return f"expected {wanted}, but {came}"


def _exact(expect: Mapping[str, Any], result: ToolResult) -> str | None:
    wanted, came = expect["exact"], result.text
    if wanted == came:
        return None
    both = enumerate(zip(wanted, came, strict=False))
    short = min(len(wanted), len(came))
    place = next((n for n, (a, b) in both if a != b), short)
    start = max(0, place - _AROUND)
    return (
        f"the text differs at character {place + 1}: expected "
        f"'{show(wanted[start:])}', came '{show(came[start:])}'"
    )


def _contains(expect: Mapping[str, Any], result: ToolResult) -> str | None:
    if expect["contains"] in result.text:
        return None
    return (
        f"the text does not contain '{show(expect['contains'])}'; "
        f"it begins '{show(result.text)}'"
    )


def _at_path(expect: Mapping[str, Any], result: ToolResult) -> str | None:
    path, _ = parse_json_path(expect["jsonPath"])
    if result.data is None or path is None:
        return _NO_JSON
    try:
        nodes = path.find(result.data)
    except SparknbError as error:
        return error.message
    if not nodes:
        return f"{show(expect['jsonPath'])} finds nothing in the answer"
    if _is_equal(nodes[0], expect["equals"]):
        return None
    return f"expected {_shown(expect['equals'])}, came {_shown(nodes[0])}"


def _by_schema(expect: Mapping[str, Any], result: ToolResult) -> str | None:
    if result.data is None:
        return _NO_JSON
    return case_schemas.mismatch(expect["jsonSchema"], result.data)


_NO_JSON = "the result has no JSON value: the answer is none, or the tool reads text"
_JUDGES: Mapping[str, Callable[[Mapping[str, Any], ToolResult], str | None]] = {
    "exact": _exact,
    "contains": _contains,
    "jsonPath": _at_path,
    "jsonSchema": _by_schema,
}


def _is_equal(one: Any, other: Any) -> bool:
    """Compare as JSON: 1 equals 1.0, and neither is true."""
    try:
        return canonical(one) == canonical(other)
    except InvalidInputError:
        return False


def _shown(value: Any) -> str:
    try:
        return show(canonical(value).decode(), 120)
    except InvalidInputError:
        return kind_of(value)
