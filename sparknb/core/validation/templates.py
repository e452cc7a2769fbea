"""The templates of an HTTP spec, and what can be told from all of them together."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from sparknb.core.definitions import Parameter
from sparknb.core.problems import Problem, under
from sparknb.core.sensitive_names import (
    is_sensitive_field,
    is_sensitive_query,
    warns_as_parameter,
)
from sparknb.core.templates import (
    FormValueTemplate,
    JsonTemplate,
    UrlTemplate,
    parse_form_value,
    parse_header,
    parse_json_body,
    parse_text,
    parse_url,
)
from sparknb.core.validation.fields import BROKEN, at
from sparknb.core.validation.headers import sound_headers
from sparknb.core.validation.schema import declared_parameters
from sparknb.core.wording import join_path, show

__all__ = ["check_body_is_sent", "check_templates", "template_texts"]

_REQUEST = "spec.request"
_URL = f"{_REQUEST}.urlTemplate"
_BODY = f"{_REQUEST}.body"


class _Template(Protocol):
    @property
    def names(self) -> frozenset[str]: ...


_Parse = Callable[
    [str, dict[str, Parameter] | None], tuple[_Template | None, list[Problem]]
]


class TemplateText(NamedTuple):
    """A text with placeholders: where it stands, and what reads it."""

    path: str
    text: str
    parse: _Parse
    field: str = ""


def template_texts(tree: Any) -> Iterator[TemplateText]:
    """Yield the templates of a request that could be read, in order."""
    url = at(tree, "spec", "request", "urlTemplate")
    if url is not BROKEN:
        yield TemplateText(_URL, url, parse_url)
    for path, header in sound_headers(tree):
        value = header.get("valueTemplate", BROKEN)
        if value is not BROKEN:
            yield TemplateText(f"{path}.valueTemplate", value, parse_header)
    yield from _body_texts(at(tree, "spec", "request", "body"))


def _body_texts(body: Any) -> Iterator[TemplateText]:
    if body is None or body is BROKEN:
        return
    for key, parse in (("jsonTemplate", parse_json_body), ("template", parse_text)):
        value = body.get(key, BROKEN)
        if value is not BROKEN:
            yield TemplateText(f"{_BODY}.{key}", value, parse)
    for path, field in _form_fields(body):
        if BROKEN not in (field["name"], field["valueTemplate"]):
            value_path = f"{path}.valueTemplate"
            yield TemplateText(
                value_path, field["valueTemplate"], parse_form_value, field["name"]
            )


def _form_fields(body: Any) -> Iterator[tuple[str, Any]]:
    fields = body.get("fields", BROKEN)
    for position, field in enumerate(() if fields is BROKEN else fields):
        if field is not BROKEN:
            yield f"{_BODY}.fields.{position}", field


def check_templates(tree: Any) -> Iterator[Problem]:
    """Yield what is wrong with each template, and parameters that none uses."""
    parameters = declared_parameters(tree["inputSchema"])
    used: set[str] = set()
    is_complete = True
    for place in template_texts(tree):
        template, problems = place.parse(place.text, parameters)
        if problems:
            yield from under(place.path, problems)
        if template is None:
            is_complete = False
        else:
            used |= template.names
            yield from _check_names(place, template)
    unused = [name for name in parameters or () if name not in used]
    if unused and is_complete and not _is_broken_somewhere(tree["spec"]):
        for name in unused:
            yield _unused(name)


def _unused(name: str) -> Problem:
    return Problem(
        code="PARAMETER_UNUSED",
        message=f"no template uses the parameter '{show(name)}'",
        path=join_path("inputSchema.properties", name),
        hint=f"write {{{{{show(name)}}}}} where its value belongs, or remove it",
        level="warning",
    )


def _is_broken_somewhere(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_broken_somewhere, value.values()))
    if isinstance(value, list):
        return any(map(_is_broken_somewhere, value))
    return value is BROKEN


# ------------------------------------------------------------- sensitive names
def _check_names(place: TemplateText, template: _Template) -> Iterator[Problem]:
    match template:
        case UrlTemplate():
            yield from _check_query(template)
        case JsonTemplate():
            yield from _check_members(place, template)
        case FormValueTemplate() if template.has_literal:
            if is_sensitive_field(place.field):
                yield Problem(
                    code="SENSITIVE_NAME",
                    message="a form field of this name must not hold literal text",
                    path=place.path,
                    hint="make the whole value one placeholder",
                )


def _check_query(template: UrlTemplate) -> Iterator[Problem]:
    for name in dict.fromkeys(template.query_names):
        if is_sensitive_query(name):
            yield Problem(
                code="SENSITIVE_NAME",
                message=f"the query name '{show(name)}' is that of a secret, "
                "and URLs end up in logs",
                path=_URL,
                hint="send it in a header with secretRef",
                strict=True,
            )
        elif warns_as_parameter(name):
            yield Problem(
                code="SENSITIVE_PARAMETER",
                message=f"the query name '{show(name)}' may be that of a secret, "
                "and URLs end up in logs",
                path=_URL,
                hint="send a secret in a header with secretRef",
                level="warning",
            )


def _check_members(place: TemplateText, template: JsonTemplate) -> Iterator[Problem]:
    literal = dict.fromkeys(name for name, value in template.literal_members if value)
    for name in literal:
        if is_sensitive_field(name):
            yield Problem(
                code="SENSITIVE_PARAMETER",
                message=f"the member '{show(name)}' may hold a secret in clear",
                path=place.path,
                hint="send a secret in a header with secretRef",
                level="warning",
            )


# -------------------------------------------------------------------- the body
def check_body_is_sent(tree: Any) -> Iterator[Problem]:
    """Warn of a body that is never sent, and refuse placeholders in field names."""
    body = at(tree, "spec", "request", "body")
    method = at(tree, "spec", "request", "method")
    if body is not None and method in ("GET", "DELETE"):
        yield Problem(
            code="BODY_NOT_SENT",
            message=f"a {method} request sends no body",
            path=_BODY,
            hint="remove the body, or change the method",
            level="warning",
        )


def check_form_names(tree: Any) -> Iterator[Problem]:
    """Yield names of form fields that hold a placeholder: they are literal (ST-27)."""
    body = at(tree, "spec", "request", "body")
    if body is None or body is BROKEN:
        return
    for path, field in _form_fields(body):
        if field["name"] is not BROKEN and "{{" in field["name"]:
            yield Problem(
                code="INVALID_TEMPLATE",
                message="the name of a form field holds a placeholder",
                path=f"{path}.name",
                hint="write the name literally; only values have placeholders",
            )
