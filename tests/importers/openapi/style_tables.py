"""The answers of RFC 6570 and of the OpenAPI tables, worked out on their own.

Nothing here knows of templates: it takes a parameter and a value and gives what has
to arrive.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

__all__ = ["header_value", "path_segment", "query_pairs"]

Scalar = str | int | float | bool
# The letters that need no escape (RFC 3986), and those that ST-24 keeps beside them:
# both spellings of these mean the same.
_KEPT = "-._~" + "!*'()"
_JOINERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def plain(value: Scalar) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def escaped(value: Scalar) -> str:
    return quote(plain(value), safe=_KEPT)


def path_segment(style: str, name: str, value: Any) -> str:
    """Expand `{name}`, `{.name}` or `{;name}`."""
    if style == "simple":
        values = value if isinstance(value, list) else [value]
        return ",".join(map(escaped, values))
    if style == "label":
        return f".{escaped(value)}"
    assert style == "matrix"
    return f";{escaped(name)}={escaped(value)}"


def query_pairs(style: str, *, explode: bool, name: str, value: Any) -> Sequence[str]:
    """Expand `{?name}` or `{?name*}`, or the styles that OpenAPI adds to these."""
    if style == "deepObject":
        return [f"{escaped(f'{name}[{k}]')}={escaped(v)}" for k, v in value.items()]
    if isinstance(value, Mapping):
        assert style == "form"
        assert explode
        return [f"{escaped(key)}={escaped(member)}" for key, member in value.items()]
    if not isinstance(value, list):
        return [f"{escaped(name)}={escaped(value)}"]
    if explode:
        return [f"{escaped(name)}={escaped(element)}" for element in value]
    return [f"{escaped(name)}={_JOINERS[style].join(map(escaped, value))}"]


def header_value(value: Any) -> str:
    """Give what a header of the style simple holds: nothing is escaped in it."""
    return ",".join(map(plain, value if isinstance(value, list) else [value]))
