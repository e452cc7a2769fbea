"""The body of a request, of any mode."""

from dataclasses import dataclass
from typing import Protocol

from sparknb.core.definitions import Body, FormBody, JsonBody
from sparknb.core.problems import Problem, under
from sparknb.core.templates.filling import Filling
from sparknb.core.templates.form import FormValueTemplate, encode_form, parse_form_value
from sparknb.core.templates.json_body import parse_json_body
from sparknb.core.templates.placeholder import Parameters
from sparknb.core.templates.text import parse_text

__all__ = ["BodyTemplate", "parse_body"]


class _Template(Protocol):
    def render(self, filling: Filling) -> str | None: ...


@dataclass(frozen=True, slots=True)
class BodyTemplate:
    """A parsed body.

    Attributes:
        content_type: Sent unless a header says otherwise (ST-48).
    """

    template: _Template
    content_type: str

    def render(self, filling: Filling) -> bytes | None:
        """Give the bytes, UTF-8; None when there is no body."""
        text = self.template.render(filling)
        return None if text is None else text.encode()


@dataclass(frozen=True, slots=True)
class _FormTemplate:
    fields: tuple[tuple[str, FormValueTemplate], ...]

    def render(self, filling: Filling) -> str:
        pairs = [
            f"{name}={value}"
            for name, template in self.fields
            for value in template.render(filling)
        ]
        return "&".join(pairs)


def parse_body(
    body: Body, parameters: Parameters
) -> tuple[BodyTemplate | None, list[Problem]]:
    """Read a body; problems have paths below `spec.request.body`."""
    if isinstance(body, FormBody):
        return _parse_form(body, parameters)
    template: _Template | None
    if isinstance(body, JsonBody):
        template, problems = parse_json_body(body.template, parameters)
        where, content_type = "jsonTemplate", "application/json"
    else:
        template, problems = parse_text(body.template, parameters)
        where, content_type = "template", body.content_type
    if template is None:
        return None, list(under(where, problems))
    return BodyTemplate(template, content_type), []


def _parse_form(
    body: FormBody, parameters: Parameters
) -> tuple[BodyTemplate | None, list[Problem]]:
    fields = []
    problems: list[Problem] = []
    for index, field in enumerate(body.fields):
        template, found = parse_form_value(field.value_template, parameters)
        problems += under(f"fields.{index}.valueTemplate", found)
        if template is not None:
            fields.append((encode_form(field.name), template))
    form = _FormTemplate(tuple(fields))
    return BodyTemplate(form, "application/x-www-form-urlencoded"), problems
