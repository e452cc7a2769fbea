"""The table of codes."""

import ast
import re
from pathlib import Path

import pytest

import sparknb
from sparknb.core import errors
from sparknb.core.codes import CODES, SAME_MEANING

SOURCE = Path(sparknb.__file__).parent


def test_every_exception_has_its_code_in_the_table() -> None:
    kinds = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]
    assert {kind.code for kind in kinds} <= CODES.keys()


def test_every_code_that_a_problem_is_made_with_is_in_the_table() -> None:
    used: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "code":
                value = node.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    used.add(value.value)
    assert "FIELD_VALUE" in used
    assert used <= CODES.keys()


@pytest.mark.parametrize("name", CODES)
def test_each_code_says_what_it_means_and_what_to_do(name: str) -> None:
    code = CODES[name]
    assert re.fullmatch(r"[A-Z]+(_[A-Z]+)*", name)
    for text in (code.meaning, code.advice):
        assert text[0].isupper()
        assert text.endswith(".")
        assert "\n" not in text
    assert code.status is None or code.use == "operation"


def test_equal_codes_are_codes_of_the_table() -> None:
    assert set(SAME_MEANING.values()) <= CODES.keys()
