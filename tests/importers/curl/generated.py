"""Commands made of parts at random, the same ones in every run."""

import random
from collections.abc import Callable, Sequence

__all__ = ["commands", "quoted"]

_PATHS = ("", "/", "/v1/items", "/a/../b", "/a//b", "/x%20y/%2F", "/é", "/~u;p=1,2")
_QUERIES = ("", "?a=1", "?a=1&b=two+w&c", "?q=%C3%A9&q=x", "?empty=&=v", "?u=ü", "?")
_HEADERS = (
    ("X-Trace: abc-1",),
    ("X-Empty;",),
    ("Accept: application/json",),
    ("accept-language: en-GB,en;q=0.9", "X-A: 1"),
    ('X-Quote: "it\'s" \\ $HOME `id`',),
    ("Authorization: Bearer FAKE0123",),
    ("X-Api-Key: FAKE-k", "If-Match: *"),
    ("X-Twice: 1", "X-Twice: 2"),
    ("User-Agent: probe/1.0",),
    ("Cookie: a=b; c=d",),
    ("X-No-Space:v", "X-Colon: a:b:c"),
)
_TYPES = (
    "application/json",
    "application/json; charset=utf-8",
    "application/vnd.api+json",
    "application/x-www-form-urlencoded",
    "text/plain",
    "application/xml",
)
_BODIES = (
    "a=1&b=2",
    "name=Ada Lovelace",
    "e=a@b.c&l[]=1",
    '{"a":1}',
    '{"a": {"b": [1, 2.50, null]}}',
    '[{"x":"é"}]',
    '{"g":"{a{b}}"}',
    "<a b='c'>d</a>",
    "plain text",
    "x",
    "",
    "100% = 'fun' & \"more\"",
    "line 1\nline 2\n\ttab",
    '{"n":12345678901234567890,"e":1E5}',
)
_DATA = ("-d", "--data", "--data-raw", "--data-binary", "--data-ascii")
_FLAGS = ("-s", "-sS", "-L", "-k", "--compressed", "-v", "-i", "--http1.1", "-#")
_OPTIONS = (
    ("-u", "user:pass"),
    ("-u", "ü:"),
    ("-A", "probe (+http://x/)"),
    ("-e", "http://ref/?a=b"),
    ("-b", "sid=1; t=2"),
    ("--oauth2-bearer", "FAKEtok"),
    ("-m", "20"),
    ("-o", "/dev/null"),
    ("-r", "0-99"),
)


def commands(seed: int, count: int, origin: str) -> list[str]:
    """Give so many commands for bash."""
    chance = random.Random(seed)  # noqa: S311  # nothing here is secret
    return [_command(chance, origin) for _ in range(count)]


def _command(chance: random.Random, origin: str) -> str:
    words: list[str] = []
    for header in chance.choice(_HEADERS) if chance.random() < 0.6 else ():
        words += [chance.choice(("-H", "--header")), header]
    has_body = chance.random() < 0.55
    if has_body:
        words += _body(chance)
    option = chance.choice(_OPTIONS)
    # A range of a body would be another kind of request, and is refused.
    if chance.random() < 0.4 and not (option[0] == "-r" and has_body):
        words += option
    words += [chance.choice(_FLAGS)] if chance.random() < 0.4 else []
    url = origin + chance.choice(_PATHS) + chance.choice(_QUERIES)
    words = [url, *words] if chance.random() < 0.5 else [*words, url]
    return " ".join(["curl", *(quoted(word, chance.choice) for word in words)])


def _body(chance: random.Random) -> list[str]:
    kind = chance.random()
    if kind < 0.15:
        return ["--json", chance.choice(_BODIES[3:6])]
    if kind < 0.3:
        return ["-G", "-d", "a=1", "--data-urlencode", "q=x y/é&"]
    words = []
    for _ in range(chance.choice((1, 1, 1, 2))):
        words += [chance.choice(_DATA), chance.choice(_BODIES)]
    if kind > 0.75:
        words += ["--data-urlencode", "u=a b&c=é"]
    if chance.random() < 0.5:
        words += ["-H", f"Content-Type: {chance.choice(_TYPES)}"]
    if chance.random() < 0.4:
        words += ["-X", chance.choice(("PUT", "PATCH", "POST"))]
    return words


# ----------------------------------------------------------------------- quoting
_PLAIN = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,"
)


def quoted(word: str, choose: Callable[[Sequence[int]], int]) -> str:
    """Write a word for bash in one of its many ways; `choose` picks which."""
    if word and set(word) <= _PLAIN and choose((0, 1)):
        return word
    middle = choose(range(len(word) + 1))
    parts = [word[:middle], word[middle:]] if choose((0, 1)) else [word]
    return "".join([_STYLES[choose(range(len(_STYLES)))](part) for part in parts])


def _single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _double(text: str) -> str:
    for char in '\\"$`':
        text = text.replace(char, "\\" + char)
    # History expansion is off in a script, and a backslash before ! would stay.
    return f'"{text}"'


def _ansi(text: str) -> str:
    spelled = {"\n": "\\n", "\t": "\\t", "'": "\\'", "\\": "\\\\", "\r": "\\r"}
    spelled |= {'"': '\\"', "é": "\\u00e9", "a": "\\x61", "b": "\\142"}
    # An escape with a number ends where a digit cannot follow: here, at a quote.
    return (
        "".join(f"$'{spelled[c]}'" if c in spelled else f"$'{c}'" for c in text) or "''"
    )


def _escaped(text: str) -> str:
    return (
        "".join(
            c if c in _PLAIN else _single(c) if c == "\n" else "\\" + c for c in text
        )
        or '""'
    )


_STYLES = (_single, _double, _ansi, _escaped)
