"""A JSON body: its template, its secrets, its parameters."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sparknb.core.secret_scan import contains_secret
from sparknb.core.sensitive_names import is_sensitive_field
from sparknb.core.wording import show
from sparknb.importers.curl.json_tokens import (
    Leaf,
    Node,
    inline,
    leaves,
    print_json,
    read_json,
)
from sparknb.importers.curl.notes import Notes
from sparknb.importers.curl.parameters import Candidate, Typed, json_number, typed
from sparknb.importers.curl.texts import names_in

__all__ = ["JsonBody", "read_json_body"]

_LONGEST = 100_000
_WHO_MINDS = "only who signs the very bytes of a body minds"
# A number is a secret where the name ends so: `pin_token`, but not `token_count`.
_ENDS_SECRET = re.compile(
    r"(?:token|secret|password|credential|cookie|key)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A body in mode `json`.

    Attributes:
        root: What it holds.
        number: The word that it comes from.
        is_changed: White space or braces are not sent as they were written.
    """

    root: Node
    number: int
    is_changed: bool

    def check(self, notes: Notes, *, is_auto: bool) -> list[Candidate]:
        """Refuse literal secrets; give the values that may become parameters."""
        outer = {id(leaf) for leaf in self._outer()} if is_auto else set()
        found: list[Candidate] = []
        for name, leaf in leaves(self.root):
            if _is_secret(name, leaf):
                if is_auto:
                    found.append(self._offer(name, leaf, None))
                else:
                    _refuse(name, self.number, notes)
            elif id(leaf) in outer and (value := _typed(leaf)):
                found.append(self._offer(name or "body", leaf, value))
        return found

    def _offer(self, name: str, leaf: Leaf, value: Typed | None) -> Candidate:
        candidate = Candidate(wire_name=name, typed=value, number=self.number)
        leaf.candidate = candidate
        return candidate

    def _outer(self) -> Iterator[Leaf]:
        """Yield the body itself, or the members of it that are no list or object."""
        if isinstance(self.root, Leaf):
            yield self.root
        elif self.root.is_object:
            yield from (node for node in self.root.nodes if isinstance(node, Leaf))

    def to_wire(self) -> dict[str, Any]:
        """Give the body as a definition has it."""
        template = print_json(self.root, longest=_LONGEST)
        return {"mode": "json", "jsonTemplate": template}

    def tell_changes(self, notes: Notes) -> None:
        """Note when the bytes sent are not those of the command."""
        if self.is_changed:
            notes.tell(
                self.number,
                "the JSON is sent in compact form: the same values and digits, "
                "without white space between them",
                _WHO_MINDS,
            )
        if any(map(_is_respelled, self._outer())):
            message = "texts of the JSON are escaped again, as parameters are"
            notes.tell(self.number, message, _WHO_MINDS)


def read_json_body(text: str, number: int) -> JsonBody | None:
    """Read a body; None when it is no JSON that can be a template."""
    root = read_json(text)
    return None if root is None else JsonBody(root, number, inline(root) != text)


def _is_respelled(leaf: Leaf) -> bool:
    """Tell whether a default is sent with other escapes than it was pasted with."""
    candidate = leaf.candidate
    if candidate is None or candidate.name is None or candidate.typed is None:
        return False
    text = leaf.decoded
    return text is not None and leaf.text != json.dumps(text, ensure_ascii=False)


def _refuse(name: str, number: int, notes: Notes) -> None:
    what = f"the member '{show(name)}' of the body" if name else "the body"
    hint = "write {{name}} in its place, or use --params auto: callers give it then"
    notes.refuse("CURL_SECRET", number, f"{what} holds a secret", hint)


def _is_secret(name: str, leaf: Leaf) -> bool:
    if names_in(leaf.text):
        return False
    text = leaf.decoded
    if text is None:
        is_number = leaf.text not in {"null", "true", "false"}
        return is_number and is_sensitive_field(name) and _ends_secret(name)
    return bool(text) and (is_sensitive_field(name) or contains_secret(text))


def _ends_secret(name: str) -> bool:
    return _ENDS_SECRET.search(name) is not None


def _typed(leaf: Leaf) -> Typed | None:
    if names_in(leaf.text) or leaf.text == "null":
        return None
    text = leaf.decoded
    if text is not None:
        found = typed(text)
        return found and Typed("string", text)
    return (
        typed(leaf.text) if leaf.text in {"true", "false"} else json_number(leaf.text)
    )
