r"""Words of a command as Windows gives them: cmd first, then the program's own rules.

cmd knows `^`, quotes, `%NAME%` and operators; what it leaves is cut into words by the
C runtime, for which a backslash counts only before a quote, and `""` inside quotes is
one quote. Texts as manuals print them (`"{\"a\": \"x & y\"}"`) confuse cmd itself;
what stands inside the quotes of the C runtime is text here.
"""

import re

from sparknb.importers.curl.shell_lines import LINE_END, continues_at, find_end
from sparknb.importers.curl.shell_words import ShellText, Words

__all__ = ["looks_encoded", "read_cmd"]

_PLAIN = re.compile(r'[^\s"^%\\&|<>]+')
# `%NAME:~0,3%` is a part of its value.
_VARIABLE = re.compile(
    r"%([A-Za-z_][A-Za-z0-9_()]{0,127})(?::~-?[0-9]{1,5}(?:,-?[0-9]{1,5})?)?%"
)
_REDIRECT = re.compile(r">>?(?:&\d)?")
_COMMENT = re.compile(r"(?:::|(?i:@?rem)(?=\s))")
_HEX_PAIR = re.compile(r"[0-9A-Fa-f]{2}")
# Browsers double every backslash, though the C runtime wants that only before a quote;
# nobody else writes it like this.
_DOUBLED = "^\\^\\"
_QUOTE_URL = "put double quotes around the URL or the value"


def looks_encoded(found: re.Match[str]) -> bool:
    """Tell `%A9cole%20`, text of a URL, from `%NAME%`."""
    return bool(
        _HEX_PAIR.match(found[1]) and _HEX_PAIR.match(found.string, found.end())
    )


def read_cmd(text: str, start: int = 0) -> ShellText:
    """Read one command."""
    return _Reading(text, start).run()


