"""JSON bodies (ST-26)."""

from dataclasses import dataclass

from sparknb.core.problems import Problem
from sparknb.core.templates.filling import Filling
from sparknb.core.templates.json_reader import JsonReader, JsonSyntaxError
from sparknb.core.templates.json_tree import Node
from sparknb.core.templates.json_writer import write
from sparknb.core.templates.placeholder import (
    Parameters,
    broken,
    check,
    check_characters,
    names_of,
)

__all__ = ["JsonTemplate", "parse_json_body"]

_MAX_DEPTH = 128


@dataclass(frozen=True, slots=True)
class JsonTemplate:
    """A parsed JSON body.

    Attributes:
        literal_members: Name and value of every member that is a literal string.
    """

    root: Node
    names: frozenset[str]
    literal_members: tuple[tuple[str, str], ...]

    def render(self, filling: Filling) -> str | None:
        """Give compact JSON, None when it is one absent value: then no body."""
        return write(self.root, filling)


def parse_json_body(
    text: str, parameters: Parameters | None
) -> tuple[JsonTemplate | None, list[Problem]]:
    """Read a JSON template; all problems, none when it is fine."""
    reader = JsonReader(text, max_depth=_MAX_DEPTH, templated=True)
    root: Node = ""
    try:
        root = reader.read()
    except JsonSyntaxError as error:
        stop = [broken(f"the template is no JSON: {error}", strict=error.strict)]
    else:
        stop = []
    slots, inner = reader.slots, reader.inner_slots
    problems = check(
        slots, parameters, forms=frozenset({"json"}), place="as a JSON value"
    )
    problems += check(
        inner, parameters, forms=frozenset(), place="inside a JSON string"
    )
    problems += [*reader.problems, *check_characters(text), *stop]
    if problems:
        return None, list(dict.fromkeys(problems))
    members = tuple(reader.literal_members)
    return JsonTemplate(root, names_of([*slots, *inner]), members), []
