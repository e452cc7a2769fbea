"""The shape of an HTTP spec (section 5 of the Studio spec)."""

import re
from typing import Any, get_args

from sparknb.core.definitions import Method, ResponseFormat
from sparknb.core.problems import Problem
from sparknb.core.validation.common import SECRET_NAME
from sparknb.core.validation.fields import (
    BROKEN,
    OPTIONAL,
    Field,
    Reader,
    Tell,
    bad_value,
    boolean,
    choice,
    closed,
    exactly,
    integer,
    listing,
    missing,
    text,
    wrong_type,
)
from sparknb.core.validation.headers import LONGEST_HEADER_NAME

__all__ = ["METHODS", "http_spec"]

METHODS: tuple[str, ...] = get_args(Method)

_DEFAULT_SIZE = 262_144
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105  # HTTP's word for a name
_MEDIA_TYPE = re.compile(rf"{_TOKEN}/{_TOKEN}[ \t]*(?:;[\t\x20-\x7e]*)?")
_PLACEHOLDER_IN_FRONT = re.compile(r"[^/?#{]*\{\{")
_url_text = text(1, 2000)


def _url_template(value: Any, path: str, tell: Tell) -> Any:
    url = _url_text(value, path, tell)
    if url is BROKEN or _SCHEME.match(url):
        return url
    if _PLACEHOLDER_IN_FRONT.match(url):
        tell(
            Problem(
                code="INVALID_TEMPLATE",
                message="a placeholder stands in the scheme of the URL",
                path=path,
                hint="write http:// or https:// and the host literally",
            )
        )
    else:
        tell(bad_value(path, "must start with http:// or https://"))
    return BROKEN


def _body(value: Any, path: str, tell: Tell) -> Any:
    if not isinstance(value, dict):
        tell(wrong_type(path, "an object", value))
        return BROKEN
    if "mode" not in value:
        tell(missing(f"{path}.mode"))
        return BROKEN
    mode = _mode(value["mode"], f"{path}.mode", tell)
    if mode is BROKEN:
        return BROKEN
    return _BODIES[mode](value, path, tell)


_header = closed(
    Field("name", text(1, LONGEST_HEADER_NAME)),
    Field("valueTemplate", text(0, 2000), OPTIONAL),
    Field(
        "secretRef",
        text(1, 64, SECRET_NAME, "hold only letters, digits, _ and -"),
        OPTIONAL,
    ),
)
_form_field = closed(
    Field("name", text(1, 128)), Field("valueTemplate", text(0, 20_000))
)
_BODIES: dict[str, Reader] = {
    "json": closed(
        Field("mode", exactly("json")), Field("jsonTemplate", text(1, 100_000))
    ),
    "form": closed(
        Field("mode", exactly("form")),
        Field("fields", listing(_form_field, least=1, most=64)),
    ),
    "text": closed(
        Field("mode", exactly("text")),
        Field(
            "contentType",
            text(1, 200, _MEDIA_TYPE, "be a media type such as text/plain"),
        ),
        Field("template", text(1, 100_000)),
    ),
}
_mode = choice(*_BODIES)

_request = closed(
    Field("method", choice(*METHODS)),
    Field("urlTemplate", _url_template),
    Field("headers", listing(_header, most=32), OPTIONAL),
    Field("body", _body, OPTIONAL),
)
_extract = closed(Field("label", text(1, 120)), Field("jsonPath", text(1, 500)))
_response = closed(
    Field("format", choice(*get_args(ResponseFormat))),
    Field("extract", listing(_extract, most=32), OPTIONAL),
    Field("maxSizeBytes", integer(1, 1_048_576), _DEFAULT_SIZE),
)

http_spec = closed(
    Field("request", _request),
    Field("response", _response),
    Field("allowPrivateNetwork", boolean, OPTIONAL),
)
