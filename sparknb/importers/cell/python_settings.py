"""What stands in comments of a Python cell: settings, and what was meant as one."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from sparknb.core.problems import Problem
from sparknb.core.wording import show
from sparknb.importers.cell.forms import SETTINGS
from sparknb.importers.cell.misspelt import misspelt_choice, misspelt_number
from sparknb.importers.cell.program import FIRST_LINE
from sparknb.importers.cell.reading import Found, read_tree, wrong
from sparknb.importers.cell.tree import Entry, Pairs

__all__ = ["PYTHON_SETTINGS", "Settings", "read_settings", "start", "stray_settings"]

PYTHON_SETTINGS = ("title", *SETTINGS)
_ELSEWHERE: Mapping[str, str] = {
    "description": "the description is the docstring",
    "params": "the parameters are those of run",
}
_COMMENT = re.compile(r"#+[ \t]*([A-Za-z][A-Za-z_-]*)[ \t]*(:|=(?!=))(.*)", re.DOTALL)
_SPELLED = re.compile(r"#[ \t]*[A-Za-z]+[ \t]*:(?:[ \t].*)?", re.DOTALL)
_KEYS: Mapping[str, str] = {key.lower(): key for key in PYTHON_SETTINGS}
_ONE_LINE = "a setting stands on one line: "


@dataclass(slots=True)
class Settings:
    """What the comments above the first statement say.

    Attributes:
        entries: The settings that can be read.
        at: Where comments stand that are settings, or were meant as one; lines are
            counted from 0.
        found: What is wrong with them.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    at: set[int] = field(default_factory=set)
    found: list[Found] = field(default_factory=list)

    def root(self) -> Pairs:
        """Give the settings as the keys of a mapping."""
        return Pairs(tuple(self.entries.values()), FIRST_LINE)


def read_settings(
    lines: Sequence[str], above: Sequence[int], variables: Mapping[str, str]
) -> Settings:
    """Read the comments that are settings.

    Args:
        lines: The cell.
        above: Lines above the first statement, counted from 0.
        variables: Texts for `${name}`.
    """
    made = Settings()
    firsts: dict[str, int] = {}
    for at in above:
        comment = lines[at].strip()
        match = _COMMENT.fullmatch(comment)
        key = match and _meant(match[1], match[2], match[3])
        if match is None or key is None:
            continue
        made.at.add(at)
        word, value = match[1], match[3].strip()
        problem: Problem | None
        if word != key or key in _ELSEWHERE:
            problem = _unknown(word, key)
        elif _SPELLED.fullmatch(comment) is None:
            message = f"'{show(comment)}' is not how a setting is written"
            problem = wrong(message, key, f"write {_example(key, value)}")
        elif key in firsts:
            message = f"the key '{key}' stands on line {firsts[key]} already"
            problem = wrong(message, key, "keep one of them")
        else:
            firsts[key] = at + FIRST_LINE
            problem = _unfinished(key, value)
            if problem is None:
                _read(made, key, value, at + FIRST_LINE, variables)
        if problem is not None:
            made.found.append(_at(problem, at))
    return made


def stray_settings(
    lines: Sequence[str], statements: Sequence[ast.stmt], docstring: ast.stmt | None
) -> Iterator[Found]:
    """Yield the settings that stand where none is read.

    That is behind the docstring, or below the first statement, outside of any other:
    what stands within a function or a text is the program's own.
    """
    if docstring is not None:
        at = (docstring.end_lineno or 1) - 1
        behind = lines[at].encode("utf-8", "replace")[docstring.end_col_offset or 0 :]
        yield from _stray(behind.decode("utf-8", "replace").strip(), at)
    passed = start(statements[0]) if statements else len(lines)
    for each in statements:
        for at in range(passed, start(each)):
            yield from _stray(lines[at], at)
        passed = max(passed, each.end_lineno or 0)
    for at in range(passed, len(lines)):
        yield from _stray(lines[at], at)


def start(statement: ast.stmt) -> int:
    """Give the line on which a statement begins, counted from 0."""
    above: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in above)]) - 1


def _stray(comment: str, at: int) -> Iterator[Found]:
    match = _COMMENT.fullmatch(comment)
    if match is None:
        return
    word, known = match[1], _known(match[1])
    key = known or misspelt_choice(word, match[3])
    if key is None:
        return
    message = f"the setting '{key}' is not read here"
    if known is None:
        message = f"'{show(word)}' seems to be the setting '{key}', not read here"
    hint = (
        "settings stand above the first statement, each on a line of its own: write"
        f" {_example(key, match[3].strip())} there, or begin the comment otherwise"
    )
    yield _at(wrong(message, key, hint), at)


def _at(problem: Problem, at: int) -> Found:
    line = at + FIRST_LINE
    return Found(replace(problem, line=line), line)


def _known(word: str) -> str | None:
    """Give the setting that a word is, in whatever letters."""
    return _KEYS.get(re.sub("[_-]", "", word).lower())


def _meant(word: str, mark: str, value: str) -> str | None:
    """Give the setting that a word is, or very nearly is.

    Before a colon the word alone may tell; else what follows has to fit as well.
    """
    if word in _ELSEWHERE:
        return word if mark == ":" else None
    known = _known(word) or misspelt_choice(word, value)
    if known is not None or mark == "=":
        return known
    keys = (*PYTHON_SETTINGS, *_ELSEWHERE)
    close = get_close_matches(word[:40], keys, n=1, cutoff=0.8)
    return next(iter(close), None) or misspelt_number(word, value)


def _unknown(word: str, key: str) -> Problem:
    """Give the problem of a comment that was probably meant as a setting."""
    hint = _ELSEWHERE.get(key, f"did you mean {key}?")
    known = (
        f"{hint} (settings: {', '.join(PYTHON_SETTINGS)}); a comment that is none has"
        " to begin otherwise"
    )
    message = f"'{show(word)}' is no setting of a program"
    return wrong(message, word, known, "FIELD_UNKNOWN")


def _example(key: str, value: str) -> str:
    """Give a setting as it is to be written."""
    return f"# {key}: {show(value) if value else 'a, b' if key == 'tools' else '…'}"


def _unfinished(key: str, value: str) -> Problem | None:
    """Give the problem of a setting that seems to go on below."""
    hint = f"{_ONE_LINE}{_example(key, '')}"
    if not value:
        message = f"the setting '{key}' has no value"
        return wrong(message, key, hint, "FIELD_TYPE")
    if key == "tools" and value.endswith(","):
        return wrong("the list of tools ends with a comma", key, hint)
    return None


def _read(
    made: Settings, key: str, value: str, line: int, variables: Mapping[str, str]
) -> None:
    """Read a value, alone: none reaches into the next line."""
    reading = read_tree(f"{key}: {value}", variables, first_line=line)
    if isinstance(reading.root, Pairs):
        made.entries |= {each.key: each for each in reading.root.entries}
    for each in reading.found:
        problem = each.problem
        if not problem.path:
            hint = f"{problem.hint}; {_ONE_LINE}{_example(key, '')}"
            problem = replace(problem, path=key, hint=hint, line=line)
        made.found.append(Found(problem, line))
