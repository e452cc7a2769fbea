"""What becomes of the JSON text that a program gives."""

import asyncio
import json
from typing import Any

import pytest

from sparknb.runtimes.results import value_of
from tests.hosting import steps_during


@pytest.mark.parametrize("length", [1, 3_000])
def test_the_value_is_what_the_text_says_at_any_length(length: int) -> None:
    value: list[Any] = [{"n": 5, "huge": 10**40}, None, 0.5] * length
    assert asyncio.run(value_of(json.dumps(value))) == value


def test_what_is_no_json_has_no_value_at_any_length() -> None:
    for text in ("", "[1", "[" * 200_000, "1" * 200_000 + "x"):
        assert asyncio.run(value_of(text)) is None


def test_others_go_on_while_a_long_text_is_read() -> None:
    short, long = "[1]", json.dumps(["x"] * 50_000)
    at_once = asyncio.run(steps_during(value_of(short)))
    assert asyncio.run(steps_during(value_of(long))) > at_once
