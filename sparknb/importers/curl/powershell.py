"""Words of a command as PowerShell gives them to a program (ST-92)."""

import re

from sparknb.importers.curl.command import Piece, Word
from sparknb.importers.curl.shell_lines import (
    LINE_END,
    LOST_LINE_END,
    continues_at,
    find_end,
)
from sparknb.importers.curl.shell_words import ShellText, Words

__all__ = ["read_powershell"]

_PLAIN = re.compile(
    r"[^\s'\"`$|&;<>#(){},@\u2018\u2019\u201a\u201b\u201c\u201d\u201e]+"
)
# A name may have a scope or drive in front; in braces it may hold anything.
_VARIABLE = re.compile(r"\$(?:(?:\w+:)?(\w+)|\{(?:\w+:)?([^{}\r\n]+)\})")
_SINGLES = "'\u2018\u2019\u201a\u201b"  # PowerShell takes them for the same
_DOUBLES = '"\u201c\u201d\u201e'
_SINGLE_PLAIN = re.compile(f"[^{_SINGLES}]+")
_DOUBLE_PLAIN = re.compile(f"[^{_DOUBLES}`$]+")
_HERE_PLAIN = re.compile("[^`$]+")
_HERE = re.compile(r"@(['\"])[ \t]*\r?\n")
_REDIRECT = re.compile(r"(?:>>?)(?:&\d)?")
_PARENTHESES = re.compile(r"[()]")
_UNICODE = re.compile(r"u\{([0-9A-Fa-f]{1,6})\}")
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
}
_LAST_CHARACTER = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)

_OPEN = "a quote is opened and never closed"
_COPY = "copy the command again, whole"
_QUOTE = "put quotes around the URL or the value"
_SLASHED_QUOTE = re.compile(r'(\\++)"')
_BARE_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*+"')


def read_powershell(text: str, start: int = 0) -> ShellText:
    """Read one command."""
    return _Reading(text, start).run()


