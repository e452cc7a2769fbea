"""Words of a command as a POSIX shell, in practice bash, gives them (ST-92)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from sparknb.importers.curl.posix_documents import Document, read_body, read_mark
from sparknb.importers.curl.posix_escapes import unescape
from sparknb.importers.curl.shell_lines import (
    LINE_END,
    LOST_LINE_END,
    continues_at,
    find_end,
)
from sparknb.importers.curl.shell_words import BRACES, ShellText, Words

__all__ = ["read_posix"]

_PLAIN = re.compile(r"[^\s\\'\"$`|&;<>()#{}~^\u201c\u201d\u2018\u2019\u201e]+")
_NAME = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
_SINGLE = re.compile(r"'([^']*+)'")
_ANSI = re.compile(r"\$'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL)
_QUOTED_PLAIN = re.compile(r'[^"\\$`]+')
_BODY_PLAIN = re.compile(r"[^\\$`]+")
_PARENTHESES = re.compile(r"[()]")
_REDIRECT = re.compile(r"&?>(?:>|\||&)?")
_PLACEHOLDER = re.compile(r"<[\w .:-]{1,60}>")
_CONTINUED = re.compile(r"[ \t]*\r?\n|\r?\Z")
_SPECIAL = "@*#?$!-0123456789"

_RUNS = "the command makes the shell run another one, in $(...) or backquotes"
_WRITE_RESULT = "write what it would give; nothing is run here"
_QUOTE_URL = "put quotes around the URL or the value"


def read_posix(text: str, start: int = 0, *, caret: bool = False) -> ShellText:
    """Read one command.

    Args:
        text: What was pasted.
        start: Where the command begins in it.
        caret: A `^` at the end of a line continues it too, for texts that mix the
            quotes of bash with the line ends of cmd.
    """
    return _Reading(text, start, caret=caret).run()


class _Reading:
    def __init__(self, text: str, start: int, *, caret: bool) -> None:
        self.text = text
        self.at = start
        self.out = Words()
        self.is_over = False
        self.has_carets = caret
        self.braces = 0
        self.document: Document | None = None

    def run(self) -> ShellText:
        text = self.text
        while self.at < len(text) and not self.is_over:
            plain = _PLAIN.match(text, self.at)
            if plain:
                self._plain(plain[0])
            else:
                self._special(text[self.at])
        if self.document is not None:
            self.out.end()
            self._take_document(self.document)
        return self.out.finish(self.at)

    def _plain(self, run: str) -> None:
        if self.braces and ("," in run or ".." in run):
            self.out.change(BRACES)
        self._literal(run)

    def _special(self, char: str) -> None:
        handler = _HANDLERS.get(char)
        if handler is not None:
            handler(self)
        elif LINE_END.match(self.text, self.at):
            self._line_end()
        elif char.isspace():
            self._blank(char)
        else:
            self._typographic(char)

    def _literal(self, text: str) -> None:
        self.out.text(text)
        self.at += len(text)

    def _blank(self, char: str) -> None:
        if char not in " \t\r\n":
            self.out.notice("a special blank, as web pages have it, is read as a space")
        self._end_word()
        self.at += 1

    def _end_word(self) -> None:
        self.out.end()
        self.braces = 0

    def _line_end(self) -> None:
        self._end_word()
        ended = LINE_END.match(self.text, self.at)
        self.at = ended.end() if ended else self.at + 1
        if self.document is not None:
            self._take_document(self.document)
            self.document = None
        if not self.out.done:
            return
        more = continues_at(self.text, self.at, self.out)
        self.is_over = more is None
        self.at = self.at if more is None else more

    def _take_document(self, document: Document) -> None:
        body = read_body(self.text, self.at, document)
        if body is None:
            self.out.problem(
                "CURL_SYNTAX",
                "a here-document has no last line",
                "paste the command with all of its lines",
            )
            self.at = len(self.text)
            return
        kept = Words()
        if document.is_literal:
            kept.text(body.text)
        else:
            inner = _Reading(body.text, 0, caret=False)
            inner.out = kept
            inner.interpolated(_BODY_PLAIN, closing=None)
        here = len(self.out.done)
        self.out.flaws.extend(replace(flaw, word=here) for flaw in kept.flaws)
        kept.end()
        self.out.stdin = kept.done[0].pieces if kept.done else ()
        self.at = body.end

    def backslash(self) -> None:
        self.at += 1
        lost = None if self.out.is_open else LOST_LINE_END.match(self.text, self.at)
        if lost:
            self.out.notice("a line end that got lost is read as a blank")
            self.at = lost.end()
            return
        if self.at == len(self.text):
            self._last_backslash()
            return
        continued = _CONTINUED.match(self.text, self.at)
        blanks = continued[0].rstrip("\r\n") if continued else ""
        if continued is None or (blanks and self.out.is_open):
            self._literal(self.text[self.at])
            return
        if blanks:
            self.out.notice("blanks behind a backslash at a line's end are left out")
        self.at = continued.end()

    def _last_backslash(self) -> None:
        if self.out.is_open:
            self.out.text("\\")
        else:
            self.out.notice("the text ends where the command was to go on")

    def caret(self) -> None:
        ended = LINE_END.match(self.text, self.at + 1) if self.has_carets else None
        if ended:
            self.out.notice("a ^ at the end of a line continues it here, as in cmd")
            self.at = ended.end()
        else:
            self._literal("^")

    def single(self) -> None:
        found = _SINGLE.match(self.text, self.at)
        if found is None:
            self._open_quote()
            return
        self.out.text(found[1])
        self.at = found.end()

    def double(self) -> None:
        self.out.begin()
        self.at += 1
        if not self.interpolated(_QUOTED_PLAIN, closing='"'):
            self._open_quote()

    def _open_quote(self) -> None:
        self.out.problem(
            "CURL_SYNTAX",
            "a quote is opened and never closed",
            "copy the command again, whole",
        )
        self.out.begin()
        self.at = len(self.text)

    def interpolated(self, plain: re.Pattern[str], *, closing: str | None) -> bool:
        """Read on to the closing quote, or the end; tell whether that was there."""
        text = self.text
        while self.at < len(text):
            run = plain.match(text, self.at)
            if run:
                self._literal(run[0])
            elif text[self.at] == closing:
                self.at += 1
                return True
            elif text[self.at] == "\\":
                self._quoted_backslash(closing)
            elif text[self.at] == "`":
                self.backquote()
            else:
                self._variable()
        return closing is None

    def _quoted_backslash(self, closing: str | None) -> None:
        ended = LINE_END.match(self.text, self.at + 1)
        if ended:
            self.at = ended.end()
            return
        escaped = self.text[self.at + 1 : self.at + 2]
        if escaped and escaped in ("$", "`", "\\", closing):
            self.at += 1
            self._literal(escaped)
        else:
            self._literal("\\")

    def dollar(self) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "'":
            self._ansi()
        elif following == '"':
            self.at += 1
        else:
            self._variable()

    def _ansi(self) -> None:
        found = _ANSI.match(self.text, self.at)
        if found is None:
            self._open_quote()
            return
        meant = unescape(found[1])
        if meant is None or "\0" in meant:
            self.out.problem(
                "CURL_SYNTAX",
                "$'...' holds a NUL or bytes that are no UTF-8 text",
                "write the characters themselves, or \\u with their number",
            )
        self.out.text(meant or "")
        self.at = found.end()

    def _variable(self) -> None:
        found = _NAME.match(self.text, self.at)
        following = self.text[self.at + 1 : self.at + 2]
        if found:
            self.out.variable(found[1] or found[2])
            self.at = found.end()
        elif following == "(":
            self._substitution()
        elif following and following in f"{{[{_SPECIAL}":
            self.out.problem(
                "CURL_SHELL",
                "the command has an expansion that only a shell can make",
                "write what the shell would put there",
            )
            self._literal(self.text[self.at : self.at + 2])
        else:
            self._literal("$")

    def _substitution(self) -> None:
        self.out.problem("CURL_SHELL", _RUNS, _WRITE_RESULT)
        self.out.begin()
        depth = 0
        for found in _PARENTHESES.finditer(self.text, self.at):
            depth += 1 if found[0] == "(" else -1
            if depth == 0:
                self.at = found.end()
                return
        self.at = len(self.text)

    def backquote(self) -> None:
        self.out.problem("CURL_SHELL", _RUNS, _WRITE_RESULT)
        self.out.begin()
        closing = self.text.find("`", self.at + 1)
        self.at = closing + 1 if closing >= 0 else len(self.text)

    def pipe(self) -> None:
        self._end_word()
        self.out.notice("the pipe and what follows it are left out")
        self.at = len(self.text)
        self.is_over = True

    def ampersand(self) -> None:
        if _REDIRECT.match(self.text, self.at):
            self.redirect()
        else:
            self.separator()

    def separator(self) -> None:
        """Of two commands, or of the parts of a URL that has no quotes."""
        char = self.text[self.at]
        rest = self.text[self.at + 1 : self.at + 2]
        self.out.problem(
            "CURL_SHELL", f"the shell would end the command at {char}", _QUOTE_URL
        )
        if self.out.is_open and rest.strip() and rest != char:
            self._literal(char)
        else:
            self._end_word()
            self.at = len(self.text)
            self.is_over = True

    def redirect(self) -> None:
        found = _REDIRECT.match(self.text, self.at)
        self.out.notice("where the output would be written is left out")
        self.out.redirect()
        self.at = found.end() if found else self.at + 1

    def input(self) -> None:
        placeholder = _PLACEHOLDER.match(self.text, self.at)
        if self.document is None and self.out.stdin is None:
            if self.text.startswith("<<<", self.at):
                self.out.input()
                self.at += len("<<<")
                return
            mark = read_mark(self.text, self.at)
            if mark:
                self._end_word()
                self.document, self.at = mark
                return
        self.out.problem(
            "CURL_SHELL",
            "the shell would read a file or a command's output at <",
            f"{_QUOTE_URL}; input itself is written into the command",
        )
        if placeholder:
            self._literal(placeholder[0])
        else:
            self.out.redirect()
            self.at += 1

    def parenthesis(self) -> None:
        self.out.problem(
            "CURL_SHELL", "the shell would read a parenthesis its own way", _QUOTE_URL
        )
        self._literal(self.text[self.at])

    def brace(self) -> None:
        self.braces = max(self.braces + (1 if self.text[self.at] == "{" else -1), 0)
        self._literal(self.text[self.at])

    def tilde(self) -> None:
        if not self.out.is_open:
            self.out.change("takes ~ for a home folder")
        self._literal("~")

    def hash(self) -> None:
        if self.out.is_open:
            self._literal("#")
            return
        self.out.notice("comments are left out")
        self.at = find_end(self.text, self.at)

    def _typographic(self, char: str) -> None:
        if not self.out.is_open:
            self.out.problem(
                "CURL_SYNTAX",
                "a typographic quote stands where the shell wants a straight one",
                "write ' or \"",
            )
        self._literal(char)


_HANDLERS: Mapping[str, Callable[[_Reading], None]] = {
    "\\": _Reading.backslash,
    "'": _Reading.single,
    '"': _Reading.double,
    "$": _Reading.dollar,
    "`": _Reading.backquote,
    "|": _Reading.pipe,
    "&": _Reading.ampersand,
    ";": _Reading.separator,
    "<": _Reading.input,
    ">": _Reading.redirect,
    "(": _Reading.parenthesis,
    ")": _Reading.parenthesis,
    "{": _Reading.brace,
    "}": _Reading.brace,
    "~": _Reading.tilde,
    "^": _Reading.caret,
    "#": _Reading.hash,
}
