"""Request templates: read and checked once, rendered for every call (ST-21 to ST-28).

A value never changes the structure of a request: its host, the segments of its
path, its query pairs, headers and form pairs, and the shape of its JSON are those
of the template.
"""

from sparknb.core.templates.form import FormValueTemplate, parse_form_value
from sparknb.core.templates.header import HeaderTemplate, parse_header
from sparknb.core.templates.json_body import JsonTemplate, parse_json_body
from sparknb.core.templates.placeholder import Parameters
from sparknb.core.templates.request import (
    CompiledRequest,
    RenderedRequest,
    compile_request,
)
from sparknb.core.templates.text import TextTemplate, parse_text
from sparknb.core.templates.url import UrlTemplate, parse_url

__all__ = [
    "CompiledRequest",
    "FormValueTemplate",
    "HeaderTemplate",
    "JsonTemplate",
    "Parameters",
    "RenderedRequest",
    "TextTemplate",
    "UrlTemplate",
    "compile_request",
    "parse_form_value",
    "parse_header",
    "parse_json_body",
    "parse_text",
    "parse_url",
]
