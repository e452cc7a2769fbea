"""The risk of a definition against itself and against its method (ST-11, ST-12)."""

from collections.abc import Iterator
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.risk import check_consistency, check_floor
from sparknb.core.validation.fields import BROKEN, at

__all__ = ["check_http_floor", "check_risk_consistency"]


def check_risk_consistency(tree: Any) -> Iterator[Problem]:
    """Yield an effect or idempotency that contradicts the risk."""
    triple = (tree.get(key) for key in ("risk", "effect", "idempotency"))
    yield from check_consistency(*(None if v is BROKEN else v for v in triple))


def check_http_floor(tree: Any) -> Iterator[Problem]:
    """Yield a risk below what the method can do."""
    risk, method = tree.get("risk"), at(tree, "spec", "request", "method")
    if risk is not None and BROKEN not in (risk, method):
        yield from check_floor(risk, method)
