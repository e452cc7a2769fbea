"""Words of a command as texts with placeholders.

A text here is literal but for placeholders of the plain form, spelled `{{name}}`.
Those are what a person wrote into the command, and shell variables where they may
become parameters. All other double braces are literal, and each place that a text
goes to has its own way to write them.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from sparknb.core.wording import show
from sparknb.importers.curl.command import Word
from sparknb.importers.curl.notes import Notes

__all__ = [
    "MARK",
    "has_loose_braces",
    "is_whole",
    "literal_of",
    "map_literals",
    "marked",
    "names_in",
    "parameter_name",
    "refuse_variables",
    "template_of",
    "unmarked",
]

MARK = "\0"  # no word holds it: the reader refuses it

_PLACEHOLDER = re.compile(
    r"\{\{[ \t\r\n]*+([A-Za-z_][A-Za-z0-9_]*+)[ \t\r\n]*+\}\}", re.ASCII
)
_NO_NAME = re.compile(r"[^A-Za-z0-9_]")
_LONGEST_NAME = 64


def parameter_name(text: str) -> str:
    """Give a name that a parameter may have, as near to the text as can be."""
    name = _NO_NAME.sub("_", text)[:_LONGEST_NAME] or "value"
    return f"_{name}"[:_LONGEST_NAME] if name[0].isdigit() else name


def template_of(word: Word, notes: Notes, name_of: Callable[[str], str] | None) -> str:
    """Give the text of a word.

    Args:
        word: The word.
        notes: Gets the problem where variables may not become parameters.
        name_of: Gives the parameter that takes the place of a variable; None where
            none may.
    """
    if word.variables and name_of is None:
        refuse_variables(word, notes)
    pieces = [
        p if isinstance(p, str) else f"{{{{{name_of(p.name)}}}}}" if name_of else ""
        for p in word.pieces
    ]
    return _PLACEHOLDER.sub(r"{{\1}}", "".join(pieces))


def refuse_variables(word: Word, notes: Notes, hint: str | None = None) -> None:
    """Note that variables of the shell stand where nothing can take their place."""
    names = ", ".join(map(show, dict.fromkeys(word.variables)))
    notes.refuse(
        "CURL_SHELL",
        word,
        f"the shell would put the value of {names} here",
        hint or "write the value, or {{name}}, or let --params auto make parameters",
    )


def names_in(text: str) -> list[str]:
    """Give the names of the placeholders in a text, in order."""
    return _PLACEHOLDER.findall(text)


def is_whole(text: str) -> bool:
    """Tell whether a text is one placeholder and nothing else."""
    return _PLACEHOLDER.fullmatch(text) is not None


def literal_of(text: str) -> str:
    """Give what is left of a text without its placeholders."""
    return _PLACEHOLDER.sub("", text)


def marked(text: str) -> tuple[str, list[str]]:
    """Give the text with a mark for each placeholder, and the names in order."""
    return _PLACEHOLDER.sub(MARK, text), names_in(text)


def unmarked(text: str, names: Iterable[str]) -> str:
    """Put placeholders back in the place of marks."""
    remaining = iter(names)
    first, *rest = text.split(MARK)
    return first + "".join([f"{{{{{next(remaining)}}}}}{part}" for part in rest])


def map_literals(text: str, change: Callable[[str], str]) -> str:
    """Give the text with its literal parts changed."""
    pieces: Sequence[str] = _PLACEHOLDER.split(text)
    return "".join(
        [f"{{{{{p}}}}}" if n % 2 else change(p) for n, p in enumerate(pieces)]
    )


def has_loose_braces(text: str) -> bool:
    """Tell whether double braces stand in the text that are no placeholder's."""
    masked = _PLACEHOLDER.sub(MARK, text)
    return "{{" in masked or "}}" in masked
