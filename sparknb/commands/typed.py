"""A command as it was given, to be given again with more."""

from collections.abc import Iterator
from shlex import quote
from typing import Any
from urllib.parse import urlsplit

from sparknb.commands.table import Argument, Command, Option, Values
from sparknb.core.secret_scan import mask_secrets

__all__ = ["typed"]


def typed(command: Command, values: Values, **changes: Any) -> str:
    """Give the line that says these values, quoted for a shell.

    Args:
        command: Whose words and options they are.
        values: What was given.
        changes: Values by their keys, in place of those.
    """
    said = {**values, **changes}
    words = [w for a in command.arguments for w in _argument(a, said.get(a.key))]
    options = [w for o in command.options for w in _option(o, said.get(o.key))]
    begin = ["sparknb", *command.path]
    if any(word.startswith("-") and word != "-" for word in words):
        return " ".join([*begin, *options, "--", *words])
    return " ".join([*begin, *words, *options])


def _argument(argument: Argument, value: Any) -> Iterator[str]:
    for each in value if isinstance(value, list | tuple) else (value,):
        if each is not None:
            yield _word(each, argument.metavar)


def _option(option: Option, value: Any) -> Iterator[str]:
    if option.kind == "flag":
        if value:
            yield option.name
        return
    for each in value if isinstance(value, list | tuple) else (value,):
        if each is None:
            continue
        word = _word(each, option.metavar or option.key.upper())
        if word.startswith("-"):  # else it would be read as an option
            yield f"{option.name}={word}"
        else:
            yield f"{option.name} {word}"


def _word(value: Any, metavar: str) -> str:
    """Give a word as one types it; its place only where it may hold a secret."""
    text = str(value)
    return metavar if _may_hold_a_secret(text) else quote(text)


def _may_hold_a_secret(text: str) -> bool:
    """Whether it looks like a secret, or is an address with room for one."""
    if mask_secrets(text) != text:
        return True
    if "://" not in text:
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return True
    return bool(parts.query or parts.fragment) or "@" in parts.netloc
