"""A definition written as the cell that makes it: what `cell` reads, the other way.

What is written is read again before it is given away, so a cell that says something
else than its definition cannot come out: where the short form cannot say it, the long
form does.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from sparknb.core.json_text import parse_json
from sparknb.core.risk import derive_risk
from sparknb.core.templates.placeholder import PLACEHOLDER
from sparknb.core.validation import validate
from sparknb.importers.cell.cell import read_cell
from sparknb.importers.cell.program_writing import program_lines
from sparknb.importers.cell.yaml_writing import YamlWriter, params

__all__ = ["write_cell"]

_TRIPLE = ("risk", "effect", "idempotency")
_USUAL_TIMEOUT = 30_000
_USUAL_SIZE = 262_144
_IN_JSON = re.compile(rf'"(?:[^"\\]|\\.)*+"|{PLACEHOLDER.pattern}')


def write_cell(
    definition: Mapping[str, Any], variables: Mapping[str, str] | None = None
) -> str | None:
    """Give a `%%spark_tool` cell that makes just this definition.

    Args:
        definition: A definition in normal form.
        variables: Python variables that the cell is to take by name: their texts
            stand as `${name}` in it.

    Returns:
        The cell, its magic line first; None where a cell cannot hold it.
    """
    passed = {name: text for name, text in (variables or {}).items() if text}
    if definition["type"] == "code":
        lines, language = program_lines(definition), _language(definition)
        body = "\n".join(lines or ())
        if lines and _says(body, definition, {}, language):
            return f"%%spark_tool {definition['id']} --type {language}\n{body}\n"
    for form in _FORMS:
        lines = form(definition, passed)
        if lines is None:
            continue
        body = "\n".join(lines)
        used = {n: t for n, t in passed.items() if f"${{{n}}}" in body}
        if _says(body, definition, used):
            options = "".join(f" --var {name}" for name in used)
            return f"%%spark_tool {definition['id']}{options}\n{body}\n"
    return None


def _language(definition: Mapping[str, Any]) -> str:
    language: str = definition["spec"]["runtime"]["language"]
    return language


def _says(
    body: str,
    definition: Mapping[str, Any],
    variables: Mapping[str, str],
    tool_type: str | None = None,
) -> bool:
    """Whether a body, read as a cell, gives this definition."""
    cell = read_cell(body, variables, tool_id=definition["id"], tool_type=tool_type)
    if cell.problems or cell.document is None:
        return False
    report = validate(cell.document)
    return report.normalized is not None and report.normalized == dict(definition)


# ------------------------------------------------------------------- short form
def _short_with_values(
    definition: Mapping[str, Any], variables: Mapping[str, str]
) -> list[str] | None:
    """Give the short form with its JSON body as YAML, where it can be."""
    if definition["type"] != "http":
        return None
    body = definition["spec"]["request"].get("body", {})
    value = _structure(body.get("jsonTemplate", ""))
    return _short(definition, variables, value) if value else None


def _structure(template: str) -> Any:
    """Give the object or list that a JSON template is, its placeholders as texts."""
    value, problems = parse_json(_IN_JSON.sub(_as_text, template))
    return value if isinstance(value, dict | list) and not problems else None


def _as_text(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else encode_basestring(found[0])


def _short(
    definition: Mapping[str, Any], variables: Mapping[str, str], value: Any = None
) -> list[str] | None:
    if definition["type"] != "http":
        return None
    write = YamlWriter(variables)
    spec = definition["spec"]
    request = spec["request"]
    lines = write.entry("title", definition["title"])
    lines += write.entry("description", definition["description"])
    declared = dict(params(definition["inputSchema"]))
    if declared:
        lines += ["params:", *write.indented(declared)]
    lines += write.entry("request", f"{request['method']} {request['urlTemplate']}")
    headers = {
        each["name"]: each.get("valueTemplate", f"secret:{each.get('secretRef')}")
        for each in request.get("headers", ())
    }
    if headers:
        lines += ["headers:", *write.indented(headers)]
    body = request.get("body")
    if body is not None:
        if body["mode"] == "form":
            return None
        text = body.get("jsonTemplate", body.get("template"))
        lines += write.entry("body", text if value is None else value)
    lines += _response(spec["response"], write)
    lines += _rest(definition, spec, write)
    return lines


def _response(response: Mapping[str, Any], write: YamlWriter) -> list[str]:
    said: dict[str, Any] = {"format": response["format"]}
    if response.get("extract"):
        said["extract"] = {e["label"]: e["jsonPath"] for e in response["extract"]}
    if response["maxSizeBytes"] != _USUAL_SIZE:
        said["maxSizeBytes"] = response["maxSizeBytes"]
    return write.entry("response", said)


def _rest(
    definition: Mapping[str, Any], spec: Mapping[str, Any], write: YamlWriter
) -> list[str]:
    lines: list[str] = []
    derived = derive_risk(spec["request"]["method"])
    triple = tuple(definition[key] for key in _TRIPLE)
    if derived is None or triple != tuple(derived):
        for key in _TRIPLE:
            lines += write.entry(key, definition[key])
    if definition["timeoutMs"] != _USUAL_TIMEOUT:
        lines += write.entry("timeoutMs", definition["timeoutMs"])
    if "allowPrivateNetwork" in spec:
        lines += write.entry("allowPrivateNetwork", spec["allowPrivateNetwork"])
    return lines


# -------------------------------------------------------------------- long form
def _long(definition: Mapping[str, Any], variables: Mapping[str, str]) -> list[str]:
    """Give the long form without what holds anyway."""
    kept = dict(definition)
    if kept["type"] == "http":
        spec = kept["spec"]
        if kept["timeoutMs"] == _USUAL_TIMEOUT:
            del kept["timeoutMs"]
        if spec["response"]["maxSizeBytes"] == _USUAL_SIZE:
            response = {
                k: v for k, v in spec["response"].items() if k != "maxSizeBytes"
            }
            kept["spec"] = {**spec, "response": response}
    return _whole(kept, variables)


def _whole(definition: Mapping[str, Any], variables: Mapping[str, str]) -> list[str]:
    write = YamlWriter(variables)
    kept = {key: value for key, value in definition.items() if key != "id"}
    if kept["type"] == "http":
        del kept["type"]
    return [line for key, value in kept.items() for line in write.entry(key, value)]


_FORMS: Sequence[Callable[..., list[str] | None]] = (
    _short_with_values,
    _short,
    _long,
    _whole,
)
