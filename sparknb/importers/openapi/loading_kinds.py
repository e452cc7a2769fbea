"""What a document is when it is no API description, so that a refusal can say so."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sparknb.core.errors import InvalidInputError, UnsupportedError
from sparknb.core.wording import kind_of, show

__all__ = ["check_bytes", "check_root", "check_text"]

_NEEDED = "an OpenAPI 3.0, 3.1 or Swagger 2.0 description, as JSON or YAML"
_OF_PAGES = (
    "such a page loads its description from another address, "
    "often /openapi.json or /swagger.json; give that one"
)
_READ = re.compile(r"(?:3\.[01]|2\.0)(?:[.\-+].*)?")
_MAGIC: Sequence[tuple[bytes, str]] = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3\0", "a database"),
)
_BEGINNINGS: Sequence[tuple[re.Pattern[str], str, str]] = tuple(
    (re.compile(pattern, re.IGNORECASE), what, hint)
    for pattern, what, hint in (
        (
            r"<!doctype html|<html|<head|<body|<script",
            "an HTML page",
            _OF_PAGES,
        ),
        (r"<", "XML", f"give {_NEEDED}"),
        (r"(?:\$ +)?curl(?:\.exe)? ", "a cURL command", "use sparknb import curl"),
        (r"https?://\S+\s*\Z", "an address", "save what it leads to, and give that"),
        (r"#%RAML", "RAML", f"convert it to {_NEEDED}"),
        (r"FORMAT: *1A", "API Blueprint", f"convert it to {_NEEDED}"),
        (r"syntax *= *[\"']proto", "a Protocol Buffers file", f"give {_NEEDED}"),
        (r"(?:type|schema|query|input|enum) *\w* *\{", "GraphQL", f"give {_NEEDED}"),
    )
)
_Test = Callable[[Mapping[str, Any]], object]
_ROOTS: Sequence[tuple[_Test, str]] = (
    (lambda root: "asyncapi" in root, "an AsyncAPI document"),
    (lambda root: "arazzo" in root, "an Arazzo document"),
    (lambda root: "overlay" in root, "an OpenAPI overlay"),
    (lambda root: "item" in root and "info" in root, "a Postman collection"),
    (lambda root: root.get("_type") == "export", "an Insomnia export"),
    (lambda root: _has(root, "log", "entries"), "an HAR file"),
    (lambda root: _has(root, "data", "__schema"), "a GraphQL schema"),
    (lambda root: "__schema" in root, "a GraphQL schema"),
    (lambda root: "discoveryVersion" in root, "a Google API discovery document"),
    (lambda root: "formatVersion" in root, "a Spark Work file"),
    (lambda root: "inputSchema" in root, "a tool definition"),
    (lambda root: "nbformat" in root, "a notebook"),
    (lambda root: "jsonrpc" in root, "a JSON-RPC message"),
    (lambda root: "$schema" in root, "a JSON Schema"),
    (lambda root: "paths" in root, "an API description without its version"),
)


def check_bytes(data: bytes) -> None:
    """Refuse what is no text at all.

    Raises:
        InvalidInputError: The bytes are a known binary form.
    """
    for magic, what in _MAGIC:
        if data.startswith(magic):
            raise InvalidInputError(
                f"this is {what}, not an API description", hint=f"give {_NEEDED}"
            )


def check_text(text: str) -> None:
    """Refuse a text whose beginning shows that it is something else.

    Raises:
        InvalidInputError: It is empty, an HTML page and so on.
    """
    begin = text[:10_000].lstrip()
    if not begin and not text.strip():
        raise InvalidInputError("the API description is empty", hint=f"give {_NEEDED}")
    if "\0" in begin:
        raise InvalidInputError(
            "this is binary, not an API description", hint=f"give {_NEEDED}"
        )
    for pattern, what, hint in _BEGINNINGS:
        if pattern.match(begin):
            raise InvalidInputError(
                f"this is {what}, not an API description", hint=hint
            )


def check_root(root: Any) -> tuple[Mapping[str, Any], str]:
    """Give the root object and its version.

    Raises:
        InvalidInputError: It is no API description.
        UnsupportedError: It is one of a version that is not read.
    """
    if not isinstance(root, dict):
        raise InvalidInputError(
            f"this is not an API description but {kind_of(root)}",
            hint=f"give {_NEEDED}",
        )
    for key, name in (("openapi", "OpenAPI"), ("swagger", "Swagger")):
        if key in root:
            return root, _version(root[key], key, name)
    if "swaggerVersion" in root:
        _version(root["swaggerVersion"], "swaggerVersion", "Swagger")
    what = next((what for test, what in _ROOTS if test(root)), None)
    message = "this is not an API description: it has neither openapi nor swagger"
    if what:
        message = f"this is {what}, not an API description"
    if what and what.endswith("its version"):
        message = f"this is {what}"
    raise InvalidInputError(message, hint=f"give {_NEEDED}")


def _version(value: Any, key: str, name: str) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not isinstance(value, str) and not is_number:
        message = f"the version must be a string, not {kind_of(value)}"
        raise InvalidInputError(message, path=key, hint=f"give {_NEEDED}")
    version = str(value).strip()
    if not version:
        message = "the version is empty"
        raise InvalidInputError(message, path=key, hint=f"give {_NEEDED}")
    is_read = _READ.fullmatch(version) is not None
    if not is_read or (version[0] == "2") != (key == "swagger"):
        raise UnsupportedError(
            f"{name} {show(version)} is not supported",
            path=key,
            hint=f"give {_NEEDED}",
        )
    return version


def _has(root: Mapping[str, Any], key: str, inner: str) -> bool:
    value = root.get(key)
    return isinstance(value, dict) and inner in value
