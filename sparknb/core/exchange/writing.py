"""Writes export files: references instead of secrets, no state, no traces (ST-83)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sparknb.core.errors import InvalidInputError
from sparknb.core.exchange.braces import without_touching_braces
from sparknb.core.exchange.form import (
    FORMAT_VERSION,
    MOST_TOOLS,
    OUR_KEY,
    Export,
    ExportedTool,
    Skip,
    Source,
)
from sparknb.core.exchange.original import differences
from sparknb.core.json_text import readable_json
from sparknb.core.problems import Problem
from sparknb.core.secret_scan import contains_secret
from sparknb.core.validation import secrets

__all__ = ["write_export"]

_REFUSED_THERE = "NOT_IN_ORIGINAL"
_SECRET = "LITERAL_SECRET"  # noqa: S105  # a code

_Scan = Callable[[Any], Iterator[Problem]]
_SCANS: Mapping[str, tuple[_Scan, ...]] = {
    "http": (secrets.check_schema_literals, secrets.check_http_literals),
    "code": (secrets.check_schema_literals, secrets.check_source_literal),
    "provider-vision": (secrets.check_schema_literals, secrets.check_vision_literal),
}


def write_export(
    sources: Sequence[Source], *, for_original: bool = False, with_cases: bool = False
) -> Export:
    """Write tools as an export file; equal tools give an equal file.

    A tool whose definition holds what looks like a secret is left out.

    Args:
        sources: The tools, in the order of the file; no id twice.
        for_original: Leave out what the original refuses to load.
        with_cases: Add the test cases, under a key that the original refuses.

    Raises:
        InvalidInputError: More tools than a file holds, or both options at once.
    """
    if for_original and with_cases:
        raise InvalidInputError(
            "the original refuses a file with test cases",
            path="with_cases",
            hint="export for the original without cases, or a second file with them",
        )
    if len(sources) > MOST_TOOLS:
        raise InvalidInputError(
            f"an export file holds at most {MOST_TOOLS} tools, not {len(sources):,}",
            path="ids",
            hint="name the tools, and write several files",
        )
    written: list[Source] = []
    tools: list[ExportedTool] = []
    left_out: list[Skip] = []
    for source in sources:
        notes = differences(source.definition)
        skip = _secret_in(source, with_cases=with_cases)
        if skip is None and for_original:
            refused = [d.note for d in notes if not d.loads]
            skip = _refused(_id(source), refused) if refused else None
        if skip is not None:
            left_out.append(skip)
            continue
        written.append(source)
        told = [d.note for d in notes]
        tools.append(ExportedTool(id=_id(source), version=source.version, notes=told))
    payload = _payload(written, with_cases=with_cases)
    return Export(
        text=_text(payload),
        payload=payload,
        tools=tools,
        left_out=left_out,
        for_original=for_original,
    )


def _payload(sources: Sequence[Source], *, with_cases: bool) -> dict[str, Any]:
    payload: dict[str, Any] = {"formatVersion": FORMAT_VERSION}
    payload["tools"] = [_entry(source.definition) for source in sources]
    cases = {_id(s): list(s.cases) for s in sources if s.cases}
    if with_cases and cases:
        payload[OUR_KEY] = {"cases": cases}
    return payload


def _entry(definition: Mapping[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {"spec": _respelled(definition)}
    names = list(definition.get("secretRefs", ()))
    return entry | {"secretNames": names} if names else entry


def _respelled(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Give the definition with its JSON template as the original can read it."""
    spec = dict(definition)
    request = spec["spec"].get("request", {})
    body = request.get("body", {})
    if body.get("mode") == "json":
        template = without_touching_braces(body["jsonTemplate"])
        request = request | {"body": body | {"jsonTemplate": template}}
        spec["spec"] = spec["spec"] | {"request": request}
    return spec


def _text(payload: Mapping[str, Any]) -> str:
    """Give the file: it shows all that is in it, and survives every door."""
    return readable_json(payload) + "\n"


def _id(source: Source) -> str:
    found: str = source.definition["id"]
    return found


# ------------------------------------------------------------------- left out
def _refused(tool_id: str, notes: Sequence[Problem]) -> Skip:
    return Skip(
        id=tool_id, reason=_REFUSED_THERE, message=notes[0].message, issues=notes
    )


def _secret_in(source: Source, *, with_cases: bool) -> Skip | None:
    """Refuse what only an import can have brought: no new draft holds a secret."""
    definition = source.definition
    problems = [p for rule in _SCANS[definition["type"]] for p in rule(definition)]
    if with_cases and any(map(contains_secret, _strings(source.cases))):
        message = "a test case holds what looks like a secret"
        problems.append(Problem(code=_SECRET, message=message, path="cases"))
    if not problems:
        return None
    message = f"it would take a secret out of this machine: {problems[0].message}"
    return Skip(id=_id(source), reason=_SECRET, message=message, issues=problems)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, member in value.items():
            yield from (key, *_strings(member))
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _strings(member)
