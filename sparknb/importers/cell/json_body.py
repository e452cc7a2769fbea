"""A body written as YAML, as the JSON template that it stands for."""

from collections.abc import Callable
from json.encoder import encode_basestring

from sparknb.core.problems import Problem
from sparknb.core.templates.placeholder import PLACEHOLDER
from sparknb.core.wording import join_path
from sparknb.importers.cell.scalars import json_number
from sparknb.importers.cell.tree import Items, Node, Pairs, Value, parts

__all__ = ["json_template", "place_of"]

Tell = Callable[[str, str], object]


def json_template(node: Node, path: str, tell: Tell, indent: str = "") -> str:
    """Give the template, in lines, so that no two braces of it touch.

    A text that is nothing but one placeholder becomes that placeholder, which keeps
    the type of its value; any other text is a JSON string.

    Args:
        node: The body, or a part of it.
        path: Where it stands.
        tell: Takes message and path of what JSON cannot say.
        indent: The blanks before the bracket that closes it.
    """
    if isinstance(node, Value):
        return _scalar(node, path, tell)
    inner = indent + "  "
    if isinstance(node, Items):
        parts = [
            json_template(item, join_path(path, str(n)), tell, inner)
            for n, item in enumerate(node.nodes)
        ]
        return _bracketed("[", parts, "]", indent)
    return _bracketed("{", _members(node, path, tell, inner), "}", indent)


def _members(node: Pairs, path: str, tell: Tell, indent: str) -> list[str]:
    return [
        f"{encode_basestring(e.key)}: "
        + json_template(e.node, join_path(path, e.key), tell, indent)
        for e in node.entries
    ]


def _bracketed(opening: str, parts: list[str], closing: str, indent: str) -> str:
    if not parts:
        return opening + closing
    separator = f"\n{indent}  "
    return f"{opening}{separator}{f',{separator}'.join(parts)}\n{indent}{closing}"


def _scalar(node: Value, path: str, tell: Tell) -> str:
    value = node.value
    if isinstance(value, str):
        text = value.strip()
        return text if PLACEHOLDER.fullmatch(text) else _string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    try:
        return json_number(value, node.raw)
    except ValueError:
        tell("JSON has no such number", path)
        return "null"


def _string(text: str) -> str:
    """Give a JSON string; braces that only close something, as in GraphQL, are escaped.

    Two opening braces stay: they were probably meant to be a placeholder.
    """
    spelled = encode_basestring(text)
    if "}}" not in text or "{{" in PLACEHOLDER.sub("", text):
        return spelled
    pieces: list[str] = []
    end = 0
    for match in PLACEHOLDER.finditer(spelled):
        pieces += [_closing(spelled[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*pieces, _closing(spelled[end:])])


def _closing(literal: str) -> str:
    return literal.replace("}}", r"\u007d\u007d")


def place_of(problem: Problem, node: Node) -> str:
    """Give the path below the body of the text that a problem of the template means.

    Empty where that cannot be told.
    """
    for path, _, part in parts(node):
        text = part.value if isinstance(part, Value) else None
        if isinstance(text, str) and _is_about(problem.message, text):
            return f".{path}"
    return ""


def _is_about(message: str, text: str) -> bool:
    words = {word for m in PLACEHOLDER.finditer(text) for word in m.groups()}
    if any(f"'{word}'" in message for word in words):
        return True
    return "'{{'" in message and "{{" in PLACEHOLDER.sub("", text)
