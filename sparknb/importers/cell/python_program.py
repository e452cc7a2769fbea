"""A Python program in a cell: docstring, settings, the signature of `run` (NB-12)."""

import ast
import inspect
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparknb.core.definitions import SOURCE_PATH, InputSchema
from sparknb.core.problems import Problem
from sparknb.importers.cell.program import FIRST_LINE, SOURCE, Program, kept, unfilled
from sparknb.importers.cell.python_settings import (
    read_settings,
    start,
    stray_settings,
)
from sparknb.importers.cell.reading import Found, wrong
from sparknb.importers.cell.signature import read_signature
from sparknb.importers.cell.tree import Entry, Pairs, Value

__all__ = ["read_python"]

_MOST_CHARACTERS = 400_000  # to be parsed; a program has at most half as many
_LONGEST_TITLE = 160
_UNREADABLE = "this text cannot be read as Python"
_UNREAD = frozenset({"title", "description", SOURCE_PATH})


def read_python(text: str, variables: Mapping[str, str]) -> Program:
    """Read the body of a cell of type python; its lines end in line feeds alone."""
    lines = text.split("\n")
    parsed = _parse(text)
    if isinstance(parsed, Found):
        entry = Entry(SOURCE, FIRST_LINE, Value(text, text, FIRST_LINE))
        numbers = range(FIRST_LINE, FIRST_LINE + len(lines))
        return Program(
            root=Pairs((entry,), FIRST_LINE),
            found=(parsed,),
            lines=numbers,
            silent=_UNREAD,
        )
    return _Reader(lines, parsed, variables).read()


def _parse(text: str) -> ast.Module | Found:
    """Parse a program without running it."""
    if len(text) > _MOST_CHARACTERS:
        said = f"a program has at most 200000 characters, not {len(text)}"
        return Found(wrong(said, SOURCE), FIRST_LINE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes, told to nobody
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _unparsable(text)


def _unparsable(text: str) -> Found:
    """Give why a text is no program, in the words of the rules of programs."""
    from sparknb.core.validation.python_source import source_problems

    told = source_problems(text, InputSchema({}, {"type": "object", "properties": {}}))
    said = next((p.message for p in told if p.code == "CODE_SYNTAX"), _UNREADABLE)
    line = max((told[0].line or 1) if told else 1, 1)
    line = min(line, text.count("\n") + 1) + FIRST_LINE - 1
    column = told[0].column if told else None
    problem = wrong(said, SOURCE, None, "CODE_SYNTAX")
    return Found(replace(problem, line=line, column=column), line)


@dataclass(slots=True)
class _Reader:
    """Takes a parsed cell to pieces; its lines are counted from 0 in here."""

    lines: Sequence[str]
    module: ast.Module
    variables: Mapping[str, str]
    found: list[Found] = field(default_factory=list)
    silent: set[str] = field(default_factory=set)

    def read(self) -> Program:
        """Give what the cell says."""
        docstring, statements = _parted(self.module)
        spoken = range(0)
        if docstring is not None:
            spoken = range(docstring.lineno - 1, docstring.end_lineno or 0)
        end = start(statements[0]) if statements else len(self.lines)
        if end in spoken:
            message = "something follows the docstring on its line"
            hint = "let it begin on a line of its own"
            self._tell(wrong(message, "description", hint), end)
        comments = [at for at in range(end) if at not in spoken]
        said = read_settings(self.lines, comments, self.variables)
        settings = said.root()
        self.found += said.found
        self.found += stray_settings(self.lines, statements, docstring)
        rest = [
            at
            for at in range(len(self.lines))
            if at not in spoken and at not in said.at
        ]
        source, numbers = kept(
            [self.lines[at] for at in rest], [at + FIRST_LINE for at in rest]
        )
        self.found += unfilled(source, numbers, self.variables)
        first = numbers[0] if numbers else FIRST_LINE
        entries = [
            *self._words(docstring, settings),
            *settings.entries,
            *self._params(statements),
            Entry(SOURCE, first, Value(source, source, first)),
        ]
        return Program(
            root=Pairs(tuple(entries), FIRST_LINE),
            found=tuple(self.found),
            lines=numbers,
            silent=frozenset(self.silent),
        )

    def _tell(self, problem: Problem, at: int) -> None:
        self.found.append(Found(problem, at + FIRST_LINE))

    def _words(self, docstring: ast.stmt | None, settings: Pairs) -> Iterator[Entry]:
        """Yield the description, and the title where no setting gives it."""
        needs_title = settings.get("title") is None
        if docstring is None:
            message = "the docstring is missing, which tells a model what the tool does"
            hint = 'begin the cell with """Counts words. Use it when …"""'
            self._tell(wrong(message, "description", hint, "FIELD_MISSING"), 0)
            self.silent.update(("description", "title")[: 1 + needs_title])
            return
        words = inspect.cleandoc(_text(docstring) or "").strip()
        line = docstring.lineno + FIRST_LINE - 1
        yield Entry("description", line, Value(words, words, line))
        title = words.partition("\n")[0].strip()
        if needs_title and len(title) > _LONGEST_TITLE:
            message = (
                "the first line of the docstring is the title, and has more than"
                f" {_LONGEST_TITLE} characters"
            )
            hint = "write # title: …, or break the line"
            self._tell(wrong(message, "title", hint), docstring.lineno - 1)
        if needs_title:
            yield Entry("title", line, Value(title, title, line))

    def _params(self, statements: Sequence[ast.stmt]) -> Iterator[Entry]:
        """Yield the parameters; without one `run` the rules of programs say why."""
        runs = [
            each
            for each in statements
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            and each.name == "run"
        ]
        if len(runs) == 1:
            tell = self.found.append
            params = read_signature(runs[0], self.lines, FIRST_LINE, tell)
            yield Entry("params", params.line, params)


def _parted(module: ast.Module) -> tuple[ast.stmt | None, Sequence[ast.stmt]]:
    """Give the docstring, and all other statements."""
    body = module.body
    if body and _text(body[0]) is not None:
        return body[0], body[1:]
    return None, body


def _text(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return None
