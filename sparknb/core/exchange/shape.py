"""The form of an export file around its definitions (ST-83)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparknb.core.exchange.form import (
    FORMAT_VERSION,
    LONGEST_MOMENT,
    MOST_NAMES,
    MOST_TOOLS,
    OUR_KEY,
)
from sparknb.core.problems import Problem
from sparknb.core.validation.common import SECRET_NAME
from sparknb.core.validation.fields import bad_value, missing, wrong_type
from sparknb.core.wording import join_path, kind_of

__all__ = ["check_around", "check_top"]

_TOP = ("formatVersion", "exportedAt", "tools", OUR_KEY)
_ENTRY = ("spec", "secretNames")
_IN_ENTRY = re.compile(r"tools\.[0-9]+\.")
_OTHER_FILES = (
    ({"inputSchema"}, "this is one definition: sparknb draft FILE saves it"),
    ({"openapi", "paths"}, "sparknb import openapi FILE reads API descriptions"),
    ({"swagger", "paths"}, "sparknb import openapi FILE reads API descriptions"),
)


def check_top(document: Any, flaws: Sequence[Problem]) -> Iterator[Problem]:
    """Yield what makes the whole file useless; `flaws` are those of its text."""
    yield from (f for f in flaws if not _IN_ENTRY.match(f.path))
    if not isinstance(document, dict):
        if not flaws:
            yield Problem(
                code="FIELD_TYPE",
                message=f"it must be an object, not {kind_of(document)}",
                path="",
            )
        return
    hint = next((h for keys, h in _OTHER_FILES if keys <= document.keys()), None)
    if hint is not None:
        yield Problem(
            code="FIELD_VALUE", message="it is another kind of file", hint=hint
        )
        return
    yield from _unknown(document, "", _TOP)
    yield from _version(document)
    yield from _moment(document)
    yield from _tools(document)
    if OUR_KEY in document:
        yield from _ours(document[OUR_KEY])


def check_around(entry: Any, here: str, flaws: Sequence[Problem]) -> Iterator[Problem]:
    """Yield what is wrong with an entry, but for its definition.

    Args:
        entry: One element of `tools`.
        here: Its path.
        flaws: What is wrong with its text.
    """
    if not isinstance(entry, dict):
        yield wrong_type(here, "an object", entry)
        return
    inside = f"{here}.spec."
    yield from (f for f in flaws if not f.path.startswith(inside))
    yield from _unknown(entry, here, _ENTRY)
    if "spec" not in entry:
        yield missing(f"{here}.spec")
    if "secretNames" in entry:
        yield from _names(entry["secretNames"], f"{here}.secretNames")


def _unknown(
    value: Mapping[str, Any], path: str, known: Sequence[str]
) -> Iterator[Problem]:
    for key in value:
        if key not in known:
            yield Problem(
                code="FIELD_UNKNOWN",
                message="an export file has no such key here",
                path=join_path(path, key),
                hint=f"known keys: {', '.join(known)}",
            )


def _version(document: Mapping[str, Any]) -> Iterator[Problem]:
    path = "formatVersion"
    if path not in document:
        yield missing(path)
        return
    version = document[path]
    is_number = isinstance(version, int | float) and not isinstance(version, bool)
    if not is_number:
        yield wrong_type(path, "an integer", version)
    elif version != FORMAT_VERSION:
        yield Problem(
            code="FIELD_VALUE",
            message=f"formatVersion must be {FORMAT_VERSION}",
            path=path,
            hint="this version of sparknb reads no other; export it anew if you can",
        )


def _moment(document: Mapping[str, Any]) -> Iterator[Problem]:
    path = "exportedAt"
    moment = document.get(path, "")
    if not isinstance(moment, str):
        yield wrong_type(path, "a string", moment)
    elif len(moment) > LONGEST_MOMENT:
        yield bad_value(path, f"must have at most {LONGEST_MOMENT} characters")


def _tools(document: Mapping[str, Any]) -> Iterator[Problem]:
    if "tools" not in document:
        yield missing("tools")
        return
    tools = document["tools"]
    if not isinstance(tools, list):
        yield wrong_type("tools", "an array", tools)
    elif len(tools) > MOST_TOOLS:
        rule = f"must have at most {MOST_TOOLS} elements, not {len(tools):,}"
        yield bad_value("tools", rule)


def _ours(value: Any) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield wrong_type(OUR_KEY, "an object", value)
        return
    yield from _unknown(value, OUR_KEY, ("cases",))
    cases = value.get("cases", {})
    if not isinstance(cases, dict):
        yield wrong_type(f"{OUR_KEY}.cases", "an object", cases)


def _names(names: Any, path: str) -> Iterator[Problem]:
    if not isinstance(names, list):
        yield wrong_type(path, "an array", names)
        return
    if len(names) > MOST_NAMES:
        yield bad_value(path, f"must have at most {MOST_NAMES} elements")
    for position, name in enumerate(names[:MOST_NAMES]):
        if not isinstance(name, str):
            yield wrong_type(f"{path}.{position}", "a string", name)
        elif not SECRET_NAME.fullmatch(name):
            rule = "must be 1 to 64 letters, digits, _ or -"
            yield bad_value(f"{path}.{position}", rule)
