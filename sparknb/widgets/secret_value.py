"""A secret value on its way from a page to the host."""

from collections.abc import Sequence
from typing import Any

from sparknb.core.protocols import StoredSecret

__all__ = ["LONGEST_SENT", "read_value"]

LONGEST_SENT = 262_144
"""Bytes of a value that are read at all; the host keeps far less."""


def read_value(buffers: Sequence[Any]) -> StoredSecret | str:
    """Give the value from the one buffer of a message, or why it cannot be used.

    The value is wrapped at once: a traceback may show the variables around it.
    """
    if len(buffers) != 1 or not isinstance(buffers[0], (bytes, bytearray, memoryview)):
        return "The value did not arrive; enter it again."
    sent = bytes(buffers[0])
    if len(sent) > LONGEST_SENT:
        return "The value is too long; nothing was stored."
    try:
        return StoredSecret(sent.decode())
    except UnicodeDecodeError:
        pass  # the error carries the bytes: nothing refers to it from here on
    return "The value is not text; nothing was stored."
