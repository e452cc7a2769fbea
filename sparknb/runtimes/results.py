"""Values of results, read so that others go on meanwhile."""

import asyncio
from typing import Any

from sparknb.core.response_json import json_value

__all__ = ["value_of"]

_LONG = 100_000  # characters; a program may give a hundred times as much


async def value_of(text: str) -> Any:
    """Give the value of a JSON text, None for any other text.

    A program may write numbers that Python cannot hold: these are given as texts.
    """
    if len(text) <= _LONG:
        return json_value(text)
    return await asyncio.to_thread(json_value, text)
