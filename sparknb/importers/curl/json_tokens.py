"""JSON as it was pasted: its own digits and escapes, and placeholders in it (ST-95)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from sparknb.core.templates import parse_json_body
from sparknb.importers.curl.parameters import Candidate
from sparknb.importers.curl.texts import map_literals

__all__ = [
    "Branch",
    "Leaf",
    "Node",
    "inline",
    "leaves",
    "loosened",
    "print_json",
    "read_json",
]

# Possessive: linear, also on a quote that is never closed.
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*+"|\{\{[A-Za-z_][A-Za-z0-9_]*\}\}|[{}\[\],:]|[^\s{}\[\],:"]+',
    re.DOTALL | re.ASCII,
)
_STRING = re.compile(r'("(?:[^"\\]|\\.)*+")', re.DOTALL)
_TOUCHING = re.compile(r"([{}])(?=\1)")
_WIDEST_LINE = 72


@dataclass(slots=True)
class Leaf:
    """A string, number or word as written, or a placeholder."""

    text: str = field(repr=False)  # may be a secret
    candidate: Candidate | None = None

    def __str__(self) -> str:
        """Give the value, or the placeholder that took its place."""
        filled = None if self.candidate is None else self.candidate.placeholder
        return filled or self.text

    @property
    def decoded(self) -> str | None:
        """The text that a JSON string means; None for all else."""
        if not self.text.startswith('"'):
            return None
        return _meant(self.text)


@dataclass(slots=True)
class Branch:
    """An object, whose members have keys as written, or an array without any."""

    keys: list[str]
    nodes: list["Node"]
    is_object: bool


Node: TypeAlias = Leaf | Branch


def read_json(text: str) -> Node | None:
    """Read a text with placeholders; None when it is no JSON that can be a template.

    Double braces in strings that are no placeholder's are escaped.
    """
    tokens = [_escaped(t) if t[0] == '"' else t for t in _TOKEN.findall(text)]
    # A space holds braces apart and changes nothing else between tokens.
    if parse_json_body(" ".join(tokens), None)[1] or not _is_whole(text):
        return None
    return _node(iter(tokens))


def _is_whole(text: str) -> bool:
    """Tell whether the tokens are all of the text, strict white space aside."""
    return not _TOKEN.sub("", text).strip(" \t\r\n")


def _escaped(string: str) -> str:
    if "{{" not in string and "}}" not in string:
        return string
    return map_literals(string, _escape_braces)


def _escape_braces(text: str) -> str:
    return text.replace("{{", r"\u007b\u007b").replace("}}", r"\u007d\u007d")


def _node(tokens: Iterator[str]) -> Node:
    return _after(next(tokens), tokens)


def _after(first: str, tokens: Iterator[str]) -> Node:
    """Give the node that begins with a token; the text is known to be JSON."""
    if first not in {"{", "["}:
        return Leaf(first)
    branch = Branch([], [], is_object=first == "{")
    for inner in tokens:
        if inner in {"}", "]"}:
            break
        if inner == ",":
            continue
        if branch.is_object:
            branch.keys.append(inner)
            next(tokens)  # the colon
            branch.nodes.append(_node(tokens))
        else:
            branch.nodes.append(_after(inner, tokens))
    return branch


def leaves(node: Node, name: str = "") -> Iterator[tuple[str, Leaf]]:
    """Give each leaf with the decoded name of the member that it belongs to."""
    if isinstance(node, Leaf):
        yield name, node
        return
    for index, inner in enumerate(node.nodes):
        own = _meant(node.keys[index]) if node.is_object else name
        yield from leaves(inner, own)


def _meant(string: str) -> str:
    """Give the text of a JSON string."""
    if "\\" not in string:
        return string[1:-1]
    text: str = json.loads(string)
    return text


def print_json(node: Node, *, longest: int) -> str:
    """Print a node, in lines where it is long, so that no two braces touch.

    Args:
        node: What to print.
        longest: Above it, indentation is left out.
    """
    text = _printed(node, "")
    return text if len(text) <= longest else map_literals(inline(node), apart)


def _printed(node: Node, indent: str) -> str:
    if isinstance(node, Leaf):
        return str(node)
    inner = indent + "  "
    parts = _members(node, [_printed(n, inner) for n in node.nodes], ": ")
    opening, closing = "{}" if node.is_object else "[]"
    width = len(indent) + sum(map(len, parts)) + 2 * len(parts)
    is_flat = not any(isinstance(n, Branch) for n in node.nodes)
    if is_flat and width <= _WIDEST_LINE:
        return f"{opening}{', '.join(parts)}{closing}"
    separator = f"\n{inner}"
    return f"{opening}{separator}{f',{separator}'.join(parts)}\n{indent}{closing}"


def inline(node: Node) -> str:
    """Print a node as it is sent: in compact form, braces touching."""
    if isinstance(node, Leaf):
        return str(node)
    parts = _members(node, [inline(n) for n in node.nodes], ":")
    opening, closing = "{}" if node.is_object else "[]"
    return f"{opening}{','.join(parts)}{closing}"


def _members(node: Branch, parts: list[str], colon: str) -> list[str]:
    if not node.is_object:
        return parts
    pairs = zip(node.keys, parts, strict=True)
    return [f"{key}{colon}{part}" for key, part in pairs]


# ------------------------------------------------ texts that only look like JSON
def loosened(text: str) -> str | None:
    """Write braces apart outside of strings, and escape them inside.

    It means the same in JSON, in lines of JSON, and in GraphQL. None when a quote is
    never closed, so that nobody can say what is a string.
    """
    pieces = _STRING.split(text)
    if any('"' in outside for outside in pieces[::2]):
        return None
    return "".join(
        [
            _escaped(piece) if index % 2 else map_literals(piece, apart)
            for index, piece in enumerate(pieces)
        ]
    )


def apart(text: str) -> str:
    """Put a space between braces of one kind that touch."""
    return _TOUCHING.sub(r"\1 ", text)
