"""From a JSON tree and the values of a call to the JSON that is sent (ST-26)."""

from typing import Any, cast

from sparknb.core.errors import InvalidInputError
from sparknb.core.templates.display import display, escape, json_value
from sparknb.core.templates.filling import Filling, fill
from sparknb.core.templates.json_reader import JsonReader, JsonSyntaxError
from sparknb.core.templates.json_tree import ArrayNode, Node, StringNode
from sparknb.core.templates.placeholder import Placeholder

__all__ = ["write"]

_MAX_DEPTH = 64


def write(node: Node, filling: Filling) -> str | None:
    """Give compact JSON, None when the node is one absent value."""
    match node:
        case str():
            return node
        case Placeholder():
            return _write_slot(node, filling)
        case StringNode():
            return f'"{fill(node.parts, filling, _spell_in_string)}"'
        case ArrayNode():
            return f"[{','.join([_write_item(i, filling) for i in node.items])}]"
    members = [(key, write(value, filling)) for key, value in node.members]
    kept = [key + text for key, text in members if text is not None]
    return f"{{{','.join(kept)}}}"


def _write_item(node: Node, filling: Filling) -> str:
    text = write(node, filling)
    if text is None and isinstance(node, Placeholder):
        return filling.miss(node.name)
    return text or ""


def _write_slot(placeholder: Placeholder, filling: Filling) -> str | None:
    value = filling.value(placeholder.name)
    if value is None:
        return None
    spell = _spell_json_text if placeholder.form == "json" else json_value
    return filling.spell(placeholder.name, value, spell)


def _spell_in_string(value: Any) -> str:
    return escape(display(value))


def _spell_json_text(value: Any) -> str:
    """Give JSON text as it is inserted: digits as written, no white space.

    Raises:
        InvalidInputError: It is no JSON text, repeats a member name, or is nested
            deeper than 64 levels. It has no path.
    """
    reader = JsonReader(display(value), max_depth=_MAX_DEPTH, templated=False)
    try:
        node = reader.read()
    except JsonSyntaxError as error:
        raise InvalidInputError(f"the text is no JSON: {error}") from None
    if reader.problems:
        raise InvalidInputError(f"the text is refused: {reader.problems[0].message}")
    # Without placeholders in it the text is one literal.
    return cast("str", node)
