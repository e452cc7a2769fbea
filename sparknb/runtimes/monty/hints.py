"""What to write instead, where the check of a source refuses something."""

import builtins
import re

from sparknb.core.validation.python_source import IMPORTABLE

__all__ = ["METHOD_DECORATORS", "syntax_hint", "type_hint"]

METHOD_DECORATORS = "method decorators"
_INSTEAD = {
    "'del'": "give the name another value; .pop() takes a member out",
    "yield": "collect the values in a list, and return it",
    METHOD_DECORATORS: "write a function beside the class, or call a plain method",
    "class inheritance": "write the class without bases, or use functions",
    "class bodies": "keep to methods and plain values",
    "async for": "write a plain for, and await within it",
    "async comprehensions": "write a plain for, and await within it",
    "async context": "await what it does, without a with",
    "exception groups": "write except without the *",
    "type aliases": "assign the type to a name",
    "template strings": "write an f-string",
}
_FILES = "a code tool has no files: take what it needs as a parameter of run"
_NETWORK = "a code tool has no network: call an http tool with await call_tool(...)"
_NAMES = {
    "open": _FILES,
    "os": _FILES,
    "pathlib": _FILES,
    "Path": _FILES,
    "input": "a code tool can ask nobody: take the input as a parameter of run",
    "requests": _NETWORK,
    "httpx": _NETWORK,
    "urllib": _NETWORK,
}
_UNKNOWN = re.compile(r"Name `(\w+)` used when not defined")
# where the value is named, not where the wanted type is
_NOT_AWAITED = re.compile(r"(?:type|found|and) `[^`]*CoroutineType\[")


def syntax_hint(lacking: str) -> str | None:
    """Give what to write instead of what the interpreter says that it lacks."""
    found = (hint for part, hint in _INSTEAD.items() if part in lacking)
    return next(found, None)


def type_hint(message: str) -> str | None:
    """Give what to do about a message of the type check; None for most of them."""
    if _NOT_AWAITED.search(message):
        return "write await before the call, as in await call_tool(...)"
    unknown = _UNKNOWN.match(message)
    return None if unknown is None else _name_hint(unknown[1])


def _name_hint(name: str) -> str | None:
    if name in _NAMES:
        return _NAMES[name]
    if name in IMPORTABLE:
        return f"write import {name} at the top"
    if hasattr(builtins, name):
        return "Python has it, the interpreter of tools does not"
    return None
