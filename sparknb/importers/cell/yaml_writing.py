"""Values written as YAML that a cell reads as just these values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

__all__ = ["YamlWriter", "params"]

_NARROW = 80  # characters of a list or mapping that stands on one line
_PLAIN = re.compile(r"[A-Za-z$/](?:[A-Za-z0-9 _./$&=;()+%!~*'?@|^-]|:(?! |$)|,(?= ))*")
_PLAIN_INSIDE = re.compile(r"[A-Za-z$/][A-Za-z0-9 _./$()+-]*")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_WORDS = {"true", "false", "null"}
_VARIABLE = re.compile(r"\$\{(?=[A-Za-z_][A-Za-z0-9_]*\})")
_BLOCK = re.compile(r"[^\s\x00-\x1f\x7f-\x9f][^\x00-\x09\x0b-\x1f\x7f-\x9f]*")
_REQUEST = re.compile(r"[A-Z]+ (?:https?://|\$\{)[^\s#\"'`]*[^\s#\"'`:]")
_LINE_ENDS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def params(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the parameters of an input schema as they stand under `params`."""
    required = schema.get("required", ())
    for name, parameter in schema["properties"].items():
        yield (name if name in required else f"{name}?", parameter)


class YamlWriter:
    """Writes values as YAML that `reading` understands."""

    def __init__(self, variables: Mapping[str, str], *, goes_on: bool = False) -> None:
        """Write with these variables by name.

        Args:
            variables: Their texts.
            goes_on: Something follows below every text, so that one may end in a
                line end as it stands: the last one of a cell gets lost.
        """
        self._variables = variables
        self._goes_on = goes_on

    def entry(self, key: str, value: Any, indent: str = "") -> list[str]:
        """Give a key with its value: on one line, or on lines of their own."""
        name = _key(key)
        if isinstance(value, Mapping | list | tuple) and value:
            flow = f"{indent}{name}: {self._flow(value)}"
            if len(flow) <= _NARROW and (not self._goes_on or "\\n" not in flow):
                return [flow]
            inner = self.indented(value, indent)
            return [f"{indent}{name}:", *inner]
        if isinstance(value, str):
            text = self._named(value)
            line = _text(text, _PLAIN)
            has_marks = (
                "\n" in text or '\\"' in line
            )  # which a block needs no escape for
            ended = text.removesuffix("\n") if self._goes_on else text
            if has_marks and (block := _block(ended, indent)) is not None:
                sign = "|-" if ended == text else "|"
                return [f"{indent}{name}: {sign}", *block]
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
