"""A program written as the cell that makes its tool: what is read, the other way."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sparknb.importers.cell.program import derived_triple
from sparknb.importers.cell.short_form import TRIPLE
from sparknb.importers.cell.yaml_writing import YamlWriter, params

__all__ = ["Head", "program_lines"]

_USUAL = {"timeoutMs": 30_000, "memoryMb": 128, "maxOutputBytes": 1_048_576}
_ESCAPED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


class Head(NamedTuple):
    """What stands above a program.

    Attributes:
        words: Lines in which no variable is filled in.
        keys: Lines in which one may be.
    """

    words: Sequence[str]
    keys: Sequence[str]


def program_lines(
    definition: Mapping[str, Any], variables: Mapping[str, str]
) -> tuple[Head, Sequence[str]] | None:
    """Give what stands below the magic: the head, and the lines of the program.

    Whether they say just this definition is for the caller to see.

    Args:
        definition: A definition of a program, in normal form.
        variables: Texts for which `${name}` is written in the head.

    Returns:
        None where the language has no such form.
    """
    runtime = definition["spec"]["runtime"]
    source = ["", *runtime["source"].removesuffix("\n").split("\n")]
    write = YamlWriter(variables)
    if runtime["language"] == "python":
        head = _python_head(definition, write)
        return None if head is None else (head, source)
    keys = ["/* ---", *_typescript_head(definition, write), "--- */"]
    return Head((), keys), source


def _python_head(definition: Mapping[str, Any], write: YamlWriter) -> Head | None:
    """Give docstring and settings; None where a setting needs more than one line."""
    description: str = definition["description"]
    settings = dict(_settings(definition))
    if definition["title"] != description.partition("\n")[0].strip():
        settings = {"title": definition["title"], **settings}
    lines: list[str] = []
    for key, value in settings.items():
        spelled = ", ".join(value) if key == "tools" else value
        entry = write.entry(key, spelled)
        if len(entry) != 1:
            return None
        lines += entry
    return Head(_docstring(description), [f"# {line}" for line in lines])


def _docstring(text: str) -> list[str]:
    """Give a text as a docstring, as a person would break it."""
    spelled = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    spelled = _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", spelled)
    if "\n" in spelled:
        return f'"""{spelled}\n"""'.split("\n")
    if spelled.endswith('"'):
        spelled = f'{spelled[:-1]}\\"'
    return [f'"""{spelled}"""']


def _typescript_head(definition: Mapping[str, Any], write: YamlWriter) -> list[str]:
    lines = write.entry("title", definition["title"])
    lines += write.entry("description", definition["description"])
    declared = dict(params(definition["inputSchema"]))
    if declared:
        lines += ["params:", *write.indented(declared)]
    for key, value in _settings(definition):
        lines += write.entry(key, value)
    return lines


def _settings(definition: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what does not hold anyway."""
    said = [definition[key] for key in TRIPLE]
    derived = (None, None)
    for at, key in enumerate(TRIPLE):
        if derived_triple(*derived)[at] != said[at]:
            yield key, said[at]
            derived = (said[0], said[1] if at else None)
    if definition["timeoutMs"] != _USUAL["timeoutMs"]:
        yield "timeoutMs", definition["timeoutMs"]
    spec = definition["spec"]
    if spec["permissions"]["toolIds"]:
        yield "tools", spec["permissions"]["toolIds"]
    for key, value in spec["limits"].items():
        if value != _USUAL[key]:
            yield key, value
