"""A command that is said again reads as it was given."""

import shlex
from typing import Any

import pytest

from sparknb.commands.index import COMMANDS
from sparknb.commands.parser import Grammar, Invocation, parse
from sparknb.commands.typed import typed

GRAMMAR = Grammar(program="sparknb", commands=COMMANDS, common=())
KEY = "sk-proj-" + "FAKEfake" * 5


def read(line: str) -> Invocation:
    """Read a line as the program would."""
    found = parse(shlex.split(line)[1:], grammar=GRAMMAR)
    assert isinstance(found, Invocation)
    return found


@pytest.mark.parametrize(
    "line",
    [
        "sparknb import curl",
        "sparknb import curl - --params auto",
        "sparknb import curl a.txt --id weather2 --params auto --shell cmd --save",
        "sparknb import curl 'it'\"'\"'s mine.txt' --id 'ü $x'",
        "sparknb import curl --id=-x -- -a.txt",
        "sparknb import openapi 'a b.json' --operation 'GET /a/{id}' --operation b",
        "sparknb import openapi '${s}/o.json' --tag t --base-url http://b --var s",
    ],
)
def test_a_line_is_said_as_it_was_given(line: str) -> None:
    given = read(line)
    assert typed(given.command, given.values) == line


def test_values_change_and_the_rest_stays() -> None:
    given = read("sparknb import openapi a.json --tag t --base-url http://b.test")
    changes: dict[str, Any] = {"tag": [], "operation": ["GET /a"], "save": True}
    said = typed(given.command, given.values, **changes)
    assert said == (
        "sparknb import openapi a.json --operation 'GET /a' --base-url http://b.test"
        " --save"
    )
    assert read(said).values == {**given.values, **changes}


@pytest.mark.parametrize(
    "source",
    [
        "https://me:hush@api.test/o.json",
        "https://api.test/o.json?t=hush",
        "https://api.test/o.json#hush",
        "https://[hush/o.json",
        f"{KEY}.json",
    ],
)
def test_a_word_that_may_hold_a_secret_is_said_by_its_place(source: str) -> None:
    given = read(f"sparknb import openapi '{source}' --save")
    said = typed(given.command, given.values)
    assert said == "sparknb import openapi SOURCE --save"
