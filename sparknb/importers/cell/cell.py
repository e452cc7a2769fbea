"""The body of a cell that defines a tool, read (NB-11, NB-12, NB-18)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.validation import validate
from sparknb.core.validation.fields import wrong_type
from sparknb.core.wording import show
from sparknb.importers.cell.forms import VISION, corrected, form_of, mixed_keys
from sparknb.importers.cell.program import (
    Language,
    Program,
    expand_program,
    language_of,
    moved,
    program_alone,
    unfilled_in_yaml,
)
from sparknb.importers.cell.python_program import read_python
from sparknb.importers.cell.reading import Found, read_tree, wrong
from sparknb.importers.cell.short_form import Expanded, expand
from sparknb.importers.cell.tree import Node, Pairs, Value, as_json, parts, with_raw
from sparknb.importers.cell.typescript_program import read_typescript
from sparknb.importers.cell.wording import quoted, retold, says_anew, with_meant

__all__ = ["Cell", "read_cell"]

_NONE: Mapping[str, str] = MappingProxyType({})
_MAGIC_LINE, _BODY_LINE = 1, 2
_NAMES: Mapping[Language, str] = {"python": "Python", "typescript": "TypeScript"}
_LANGUAGES: Mapping[str, Language] = {"python": "python", "typescript": "typescript"}
_TYPES: Mapping[str, str] = {"vision": VISION}
"""Words of the magic for types that are called otherwise in definitions."""

_HOW = "write title, description and request, as docs/cells.md shows"
_HOW_VISION = (
    "write title, description, inputSchema with images, risk, effect, idempotency and"
    " spec: {providerProfileId: eyes}, as docs/providers.md shows;"
    " %spark new vision gives a whole cell"
)
_HOW_PROGRAM: Mapping[Language, str] = {
    "python": "write a docstring that says what the tool is for, and a function run",
    "typescript": (
        "write a header (/* ---, title and description as YAML, --- */), and"
        " export default function below it"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A definition as it is written in a cell.

    Attributes:
        document: The definition in its long form, None when the text gives none.
        renamed: For texts of the document that hold a variable, how they are
            written, with `${name}`.
        problems: What is wrong with the text itself, by line; while there is any,
            the document is only good for finding more.
    """

    document: dict[str, Any] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    _root: Node | None = field(default=None, repr=False)
    _program: Program | None = field(default=None, repr=False)
    _found: Mapping[str, int] = field(default_factory=dict, repr=False)
    _expanded: Expanded | None = field(default=None, repr=False)

    def says(self, key: str) -> bool:
        """Whether a key stands at the top of the cell."""
        return isinstance(self._root, Pairs) and self._root.get(key) is not None

    @property
    def program(self) -> dict[str, Any] | None:
        """A definition with its program in which all else is sound, None without one.

        So that a program can be looked at while its settings are wrong.
        """
        return None if self.document is None else program_alone(self.document)

    def check(self, seen: Iterable[Problem] = ()) -> Sequence[Problem]:
        """Give everything that is wrong, with the text and the definition, by line.

        Args:
            seen: What is wrong with the program besides, with paths of definitions.
        """
        if self.document is None:
            return self.problems
        said = {p.path for p in self.problems if p.line is None}
        spots = {(p.line, p.column) for p in self.problems if p.line is not None}
        told = self.told(dict.fromkeys([*validate(self.document).problems, *seen]))
        more = [
            p for p in told if p.path not in said and (p.line, p.column) not in spots
        ]
        return self._by_line([*self.problems, *more])

    def told(self, problems: Iterable[Problem]) -> Sequence[Problem]:
        """Give problems of the definition in the words of its author, by line."""
        problems = [self._moved(p) for p in problems]
        if self._expanded is not None:
            silent = self._expanded.silent
            heard = [p for p in problems if says_anew(p, silent)]
            problems = [retold(p, self._expanded) for p in heard]
        return self._by_line(list(map(quoted, with_meant(list(problems)))))

    def lines(self, paths: Iterable[str]) -> Mapping[str, int]:
        """Give the line of each path in the cell, or of its nearest parent there.

        What is missing at the top has the line on which the body begins; the id has
        the magic's own.
        """
        written = {"id": _MAGIC_LINE}
        if self._root is not None:
            written |= {path: line for path, line, _ in parts(self._root)}
        written |= self._found
        top = _BODY_LINE if self._root is None else self._root.line
        return {path: _nearest(path, written, top) for path in paths}

    def _moved(self, problem: Problem) -> Problem:
        """Give a problem of a program with its line in the cell."""
        if problem.line is None:
            return problem
        if self._program is not None:
            return moved(problem, self._program.lines)
        found = () if self._root is None else parts(self._root)
        node = next((node for path, _, node in found if path == problem.path), None)
        if isinstance(node, Value) and node.is_block:
            return replace(problem, line=problem.line + node.line, column=None)
        spot = replace(problem, path="").place
        message = f"{problem.message} (its {spot})"
        return replace(problem, message=message, line=None, column=None)

    def _by_line(self, problems: Sequence[Problem]) -> Sequence[Problem]:
        if len(problems) < 2:  # noqa: PLR2004  # nothing to sort
            return problems
        lines = self.lines([p.path for p in problems])
        return sorted(problems, key=lambda p: p.line or lines[p.path])


