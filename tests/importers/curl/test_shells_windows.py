import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.importers.curl.cmd import read_cmd
from sparknb.importers.curl.command import Variable
from sparknb.importers.curl.powershell import read_powershell
from sparknb.importers.curl.shell_words import ShellText


def texts(read: ShellText) -> list[str]:
    return [word.text for word in read.words]


def codes(read: ShellText) -> list[str]:
    return [flaw.code for flaw in read.flaws if flaw.level == "error"]


def copied_for_cmd(text: str) -> str:
    """Quote as Chromium and Firefox copy a value for cmd."""
    slashed = text.replace("\\", "\\\\").replace('"', '\\"')
    caret = re.sub(r"[^a-zA-Z0-9\s_\-:=+~'/.',?;()*`]", r"^\g<0>", slashed)
    caret = re.sub(r"%(?=[a-zA-Z0-9_])", "%^", caret)
    return '^"' + caret.replace("\n", "^\n\n") + '^"'


_KEPT = st.characters(
    codec="utf-8", exclude_categories=["Zs", "Zl", "Zp", "Cc"], include_characters=" \n"
)


@given(st.text(_KEPT))
def test_what_a_browser_copies_for_cmd_is_read_as_it_was(text: str) -> None:
    read = read_cmd(f'curl {copied_for_cmd(text)} ^\n  -H ^"a: b^"')
    assert texts(read) == ["curl", text, "-H", "a: b"]
    assert codes(read) == []


@given(st.lists(st.text('ab \\"\t=', min_size=1)))
def test_what_python_quotes_for_windows_is_read_as_it_was(words: list[str]) -> None:
    read = read_cmd("curl " + subprocess.list2cmdline(words))
    assert texts(read) == ["curl", *words]
    assert read.flaws == []


@given(st.text(_KEPT).filter(lambda text: '\\"' not in text))
def test_what_powershell_quotes_is_read_as_it_was(text: str) -> None:
    typographic = re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text)
    read = read_powershell(f"curl.exe '{typographic}' `\n  -H 'a: b'")
    assert texts(read) == ["curl.exe", text, "-H", "a: b"]
    assert read.flaws == []


@given(st.text(_KEPT))
def test_what_powershell_escapes_is_read_as_it_was(text: str) -> None:
    escaped = re.sub('(["`$\u201c\u201d\u201e])', r"`\1", text)
    read = read_powershell(f'curl.exe "{escaped}x"')
    if '\\"' not in text:
        assert texts(read) == ["curl.exe", f"{text}x"]
    assert codes(read) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (r'"{\"a\": \"x y\"}"', '{"a": "x y"}'),
        ('"{""a"":""""}"', '{"a":""}'),
        (r'"{\"a\": \"x & y | z > 1\"}"', '{"a": "x & y | z > 1"}'),
        (r'"C:\dir\\"', "C:\\dir\\"),
        (r"a\b\"c", 'a\\b"c'),
        ('"a"b"c"', "abc"),
        ('"100%% sure"', "100% sure"),
        ("a^&b", "a&b"),
        ("a^^b", "a^b"),
        ('"a^b"', "a^b"),
        ("^%20", "%20"),
        ("%20x%D0%BF%A9cole%20", "%20x%D0%BF%A9cole%20"),
        ("a^\nb", "ab"),
        ("a^\r\n\r\nb", "a\nb"),
        ('"a"^\n\n"b"', "a\nb"),
        ('"{^\n\\"a\\": 1^\n}"', '{"a": 1}'),
        ("'a", "'a"),
        ("a;b", "a;b"),
        ("^", ""),
    ],
)
def test_a_word_is_what_windows_gives(text: str, word: str) -> None:
    read = read_cmd(f"curl {text}")
    assert [word for word in texts(read)[1:] if word] == ([word] if word else [])
    assert codes(read) == []


def test_a_line_end_within_quotes_of_cmd_is_kept_with_a_notice() -> None:
    read = read_cmd('curl "https://a/" ^\n--data "{\n  \\"a\\": 1\n}"')
    assert texts(read)[-1] == '{\n  "a": 1\n}'
    assert [flaw.level for flaw in read.flaws] == ["notice"]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ('"a %TOKEN% b"', ("a ", Variable("TOKEN"), " b")),
        ("%ACCESS_TOKEN%", (Variable("ACCESS_TOKEN"),)),
        ("%A%%B%", (Variable("A"), Variable("B"))),
        ('"%TOKEN:~0,-3%x"', (Variable("TOKEN"), "x")),
        ("%TOKEN:~8%", (Variable("TOKEN"),)),
        ("%C3%A9x:~1%20", ("%C3%A9x:~1%20",)),
    ],
)
def test_variables_of_cmd_stay_where_they_are(
    text: str, pieces: tuple[str | Variable, ...]
) -> None:
    read = read_cmd(f"curl {text}")
    assert read.words[1].pieces == pieces
    assert read.flaws == []


