"""A program in a cell, as a tree like that of a short form, and expanded (NB-12)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sparknb.core.definitions import SOURCE_PATH
from sparknb.core.problems import Problem
from sparknb.importers.cell.forms import SETTINGS
from sparknb.importers.cell.reading import Found, wrong
from sparknb.importers.cell.short_form import TRIPLE, Expanded, Tell, read_params
from sparknb.importers.cell.tree import Node, Pairs, Value, as_json, parts

__all__ = [
    "FIRST_LINE",
    "SOURCE",
    "Language",
    "Program",
    "derived_triple",
    "expand_program",
    "kept",
    "language_of",
    "moved",
    "program_alone",
    "unfilled",
    "unfilled_in_yaml",
]

Language = Literal["python", "typescript"]

SOURCE = "source"
"""The key that the program itself has in the tree; nobody writes it."""

FIRST_LINE = 2
"""Of the body, below the magic."""

_BEGINS = re.compile(
    r"(?:\s*#[^\n]*\n)*\s*(?:"
    r"(\"\"\"|'''|def |async def |from \w+ import |import \w+\n)"
    r"|/\*|//|export |import |const |function |async function )"
)
_PLACES = (
    ("tools", "spec.permissions.toolIds", "tools"),
    ("memoryMb", "spec.limits.memoryMb", ""),
    ("maxOutputBytes", "spec.limits.maxOutputBytes", ""),
    ("source", SOURCE_PATH, "the program"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What a cell with a program says.

    Attributes:
        root: Its keys; the program stands under `source`.
        found: What is wrong with how it is written.
        lines: For each line of the program the line of the cell that it stands on.
        silent: Paths of the definition of which nothing can be said.
    """

    root: Pairs
    found: tuple[Found, ...] = ()
    lines: Sequence[int] = ()
    silent: frozenset[str] = field(default=frozenset())


def language_of(text: str) -> Language | None:
    """Give the language that a text seems to be a program in."""
    found = _BEGINS.match(text)
    if found is None:
        return None
    return "python" if found[1] else "typescript"


def kept(lines: Sequence[str], numbers: Sequence[int]) -> tuple[str, Sequence[int]]:
    """Give the program that these lines are, without blank lines around it.

    Args:
        lines: Lines of the cell.
        numbers: The number of each in the cell.
    """
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    text = "\n".join(lines[first:]).rstrip()
    last = first + text.count("\n") + 1
    return (f"{text}\n" if text else ""), numbers[first:last]


def expand_program(
    program: Program, language: Language, tool_id: Any, tell: Tell
) -> Expanded:
    """Give the definition that a cell with a program stands for."""
    written = {entry.key: entry.node for entry in program.root.entries}
    made = Expanded(program.root, {} if tool_id is None else {"id": tool_id})
    document = made.document
    document["type"] = "code"
    for key in ("title", "description", *TRIPLE, "timeoutMs"):
        if key in written:
            document[key] = as_json(written[key])
    document["inputSchema"] = read_params(written.get("params"), made, tell)
    source = as_json(written[SOURCE])
    spec: dict[str, Any] = {"runtime": {"language": language, "source": source}}
    if "tools" in written:
        spec["permissions"] = {"toolIds": _tool_ids(written["tools"], made)}
    limits = {k: as_json(written[k]) for k in SETTINGS[-2:] if k in written}
    if limits:
        spec["limits"] = limits
    document["spec"] = spec
    made.places |= {there: (here, word) for here, there, word in _PLACES}
    made.places["spec"] = (SOURCE, "")
    made.silent |= program.silent
    _complete_triple(document)
    return made


def program_alone(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give a definition that has the program of another, and is sound in all else.

    Args:
        document: A definition as it is written, which may break any rule.

    Returns:
        None where the other has no program that could be looked at.
    """
    match document:
        case {"type": "code", "spec": {"runtime": {"source": str(source)} as said}}:
            language = said.get("language", "typescript")
        case _:
            return None
    # The names that `run` takes are judged with it; TypeScript has its own types.
    schema = document.get("inputSchema") if language == "python" else None
    return {
        "id": "program",
        "title": "A program",
        "description": "Stands for a tool that is not complete yet.",
        "type": "code",
        "inputSchema": schema or {"type": "object", "properties": {}},
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "spec": {"runtime": {"language": language, "source": source}},
    }


def _tool_ids(node: Node, made: Expanded) -> Any:
    """Read ids in a list, or in one text with commas between them."""
    said = as_json(node)
    if isinstance(node, Value) and isinstance(said, str):
        said = [each.strip() for each in said.split(",") if each.strip()]
    for at in range(len(said) if isinstance(said, list) else 0):
        made.places[f"spec.permissions.toolIds.{at}"] = (f"tools.{at}", f"tools.{at}")
    return said


def derived_triple(risk: Any, effect: Any) -> tuple[str, str, str]:
    """Give risk, effect and idempotency, where any of the first two may be None.

    A program that says nothing changes nothing: it reaches the world only by the tools
    that it names, and must not have a lower risk than theirs.
    """
    if risk is None:
        lowest = {None: "read", "read": "read", "delete": "destructive"}
        risk = lowest.get(effect, "low-write")
    if effect is None:
        effect = {"read": "read", "destructive": "delete"}.get(risk, "update")
    return risk, effect, "safe" if risk == "read" else "unsafe"


def _complete_triple(document: dict[str, Any]) -> None:
    said = [document.get(key) for key in TRIPLE[:2]]
    usable = [each if isinstance(each, str) else None for each in said]
    for key, value in zip(TRIPLE, derived_triple(*usable), strict=True):
        document.setdefault(key, value)


def moved(problem: Problem, lines: Sequence[int]) -> Problem:
    """Give a problem of the program with the line of the cell that it stands on."""
    if problem.line is None or not lines:
        return problem
    at = min(max(problem.line, 1), len(lines))
    return replace(problem, line=lines[at - 1])


def unfilled(
    source: str, lines: Sequence[int], variables: Mapping[str, str]
) -> Iterator[Found]:
    """Yield the lines of a program that ask for a variable that was passed.

    Each variable is told once a line. What it holds is text; inside a program it would
    be code.
    """
    if not variables or "${" not in source:
        return
    names = "|".join(map(re.escape, variables))
    asked = re.compile(rf"(?<!\$)\$\{{({names})\}}")
    places = (
        (line, name)
        for text, line in zip(source.split("\n"), lines, strict=False)
        for name in dict.fromkeys(asked.findall(text))
    )
    for line, name in places:
        message = f"the variable ${{{name}}} is not put into a program"
        hint = "give the tool a parameter, or write the value itself"
        yield Found(replace(wrong(message, SOURCE, hint), line=line), line)


def unfilled_in_yaml(root: Node, variables: Mapping[str, str]) -> Iterator[Found]:
    """Yield the same of a program that is the `source` of a definition in YAML."""
    sources = (node for path, _, node in parts(root) if path == SOURCE_PATH)
    node = next(sources, None) if variables else None
    if not isinstance(node, Value):
        return
    count = node.raw.count("\n") + 1
    first = node.line + 1
    lines = range(first, first + count) if node.is_block else [node.line] * count
    for each in unfilled(node.raw, lines, variables):
        yield Found(replace(each.problem, path=SOURCE_PATH), each.line)
