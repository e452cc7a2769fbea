"""The two forms of a cell: which one it is, and keys that do not belong to it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Literal

from sparknb.core.definitions import ToolType
from sparknb.core.wording import join_path, show
from sparknb.importers.cell.reading import Found, wrong
from sparknb.importers.cell.tree import Entry, Pairs, optional_marked

__all__ = [
    "SETTINGS",
    "SHORT_KEYS",
    "VISION",
    "Form",
    "closest",
    "corrected",
    "form_of",
    "meant",
    "mixed_keys",
]

Form = Literal["short", "long"]
VISION: ToolType = "provider-vision"

_LONGEST = 80  # characters of a word that are compared

_COMMON = (
    "id",
    "title",
    "description",
    "type",
    "risk",
    "effect",
    "idempotency",
    "timeoutMs",
)
# Keys of one form only, with where the other form says the same.
_SHORT: Mapping[str, str] = {
    "params": "inputSchema",
    "request": "spec.request",
    "headers": "spec.request.headers",
    "body": "spec.request.body",
    "response": "spec.response",
    "allowPrivateNetwork": "spec.allowPrivateNetwork",
}
_LONG: Mapping[str, str] = {
    "inputSchema": "params",
    "secretRefs": "secret:NAME as the value of a header",
    "spec": "request, headers, body and response",
}
_OTHER_WORDS: Mapping[str, str] = {
    "parameters": "params",
    "inputs": "params",
    "args": "params",
    "url": "request",
    "method": "request",
    "extract": "response",
    "format": "response",
    "name": "title",
    "timeout": "timeoutMs",
    "secrets": "headers",
    "toolIds": "tools",
    "permissions": "tools",
    "calls": "tools",
    "memory": "memoryMb",
}
SHORT_KEYS = (*_COMMON[1:3], *_SHORT, *_COMMON[4:])
SETTINGS = (*_COMMON[4:], "tools", "memoryMb", "maxOutputBytes")
"""What a program cannot say by itself, whatever its language."""


def form_of(root: Pairs, kind: str | None = None) -> Form:
    """Give the form: the first key that only one of them has decides.

    Args:
        root: What was written.
        kind: The type of the tool, where it is known; there are tools that have no
            short form.
    """
    if kind == VISION:
        return "long"
    own = (e.key for e in root.entries if e.key in _SHORT or e.key in _LONG)
    return "long" if next(own, "") in _LONG else "short"


def mixed_keys(root: Pairs, form: Form, kind: str | None = None) -> Iterator[Found]:
    """Yield the keys of the other form; `kind` is the type of the tool, where known."""
    others, other = (_LONG, "long") if form == "short" else (_SHORT, "short")
    for entry in root.entries:
        if entry.key in others:
            message = f"'{entry.key}' belongs to the {other} form, not to the {form}"
            hint = f"write {others[entry.key]} instead, or the whole cell in one form"
            if kind == VISION:
                hint = (
                    "an image tool has the long form only, as docs/providers.md shows"
                )
            yield Found(wrong(message, entry.key, hint, "FIELD_UNKNOWN"), entry.line)


def corrected(
    root: Pairs, keys: Sequence[str] = SHORT_KEYS, more: Collection[str] = _COMMON
) -> tuple[Pairs, Sequence[Found]]:
    """Give a short form with its slips of the pen corrected, and all unknown keys.

    What stands under a misspelled key is read as what was meant, so that it is
    judged as well.

    Args:
        root: What was written.
        keys: The keys of the form.
        more: Keys that may stand there too, and are not recommended.
    """
    found: list[Found] = []
    there = {entry.key for entry in root.entries}
    entries: list[Entry] = []
    for entry in root.entries:
        if entry.key in keys or entry.key in more:
            entries.append(entry)
            continue
        message = f"'{show(entry.key)}' is not a key of a tool"
        hint = f"{meant(entry.key, keys)}known keys: {', '.join(keys)}"
        path = join_path("", entry.key)
        found.append(Found(wrong(message, path, hint, "FIELD_UNKNOWN"), entry.line))
        nearest = closest(entry.key, keys)
        if nearest is not None and nearest not in there:
            there.add(nearest)
            node = optional_marked(entry.node) if nearest == "params" else entry.node
            entries.append(replace(entry, key=nearest, node=node))
    return replace(root, entries=tuple(entries)), found


def closest(word: str, known: Collection[str]) -> str | None:
    """Give the known word that was probably meant."""
    return next(iter(get_close_matches(word[:_LONGEST], known, n=1)), None)


def meant(word: str, known: Collection[str]) -> str:
    """Give `did you mean …? ` where a word is close or means the same, else nothing."""
    nearest = closest(word, known)
    if nearest is None and _OTHER_WORDS.get(word) in known:
        nearest = _OTHER_WORDS[word]
    return f"did you mean {nearest}? " if nearest else ""
