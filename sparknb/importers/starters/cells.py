"""The bodies of the starters: each makes a tool of its own, valid as it stands."""

__all__ = ["BLANK", "HTTP", "PYTHON", "TYPESCRIPT", "VISION"]

BLANK = """\
title: New tool
description: Say when a model should use this tool, and when it should not.
request: GET https://example.com/
"""

HTTP = """\
title: Find items
description: Finds items by a part of their name, when the user asks what there is.
params:
  q: {type: string, description: A part of the name}
  limit?: {type: integer, description: How many at most, default: 10}     # ? = optional
request: GET https://api.example.com/items?q={{q}}&limit={{limit}}
headers: {Authorization: secret:authorization}     # without a key: remove this line
response: {format: json}
"""

PYTHON = '''\
"""Count words

Counts words and characters, when the user asks how long a text is.
"""
from typing import Annotated


def run(
    text: Annotated[str, "The text to be counted"],
    skip_short: Annotated[bool, "Leave out words of one or two letters"] = False,
) -> dict:
    words = text.split()
    if skip_short:
        words = [word for word in words if len(word) > 2]
    return {"words": len(words), "characters": len(text)}
'''

TYPESCRIPT = """\
/* ---
title: Count words
description: Counts words and characters, when the user asks how long a text is.
params:
  text: {type: string, description: The text to be counted}
  skip_short?: {type: boolean, description: Leave out words of one or two letters}
--- */

export default function count(input: { text: string; skip_short?: boolean }) {
  const least = input.skip_short ? 3 : 1;
  const words = input.text.split(/\\s+/).filter((word) => word.length >= least);
  return { words: words.length, characters: [...input.text].length };
}
"""

VISION = """\
title: Look at images
description: Answers a question about images, such as what is written on them.
inputSchema:
  type: object
  properties:
    images: {type: array, items: {type: string}, description: Addresses or files}
    question: {type: string, description: What is to be found out}
  required: [images]
risk: read
effect: read
idempotency: safe
spec:
  providerProfileId: ""     # to be filled in: the id of a provider profile
"""
