"""What tests of cURL imports ask of a preview."""

import json
from typing import Any

from sparknb.importers.curl import Preview, read_curl

__all__ = ["URL", "body_of", "definition", "notices", "refusals", "request"]

URL = "https://api.test/x"


def definition(text: str, **options: Any) -> dict[str, Any]:
    found = read_curl(text, **options)
    assert found.problems == (), found.problems
    assert found.definition is not None
    return found.definition


def request(text: str, **options: Any) -> dict[str, Any]:
    made: dict[str, Any] = definition(text, **options)["spec"]["request"]
    return made


def refusals(text: str, **options: Any) -> list[tuple[str, str]]:
    found = read_curl(text, **options)
    assert found.definition is None
    return [(problem.code, problem.path) for problem in found.problems]


def notices(found: Preview) -> str:
    return "\n".join(notice.message for notice in found.notices)


def body_of(text: str, **options: Any) -> Any:
    return json.loads(request(text, **options)["body"]["jsonTemplate"])
