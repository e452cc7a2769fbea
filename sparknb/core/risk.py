"""Risk levels: what a method implies, and which triples make sense (ST-10 to ST-12)."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sparknb.core.definitions import RISKS, Effect, Idempotency, Method, Risk
from sparknb.core.problems import Problem

__all__ = [
    "RiskTriple",
    "check_consistency",
    "check_floor",
    "derive_risk",
    "is_above",
]


class RiskTriple(NamedTuple):
    """How much a call can break, in which way, and whether repeating it is safe."""

    risk: Risk
    effect: Effect
    idempotency: Idempotency


_DERIVED: Mapping[str, RiskTriple] = {
    "GET": RiskTriple("read", "read", "safe"),
    "POST": RiskTriple("low-write", "create", "unsafe"),
    "PUT": RiskTriple("low-write", "update", "keyed"),
    "PATCH": RiskTriple("low-write", "update", "unsafe"),
    "DELETE": RiskTriple("destructive", "delete", "unsafe"),
}


def derive_risk(method: str) -> RiskTriple | None:
    """Give the triple of a method, None for an unknown one; its risk is the floor."""
    return _DERIVED.get(method)


def is_above(risk: Risk, other: Risk) -> bool:
    """Whether a risk is higher than another."""
    return RISKS.index(risk) > RISKS.index(other)


def check_consistency(
    risk: str | None, effect: str | None, idempotency: str | None
) -> Iterator[Problem]:
    """Yield what contradicts the risk; None stands for a value that is not usable."""
    if risk == "read" and effect not in ("read", None):
        yield Problem(
            code="RISK_INCONSISTENT",
            message=f"a tool of risk read cannot have the effect {effect}",
            path="effect",
            hint="raise the risk, or set effect to read",
        )
    if risk == "destructive" and idempotency not in ("unsafe", None):
        yield Problem(
            code="RISK_INCONSISTENT",
            message=f"a destructive tool cannot be {idempotency} to repeat",
            path="idempotency",
            hint="set idempotency to unsafe",
        )


def check_floor(risk: Risk, method: Method) -> Iterator[Problem]:
    """Yield a problem when the risk is below what the method can do."""
    floor = _DERIVED[method].risk
    if is_above(floor, risk):
        above = "" if floor == RISKS[-1] else " or higher"
        yield Problem(
            code="RISK_BELOW_FLOOR",
            message=f"the risk of a {method} request is at least {floor}, not {risk}",
            path="risk",
            hint=f"set risk to {floor}{above}, or leave it out",
        )
