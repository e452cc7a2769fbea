"""From the bytes of one file of a description to plain values."""

import codecs
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from sparknb.core.errors import InvalidInputError
from sparknb.core.json_text import LONE_SURROGATE
from sparknb.core.problems import Problem
from sparknb.importers.openapi.loading_json import NotJsonError, read_json
from sparknb.importers.openapi.loading_kinds import check_bytes, check_text
from sparknb.importers.openapi.loading_limits import Allowance, broken
from sparknb.importers.openapi.yaml_tree import read_yaml

__all__ = ["load_tree"]

_MARKS: Sequence[tuple[bytes, str]] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The first character of a description is below U+0080: zeros beside it tell the width.
_ZEROS: Sequence[tuple[re.Pattern[bytes], str]] = (
    (re.compile(rb"[^\0]\0\0\0", re.DOTALL), "utf-32-le"),
    (re.compile(rb"\0\0\0[^\0]", re.DOTALL), "utf-32-be"),
    (re.compile(rb"[^\0]\0[^\0]\0", re.DOTALL), "utf-16-le"),
    (re.compile(rb"\0[^\0]\0[^\0]", re.DOTALL), "utf-16-be"),
)
_LINE = re.compile(r"line (\d+)")


def load_tree(
    data: bytes | str, allowance: Allowance, *, is_root: bool = True
) -> tuple[Any, Sequence[Problem]]:
    """Read JSON or YAML; give its value, and a warning for each repeated key.

    Args:
        data: The file, or its text.
        allowance: What may still be read; what this file takes is taken off.
        is_root: It should be a whole description, so a refusal says what it is.

    Raises:
        InvalidInputError: It is neither, or passes a limit.
    """
    text = _text(data, allowance)
    if is_root:
        check_text(text)
    if text.lstrip()[:1] not in ("{", "["):
        return read_yaml(text, allowance)
    values = allowance.values
    try:
        return read_json(text, allowance)
    except NotJsonError as error:
        allowance.values = values
        return _flow(text, allowance, error)


def _flow(
    text: str, allowance: Allowance, error: NotJsonError
) -> tuple[Any, Sequence[Problem]]:
    """Read YAML that is written with brackets; tell the flaw that lies further on."""
    if error.at_end:
        _refuse_json(error)
    try:
        return read_yaml(text, allowance)
    except InvalidInputError as other:
        line = _LINE.search(other.message)
        if "not YAML" in other.message and line and int(line[1]) <= error.line:
            _refuse_json(error)
        raise


def _refuse_json(error: NotJsonError) -> NoReturn:
    broken(str(error), f"line {error.line}, column {error.column}")


def _text(data: bytes | str, allowance: Allowance) -> str:
    if isinstance(data, str):
        # Most texts take one byte for a character; the exact size takes a copy.
        allowance.take_bytes(len(data))
        if not data.isascii():
            size = len(data.encode("utf-8", "surrogatepass"))
            allowance.take_bytes(size - len(data))
        return LONE_SURROGATE.sub("\ufffd", data.removeprefix("\ufeff"))
    allowance.take_bytes(len(data))
    check_bytes(data)
    mark, encoding = _encoding(data)
    try:
        return data[mark:].decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.upper()
        broken(f"the text is not {name}", f"byte {mark + error.start}")


def _encoding(data: bytes) -> tuple[int, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return len(mark), encoding
    for zeros, encoding in _ZEROS:
        if zeros.match(data):
            return 0, encoding
    return 0, "utf-8"
