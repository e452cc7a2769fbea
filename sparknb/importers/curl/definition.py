"""The definition of the tool that sends a request (ST-98), judged by all rules."""

import re
from collections.abc import Iterator
from typing import Any

from sparknb.core.definitions import secret_reference
from sparknb.core.problems import Problem
from sparknb.core.validation import validate
from sparknb.importers.curl.command import CurlCommand
from sparknb.importers.curl.headers import Header
from sparknb.importers.curl.limits import max_size_bytes, timeout_ms
from sparknb.importers.curl.notes import WHOLE, Notes
from sparknb.importers.curl.parameters import schema_of
from sparknb.importers.curl.repeated_secrets import is_repeated
from sparknb.importers.curl.request import Request
from sparknb.importers.curl.texts import names_in
from sparknb.importers.curl.url import Url

__all__ = ["make_definition"]

_LONGEST_TITLE = 160
_LONGEST_DESCRIPTION = 1000
_MADE_FROM = ", as imported from a curl command."
_URL_PATH = "spec.request.urlTemplate"
_HEADER_PATH = re.compile(r"spec\.request\.headers\.([0-9]+)")
_JSON = re.compile(r"[/+]json\b", re.IGNORECASE)
_BRACES = re.compile(r"\{\{|\}\}")
_CODES = {"LITERAL_SECRET": "CURL_SECRET", "SENSITIVE_NAME": "CURL_SECRET"}


def make_definition(
    command: CurlCommand, request: Request, tool_id: str, notes: Notes
) -> dict[str, Any] | None:
    """Give the normal form of a valid definition; None where there is none.

    Problems of the definition are noted at the words that they come from.
    """
    timeout, size = timeout_ms(command, notes), max_size_bytes(command, notes)
    if request.url is None or notes.problems:
        return None
    document = _document(request, request.url, tool_id, timeout, size)
    _refuse_repeated(request, document, notes)
    report = validate(document)
    for problem in report.errors:
        _refuse(problem, request, notes)
    if report.normalized is None or notes.problems:
        return None
    notes.notices += report.warnings
    return dict(report.normalized)


def _document(
    request: Request, url: Url, tool_id: str, timeout: int | None, size: int | None
) -> dict[str, Any]:
    headers = [_header(header) for header in _given_headers(request)]
    body = None if request.choice.body is None else request.choice.body.to_wire()
    sent: dict[str, Any] = {
        "method": request.method,
        "urlTemplate": f"{url.prefix}{url.path}{request.query}",
    }
    sent |= {"headers": headers} if headers else {}
    sent |= {"body": body} if body else {}
    response: dict[str, Any] = {"format": _format(request, body)}
    response |= {} if size is None else {"maxSizeBytes": size}
    # A title is no template.
    what = _BRACES.sub("", f"{request.method} {url.host}{url.path}")
    names = [h["secretRef"] for h in headers if "secretRef" in h]
    document: dict[str, Any] = {
        "id": tool_id,
        "title": what[:_LONGEST_TITLE],
        "description": f"Calls {what}"[:_LONGEST_DESCRIPTION] + _MADE_FROM,
        "type": "http",
        "inputSchema": schema_of(_used(sent), request.candidates),
        "spec": {"request": sent, "response": response},
    }
    document |= {} if timeout is None else {"timeoutMs": timeout}
    references = {name: secret_reference(tool_id, name) for name in names}
    return document | ({"secretRefs": references} if references else {})


def _given_headers(request: Request) -> list[Header]:
    """Give the headers of the definition, in its order."""
    drops_type, added = request.choice.drops_type, request.choice.added_type
    sent = [
        header
        for header in request.headers.sent
        if not (drops_type and header.name.lower() == "content-type")
    ]
    if added is not None:
        number = request.body_number
        sent.append(
            Header(name="Content-Type", template=added, secret=None, number=number)
        )
    return sent


def _header(header: Header) -> dict[str, str]:
    if header.secret is None:
        return {"name": header.name, "valueTemplate": header.template or ""}
    return {"name": header.name, "secretRef": header.secret}


def _format(request: Request, body: dict[str, Any] | None) -> str:
    accept = request.headers.template("accept") or ""
    is_json = (body or {}).get("mode") == "json" or _JSON.search(accept)
    return "json" if is_json else "text"


def _used(request: dict[str, Any]) -> Iterator[str]:
    """Yield the names of all placeholders, in the order of the request."""
    for key, value in request.items():
        if isinstance(value, str):
            # The name of a form field is literal.
            yield from names_in(value) if key != "name" else ()
        elif isinstance(value, dict):
            yield from _used(value)
        elif isinstance(value, list):
            for member in value:
                yield from _used(member)


# ----------------------------------------------------- problems at their words
def _refuse_repeated(request: Request, document: dict[str, Any], notes: Notes) -> None:
    """Refuse a secret that stands outside its header, where it would be stored."""
    for header in request.headers.sent:
        value = request.headers.secrets.get(header.secret or "")
        if value and is_repeated(header.name, value, document):
            message = f"the secret of the header {header.name} stands elsewhere too"
            hint = "write {{name}} in its place outside the header"
            notes.refuse("CURL_SECRET", header.number, message, hint)


def _refuse(problem: Problem, request: Request, notes: Notes) -> None:
    """Note a problem of the definition at the word that it comes from."""
    if problem.path == "id":
        notes.problems.append(problem)
        return
    what, number = _origin(problem.path, request)
    code, hint = _CODES.get(problem.code, problem.code), problem.hint
    if code == "CURL_SECRET":
        hint = "send it in a header: there it becomes a secret"
    elif problem.path.startswith(_URL_PATH):
        code = "CURL_URL"
    notes.refuse(
        code, number, f"no tool can be made of {what}: {problem.message}", hint
    )


def _origin(path: str, request: Request) -> tuple[str, int]:
    """Give words for a part of the request, and the word of the command."""
    if path.startswith(_URL_PATH):
        return "the URL", request.url_number
    if match := _HEADER_PATH.match(path):
        header = _given_headers(request)[int(match[1])]
        return f"the header {header.name}", header.number
    if path.startswith("spec.request.body"):
        return "the body", request.body_number
    return "the command", WHOLE