@pytest.mark.parametrize("text", ["a&b", "a & b", "a &&b", "< f", "a&"])
def test_what_only_cmd_can_do_is_refused(text: str) -> None:
    assert codes(read_cmd(f"curl {text}")) == ["CURL_SHELL"]


@pytest.mark.parametrize("text", ['"a', 'a "', '"a\\"', '"a""'])
def test_an_open_quote_of_cmd_is_refused(text: str) -> None:
    assert codes(read_cmd(f"curl {text}")) == ["CURL_SYNTAX"]


@pytest.mark.parametrize("reader", [read_cmd, read_powershell])
@pytest.mark.parametrize("text", ["> out", ">out", ">> out", "2>&1", "> NUL 2>&1"])
def test_where_output_goes_is_left_out_on_windows_too(reader: type, text: str) -> None:
    read = reader(f'curl https://a/ {text} -H "x: y"')
    assert texts(read) == ["curl", "https://a/", "-H", "x: y"]
    assert [flaw.level for flaw in read.flaws] == ["notice"]


@pytest.mark.parametrize("reader", [read_cmd, read_powershell])
def test_a_pipe_is_left_out_on_windows_too(reader: type) -> None:
    read = reader('curl "https://a/" | ConvertFrom-Json; dir')
    assert texts(read) == ["curl", "https://a/"]
    assert [flaw.level for flaw in read.flaws] == ["notice"]


def test_comments_of_cmd_are_left_out() -> None:
    read = read_cmd('REM get it\n:: really\ncurl "https://a/"\nrem done')
    assert texts(read) == ["curl", "https://a/"]
    assert codes(read) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("'it''s'", "it's"),
        ("\u2018a\u2019", "a"),
        ('"a""b"', 'a"b'),
        ('"a`"b`$c``"', 'a"b$c`'),
        ('"a`nb`tc`r"', "a\nb\tc\r"),
        ('"`u{1F600}`u{e9}"', "😀é"),
        ("a`\nb", "ab"),
        ("a`\r\nb", "ab"),
        ("a` b", "a b"),
        ("'$x'", "$x"),
        ("'a\nb'", "a\nb"),
        ("@'\n{\"a\": 'b'}\n'@", "{\"a\": 'b'}"),
        ('@"\r\n{"a": 1}\r\n"@', '{"a": 1}'),
        ("a@b", "a@b"),
        ("a#b", "a#b"),
        ("%20", "%20"),
        ('"a$"', "a$"),
        (r"""'{\"a\":\"x\\\"y\"}'""", r'{"a":"x\"y"}'),
        (r"""'{"a":"x\"y"}'""", r'{"a":"x\"y"}'),
        (r"'C:\x'", r"C:\x"),
    ],
)
def test_a_word_is_what_powershell_gives(text: str, word: str) -> None:
    read = read_powershell(f"curl.exe {text}")
    assert texts(read) == ["curl.exe", word]
    assert codes(read) == []
    assert read.changed == {}


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ('"a $env:TOKEN."', ("a ", Variable("TOKEN"), ".")),
        ("$env:TOKEN", (Variable("TOKEN"),)),
        ('"${env:A}$b"', (Variable("A"), Variable("b"))),
        ('@"\n$b "c"\n"@', (Variable("b"), ' "c"')),
    ],
)
def test_variables_of_powershell_stay_where_they_are(
    text: str, pieces: tuple[str | Variable, ...]
) -> None:
    read = read_powershell(f"curl.exe {text}")
    assert read.words[1].pieces == pieces
    assert read.flaws == []


@pytest.mark.parametrize(
    "text",
    ["$(id)", '"$(id)"', "(id)", "a;b", "a; dir", "a&b", "& dir", "< f", "$(", ")"],
)
def test_what_only_powershell_can_do_is_refused(text: str) -> None:
    assert set(codes(read_powershell(f"curl.exe {text}"))) == {"CURL_SHELL"}


@pytest.mark.parametrize("text", ["'a", '"a', '"a`"', "@'\na", '"`0"', "'a''"])
def test_an_open_quote_or_a_nul_of_powershell_is_refused(text: str) -> None:
    assert codes(read_powershell(f"curl.exe {text}")) == ["CURL_SYNTAX"]


@pytest.mark.parametrize("text", ["a,b", "{a}", "@a", '{"a":1}'])
def test_a_word_that_powershell_would_take_otherwise_is_marked(text: str) -> None:
    assert set(read_powershell(f"curl.exe {text}").changed) == {1}
