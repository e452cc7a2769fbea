"""Judges whole definitions: every rule runs, and all problems are told at once.

A rule is a function from the definition as read (see `fields`) to problems. It
leaves alone what is `BROKEN` there, so one mistake is told once.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sparknb.core.json_text import MAX_BYTES, find_flaws, parse_json
from sparknb.core.problems import Problem
from sparknb.core.risk import derive_risk
from sparknb.core.validation import code, common, headers, http, risk, secrets, vision
from sparknb.core.validation.extract import check_extract
from sparknb.core.validation.fields import BROKEN, OPTIONAL, Tell
from sparknb.core.validation.report import Report, in_document_order
from sparknb.core.validation.templates import (
    check_body_is_sent,
    check_form_names,
    check_templates,
)

__all__ = ["validate", "validate_text"]

_MOST_IMPORTED = 32 * MAX_BYTES
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_TRIPLE = ("risk", "effect", "idempotency")

Rule = Callable[[Any], Iterator[Problem]]

_ALWAYS: tuple[Rule, ...] = (
    secrets.check_references,
    secrets.check_schema_literals,
    risk.check_risk_consistency,
)
_RULES: Mapping[str | None, tuple[Rule, ...]] = {
    "http": (
        *_ALWAYS,
        secrets.check_secret_use,
        secrets.check_http_literals,
        risk.check_http_floor,
        headers.check_headers,
        check_templates,
        check_form_names,
        check_body_is_sent,
        check_extract,
    ),
    "code": (
        *_ALWAYS,
        secrets.check_no_secrets,
        secrets.check_source_literal,
        *code.CODE_RULES,
    ),
    "provider-vision": (
        secrets.check_references,
        secrets.check_schema_literals,
        secrets.check_no_secrets,
        secrets.check_vision_literal,
        *vision.VISION_RULES,
    ),
    None: _ALWAYS,
}
_SHAPES = {
    "http": common.tool_shape(http.http_spec, timeout_ms=30_000),
    "code": common.tool_shape(code.code_spec, timeout_ms=30_000),
    "provider-vision": common.tool_shape(vision.vision_spec, timeout_ms=60_000),
    None: common.tool_shape(timeout_ms=30_000),
}
# For http tools, and unknown ones, that leave out the whole triple: it is not missing.
_SHAPES_WITHOUT_TRIPLE = {
    "http": common.tool_shape(http.http_spec, timeout_ms=30_000, triple=OPTIONAL),
    None: common.tool_shape(timeout_ms=30_000, triple=OPTIONAL),
}


def validate(document: Any, *, imported: bool = False) -> Report:
    """Judge a definition given as a JSON value (ST-13).

    Args:
        document: Any value; it is not changed, and the report does not share it.
        imported: Let rules stricter than the original's only warn (ST-87).
    """
    return _judge(document, _flaws_of(document), imported=imported)


def validate_text(text: str | bytes, *, imported: bool = False) -> Report:
    """Judge a definition given as JSON text; what JSON hides is seen too (ST-3)."""
    most = _MOST_IMPORTED if imported else MAX_BYTES
    document, flaws = parse_json(text, most)
    if document is None and flaws:
        return Report(tuple(flaws), None)
    return _judge(document, flaws, imported=imported)


def _judge(document: Any, flaws: list[Problem], *, imported: bool) -> Report:
    kind = document.get("type") if isinstance(document, dict) else None
    if isinstance(kind, str) and kind in common.RESERVED_TYPES:
        return Report((_reserved(kind),), None)
    known = kind if isinstance(kind, str) and kind in _SHAPES else None
    problems: list[Problem] = []
    tree = _read(document, known, problems.append)
    if tree is not BROKEN:
        for rule in _RULES[known]:
            problems.extend(rule(tree))
    problems = _without_echoes(flaws, problems)
    if imported:
        problems = [replace(p, level="warning") if p.strict else p for p in problems]
    if len(problems) > 1:
        problems = in_document_order(problems, tree)
    if any(p.level == "error" for p in problems):
        return Report(tuple(problems), None)
    return Report(tuple(problems), secrets.with_own_references(tree))


def _read(document: Any, known: str | None, tell: Tell) -> Any:
    """Read a definition; derives the triple of an http tool that has none (ST-12)."""
    shape = _SHAPES[known]
    if not isinstance(document, dict) or any(key in document for key in _TRIPLE):
        return shape(document, "", tell)
    if known == "http":
        document = document | _derived_triple(document)
    return _SHAPES_WITHOUT_TRIPLE.get(known, shape)(document, "", tell)


def _derived_triple(document: dict[str, Any]) -> dict[str, str]:
    spec = document.get("spec")
    request = spec.get("request") if isinstance(spec, dict) else None
    method = request.get("method") if isinstance(request, dict) else None
    triple = derive_risk(method) if isinstance(method, str) else None
    return {} if triple is None else triple._asdict()


def _without_echoes(flaws: list[Problem], found: list[Problem]) -> list[Problem]:
    """Join both lists, without what a flaw has already said of the same place."""
    if not flaws:
        return found
    said = {(flaw.code, flaw.path) for flaw in flaws}
    return [*flaws, *(p for p in found if (p.code, p.path) not in said)]


def _reserved(kind: str) -> Problem:
    return Problem(
        code="NOT_IMPLEMENTED",
        message=f"the type {kind} is reserved and does not run yet; "
        f"supported types: {', '.join(common.TYPES)}",
        path="type",
    )


def _flaws_of(document: Any) -> list[Problem]:
    try:
        text = _ENCODER.encode(document)
        size = len(text.encode())
    except UnicodeEncodeError:
        return find_flaws(document)
    except (TypeError, ValueError, RecursionError):
        # Not JSON at all. No field takes such a value, so reading will name it.
        return []
    if size > MAX_BYTES:
        return [_too_large()]
    return find_flaws(document) if "\\u0000" in text else []


def _too_large() -> Problem:
    return Problem(
        code="FIELD_VALUE",
        message=f"the definition is larger than {MAX_BYTES:,} bytes of JSON",
        strict=True,
    )
