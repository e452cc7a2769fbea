"""How much of an agent's attention a tool takes."""

import json
from collections.abc import Mapping
from typing import Any

from sparknb.core.clip import count_tokens

__all__ = ["tokens_of"]


def tokens_of(tool_id: str, description: str, schema: Mapping[str, Any]) -> int:
    """Count the o200k_base tokens of what an agent reads of a tool.

    That is its name, its description and its input schema, as compact JSON.
    """
    seen = {"name": f"custom_{tool_id}", "description": description, "schema": schema}
    return count_tokens(json.dumps(seen, ensure_ascii=False, separators=(",", ":")))
