import random
import shlex
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.importers.curl.command import Variable
from sparknb.importers.curl.posix import read_posix
from sparknb.importers.curl.shell_words import ShellText

_FRAGMENTS = [
    "a",
    "b=c",
    "'x y'",
    "''",
    '""',
    '"d e"',
    r'"q\"r\\s\$t\u"',
    r"\ ",
    r"\"",
    r"\'",
    r"\\",
    "\\\n",
    '"f\\\ng"',
    "'h\\\ni'",
    r"$'\n\t\x41\102\u00e9\U0001F600\'\"\\'",
    r"$'\xc3\xa9\q\a\e'",
    '$"loc"',
    '"a$"',
    "$ ",
    "é☂",
    "a#b",
    "/~",
    "=~",
    "%20",
    "^",
    "!",
    "[1-3]",
    "a?b",
    "{a}",
    "}",
    " ",
    "  ",
    "\t",
    " \\\n ",
]


def texts(read: ShellText) -> list[str]:
    return [word.text for word in read.words]


def codes(read: ShellText) -> list[str]:
    return [flaw.code for flaw in read.flaws if flaw.level == "error"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="the machine has no bash")
def test_words_are_those_that_bash_gives() -> None:
    chance = random.Random(92)  # noqa: S311 - the same words in every run
    lines = [
        "".join(chance.choices(_FRAGMENTS, k=chance.randint(1, 12))) for _ in range(600)
    ]
    script = (
        "words() { printf '%s\\0' \"$@\"; printf '\\1\\0'; }\nset -f\n"
        + "\n".join(f"words {line}" for line in lines)
    )
    ran = subprocess.run(
        ["bash", "--norc"],
        input=script.encode(),
        capture_output=True,
        check=False,
        timeout=60,
        env={"LC_ALL": "C.UTF-8"},
    )
    assert ran.stderr == b""
    said = ran.stdout.decode()
    given_by_bash = [part.split("\0")[:-1] for part in said.split("\1\0")[:-1]]
    ours = [texts(read_posix(f"words {line}"))[1:] for line in lines]
    for line, want, got in zip(lines, given_by_bash, ours, strict=True):
        # printf prints one empty text where it gets no words
        assert got == want or (got == [] and want == [""]), line


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"))))
def test_what_shlex_quotes_is_read_as_it_was(words: list[str]) -> None:
    read = read_posix(shlex.join(["curl", *words]))
    assert texts(read) == ["curl", *words]
    assert read.flaws == []
    assert read.changed == {}


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_what_a_browser_escapes_for_bash_is_read_as_it_was(text: str) -> None:
    escaped = "".join(
        c if c.isascii() and c.isalnum() else _utf16_escape(c) for c in text
    )
    assert texts(read_posix(f"curl $'{escaped}'")) == ["curl", text]


def _utf16_escape(char: str) -> str:
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ('"a$B.c"', ("a", Variable("B"), ".c")),
        ("${B}c", (Variable("B"), "c")),
        ("'$B'", ("$B",)),
        (r'"\$B"', ("$B",)),
        ('"$B$C"', (Variable("B"), Variable("C"))),
        ('"a$ b$"', ("a$ b$",)),
    ],
)
def test_variables_stay_where_they_are(
    text: str, pieces: tuple[str | Variable, ...]
) -> None:
    read = read_posix(f"curl {text}")
    assert read.words[1].pieces == pieces
    assert read.flaws == []


@pytest.mark.parametrize(
    "text",
    [
        "a$(id)b",
        '"a$(id)b"',
        "a`id`b",
        '"`id`"',
        "$((1+1))",
        "$[1+1]",
        "${A:-b}",
        "${#A}",
        "$1",
        '"$@"',
        "a;b",
        "a ; b",
        "a&b",
        "a &",
        "a && b",
        "< file",
        "<(id)",
        "<id>",
        "(a)",
        "$(",
        "`",
        "$(a (b)",
    ],
)
def test_what_only_a_shell_can_do_is_refused(text: str) -> None:
    assert set(codes(read_posix(f"curl {text}"))) == {"CURL_SHELL"}


def test_an_unquoted_url_with_ampersands_is_one_problem() -> None:
    read = read_posix("curl https://a/?b=1&c=2&d=3 -H 'x: y'")
    assert codes(read) == ["CURL_SHELL"]
    assert texts(read)[1:] == ["https://a/?b=1&c=2&d=3", "-H", "x: y"]
    (flaw,) = read.flaws
    assert flaw.hint == "put quotes around the URL or the value"


@pytest.mark.parametrize(
    "text",
    ["'a", '"a', "$'a", '"a\\"', "$'\\", "a'b", "$'\\ud800'", "$'\\xff'", "$'\\0'"],
)
def test_broken_quotes_and_broken_bytes_are_refused(text: str) -> None:
    assert codes(read_posix(f"curl {text}")) == ["CURL_SYNTAX"]


def test_a_pipe_and_what_follows_is_left_out_with_a_notice() -> None:
    read = read_posix("curl https://a/ -s | jq '.[0]' && rm -r x")
    assert texts(read) == ["curl", "https://a/", "-s"]
    assert [flaw.message for flaw in read.flaws] == [
        "the pipe and what follows it are left out"
    ]


