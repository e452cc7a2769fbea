"""An HTTP spec made ready to be sent many times."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.definitions import Header, HttpSpec, Method
from sparknb.core.errors import DeniedError, refusal
from sparknb.core.problems import Problem, under
from sparknb.core.templates.body import BodyTemplate, parse_body
from sparknb.core.templates.filling import Filling
from sparknb.core.templates.header import HeaderTemplate, parse_header
from sparknb.core.templates.placeholder import Parameters
from sparknb.core.templates.url import UrlTemplate, parse_url

__all__ = ["CompiledRequest", "RenderedRequest", "compile_request"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedRequest:
    """One request, but for its secrets.

    Attributes:
        url: Absolute, ASCII, without fragment.
        target: The origin form `path?query`, exactly as it is to be sent.
        headers: Name and value, in order, with the Content-Type of the body.
        secret_headers: Header name and the name of the secret it carries.
    """

    method: Method
    url: str
    target: str
    headers: tuple[tuple[str, str], ...]
    secret_headers: tuple[tuple[str, str], ...]
    body: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRequest:
    """A parsed HTTP request; rendering it neither reads nor checks templates again."""

    method: Method
    url: UrlTemplate
    headers: tuple[tuple[str, HeaderTemplate], ...]
    secret_headers: tuple[tuple[str, str], ...]
    body: BodyTemplate | None
    parameters: Parameters = field(repr=False)

    @property
    def origin(self) -> str:
        """Scheme, host and port, lower case and ASCII: `https://api.test:443`."""
        return self.url.origin

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The secrets that the request carries, each once, in header order."""
        return tuple(dict.fromkeys(secret for _, secret in self.secret_headers))

    def render(self, arguments: Mapping[str, Any]) -> RenderedRequest:
        """Give the request for these arguments, which passed the input check.

        Raises:
            InvalidInputError: Values that cannot be sent; lists all of them.
            DeniedError: A value made the name of a query pair sensitive (ST-19).
        """
        filling = Filling(arguments, self.parameters)
        target = self.url.render(filling)
        headers = []
        for name, template in self.headers:
            value = template.render(filling)
            if value is not None:
                headers.append((name, value))
        body = None if self.body is None else self.body.render(filling)
        _raise_refusals(filling)
        if body is not None and self.body is not None and self._lacks_type(headers):
            headers.append(("Content-Type", self.body.content_type))
        return RenderedRequest(
            method=self.method,
            url=self.url.prefix + target,
            target=target,
            headers=tuple(headers),
            secret_headers=self.secret_headers,
            body=body,
        )

    def _lacks_type(self, headers: list[tuple[str, str]]) -> bool:
        named = [*headers, *self.secret_headers]
        return all(name.lower() != "content-type" for name, _ in named)


def _raise_refusals(filling: Filling) -> None:
    if filling.problems:
        raise refusal(filling.problems, "the input")
    if filling.denied:
        path = f"input.{filling.denied[0]}"
        message = "a value makes the name of a query pair look like a credential's"
        hint = "credentials go into a header with secretRef"
        problem = Problem(code="DENIED", message=message, path=path, hint=hint)
        raise DeniedError(message, path=path, hint=hint, problems=[problem])


def compile_request(spec: HttpSpec, parameters: Parameters) -> CompiledRequest:
    """Read all templates of a request.

    Raises:
        InvalidTemplateError: Templates that cannot be read; lists all problems,
            with paths from `spec.request` on.
    """
    request = spec.request
    url, problems = parse_url(request.url_template, parameters)
    problems = list(under("urlTemplate", problems))
    headers, found = _compile_headers(request.headers, parameters)
    problems += found
    body = None
    # GET and DELETE never send one (ST-20), whoever made the spec.
    if request.body is not None and request.method not in {"GET", "DELETE"}:
        body, found = parse_body(request.body, parameters)
        problems += under("body", found)
    if url is None or problems:
        raise refusal(under("spec.request", problems), "the request")
    return CompiledRequest(
        method=request.method,
        url=url,
        headers=headers,
        secret_headers=tuple(
            (h.name, h.secret) for h in request.headers if h.secret is not None
        ),
        body=body,
        parameters=parameters,
    )


def _compile_headers(
    headers: tuple[Header, ...], parameters: Parameters
) -> tuple[tuple[tuple[str, HeaderTemplate], ...], list[Problem]]:
    compiled = []
    problems: list[Problem] = []
    for index, header in enumerate(headers):
        if header.value_template is None:
            continue
        template, found = parse_header(header.value_template, parameters)
        problems += under(f"headers.{index}.valueTemplate", found)
        if template is not None:
            compiled.append((header.name, template))
    return tuple(compiled), problems
