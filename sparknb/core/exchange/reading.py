"""Reads export files: all of what can be used, and why the rest cannot (ST-85)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from sparknb.core.cases import read_cases
from sparknb.core.errors import InvalidInputError
from sparknb.core.exchange.form import MAX_BYTES, OUR_KEY, Entry, ExportFile, Skip
from sparknb.core.exchange.shape import check_around, check_top
from sparknb.core.exchange.weighing import (
    MOST_CONTAINERS,
    has_too_many_containers,
)
from sparknb.core.json_text import parse_json
from sparknb.core.problems import Problem
from sparknb.core.validation import validate
from sparknb.core.wording import show

__all__ = ["read_export"]

_LONGEST_ID = 64
_MOST_TOLD = 100
"""Problems of one entry that are listed; the message counts all."""
_MOST_VALUES = 20_000
"""JSON values of a definition; a valid one has no more than some thousands."""
_WHAT_IT_IS: Final = (
    '{"formatVersion": 1, "tools": [...]} is what sparknb export writes, and Spark'
    " Work's Tool Studio"
)
_BROKEN: Final = "INVALID_DEFINITION"
_TAKEN: Final = "ALREADY_EXISTS"


def read_export(data: str | bytes) -> ExportFile:
    """Read an export file, also one with our test cases.

    What cannot be a draft is skipped, with its problems; the rest is ready to be
    stored. Rules that are stricter than the original's only warn (ST-87).

    Raises:
        InvalidInputError: It is no export file: larger than 32 MiB, no JSON, another
            format version or another form at the top. Nothing of it can be used.
    """
    if len(data) <= MAX_BYTES and has_too_many_containers(data):
        raise InvalidInputError(
            f"the JSON has more than {MOST_CONTAINERS:,} objects and arrays",
            hint="this is no export file, or a broken one",
        )
    document, flaws = parse_json(data, MAX_BYTES)
    problems = list(islice(check_top(document, flaws), _MOST_TOLD))
    if problems:
        first = problems[0]
        raise InvalidInputError(
            f"this is no export file that can be read: {first.message}",
            path=first.path,
            hint=first.hint or _WHAT_IT_IS,
            problems=problems,
        )
    reading = _Reading(document, flaws)
    reading.run()
    return ExportFile(
        entries=reading.entries,
        skipped=reading.skipped,
        notices=list(islice(reading.strangers(), _MOST_TOLD)),
    )


class _Reading:
    """One reading of a file that is sound at the top."""

    def __init__(self, document: Mapping[str, Any], flaws: Sequence[Problem]) -> None:
        self._tools: Sequence[Any] = document["tools"]
        self._cases: Mapping[str, Any] = document.get(OUR_KEY, {}).get("cases", {})
        self._flaws = flaws
        self.entries: list[Entry] = []
        self.skipped: list[Skip] = []

    def run(self) -> None:
        """Read all entries."""
        seen: set[str] = set()
        for position, entry in enumerate(self._tools):
            found = self._read(position, entry)
            if isinstance(found, Entry):
                tool_id = found.definition.id
                if tool_id in seen:
                    found = _repeated(tool_id)
                seen.add(tool_id)
            if isinstance(found, Entry):
                self.entries.append(found)
            else:
                self.skipped.append(replace(found, position=position))

    def strangers(self) -> Iterator[Problem]:
        """Yield notices of cases that belong to no tool of the file."""
        there = {_id_of(_spec_of(entry)) for entry in self._tools}
        for tool_id in self._cases:
            if tool_id not in there:
                yield Problem(
                    code="IMPORT_NOTICE",
                    message="the file has cases for a tool that is not in it; they"
                    " are left out",
                    path=f"{OUR_KEY}.cases.{show(tool_id, _LONGEST_ID)}",
                    level="notice",
                )

    def _read(self, position: int, entry: Any) -> Entry | Skip:
        here = f"tools.{position}"
        flaws = [f for f in self._flaws if f.path.startswith(f"{here}.")]
        around = list(islice(check_around(entry, here, flaws), _MOST_TOLD))
        spec = _spec_of(entry)
        if around:
            return _broken(_id_of(spec), around, here)
        if _is_beyond(spec):
            return _broken(_id_of(spec), [_too_many(f"{here}.spec")], here)
        report = validate(spec, imported=True)
        cases, wrong = read_cases(self._cases.get(_id_of(spec) or "", []))
        problems = [*report.problems, *_repetitions(flaws, f"{here}.spec."), *wrong]
        definition = report.definition
        if definition is None or wrong:
            what = "the definition" if definition is None else "the list of its cases"
            return _refused(_id_of(spec), problems, what)
        told = [_told(p) for p in problems]
        return Entry(
            position=position, definition=definition, cases=cases, warnings=told
        )


def _is_beyond(spec: Any) -> bool:
    """Whether a definition has more values than any that could be valid."""
    seen, waiting = 0, [spec]
    while waiting and seen <= _MOST_VALUES:
        value = waiting.pop()
        seen += 1
        if isinstance(value, dict | list):
            if len(value) > _MOST_VALUES:
                return True
            waiting += value.values() if isinstance(value, dict) else value
    return seen > _MOST_VALUES


def _too_many(path: str) -> Problem:
    message = f"the definition has more than {_MOST_VALUES:,} values"
    return Problem(code="FIELD_VALUE", message=message, path=path)


def _spec_of(entry: Any) -> Any:
    return entry.get("spec") if isinstance(entry, dict) else None


def _id_of(spec: Any) -> str | None:
    found = spec.get("id") if isinstance(spec, dict) else None
    return found if isinstance(found, str) else None


def _repetitions(flaws: Sequence[Problem], start: str) -> Iterator[Problem]:
    """Yield the repeated keys of a definition: its text is not there any more."""
    for flaw in flaws:
        if flaw.strict and flaw.path.startswith(start):
            yield replace(flaw, path=flaw.path.removeprefix(start), level="warning")


def _told(problem: Problem) -> Problem:
    """Give a warning as it is true of the draft: its references were rewritten."""
    if problem.code != "SECRET_REFERENCE":
        return problem
    return Problem(
        code="IMPORT_NOTICE",
        message="a secret reference of an older form is written in today's form now",
        path=problem.path,
        level="notice",
    )


def _refused(written: str | None, problems: Sequence[Problem], what: str) -> Skip:
    errors = [p for p in problems if p.level == "error"]
    if {p.code for p in errors} == {"NOT_IMPLEMENTED"}:
        first = errors[0]
        return Skip(id=_shown(written), reason=first.code, message=first.message)
    return _broken(written, problems, what)


def _broken(written: str | None, problems: Sequence[Problem], what: str) -> Skip:
    errors = [p for p in problems if p.level == "error"]
    count = "one problem" if len(errors) == 1 else f"{len(errors):,} problems"
    return Skip(
        id=_shown(written),
        reason=_BROKEN,
        message=f"{what} has {count}: {errors[0].message}",
        issues=problems[:_MOST_TOLD],
    )


def _repeated(tool_id: str) -> Skip:
    return Skip(
        id=tool_id,
        reason=_TAKEN,
        message=f"the file has {tool_id} twice; the first one counts",
    )


def _shown(written: str | None) -> str | None:
    return None if written is None else show(written, _LONGEST_ID)