class _Reading:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.out = Words()
        self.is_over = False

    def run(self) -> ShellText:
        while self.at < len(self.text) and not self.is_over:
            plain = _PLAIN.match(self.text, self.at)
            if plain:
                self._literal(plain[0])
            else:
                self._special(self.text[self.at])
        self.out.end()
        self.out.done = [self._unslashed(word) for word in self.out.done]
        return self.out.finish(self.at)

    def _unslashed(self, word: Word) -> Word:
        r"""Read `\"` as older versions of PowerShell need it written.

        They pass `{"a":1}` on without its quotes, so that people write `{\"a\":1}`. A
        newer one would pass the backslashes on; with a quote that has none, that is
        what the text was written for.
        """
        texts = [piece for piece in word.pieces if isinstance(piece, str)]
        if not any('\\"' in t for t in texts) or any(map(_BARE_QUOTE.search, texts)):
            return word
        self.out.notice('each \\" is read as ", as older versions of PowerShell do')
        pieces: tuple[Piece, ...] = tuple(
            _SLASHED_QUOTE.sub(_halve, piece) if isinstance(piece, str) else piece
            for piece in word.pieces
        )
        return Word(pieces, word.number)

    def _literal(self, text: str) -> None:
        self.out.text(text)
        self.at += len(text)

    def _special(self, char: str) -> None:
        if LINE_END.match(self.text, self.at):
            self._line_end()
        elif char.isspace():
            self.out.end()
            self.at += 1
        elif char in _SINGLES:
            self._single()
        elif char in _DOUBLES:
            self._double()
        elif char == "`":
            self._backtick()
        elif char == "$":
            self._dollar()
        else:
            self._operator(char)

    def _line_end(self) -> None:
        ended = LINE_END.match(self.text, self.at)
        self.out.end()
        self.at = ended.end() if ended else self.at + 1
        if self.out.done:
            more = continues_at(self.text, self.at, self.out)
            self.is_over = more is None
            self.at = self.at if more is None else more

    def _single(self) -> None:
        self.out.begin()
        self.at += 1
        while self.at < len(self.text):
            run = _SINGLE_PLAIN.match(self.text, self.at)
            if run:
                self._literal(run[0])
            elif self.text[self.at + 1 : self.at + 2] in tuple(_SINGLES):
                self.out.text(self.text[self.at])
                self.at += 2
            else:
                self.at += 1
                return
        self.out.problem("CURL_SYNTAX", _OPEN, _COPY)

    def _double(self) -> None:
        self.out.begin()
        self.at += 1
        if not self.interpolated(_DOUBLE_PLAIN, _DOUBLES):
            self.out.problem("CURL_SYNTAX", _OPEN, _COPY)

    def interpolated(self, plain: re.Pattern[str], closing: str) -> bool:
        """Read on to a closing quote, or the end; tell whether it was there."""
        while self.at < len(self.text):
            run = plain.match(self.text, self.at)
            if run:
                self._literal(run[0])
            elif self.text[self.at] == "`":
                self._escape()
            elif self.text[self.at] == "$":
                self._dollar()
            elif self.text[self.at + 1 : self.at + 2] in tuple(closing):
                self.out.text(self.text[self.at])
                self.at += 2
            else:
                self.at += 1
                return True
        return not closing

    def _backtick(self) -> None:
        lost = None if self.out.is_open else LOST_LINE_END.match(self.text, self.at + 1)
        if lost:
            self.out.notice("a line end that got lost is read as a blank")
        ended = lost or LINE_END.match(self.text, self.at + 1)
        if ended:
            self.at = ended.end()
        else:
            self._escape()

    def _escape(self) -> None:
        char = self.text[self.at + 1 : self.at + 2]
        number = _UNICODE.match(self.text, self.at + 1)
        if number and _is_character(int(number[1], 16)):
            self.out.text(chr(int(number[1], 16)))
            self.at = number.end()
            return
        if char == "0":
            self.out.problem(
                "CURL_SYNTAX", "the command holds a NUL", "write it without"
            )
        else:
            self.out.text(_ESCAPES.get(char, char))
        self.at += 2

    def _dollar(self) -> None:
        found = _VARIABLE.match(self.text, self.at)
        if found:
            self.out.variable(found[1] or found[2])
            self.at = found.end()
        elif self.text.startswith("$(", self.at):
            self._expression()
        else:
            self._literal("$")

    def _expression(self) -> None:
        self.out.problem(
            "CURL_SHELL",
            "PowerShell would work out an expression here",
            "write what it would give, since nothing is run here, or quote the value",
        )
        self.out.begin()
        depth = 0
        for found in _PARENTHESES.finditer(self.text, self.at):
            depth += 1 if found[0] == "(" else -1
            if depth <= 0:
                self.at = found.end()
                return
        self.at = len(self.text)

    def _operator(self, char: str) -> None:
        if char == "#":
            self._hash()
        elif char == "@":
            self._at_sign()
        elif char == "|":
            self.out.end()
            self.out.notice("the pipe and what follows it are left out")
            self._stop()
        elif char == ">":
            found = _REDIRECT.match(self.text, self.at)
            self.out.notice("where the output would be written is left out")
            self._redirect(found.end() if found else self.at + 1)
        elif char in ";&":
            self._separator(char)
        elif char in "()":
            self._expression()
        else:
            self._read_otherwise(char)

    def _hash(self) -> None:
        if self.out.is_open:
            self._literal("#")
            return
        self.out.notice("comments are left out")
        self.at = find_end(self.text, self.at)

    def _at_sign(self) -> None:
        here = None if self.out.is_open else _HERE.match(self.text, self.at)
        if here is None:
            if not self.out.is_open:
                self.out.change("gives @ at the beginning a meaning of its own")
            self._literal("@")
            return
        closing = self.text.find(f"\n{here[1]}@", here.end() - 1)
        if closing < 0:
            self.out.problem("CURL_SYNTAX", _OPEN, _COPY)
            self.at = len(self.text)
            return
        body = self.text[here.end() : max(closing, here.end())].removesuffix("\r")
        self.out.begin()
        if here[1] == '"':
            inner = _Reading(body, 0)
            inner.out = self.out
            inner.interpolated(_HERE_PLAIN, closing="")
        else:
            self.out.text(body)
        self.at = closing + 3

    def _redirect(self, after: int) -> None:
        self.out.redirect()
        if self.text[after - 1 : after].isdigit():  # 2>&1 names no file
            self.out.text("1")
            self.out.end()
        self.at = after

    def _separator(self, char: str) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        self.out.problem(
            "CURL_SHELL", f"PowerShell would end the command at {char}", _QUOTE
        )
        if self.out.is_open and following.strip() and following != char:
            self._literal(char)
        else:
            self.out.end()
            self._stop()

    def _read_otherwise(self, char: str) -> None:
        """Take `,`, `{`, `}` and `<` as they stand, and say what they would do."""
        if char == "<":
            self.out.problem(
                "CURL_SHELL", "PowerShell gives < a meaning of its own", _QUOTE
            )
        else:
            self.out.change(f"gives {char} a meaning of its own")
        self._literal(char)

    def _stop(self) -> None:
        self.at = len(self.text)
        self.is_over = True


def _is_character(number: int) -> bool:
    return 0 < number <= _LAST_CHARACTER and number not in _SURROGATES


def _halve(found: re.Match[str]) -> str:
    return "\\" * (len(found[1]) // 2) + '"'
