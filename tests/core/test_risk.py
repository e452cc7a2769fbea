"""Risk levels."""

import itertools
from typing import get_args

import pytest

from sparknb.core.definitions import RISKS, Effect, Idempotency, Method
from sparknb.core.risk import check_consistency, check_floor, derive_risk


@pytest.mark.parametrize("method", get_args(Method))
def test_what_a_method_derives_is_consistent_and_at_its_floor(method: Method) -> None:
    triple = derive_risk(method)
    assert triple is not None
    assert not list(check_consistency(*triple))
    assert not list(check_floor(triple.risk, method))


def test_other_methods_derive_nothing() -> None:
    assert derive_risk("HEAD") is None


def test_every_triple_is_judged_by_the_two_rules() -> None:
    every = itertools.product(RISKS, get_args(Effect), get_args(Idempotency))
    for risk, effect, idempotency in every:
        paths = [p.path for p in check_consistency(risk, effect, idempotency)]
        expected = ["effect"] * (risk == "read" and effect != "read")
        expected += ["idempotency"] * (
            risk == "destructive" and idempotency != "unsafe"
        )
        assert paths == expected


def test_values_that_are_not_usable_are_left_alone() -> None:
    assert not list(check_consistency(None, "send", "safe"))
    assert not list(check_consistency("read", None, None))
    assert not list(check_consistency("destructive", None, None))


def test_risk_may_be_raised_and_not_lowered() -> None:
    problems = list(check_floor("low-write", "DELETE"))
    assert [(p.code, p.path) for p in problems] == [("RISK_BELOW_FLOOR", "risk")]
    assert "destructive" in problems[0].message
    assert problems[0].hint == "set risk to destructive, or leave it out"
    (low,) = check_floor("read", "PUT")
    assert low.hint == "set risk to low-write or higher, or leave it out"
    assert not list(check_floor("high-write", "POST"))
