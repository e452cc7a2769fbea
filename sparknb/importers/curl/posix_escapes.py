r"""The text of `$'...'`, as bash writes it."""

import re

__all__ = ["unescape"]

_ESCAPE = re.compile(
    r"\\(?:"
    r"u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})"
    r"|c(.)|(.))",
    re.DOTALL,
)
_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_LAST_CHARACTER = 0x10FFFF


def unescape(text: str) -> str | None:
    r"""Give the text that the inside of `$'...'` stands for.

    `\xHH` and `\nnn` are bytes, so several of them may make one character. Two
    `\uHHHH` that make one character of UTF-16, as browsers write them, are one.

    Returns:
        None when the bytes are no UTF-8, so that no text can hold them.
    """
    if "\\" not in text:
        return text
    parts: list[bytes] = []
    end = 0
    for found in _ESCAPE.finditer(text):
        parts.append(text[end : found.start()].encode())
        part = _meaning(found)
        if part is None:
            return None
        parts.append(part)
        end = found.end()
    parts.append(text[end:].encode())
    try:
        return b"".join(parts).decode()
    except UnicodeDecodeError:
        return None


def _meaning(found: re.Match[str]) -> bytes | None:
    high, low, short, long, pair, octal, control, letter = found.groups()
    if high:
        return bytes.fromhex(high + low).decode("utf-16-be").encode()
    if short or long:
        return _character(int(short or long, 16))
    if pair or octal:
        return bytes([int(pair, 16) if pair else int(octal, 8) & 0xFF])
    if control:
        return bytes([ord(control.upper()) & 0x1F])
    return _LETTERS.get(letter, f"\\{letter}").encode()


def _character(number: int) -> bytes | None:
    try:
        return chr(number).encode() if number <= _LAST_CHARACTER else None
    except UnicodeEncodeError:  # half of a character of UTF-16
        return None