def read_cell(
    text: str,
    variables: Mapping[str, str] = _NONE,
    *,
    tool_id: str | None = None,
    tool_type: str | None = None,
) -> Cell:
    """Read the body of a cell, in its short or its long form.

    Args:
        text: What stands below the line of the magic.
        variables: Texts for `${name}`.
        tool_id: The id in the magic's line; an `id` in the body has to agree.
        tool_type: The type in the magic's line, None where it says none. With
            `python` and `typescript` the body is a program, else YAML.
    """
    language = _LANGUAGES.get(tool_type or "")
    if language is not None:
        return _program(text, variables, tool_id, language)
    reading = read_tree(text, variables, optional_at="params")
    root, found = reading.root, list(reading.found)
    kind = _TYPES.get(tool_type or "", tool_type)
    if not isinstance(root, Pairs):
        return _unread(text, root, found, _HOW_VISION if kind == VISION else _HOW)
    form = form_of(root, kind)
    mixed = list(mixed_keys(root, form, kind))
    if mixed:
        return _with(Cell(_root=root), [*found, *mixed])
    found += _disagreements(root, {"id": tool_id, "type": kind})
    if form == "short":
        return _short(root, tool_id, found)
    document = _long(root, tool_id, kind)
    if document["type"] == "code":
        found += unfilled_in_yaml(root, variables)
    renamed = dict(_renamed(document, _long(with_raw(root), tool_id, kind)))
    return _with(Cell(document=document, renamed=renamed, _root=root), found)


def _unread(text: str, root: Node | None, found: Sequence[Found], how: str) -> Cell:
    """Give a cell that says nothing, or is no mapping, with how it is written."""
    language = language_of(text)
    if language is not None:
        return _mistaken(language)
    if root is not None:
        told = wrong_type("", "a mapping of keys to values", as_json(root))
        more = Found(replace(told, hint=how), root.line)
        return _with(Cell(_root=root), [*found, more])
    if found:
        return _with(Cell(), found)
    return _empty(how)


def _empty(hint: str) -> Cell:
    problem = wrong("the cell defines nothing", hint=hint, code="FIELD_MISSING")
    return _with(Cell(), [Found(problem, _MAGIC_LINE)])


def _mistaken(language: Language) -> Cell:
    """Give the one thing that is wrong with a program that is read as YAML."""
    message = f"this is a program in {_NAMES[language]}, and was read as YAML"
    hint = f"add --type {language} to the first line of the cell"
    return _with(Cell(), [Found(wrong(message, "type", hint), _MAGIC_LINE)])


def _disagreements(root: Pairs, magic: Mapping[str, str | None]) -> Iterator[Found]:
    """Yield what the body says otherwise than the line of the magic."""
    for key, said in magic.items():
        entry = root.get(key)
        if said is None or entry is None or as_json(entry.node) == said:
            continue
        message = f"the {key} is {show(said)} in the first line of the cell"
        yield Found(wrong(message, key, f"remove {key} here"), entry.line)


def _long(root: Pairs, tool_id: str | None, kind: str | None) -> dict[str, Any]:
    """Give what a long form says, with the magic's own id."""
    document: dict[str, Any] = {"type": kind or "http"} | as_json(root)
    return document if tool_id is None else {**document, "id": tool_id}


def _short(written: Pairs, tool_id: str | None, found: Sequence[Found]) -> Cell:
    root, unknown = corrected(written)
    entry = root.get("id")
    named = as_json(entry.node) if tool_id is None and entry is not None else tool_id
    told: list[Problem] = []
    expanded = expand(root, named, told.append)
    document = expanded.document
    renamed = dict(_renamed(document, expand(with_raw(root), named, bool).document))
    cell = Cell(document=document, renamed=renamed, _root=root, _expanded=expanded)
    said = {each.problem.path for each in found}
    lines = cell.lines([p.path for p in told])
    more = [Found(p, lines[p.path]) for p in told if p.path not in said]
    return _with(cell, [*found, *unknown, *more])


def _program(
    text: str, variables: Mapping[str, str], tool_id: str | None, language: Language
) -> Cell:
    whole = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not whole.strip():
        return _empty(f"{_HOW_PROGRAM[language]}, as docs/cells.md shows")
    read = read_python if language == "python" else read_typescript
    program = read(whole, variables)
    told: list[Problem] = []
    expanded = expand_program(program, language, tool_id, told.append)
    raw = replace(program, root=with_raw(program.root))
    written = expand_program(raw, language, tool_id, bool).document
    cell = Cell(
        document=expanded.document,
        renamed=dict(_renamed(expanded.document, written)),
        _root=program.root,
        _program=program,
        _expanded=expanded,
    )
    lines = cell.lines([p.path for p in told])
    more = [Found(p, lines[p.path]) for p in told]
    return _with(cell, [*program.found, *more])


def _renamed(value: Any, written: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts that are written otherwise, as far as both are alike."""
    if isinstance(value, dict) and isinstance(written, dict):
        for key in value.keys() & written.keys():
            yield from _renamed(value[key], written[key])
    elif isinstance(value, list) and isinstance(written, list):
        for one, other in zip(value, written, strict=False):
            yield from _renamed(one, other)
    elif isinstance(value, str) and isinstance(written, str) and value != written:
        yield value, written


def _with(cell: Cell, found: Sequence[Found]) -> Cell:
    """Give the cell with what is wrong with it."""
    if not found:
        return cell
    in_order = sorted(found, key=lambda each: each.line)
    lines: dict[str, int] = {}
    for each in in_order:
        lines.setdefault(each.problem.path, each.line)
    return replace(cell, problems=tuple(f.problem for f in in_order), _found=lines)


def _nearest(path: str, written: Mapping[str, int], top: int) -> int:
    while path and path not in written:
        path = path.rpartition(".")[0]
    return written.get(path, top)