@pytest.mark.parametrize(
    "text", ["> out", ">out", ">> out", "2>/dev/null", "2>&1", "&> out", ">| out"]
)
def test_where_output_goes_is_left_out_and_nothing_else(text: str) -> None:
    read = read_posix(f"curl https://a/ {text} -H 'x: y'")
    assert texts(read) == ["curl", "https://a/", "-H", "x: y"]
    assert [flaw.level for flaw in read.flaws] == ["notice"]


def test_comments_are_left_out_and_a_number_sign_within_a_word_is_not() -> None:
    read = read_posix("# first\ncurl https://a/#b 'x #y' # rest 'of it\n")
    assert texts(read) == ["curl", "https://a/#b", "x #y"]
    assert [flaw.message for flaw in read.flaws] == ["comments are left out"]


@pytest.mark.parametrize(
    "between",
    [
        " \\\n",
        " \\\r\n",
        " \\  \n",
        "\n",
        "\r\n",
        " \\\n\n",
        "\n\n# why\n",
        " # why\n",
        " \\\n  # why\n",
    ],
)
def test_a_line_that_begins_with_an_option_belongs_to_the_command(between: str) -> None:
    read = read_posix(f"curl https://a/{between}  -H 'x: y'")
    assert texts(read) == ["curl", "https://a/", "-H", "x: y"]
    assert codes(read) == []


def test_a_command_ends_with_its_line() -> None:
    text = "curl https://a/\nrm -r x"
    read = read_posix(text)
    assert texts(read) == ["curl", "https://a/"]
    assert text[read.end :] == "rm -r x"


@pytest.mark.parametrize(
    ("text", "stdin"),
    [
        ("<<'E'\n$A `b`\nE\n", ("$A `b`\n",)),
        ('<<"E"\n$A\nE', ("$A\n",)),
        ("<<\\E\n$A\nE", ("$A\n",)),
        ('<<E\n"$A" \\$B \\\\ \\"\nE', ('"', Variable("A"), '" $B \\ \\"\n')),
        ("<<-E\n\ta\n\t\tb\n\tE\n", ("a\nb\n",)),
        ("<< E_F\na\r\nE_F\r\n", ("a\r\n",)),
        ("<<E\nE\n", ()),
        ("<<< 'x y'", ("x y", "\n")),
        ('<<< "$A"', (Variable("A"), "\n")),
    ],
)
def test_a_here_document_is_what_the_command_reads(
    text: str, stdin: tuple[str | Variable, ...]
) -> None:
    read = read_posix(f"curl -d @- {text}")
    assert read.stdin == stdin
    assert codes(read) == []
    assert texts(read) == ["curl", "-d", "@-"]


def test_a_here_document_without_its_last_line_is_broken() -> None:
    assert codes(read_posix("curl -d @- <<E\na\n")) == ["CURL_SYNTAX"]


def test_a_command_within_a_here_document_is_refused() -> None:
    assert codes(read_posix("curl -d @- <<E\n$(id)\nE")) == ["CURL_SHELL"]


@pytest.mark.parametrize(
    "word", ["{a,b}", "x{1..3}", '{"a":1,"b":2}', "~/x", "~", "{'a',b}"]
)
def test_a_word_that_bash_would_expand_is_marked(word: str) -> None:
    assert set(read_posix(f"curl {word}").changed) == {1}


@pytest.mark.parametrize("word", ["'{a,b}'", '{"a":1}', "{a}", "a~b", "\\{a,b}", "a,b"])
def test_a_word_that_bash_leaves_alone_is_not_marked(word: str) -> None:
    assert read_posix(f"curl {word}").changed == {}


def test_typographic_quotes_are_refused_outside_and_kept_inside() -> None:
    assert codes(read_posix("curl “https://a/”")) == ["CURL_SYNTAX"]
    assert codes(read_posix("curl -H ‘a:b’")) == ["CURL_SYNTAX"]
    read = read_posix("curl -d '“it’s”' -d it’s")
    assert codes(read) == []
    assert texts(read)[2::2] == ["“it’s”", "it’s"]


def test_a_blank_of_a_web_page_separates_words() -> None:
    read = read_posix("curl\u00a0https://a/\u2003-d\u00a0'x\u00a0y'")
    assert texts(read) == ["curl", "https://a/", "-d", "x\u00a0y"]
    assert [flaw.level for flaw in read.flaws] == ["notice"]


def test_carets_continue_lines_only_when_asked_to() -> None:
    text = "curl 'https://a/' ^\n-H 'x: y'"
    assert texts(read_posix(text, caret=True)) == ["curl", "https://a/", "-H", "x: y"]
    assert texts(read_posix(text))[2] == "^"


def test_a_backslash_at_the_end_of_the_text_is_kept_or_told() -> None:
    assert texts(read_posix("curl a\\")) == ["curl", "a\\"]
    read = read_posix("curl a \\")
    assert texts(read) == ["curl", "a"]
    assert [flaw.level for flaw in read.flaws] == ["notice"]
