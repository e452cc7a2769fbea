"""Values are written as the original writes them, or refused."""

import json
import math
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from sparknb.core.errors import InvalidInputError
from sparknb.core.templates.display import display, escape, json_value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", ""),
        ('a "b"', 'a "b"'),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-7, "-7"),
        (2**70, "1180591620717411303424"),
        (5.0, "5"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (1e15, "1000000000000000"),
        (1e20, "100000000000000000000"),
        (-1.5e20, "-150000000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (1e-5, "0.00001"),
        (-1.25e-6, "-0.00000125"),
        (1e-7, "1e-7"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        ([], "[]"),
        ([1, 2.0, "é\n", True], '[1,2,"é\\n",true]'),
        ((1, 2), "[1,2]"),
    ],
)
def test_display_form(value: Any, text: str) -> None:
    assert display(value) == text


def test_text_in_value_position_is_quoted() -> None:
    assert json_value('a"\\\x01') == '"a\\"\\\\\\u0001"'


def test_numbers_of_subclasses_are_spelled_like_plain_ones() -> None:
    class Metres(float):
        def __repr__(self) -> str:
            return "metres"

    class Pieces(int):
        def __repr__(self) -> str:
            return "pieces"

    assert display(Metres(1.5)) == "1.5"
    assert display(Pieces(3)) == "3"


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        "\ud800",
        "a\udfffb",
        pytest.param(10**5000, id="huge"),
        None,
        {},
        b"bytes",
        [math.nan],
        ["\ud800"],
        [None],
        [[1]],
    ],
)
def test_what_cannot_be_sent_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInputError):
        display(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_spelled_as_rfc_8785_says(value: float) -> None:
    assert display(value) == rfc8785.dumps(value).decode()


@given(st.integers(min_value=-(10**400), max_value=10**400))
def test_integers_keep_all_digits(value: int) -> None:
    assert int(display(value)) == value


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_escaped_text_stays_inside_its_quotes(text: str) -> None:
    assert json.loads(f'"{escape(text)}"') == text
    assert json.loads(json_value(text)) == text
