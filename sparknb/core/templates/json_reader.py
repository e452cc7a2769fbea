"""A strict JSON reader that keeps the author's digits and knows placeholders.

It gives a tree of what is sent, as compact text: strings and numbers stay as
written, white space between tokens goes. A placeholder is a token of its own, so a
value put in its place can never change the structure around it.
"""

import json
import re
from typing import TYPE_CHECKING

from sparknb.core.templates.json_tree import Node, StringNode, array_of, object_of
from sparknb.core.templates.placeholder import (
    PLACEHOLDER,
    Placeholder,
    broken,
    placeholders_of,
    scan,
)

if TYPE_CHECKING:
    from sparknb.core.problems import Problem

__all__ = ["JsonReader", "JsonSyntaxError"]

# Possessive quantifiers: each pattern is linear, also when it fails.
_MARK = re.compile(r"[ \t\r\n]*+([,:\]}]?)[ \t\r\n]*+")
_STRING = re.compile(
    r'"([^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+)"'
)
_ATOM = re.compile(
    r"true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
)
_BRACES = "write braces in a string as \\u007b\\u007b and \\u007d\\u007d"


class JsonSyntaxError(ValueError):
    """The text is no JSON; reading stopped here."""

    def __init__(self, message: str, *, strict: bool = False) -> None:
        super().__init__(message)
        self.strict = strict


class JsonReader:
    """Reads one text, once.

    Attributes:
        problems: Faults that did not stop the reading.
        slots: Placeholders in value position.
        inner_slots: Placeholders inside strings.
        literal_members: Names and values of members that are literal strings.
    """

    def __init__(self, text: str, *, max_depth: int, templated: bool) -> None:
        self._text = text
        self._at = 0
        self._max_depth = max_depth
        self._templated = templated
        self._line = 1
        self._line_start = 0
        self._counted = 0
        self.problems: list[Problem] = []
        self.slots: list[Placeholder] = []
        self.inner_slots: list[Placeholder] = []
        self.literal_members: list[tuple[str, str]] = []

    def read(self) -> Node:
        """Read the whole text as one value.

        Raises:
            JsonSyntaxError: It is none, or nested too deeply.
        """
        self._takes("")
        node = self._value(0)
        self._takes("")
        if self._at < len(self._text):
            raise self._fault("something follows the end of the JSON value")
        return node

    def _value(self, depth: int) -> Node:
        if self._templated and self._text.startswith("{{", self._at):
            return self._slot()
        start = self._text[self._at : self._at + 1]
        if start in {"{", "["} and depth == self._max_depth:
            levels = f"the JSON is nested deeper than {depth} levels"
            raise self._fault(levels, strict=True)
        if start == "{":
            return self._object(depth + 1)
        if start == "[":
            return self._array(depth + 1)
        if start == '"':
            return self._string()
        atom = _ATOM.match(self._text, self._at)
        if atom is None:
            raise self._fault("a JSON value is expected")
        self._at = atom.end()
        return atom[0]

    def _object(self, depth: int) -> Node:
        members: list[tuple[str, Node]] = []
        names: set[str] = set()
        more = self._enter("}")
        while more:
            key = self._member_name(names)
            if not self._takes(":"):
                raise self._fault("':' is expected")
            node = self._value(depth)
            if isinstance(node, str) and node.startswith('"'):
                self.literal_members.append((_decoded(key), _decoded(node)))
            members.append((f"{key}:", node))
            more = self._goes_on("}")
        return object_of(members)

    def _array(self, depth: int) -> Node:
        items: list[Node] = []
        more = self._enter("]")
        while more:
            items.append(self._value(depth))
            more = self._goes_on("]")
        return array_of(items)

    def _member_name(self, names: set[str]) -> str:
        """Read a name, as written with its quotes, and add it to the object's."""
        if self._templated and self._text.startswith("{{", self._at):
            message = "a placeholder cannot be a member name"
            raise self._fault(message, strict=True)
        start = self._at
        node = self._string()
        key = self._text[start : self._at]
        if isinstance(node, StringNode) and placeholders_of(node.parts):
            self._note(start, "a member name holds a placeholder", strict=True)
        name = _decoded(key)
        if name in names:
            self._note(start, "a member name is repeated in its object", strict=True)
        names.add(name)
        return key

    def _string(self) -> Node:
        match = _STRING.match(self._text, self._at)
        if match is None:
            raise self._fault(
                "a string is expected, closed and without control characters"
            )
        node: Node = match[0]
        if self._templated and ("{{" in match[1] or "}}" in match[1]):
            parts, problems = scan(match[1])
            if problems:
                message = "'{{' or '}}' in a string belongs to no placeholder"
                self._note(self._at, message, _BRACES)
            self.inner_slots += placeholders_of(parts)
            node = StringNode(parts)
        self._at = match.end()
        return node

    def _slot(self) -> Node:
        match = PLACEHOLDER.match(self._text, self._at)
        if match is None:
            raise self._fault("'{{' begins no placeholder")
        self._at = match.end()
        placeholder = Placeholder(match[1], match[2])
        self.slots.append(placeholder)
        return placeholder

    def _enter(self, closing: str) -> bool:
        """Step into an object or array; tells whether anything is in it."""
        self._at += 1
        return not self._takes(closing)

    def _goes_on(self, closing: str) -> bool:
        """Step behind a member or item; tells whether another one follows."""
        taken = self._takes("," + closing)
        if taken is None:
            raise self._fault(f"',' or '{closing}' is expected")
        return taken == ","

    def _takes(self, marks: str) -> str | None:
        """Step over the gap and, if it comes next, over one of these marks."""
        match = _MARK.match(self._text, self._at)
        if match and match[1] and match[1] in marks:
            self._at = match.end()
            return match[1]
        self._at = match.start(1) if match else self._at
        return None

    def _fault(self, message: str, *, strict: bool = False) -> JsonSyntaxError:
        return JsonSyntaxError(f"{message} {self._where(self._at)}", strict=strict)

    def _note(
        self, at: int, message: str, hint: str | None = None, *, strict: bool = False
    ) -> None:
        found = f"{message} {self._where(at)}"
        self.problems.append(broken(found, hint, strict=strict))

    def _where(self, at: int) -> str:
        """Give words for a position; positions come in rising order."""
        newline = self._text.rfind("\n", self._counted, at)
        if newline >= 0:
            self._line += self._text.count("\n", self._counted, at)
            self._line_start = newline + 1
        self._counted = at
        return f"at line {self._line}, column {at - self._line_start + 1}"


def _decoded(string: str) -> str:
    """Give the text of a JSON string."""
    text: str = json.loads(string) if "\\" in string else string[1:-1]
    return text
