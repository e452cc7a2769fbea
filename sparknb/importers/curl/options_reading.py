"""From the words of a command to what it says about its request (ST-93)."""

import re
from collections.abc import Mapping, Sequence

from sparknb.core.wording import show
from sparknb.importers.curl.command import CurlCommand, Piece, Word
from sparknb.importers.curl.options import LETTERS, OPTIONS, Option, Treatment, nearest
from sparknb.importers.curl.options_text import (
    LEFT_OUT,
    REDIRECTS,
    REFUSED,
    SWITCHED_OFF,
)
from sparknb.importers.curl.options_values import Values

__all__ = ["read_options"]

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,40}", re.ASCII)
_LONG_DASHES = ("\u2013", "\u2014", "\u2212")  # as text processors make of --
_MOST_NAMES = 20


def read_options(
    words: Sequence[Word],
    *,
    changed: Mapping[int, str],
    stdin: tuple[Piece, ...] | None,
) -> CurlCommand:
    """Read the options of a command.

    Args:
        words: From `curl` on, numbered from 0.
        changed: Number of a word -> what the shell would make of it besides.
        stdin: What a here-document holds.
    """
    return _Reading(words, Values(changed=changed, stdin=stdin)).run()


class _Reading:
    def __init__(self, words: Sequence[Word], values: Values) -> None:
        self.words = words
        self.values = values
        self.at = 1
        self.is_over = False
        self.only_urls = False
        self.left_out: dict[str, list[tuple[str, int]]] = {}  # by the reason told

    def run(self) -> CurlCommand:
        while self.at < len(self.words) and not self.is_over:
            word = self.words[self.at]
            self.at += 1
            self._word(word)
        self._tell_left_out()
        return self.values.command()

    def _word(self, word: Word) -> None:
        first = word.pieces[0] if word.pieces else ""
        text = first if isinstance(first, str) else ""
        if self.only_urls or not text.startswith(("-", *_LONG_DASHES)):
            self.values.url(word)
        elif word.pieces == ("--",):
            self.only_urls = True
        elif text.startswith("--"):
            self._long(word, text[2:])
        elif text.startswith("-"):
            self._short(word, text)
        else:
            self._long_dash(word, text)

    def _long_dash(self, word: Word, text: str) -> None:
        """Report an option whose dashes a text processor has joined."""
        name = text.lstrip("-" + "".join(_LONG_DASHES))
        letter = LETTERS.get(name[:1]) if len(name) == 1 else None
        meant = letter or self._nearest(name)
        self._unknown(f"-{name}", meant, word)

    def _long(self, word: Word, text: str) -> None:
        name, equals, _ = text.partition("=")
        option, prefix = _find(name)
        if word.variables and not equals:
            self._variable_name(word)
        elif option is None or equals:
            meant = option or self._nearest(name)
            self._unknown(f"--{name}", meant, word, joined=bool(equals))
        elif prefix == "no-":
            self._switch_off(option, word)
        else:
            value = self._value(option, f"--{name}", word)
            self._apply(option, value, f"--{name}", word, expands=prefix == "expand-")

    def _short(self, word: Word, text: str) -> None:
        if OPTIONS.get(text[1:]) and len(text) > len("-x"):
            self.values.notice(
                f"{text} is read as one-letter options; --{text[1:]} has two dashes",
                word.number,
            )
        for place, letter in enumerate(text[1:], 2):
            option = LETTERS.get(letter)
            if option is None:
                self._unknown(f"-{letter}", None, word)
                return
            if option.takes_value:
                rest = tuple(p for p in (text[place:], *word.pieces[1:]) if p != "")
                value = Word(rest, word.number) if rest else None
                value = value or self._value(option, f"-{letter}", word)
                self._apply(option, value, f"-{letter}", word)
                return
            self._apply(option, None, f"-{letter}", word)
        if word.variables:
            self._variable_name(word)
        elif text == "-":
            self._unknown("-", None, word)

    def _value(self, option: Option, spelled: str, word: Word) -> Word | None:
        if not option.takes_value:
            return None
        if self.at < len(self.words):
            self.at += 1
            return self.words[self.at - 1]
        self.values.problem(
            "CURL_SYNTAX",
            f"{spelled} needs a value, and the command ends there",
            word.number,
            "copy the command again, whole",
        )
        return None

    def _apply(
        self,
        option: Option,
        value: Word | None,
        spelled: str,
        word: Word,
        *,
        expands: bool = False,
    ) -> None:
        if option.takes_value and value is None:
            return
        treatment: Treatment = "other" if expands else option.treatment
        if treatment == "request":
            self.values.take(option, value, spelled, word.number)
        elif treatment in LEFT_OUT:
            self._leave_out(LEFT_OUT[treatment], spelled, word)
            if option.name == "proto-default":
                self.values.notice(
                    "a URL without a scheme is called with http, whatever "
                    "--proto-default says",
                    word.number,
                )
        else:
            code, does, hint = REFUSED[treatment]
            self.values.problem(code, f"{spelled} {does}", word.number, hint)
            self.is_over = treatment == "next"

    def _switch_off(self, option: Option, word: Word) -> None:
        if not option.is_switch:
            self._unknown(f"--no-{option.name}", option, word)
        elif not self.values.switch_off(option):
            self._leave_out(SWITCHED_OFF, f"--no-{option.name}", word)

    def _leave_out(self, why: str, spelled: str, word: Word) -> None:
        self.left_out.setdefault(why, []).append((spelled, word.number))

    def _unknown(
        self, spelled: str, meant: Option | None, word: Word, *, joined: bool = False
    ) -> None:
        """Report a name that curl does not have.

        Args:
            spelled: As it was written; told only when it looks like a name.
            meant: What was probably meant; its value is passed over.
            word: Where it stands.
            joined: A value follows an equals sign.
        """
        bare = spelled.lstrip("-")
        is_name = len(bare) <= 1 or _NAME.fullmatch(bare)
        said = show(spelled) if is_name else "This"
        hint = None if meant is None else f"is --{meant.name} meant?"
        if joined and meant is not None:
            hint = f"write --{meant.name} and its value as two words"
        elif meant is not None and meant.takes_value and self._has_value():
            self.at += 1
        self.values.problem(
            "CURL_UNKNOWN_OPTION",
            f"{said} is no option of curl{', written so' if joined else ''}",
            word.number,
            hint,
        )

    def _nearest(self, name: str) -> Option | None:
        """Find what was meant, unless nobody will read it: nearness takes time."""
        return None if self.values.is_full else OPTIONS.get(nearest(name) or "")

    def _has_value(self) -> bool:
        """Tell whether the next word looks like a value."""
        if self.at >= len(self.words):
            return False
        return not self.words[self.at].text.startswith("-")

    def _variable_name(self, word: Word) -> None:
        self.values.problem(
            "CURL_SHELL",
            "a variable stands in the name of an option",
            word.number,
            "write the option itself",
        )

    def _tell_left_out(self) -> None:
        for why, found in self.left_out.items():
            names = list(dict.fromkeys(name for name, _ in found))
            more = " …" if len(names) > _MOST_NAMES else ""
            told = ", ".join(names[:_MOST_NAMES]) + more
            self.values.notice(f"{told}: {why}", found[0][1])
        if LEFT_OUT["redirects"] not in self.left_out:
            self.values.notice(REDIRECTS, 0)


def _find(name: str) -> tuple[Option | None, str]:
    option = OPTIONS.get(name)
    if option is not None:
        return option, ""
    for prefix in ("no-", "expand-"):
        if name.startswith(prefix):
            return OPTIONS.get(name.removeprefix(prefix)), prefix
    return None, ""
