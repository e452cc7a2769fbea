"""Cut a long text to a number of model tokens, keeping its two ends (ST-32)."""

import warnings
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

from sparknb.core.two_ends import MARKER

__all__ = ["TOKEN_BUDGET", "clip"]

TOKEN_BUDGET = 8000

# The tokenizer refuses more than 200,000 tokens at once, and no token is shorter
# than a byte; no character of UTF-8 is longer than four.
_MOST_BYTES = 200_000
_CHUNK = _MOST_BYTES // 4
_HEAD_SHARE = (3, 5)


def clip(text: str, budget: int = TOKEN_BUDGET) -> tuple[str, bool]:
    """Give the text, cut to `budget` tokens of o200k_base, and whether it was cut.

    A text that is too long keeps its head and its tail around a line that says so;
    where there is no room for that line, only its head. No character is cut in half.
    What looks like a special token is plain text.
    """
    size = len(text) if len(text) > budget else len(_encoded(text))
    if size <= budget:  # no token is shorter than a byte
        return text, False
    if _count(text, budget) <= budget:
        return text, False
    rest = budget - _count(MARKER, budget)
    if rest <= 0:
        return _head(text, budget), True
    numerator, denominator = _HEAD_SHARE
    head = max(1, min(rest * numerator // denominator, rest - 1))
    return _around_marker(text, head, rest - head, budget), True


def _around_marker(text: str, head: int, tail: int, budget: int) -> str:
    """Join head, marker and tail; shrink while the seams cost tokens of their own."""
    while True:
        joined = f"{_head(text, head)}{MARKER}{_tail(text, tail)}"
        excess = _count(joined, budget) - budget
        if excess <= 0:
            return joined
        from_head = min(head, excess)
        head, tail = head - from_head, max(0, tail - (excess - from_head))


def _head(text: str, count: int) -> str:
    pieces = islice(_tokens(_chunks(text)), count)
    return b"".join(pieces).decode(errors="ignore")


def _tail(text: str, count: int) -> str:
    if count == 0:
        return ""
    found: list[bytes] = []
    end = len(text)
    while len(found) < count and end > 0:
        start = max(0, end - _CHUNK)
        found = [*_tokens(iter([text[start:end]])), *found]
        end = start
    return b"".join(found[-count:]).decode(errors="ignore")


def _count(text: str, enough: int) -> int:
    """Count tokens; stops soon after `enough` + 1."""
    total = 0
    for chunk in _chunks(text):
        total += len(_tokenizer().encode_ordinary(chunk))
        if total > enough:
            break
    return total


def _tokens(chunks: Iterator[str]) -> Iterator[bytes]:
    tokenizer = _tokenizer()
    for chunk in chunks:
        for token in tokenizer.encode_ordinary(chunk):
            yield tokenizer.decode_single_token_bytes(token)


def _chunks(text: str) -> Iterator[str]:
    if len(text) * 4 <= _MOST_BYTES or len(_encoded(text)) <= _MOST_BYTES:
        yield text
        return
    for start in range(0, len(text), _CHUNK):
        yield text[start : start + _CHUNK]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@cache
def _tokenizer() -> Any:
    with warnings.catch_warnings():
        # It opens its data by a function of Python that is deprecated
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai  # half a second: only for a text that may be too long

        return bpe_openai.get_encoding("o200k_base")
