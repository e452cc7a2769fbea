"""The RFC 8785 form, with the `rfc8785` package as reference."""

import enum
import hashlib
import math
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.canonical import canonical, digest
from sparknb.core.errors import InvalidInputError


class Kind(enum.StrEnum):
    HTTP = "http"


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SAFE = st.integers(-(2**53) + 1, 2**53 - 1)
SCALARS = st.none() | st.booleans() | SAFE | TEXT
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    SCALARS | FLOATS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_the_form_is_that_of_the_reference(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(FLOATS)
def test_numbers_are_spelled_as_ecmascript_does(value: float) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("power", range(-25, 25))
def test_powers_of_ten_are_spelled_as_ecmascript_does(power: int) -> None:
    for sign in (1, -1):
        value = sign * 1.5 * 10.0**power
        assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-0.0, "0"),
        (5.0, "5"),
        (1e21, "1e+21"),
        (10**21, "1e+21"),
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740993"),
        (10**20 + 1, "100000000000000000001"),
        (-(10**20) - 1, "-100000000000000000001"),
        ({"b": 1, "a": [True, False, None]}, '{"a":[true,false,null],"b":1}'),
        ({"\U0001f600": 1, "\ufb33": 2}, '{"\U0001f600":1,"\ufb33":2}'),
        ('"\\/\b\f\n\r\t\x00\x1f\x7f', '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f"'),
        ((1, 2), "[1,2]"),
        (OrderedDict(z=1, a=2), '{"a":2,"z":1}'),
        (MappingProxyType({"a": 1}), '{"a":1}'),
        (Kind.HTTP, '"http"'),
    ],
)
def test_known_forms(value: Any, expected: str) -> None:
    assert canonical(value).decode() == expected


def test_the_digest_is_the_sha256_of_the_form() -> None:
    value = {"b": 2, "a": 1}
    assert digest(value) == hashlib.sha256(b'{"a":1,"b":2}').hexdigest()
    assert digest({"a": 1.0, "b": 2}) == digest(value)


def test_neighbouring_large_integers_have_different_digests() -> None:
    assert len({digest(2**53 + n) for n in range(5)}) == 5


def nested(levels: int) -> Any:
    """Give so many lists, one in the other."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (math.nan, "not finite"),
        ([math.inf], "not finite"),
        (10**400, "too large"),
        (-(2**1024), "too large"),
        ({1: 2}, "a key is no string"),
        ({"a": {1, 2}}, "holds a set"),
        (b"x", "holds a bytes"),
        ("\ud800", "half a character"),
        ({"\ud800": 1, "é": 2}, "half a character"),
        (nested(100_000), "too many levels"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isascii() else "",
)
def test_what_is_no_json_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(InvalidInputError, match=reason):
        canonical(value)
