"""Secrets in a definition: declared, used, never written out (ST-34 to ST-36)."""

import re
from collections.abc import Iterator
from typing import Any

from sparknb.core.definitions import SOURCE_PATH, secret_reference
from sparknb.core.problems import Problem
from sparknb.core.secret_scan import contains_secret, has_original_shape
from sparknb.core.validation.fields import BROKEN, at
from sparknb.core.validation.headers import sound_headers
from sparknb.core.validation.templates import template_texts
from sparknb.core.wording import join_path, show, show_key

__all__ = [
    "check_http_literals",
    "check_no_secrets",
    "check_references",
    "check_schema_literals",
    "check_secret_use",
    "check_source_literal",
    "check_vision_literal",
    "with_own_references",
]

_SEPARATOR = re.compile(r"[:/.]")
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/])|[bfnrt])')


# ------------------------------------------------------------------ references
def check_references(tree: Any) -> Iterator[Problem]:
    """Yield references that are not the tool's own."""
    tool_id, references = tree["id"], tree.get("secretRefs")
    if references is None or BROKEN in (tool_id, references):
        return
    for name, reference in references.items():
        if reference is BROKEN or reference == secret_reference(tool_id, name):
            continue
        # An older form with the right id and name can be rewritten at import.
        is_older = _SEPARATOR.split(reference)[-2:] == [tool_id, name]
        yield Problem(
            code="SECRET_REFERENCE",
            message="a reference is custom-tool: with the own id, a colon and the name",
            path=join_path("secretRefs", name),
            hint=f"write {show(secret_reference(tool_id, name), 160)}",
            strict=is_older,
        )


def with_own_references(tree: dict[str, Any]) -> dict[str, Any]:
    """Give a definition whose references all have today's form."""
    references = tree.get("secretRefs")
    if not references:
        return tree
    own = {name: secret_reference(tree["id"], name) for name in references}
    return tree if own == references else tree | {"secretRefs": own}


def check_secret_use(tree: Any) -> Iterator[Problem]:
    """Yield declared secrets that no header uses, and used ones not declared."""
    references = tree.get("secretRefs")
    if references is BROKEN:
        return
    declared = references or {}
    used = set()
    for path, header in sound_headers(tree):
        name = header.get("secretRef", BROKEN)
        used.add(name)
        if name is not BROKEN and name not in declared:
            yield Problem(
                code="SECRET_UNDECLARED",
                message=f"the secret '{show(name)}' is not declared",
                path=f"{path}.secretRef",
                hint="add it to secretRefs",
                strict=True,
            )
    unused = [name for name in declared if name not in used]
    if unused and _are_headers_sound(tree):
        for name in unused:
            yield Problem(
                code="SECRET_UNUSED",
                message=f"no header uses the secret '{show_key(name)}'",
                path=join_path("secretRefs", name),
                hint="remove it, or name it as the secretRef of a header",
            )


def _are_headers_sound(tree: Any) -> bool:
    headers = at(tree, "spec", "request", "headers")
    if headers is None:
        return True
    return headers is not BROKEN and not any(
        h is BROKEN or h.get("secretRef") is BROKEN for h in headers
    )


def check_no_secrets(tree: Any) -> Iterator[Problem]:
    """Yield when a type that cannot use secrets declares some."""
    references = tree.get("secretRefs")
    if references and references is not BROKEN:
        yield Problem(
            code="SECRET_NOT_ALLOWED",
            message=f"a {tree['type']} tool declares no secrets",
            path="secretRefs",
            hint="let an http tool hold the secret; code may call it",
        )


# -------------------------------------------------------------- literal secrets
def check_http_literals(tree: Any) -> Iterator[Problem]:
    """Yield templates of a request that hold a secret."""
    for place in template_texts(tree):
        yield from _check_literal(place.path, place.text)


def check_source_literal(tree: Any) -> Iterator[Problem]:
    """Yield when the source of a code tool holds a secret."""
    yield from _check_literal(SOURCE_PATH, at(tree, "spec", "runtime", "source"))


def check_vision_literal(tree: Any) -> Iterator[Problem]:
    """Yield when the instructions of a vision tool hold a secret."""
    instructions = at(tree, "spec", "instructions")
    yield from _check_literal("spec.instructions", instructions, is_new_place=True)


def check_schema_literals(tree: Any) -> Iterator[Problem]:
    """Yield defaults and enum values that hold a secret."""
    properties = at(tree, "inputSchema", "properties")
    for name, parameter in {} if properties is BROKEN else properties.items():
        for key in ("enum", "default"):
            if parameter is not BROKEN and key in parameter:
                path = join_path("inputSchema.properties", name)
                for where, value in _texts(f"{path}.{key}", parameter[key]):
                    yield from _check_literal(where, value, is_new_place=True)


def _texts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for position, element in enumerate(value):
            yield f"{path}.{position}", element
    else:
        yield path, value


def _check_literal(
    path: str, text: Any, *, is_new_place: bool = False
) -> Iterator[Problem]:
    if not isinstance(text, str):
        return
    # An escape right before a key, as in "\nsk-…", would hide where it begins.
    texts = [text, _ESCAPE.sub(_unescape, text)] if "\\" in text else [text]
    if any(map(contains_secret, texts)):
        yield Problem(
            code="LITERAL_SECRET",
            message="the text holds what looks like a secret",
            path=path,
            hint="remove it, make it invalid where it came from, "
            "and let a header take the new one from secretRef",
            strict=is_new_place or not any(map(has_original_shape, texts)),
        )


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return match[2] or "\n"