class _Arguments:
    """The second half: characters that cmd passed on become words."""

    def __init__(self, out: Words) -> None:
        self.out = out
        self.is_quoted = False
        self._backslashes = 0
        self._may_close = False  # a quote inside quotes; a second one makes it text

    @property
    def is_inside(self) -> bool:
        """A blank would be text here."""
        return self.is_quoted and not self._may_close

    def add(self, text: str) -> None:
        """Take text without quotes, backslashes and blanks that separate."""
        self.settle()
        self.out.text(text)

    def add_variable(self, name: str) -> None:
        """Take a variable, whatever stands in it."""
        self.settle()
        self.out.variable(name)

    def backslash(self) -> None:
        """Take a backslash; what comes decides what it means."""
        self._close()
        self.out.begin()
        self._backslashes += 1

    def quote(self) -> None:
        """Take a double quote."""
        if self._may_close:
            self._may_close = False
            self.out.text('"')
            return
        count, self._backslashes = self._backslashes, 0
        self.out.begin()
        self.out.text("\\" * (count // 2))
        if count % 2:
            self.out.text('"')
        elif self.is_quoted:
            self._may_close = True
        else:
            self.is_quoted = True

    def blank(self, char: str) -> None:
        """Take a space or a tab."""
        self.settle()
        if self.is_quoted:
            self.out.text(char)
        else:
            self.out.end()

    def end(self) -> None:
        """End the word, and its quote."""
        self.settle()
        self.is_quoted = False
        self.out.end()

    def settle(self) -> None:
        """Write what was held back."""
        self._close()
        if self._backslashes:
            self.out.text("\\" * self._backslashes)
            self._backslashes = 0

    def _close(self) -> None:
        if self._may_close:
            self._may_close = self.is_quoted = False


class _Reading:
    """The first half, cmd's own."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.out = Words()
        self.arguments = _Arguments(self.out)
        self.is_quoted = False  # by cmd, which does not know backslashes
        self.is_over = False

    def run(self) -> ShellText:
        while self.at < len(self.text) and not self.is_over:
            plain = _PLAIN.match(self.text, self.at)
            if plain:
                self._plain(plain[0])
            else:
                self._special(self.text[self.at])
        if self.arguments.is_inside:
            self.out.problem(
                "CURL_SYNTAX",
                "a double quote is opened and never closed",
                "copy the command again, whole",
            )
        self.arguments.end()
        return self.out.finish(self.at)

    def _plain(self, run: str) -> None:
        if not self.out.done and _COMMENT.match(self.text, self.at):
            self.out.notice("comments are left out")
            self.at = find_end(self.text, self.at)
            return
        self.at += len(run)
        self.arguments.add(run)

    def _special(self, char: str) -> None:
        if LINE_END.match(self.text, self.at):
            self._line_end()
        elif char == "^":
            self._caret()
        elif char == '"':
            self.is_quoted = not self.is_quoted
            self._take(char)
        elif char == "%":
            self._percent()
        elif char in "&|<>" and not self.is_quoted and not self.arguments.is_inside:
            self._operator(char)
        else:
            self._take(char)

    def _take(self, char: str) -> None:
        """Pass one character on to the program."""
        self.at += 1
        if char == '"':
            self.arguments.quote()
        elif char == "\\":
            self.arguments.backslash()
        elif char in " \t":
            self.arguments.blank(char)
        elif char == "\u00a0" and not self.arguments.is_inside:
            self.out.notice("a special blank, as web pages have it, is read as a space")
            self.arguments.blank(" ")
        else:
            self.arguments.add(char)

    def _caret(self) -> None:
        ended = LINE_END.match(self.text, self.at + 1)
        if ended:
            self._continue(ended.end())
        elif self.is_quoted:
            self._take("^")
        elif self.text.startswith(_DOUBLED, self.at):
            self.out.notice("a backslash that a browser has doubled is read as one")
            self.arguments.add("\\")
            self.at += len(_DOUBLED)
        else:
            self.at += 1
            if self.at < len(self.text):
                self._take(self.text[self.at])

    def _continue(self, start: int) -> None:
        """Go on in the next line; a second line end there is one of the text."""
        self.at = start
        ended = LINE_END.match(self.text, start)
        if ended:
            self.at = ended.end()
            self.arguments.add("\n")

    def _percent(self) -> None:
        if self.text.startswith("%%", self.at):
            self.at += 2
            self.arguments.add("%")
            return
        found = _VARIABLE.match(self.text, self.at)
        if found and not looks_encoded(found):
            self.at = found.end()
            self.arguments.add_variable(found[1])
        else:
            self.at += 1
            self.arguments.add("%")

    def _line_end(self) -> None:
        ended = LINE_END.match(self.text, self.at)
        after = ended.end() if ended else self.at + 1
        if self.arguments.is_inside:
            self.out.notice("a line end inside quotes, where cmd would stop, is kept")
            self.arguments.add(self.text[self.at : after])
            self.at, self.is_quoted = after, True
            return
        self.arguments.end()
        self.at, self.is_quoted = after, False
        if self.out.done:
            more = continues_at(self.text, after, self.out)
            self.is_over = more is None
            self.at = after if more is None else more

    def _operator(self, char: str) -> None:
        if char == ">":
            found = _REDIRECT.match(self.text, self.at)
            self.out.notice("where the output would be written is left out")
            self._redirect(found.end() if found else self.at + 1)
        elif char == "|":
            self.arguments.end()
            self.out.notice("the pipe and what follows it are left out")
            self._stop()
        elif char == "<":
            self.out.problem(
                "CURL_SHELL",
                "cmd would read a file at <",
                f"{_QUOTE_URL}; input itself is written into the command",
            )
            self._redirect(self.at + 1)
        else:
            self._ampersand()

    def _redirect(self, after: int) -> None:
        self.arguments.settle()
        self.out.redirect()
        if self.text[after - 1 : after].isdigit():  # 2>&1 names no file
            self.out.text("1")
            self.out.end()
        self.at = after

    def _ampersand(self) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        self.out.problem("CURL_SHELL", "cmd would end the command at &", _QUOTE_URL)
        if self.out.is_open and following.strip() and following != "&":
            self._take("&")
        else:
            self.arguments.end()
            self._stop()

    def _stop(self) -> None:
        self.at = len(self.text)
        self.is_over = True
