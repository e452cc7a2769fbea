"""What a page may say to a widget: read strictly, since anybody may have said it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Message", "read_message"]

_ID = re.compile(r"[a-z0-9]{1,24}-[0-9]{1,9}")
_LONGEST_KIND = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One custom message of a view.

    Attributes:
        id: The view's own number for it; replies carry it.
        kind: What is wanted.
        fields: The rest of the content, not yet checked.
        buffers: What came beside the content; never shown.
    """

    id: str
    kind: str
    fields: Mapping[str, Any]
    buffers: Sequence[Any] = field(default=(), repr=False)

    def has_exactly(self, *names: str) -> bool:
        """Say whether the fields are these and no others."""
        return self.fields.keys() == set(names)


def read_message(content: object, buffers: object) -> Message | None:
    """Give the message, None when its form is not that of one."""
    if not isinstance(content, dict):
        return None
    identity, kind = content.get("id"), content.get("kind")
    if not isinstance(identity, str) or _ID.fullmatch(identity) is None:
        return None
    if not isinstance(kind, str) or len(kind) > _LONGEST_KIND:
        return None
    fields = {k: v for k, v in content.items() if k not in ("id", "kind")}
    beside = tuple(buffers) if isinstance(buffers, (list, tuple)) else ()
    return Message(id=identity, kind=kind, fields=fields, buffers=beside)
