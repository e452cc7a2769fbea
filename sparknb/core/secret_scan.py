"""Recognises literal secrets by their shape (ST-36), in linear time."""

import re
from collections.abc import Iterable, Iterator

__all__ = ["contains_secret", "has_original_shape", "mask_secrets"]

# A pattern with a literal that the lower-cased text of every match holds: looking
# for that first is what makes the usual text, without any secret, cheap.
_Shape = tuple[str, re.Pattern[str]]

# What JSON readers elsewhere take for white space; ASCII mode knows less.
_SPACE = r"[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
_BEARER = r"[Bb][Ee][Aa][Rr][Ee][Rr]"


def _shape(literal: str, pattern: str) -> _Shape:
    # ASCII mode: a letter such as é right before a key must not hide it.
    return literal, re.compile(pattern, re.ASCII)


# Linear, because no match can start inside what a failed one has looked at twice:
# the repeated sets leave out what a start needs, or are bounded.
_ORIGINAL = (
    _shape("sk-", r"\bsk-[A-Za-z0-9_-]{16,}"),
    _shape("akia", r"\bAKIA[0-9A-Z]{16}\b"),
    _shape("gh", r"\bgh[po]_[A-Za-z0-9]{20,}\b"),
    _shape("xox", r"\bxox[baprs]-[A-Za-z0-9-]{10,}"),
    _shape("bearer", rf"\b{_BEARER}{_SPACE}+[A-Za-z0-9._~+/-]{{20,}}={{0,2}}"),
    _shape("-----begin", r"-----BEGIN[A-Z ]*PRIVATE KEY-----"),
)
_ADDED = (
    _shape("gh", r"\bgh[usr]_[A-Za-z0-9]{20,}\b"),
    _shape("github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
    _shape("glpat-", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    _shape("aiza", r"\bAIza[0-9A-Za-z_-]{35}"),
    _shape("hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    _shape("sk_live_", r"\bsk_live_[A-Za-z0-9]{16,}"),
)


def contains_secret(text: str) -> bool:
    """Tell whether any part of the text looks like a secret."""
    return any(p.search(text) for p in _possible((*_ORIGINAL, *_ADDED), text))


def has_original_shape(text: str) -> bool:
    """Tell whether a part looks like one of the secrets that the original knows."""
    return any(p.search(text) for p in _possible(_ORIGINAL, text))


def mask_secrets(text: str, mask: str = "[REDACTED]") -> str:
    """Give the text with `mask` in place of everything that looks like a secret."""
    for pattern in _possible((*_ORIGINAL, *_ADDED), text):
        text = pattern.sub(lambda _: mask, text)
    return text


def _possible(shapes: Iterable[_Shape], text: str) -> Iterator[re.Pattern[str]]:
    lower = text.lower()
    return (pattern for literal, pattern in shapes if literal in lower)
