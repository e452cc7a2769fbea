"""A definition written as the cell that makes it: what `cell` reads, the other way.

What is written is read again before it is given away, so a cell that says something
else than its definition cannot come out: where the short form cannot say it, the long
form does.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from sparknb.core.json_text import parse_json
from sparknb.core.risk import derive_risk
from sparknb.core.templates.placeholder import PLACEHOLDER
from sparknb.core.validation import validate
from sparknb.importers.cell.cell import read_cell

__all__ = ["write_cell"]

_TRIPLE = ("risk", "effect", "idempotency")
_USUAL_TIMEOUT = 30_000
_USUAL_SIZE = 262_144
_NARROW = 80  # characters of a list or mapping that stands on one line
_PLAIN = re.compile(r"[A-Za-z$/](?:[A-Za-z0-9 _./$&=;()+%!~*'?@|^-]|:(?! |$)|,(?= ))*")
_PLAIN_INSIDE = re.compile(r"[A-Za-z$/][A-Za-z0-9 _./$()+-]*")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_WORDS = {"true", "false", "null"}
_VARIABLE = re.compile(r"\$\{(?=[A-Za-z_][A-Za-z0-9_]*\})")
_BLOCK = re.compile(r"[^\s\x00-\x1f\x7f-\x9f][^\x00-\x09\x0b-\x1f\x7f-\x9f]*")
_REQUEST = re.compile(r"[A-Z]+ (?:https?://|\$\{)[^\s#\"'`]*[^\s#\"'`:]")
_IN_JSON = re.compile(rf'"(?:[^"\\]|\\.)*+"|{PLACEHOLDER.pattern}')
_LINE_ENDS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


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


def _says(
    body: str, definition: Mapping[str, Any], variables: Mapping[str, str]
) -> bool:
    """Whether a body, read as a cell, gives this definition."""
    cell = read_cell(body, variables, tool_id=definition["id"])
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
    write = _Writer(variables)
    spec = definition["spec"]
    request = spec["request"]
    lines = write.entry("title", definition["title"])
    lines += write.entry("description", definition["description"])
    params = dict(_params(definition["inputSchema"]))
    if params:
        lines += ["params:", *write.indented(params)]
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


def _params(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    required = schema.get("required", ())
    for name, parameter in schema["properties"].items():
        yield (name if name in required else f"{name}?", parameter)


def _response(response: Mapping[str, Any], write: "_Writer") -> list[str]:
    said: dict[str, Any] = {"format": response["format"]}
    if response.get("extract"):
        said["extract"] = {e["label"]: e["jsonPath"] for e in response["extract"]}
    if response["maxSizeBytes"] != _USUAL_SIZE:
        said["maxSizeBytes"] = response["maxSizeBytes"]
    return write.entry("response", said)


def _rest(
    definition: Mapping[str, Any], spec: Mapping[str, Any], write: "_Writer"
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
    write = _Writer(variables)
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


# ------------------------------------------------------------------------- YAML
class _Writer:
    """Writes values as YAML that `reading` understands."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def entry(self, key: str, value: Any, indent: str = "") -> list[str]:
        """Give a key with its value: on one line, or on lines of their own."""
        name = _key(key)
        if isinstance(value, Mapping | list | tuple) and value:
            flow = f"{indent}{name}: {self._flow(value)}"
            if len(flow) <= _NARROW:
                return [flow]
            inner = self.indented(value, indent)
            return [f"{indent}{name}:", *inner]
        if isinstance(value, str):
            text = self._named(value)
            line = _text(text, _PLAIN)
            has_marks = (
                "\n" in text or '\\"' in line
            )  # which a block needs no escape for
            if has_marks and (block := _block(text, indent)) is not None:
                return [f"{indent}{name}: |-", *block]
            return [f"{indent}{name}: {line}"]
        return [f"{indent}{name}: {self._flow(value)}"]

    def indented(self, value: Any, indent: str = "") -> list[str]:
        """Give the members of a mapping or list, one level below."""
        inner = f"{indent}  "
        if isinstance(value, Mapping):
            return [
                line
                for key, each in value.items()
                for line in self.entry(key, each, inner)
            ]
        return [f"{inner}- {self._flow(each)}" for each in value]

    def _flow(self, value: Any) -> str:
        if isinstance(value, Mapping):
            pairs = (f"{_key(k)}: {self._flow(v)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, list | tuple):
            return "[" + ", ".join(map(self._flow, value)) + "]"
        if isinstance(value, str):
            return _text(self._named(value), _PLAIN_INSIDE)
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        return repr(value)

    def _named(self, text: str) -> str:
        """Give a text with variables by their names; what looks like one is marked."""
        pieces = [text]
        for name, value in sorted(self._variables.items(), key=_longest_first):
            pieces = list(_split(pieces, value, f"${{{name}}}"))
        names = {f"${{{name}}}" for name in self._variables}
        return "".join(
            piece if at % 2 and piece in names else _VARIABLE.sub("$${", piece)
            for at, piece in enumerate(pieces)
        )


def _longest_first(item: tuple[str, str]) -> int:
    return -len(item[1])


def _split(pieces: Sequence[str], value: str, name: str) -> Iterator[str]:
    """Yield the pieces, in turn texts and names; a text is parted at each value."""
    for at, piece in enumerate(pieces):
        if at % 2:
            yield piece
            continue
        first, *more = piece.split(value)
        yield first
        for each in more:
            yield name
            yield each


def _key(key: str) -> str:
    bare = key.removesuffix("?")
    return key if _KEY.fullmatch(bare) and bare not in _WORDS else _quoted(key)


def _text(text: str, plain: re.Pattern[str]) -> str:
    is_word = text.lower() in _WORDS or (text.startswith("secret:") and " " in text)
    if plain.fullmatch(text) and not is_word and not text.endswith((" ", ":")):
        return text
    if plain is _PLAIN and _is_request(text):
        return text
    return _quoted(text)


def _is_request(text: str) -> bool:
    """Whether it is a method and a URL; brackets inside of a text are no brackets."""
    return _REQUEST.fullmatch(text) is not None and not _LINE_ENDS.search(text)


def _quoted(text: str) -> str:
    spelled = encode_basestring(text)
    return _LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", spelled)


def _block(text: str, indent: str) -> list[str] | None:
    """Give a text of several lines as it stands; None where that would change it."""
    is_good = _BLOCK.fullmatch(text) and not text.endswith("\n")
    if not is_good or _LINE_ENDS.search(text):
        return None
    return [f"{indent}  {line}" if line else "" for line in text.split("\n")]
