"""A definition written as the cell that makes it: what `cell` reads, the other way.

What is written is read again before it is given away, so a cell that says something
else than its definition cannot come out: where the short form cannot say it, the long
form does.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import Any

from sparknb.core.json_text import parse_json
from sparknb.core.risk import derive_risk
from sparknb.core.templates.placeholder import PLACEHOLDER
from sparknb.core.validation import validate
from sparknb.importers.cell.cell import read_cell
from sparknb.importers.cell.program_writing import program_lines
from sparknb.importers.cell.yaml_writing import YamlWriter, params

__all__ = ["why_no_cell", "write_cell"]

_TRIPLE = ("risk", "effect", "idempotency")
_NONE: Mapping[str, str] = MappingProxyType({})
_USUAL_TIMEOUT = 30_000
_USUAL_LIMITS = {"memoryMb": 128, "maxOutputBytes": 1_048_576}
_USUAL_SIZE = 262_144
_DIFFERENCES: Mapping[str, str] = {
    "inputSchema": "its parameters say more than the program does",
    "spec": "its source would not begin and end in just this way",
}
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
        The cell, its magic line first; None where a cell cannot hold it, for the
        reason that `why_no_cell` gives.
    """
    passed = {name: text for name, text in (variables or {}).items() if text}
    if definition["type"] == "code":
        return _program(definition, passed) or _program_in_yaml(definition)
    for form in _FORMS:
        lines = form(definition, passed)
        if lines is None:
            continue
        body = "\n".join(lines)
        used = _used(passed, body)
        if _says(body, definition, used):
            return _cell(definition["id"], used, body)
    return None


def why_no_cell(definition: Mapping[str, Any]) -> str:
    """Give why a definition, in normal form, cannot be written as a cell."""
    said = _differs("\n".join(_whole(definition, {})), definition, {})
    return said or "what it says in a cell is not the same"


def _says(
    body: str, definition: Mapping[str, Any], variables: Mapping[str, str]
) -> bool:
    """Whether a body, read as a cell, gives this definition."""
    return _differs(body, definition, variables) is None


def _differs(
    body: str,
    definition: Mapping[str, Any],
    variables: Mapping[str, str],
    tool_type: str | None = None,
) -> str | None:
    """Give why a body, read as a cell, does not give this definition."""
    cell = read_cell(body, variables, tool_id=definition["id"], tool_type=tool_type)
    if cell.problems or cell.document is None:
        return cell.problems[0].message if cell.problems else "it is empty"
    report = validate(cell.document)
    if report.normalized is None:
        return report.errors[0].message
    keys = (k for k, said in report.normalized.items() if said != definition.get(k))
    return next(map(_difference, keys), None)


def _difference(key: str) -> str:
    return _DIFFERENCES.get(key, f"its {key} is not the same there")


# --------------------------------------------------------------------- programs
def _program(definition: Mapping[str, Any], variables: Mapping[str, str]) -> str | None:
    """Give a program as the cell that its author would write."""
    language = definition["spec"]["runtime"]["language"]
    for passed in (variables, _NONE) if variables else (_NONE,):
        written = program_lines(definition, passed)
        if written is None:
            return None
        head, source = written
        used = _used(passed, "\n".join(head.keys))
        body = "\n".join([*head.words, *head.keys, *source])
        if _differs(body, definition, used, language) is None:
            return _cell(f"{definition['id']} --type {language}", used, body)
    return None


def _program_in_yaml(definition: Mapping[str, Any]) -> str | None:
    """Give a program in the long form, with why it has none of its own."""
    language = definition["spec"]["runtime"]["language"]
    written = program_lines(definition, _NONE)
    why = "a setting does not fit on one line"
    if written is not None:
        head, source = written
        own = "\n".join([*head.words, *head.keys, *source])
        why = _differs(own, definition, {}, language) or ""
    for form in (_brief, _whole):
        body = "\n".join(form(definition, _NONE))
        if _says(body, definition, _NONE):
            comment = f"# YAML, since with --type {language}: {_plain(why)}"
            return _cell(definition["id"], _NONE, f"{comment}\n{body}")
    return None


def _plain(why: str) -> str:
    """Give a reason as it can stand in a comment."""
    return "".join(char if char.isprintable() else " " for char in why)


def _cell(head: str, used: Mapping[str, str], body: str) -> str:
    options = "".join(f" --var {name}" for name in used)
    return f"%%spark_tool {head}{options}\n{body}\n"


def _used(passed: Mapping[str, str], body: str) -> dict[str, str]:
    """Give the variables that a body takes by name."""
    return {name: text for name, text in passed.items() if f"${{{name}}}" in body}


def _brief(definition: Mapping[str, Any], variables: Mapping[str, str]) -> list[str]:
    """Give a program in the long form, without what holds anyway."""
    spec = definition["spec"]
    runtime = {key: spec["runtime"][key] for key in ("language", "source")}
    shown: dict[str, Any] = {"runtime": runtime}
    if spec["permissions"]["toolIds"]:
        shown["permissions"] = spec["permissions"]
    if spec["limits"] != _USUAL_LIMITS:
        shown["limits"] = spec["limits"]
    keys = ("title", "description", "type", "inputSchema")
    kept = {**{key: definition[key] for key in keys}, "spec": shown}
    kept |= {key: definition[key] for key in _TRIPLE}
    if definition["timeoutMs"] != _USUAL_TIMEOUT:
        kept["timeoutMs"] = definition["timeoutMs"]
    write = YamlWriter(variables, goes_on=True)
    return [line for key, value in kept.items() for line in write.entry(key, value)]


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
