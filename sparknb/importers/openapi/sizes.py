"""How much of an agent's attention a tool takes."""

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["tokens_of"]

# What o200k_base makes of the texts of API descriptions, on average. Counting with
# the tokenizer itself would take half a second before the first number is there.
_CHARACTERS_A_TOKEN = 4.4
_TOKENS_A_LETTER = 0.25  # of alphabets that are not ASCII
_TOKENS_A_SIGN = 0.65  # of scripts with a sign for a word or a syllable
_LETTERS = re.compile("[\x80-\u0dff]+")
_SIGNS = re.compile("[\u0e00-\U0010ffff]+")


def tokens_of(tool_id: str, description: str, schema: Mapping[str, Any]) -> int:
    """Give about how many tokens of o200k_base an agent reads of a tool.

    That is its name, its description and its input schema, as compact JSON.
    """
    seen = {"name": f"custom_{tool_id}", "description": description, "schema": schema}
    text = json.dumps(seen, ensure_ascii=False, separators=(",", ":"))
    if text.isascii():
        return round(len(text) / _CHARACTERS_A_TOKEN)
    letters = sum(map(len, _LETTERS.findall(text)))
    signs = sum(map(len, _SIGNS.findall(text)))
    plain = (len(text) - letters - signs) / _CHARACTERS_A_TOKEN
    return round(plain + letters * _TOKENS_A_LETTER + signs * _TOKENS_A_SIGN)
