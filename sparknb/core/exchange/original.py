"""What the original program cannot load, or runs differently (ST-84)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sparknb.core.problems import Problem
from sparknb.core.sensitive_names import is_originally_sensitive, is_sensitive_query
from sparknb.core.templates import parse_url
from sparknb.core.templates.placeholder import Placeholder, placeholders_of, scan
from sparknb.core.validation.templates import template_texts
from sparknb.core.wording import join_path

__all__ = ["Difference", "differences"]

_PLAIN_PATH = re.compile(r"\$(?:\.[A-Za-z_][A-Za-z0-9_]*+|\[[0-9]++\]|\[\*\])*+")

_Wire = Mapping[str, Any]


class Difference(NamedTuple):
    """One thing that is not alike.

    Attributes:
        note: Says what, code `NOT_IN_ORIGINAL`.
        loads: Whether the original takes the definition all the same.
    """

    note: Problem
    loads: bool


def differences(definition: _Wire) -> list[Difference]:
    """Give all that the original does not do alike, for a definition in normal form."""
    found: list[Difference] = []
    spec = definition["spec"]
    if definition["type"] == "http":
        found += _body(spec["request"])
        found += _forms(definition)
        found += _query_names(spec["request"]["urlTemplate"])
        found += _paths(spec["response"])
    if definition["type"] == "code" and spec["runtime"]["language"] == "python":
        where = "spec.runtime.language"
        found.append(_refused(where, "the original runs TypeScript, no Python"))
    found += _optional(definition)
    return found


def _body(request: _Wire) -> Iterator[Difference]:
    mode = request.get("body", {}).get("mode", "json")
    if mode != "json":
        where = "spec.request.body.mode"
        yield _refused(where, f"the original knows JSON bodies only, no {mode}")


def _forms(definition: _Wire) -> Iterator[Difference]:
    for place in template_texts(definition):
        forms = dict.fromkeys(p.form for p in _placeholders(place.text) if p.form)
        if forms:
            shown = ", ".join(f"'| {form}'" for form in forms)
            message = f"the original knows no forms of placeholders, such as {shown}"
            yield _refused(place.path, message)


def _query_names(url: str) -> Iterator[Difference]:
    template, _ = parse_url(url, None)
    names = () if template is None else template.query_names
    for name in dict.fromkeys(names):
        if is_originally_sensitive(name) and not is_sensitive_query(name):
            message = f"the original takes '{name}' for a secret and denies the call"
            yield _differs("spec.request.urlTemplate", message)


def _paths(response: _Wire) -> Iterator[Difference]:
    for position, column in enumerate(response.get("extract", ())):
        if not _PLAIN_PATH.fullmatch(column["jsonPath"]):
            where = f"spec.response.extract.{position}.jsonPath"
            message = "the original knows only $, .name, [0] and [*] in a JSONPath"
            yield _refused(where, message)


def _optional(definition: _Wire) -> Iterator[Difference]:
    schema = definition["inputSchema"]
    required = set(schema.get("required", ()))
    used: set[str] = set()
    if definition["type"] == "http":
        for place in template_texts(definition):
            used |= {p.name for p in _placeholders(place.text)}
    for name, parameter in schema["properties"].items():
        where = join_path("inputSchema.properties", name)
        if name in required:
            continue
        if "default" in parameter:
            message = "the original ignores a default, and fails without the value"
            yield _differs(f"{where}.default", message)
        elif name in used:
            message = "the original fails when a value is left out of a template"
            yield _differs(where, message)


def _placeholders(text: str) -> list[Placeholder]:
    return placeholders_of(scan(text)[0])


def _refused(path: str, message: str) -> Difference:
    return Difference(_note(path, f"{message}: it refuses the tool"), loads=False)


def _differs(path: str, message: str) -> Difference:
    return Difference(_note(path, message), loads=True)


def _note(path: str, message: str) -> Problem:
    return Problem(code="NOT_IN_ORIGINAL", message=message, path=path, level="warning")
