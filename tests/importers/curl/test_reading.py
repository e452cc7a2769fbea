import re
from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparknb.importers.curl.command import CurlCommand, Shell, Variable
from sparknb.importers.curl.reading import MOST_BYTES, read_command
from tests.costs import cpu_seconds

SHELLS: tuple[Shell, ...] = get_args(Shell)


def urls(command: CurlCommand) -> list[str]:
    return [word.text for word in command.urls]


def headers(command: CurlCommand) -> list[str]:
    return [word.text for word in command.headers]


def body(command: CurlCommand) -> list[str]:
    return [piece.word.text for piece in command.data]


def codes(command: CurlCommand) -> list[str]:
    return [problem.code for problem in command.problems]


def told(command: CurlCommand) -> list[str]:
    """Give the notices but that of redirects, which is always there."""
    return [n.message for n in command.notices if not n.message.startswith("redirects")]


CHROME_BASH = r"""curl 'https://app.example/api?x=1&y=2' \
  -X 'PUT' \
  -H 'accept: */*' \
  -H 'content-type: application/json' \
  -b 'sid=1; theme=dark' \
  --data-raw $'{"a":"it\'s \u00e9\ud83d\ude00\u0021"}' \
  --compressed"""
CHROME_CMD = r"""curl ^"https://app.example/api?x=1^&y=2^" ^
  -X ^"PUT^" ^
  -H ^"accept: */*^" ^
  -H ^"content-type: application/json^" ^
  -b ^"sid=1; theme=dark^" ^
  --data-raw ^"^{^\^"a^\^":^\^"it's é😀^!^\^"^}^" ^
  --compressed"""
FIREFOX_WINDOWS = (
    'curl "https://app.example/api?x=1&y=2" -X PUT -H "accept: */*" '
    '-H "content-type: application/json" -b "sid=1; theme=dark" '
    '--data-raw "{""a"":""it\'s é😀!""}" --compressed'
)
POWERSHELL = r"""curl.exe 'https://app.example/api?x=1&y=2' `
  -X PUT `
  -H 'accept: */*' `
  -H 'content-type: application/json' `
  -b 'sid=1; theme=dark' `
  --data-raw '{"a":"it''s é😀!"}' `
  --compressed"""
CONSOLE = r"""user@host:~/work$ curl 'https://app.example/api?x=1&y=2' \
> -X PUT -H 'accept: */*' -H 'content-type: application/json' \
> -b 'sid=1; theme=dark' --data-raw '{"a":"it'\''s é😀!"}' --compressed
{"ok": true}
"""
DOCS = """```bash
# Change it
curl 'https://app.example/api?x=1&y=2' -X PUT \\

  -H 'accept: */*' \\
  # the type
  -H 'content-type: application/json' \\
  -b 'sid=1; theme=dark' \\
  --data-raw "{\\"a\\":\\"it's é😀!\\"}" --compressed  # done
```
"""


@pytest.mark.parametrize(
    ("text", "shell"),
    [
        (CHROME_BASH, "posix"),
        (CHROME_CMD, "cmd"),
        (FIREFOX_WINDOWS, "cmd"),
        (POWERSHELL, "powershell"),
        (CONSOLE, "posix"),
        (DOCS, "posix"),
        ("PS C:\\Users\\me> " + POWERSHELL.replace("`\n", "`\n>> "), "powershell"),
        ("C:\\Users\\me>" + CHROME_CMD.replace("^\n", "^\nMore? "), "cmd"),
        (CHROME_BASH.replace("\n", "\r\n"), "posix"),
        (CHROME_CMD.replace("\n", "\r\n"), "cmd"),
        (POWERSHELL.replace("\n", "\r\n") + "\r\n", "powershell"),
        ("\ufeff\n\n  " + CHROME_BASH + "\n\n", "posix"),
        ("%%bash\n" + CHROME_BASH, "posix"),
        ("!" + CHROME_BASH, "posix"),
    ],
)
def test_one_request_reads_the_same_from_every_source(text: str, shell: str) -> None:
    command = read_command(text)
    assert command.problems == []
    assert command.shell == shell
    assert urls(command) == ["https://app.example/api?x=1&y=2"]
    assert command.method is not None
    assert command.method.text == "PUT"
    assert headers(command) == ["accept: */*", "content-type: application/json"]
    assert [word.text for word in command.cookies] == ["sid=1; theme=dark"]
    assert body(command) == ['{"a":"it\'s é😀!"}']


@pytest.mark.parametrize(
    ("text", "shell"),
    [
        ("curl https://a.example/", "posix"),
        ("curl 'https://a.example/?x=^' -d 'a`b %PATH_X%'", "posix"),
        ('curl "https://a/" -d \'{"a":"","b":"","c":""}\'', "posix"),
        ('curl "https://a/" -d "$A""$B""$C"', "posix"),
        ('curl "https://a/" -d "x `date`"', "posix"),
        ("curl https://a/`id`", "posix"),
        ("curl https://a/ -d `date`\n", "posix"),
        ("curl https://a/ -d `date `\n -s", "posix"),
        ('curl "https://a/%API_TOKEN%/`id`"', "posix"),
        ('curl "https://a/" -d "{\\"a\\": \\"\\"}"', "posix"),
        ('curl "https://a/%API_TOKEN%"', "cmd"),
        ("curl 'https://a/%API_TOKEN%'", "posix"),
        ('curl.exe "https://a/"', "cmd"),
        ("curl.exe 'https://a/'", "powershell"),
        ('curl.exe "https://a/$id"', "powershell"),
        ('curl.exe "https://a/" -u "$($me):${it}"', "powershell"),
        ('curl.exe "https://a/" -d "{\\"$set\\": 1}"', "cmd"),
        ('C:\\> curl.exe "https://a/$id"', "cmd"),
        ("& curl.exe https://a/", "powershell"),
        ('& "C:\\Program Files\\curl.exe" https://a/', "powershell"),
        ("curl.exe 'https://a/' \\\n -s", "posix"),
        ('curl "https://a/" -H "a: $env:B"', "powershell"),
        ('curl "https://a/" -d "{`"a`":1}"', "powershell"),
        ('curl "https://a/" ^\n -s', "cmd"),
        ("curl https://a/ ^\n -s", "cmd"),
        ("curl 'https://a/' ^\n -s", "posix"),
        ("curl https://a/ -d @'\nx\n'@", "powershell"),
    ],
)
def test_the_shell_is_found_out(text: str, shell: str) -> None:
    command = read_command(text)
    assert command.shell == shell
    assert "CURL_NOT_CURL" not in codes(command)


@pytest.mark.parametrize("text", [CHROME_BASH, CHROME_CMD, POWERSHELL])
def test_a_command_whose_line_ends_got_lost_is_read(text: str) -> None:
    command = read_command(text.replace("\n", " "), read_command(text).shell)
    assert command.problems == []
    assert headers(command) == ["accept: */*", "content-type: application/json"]
    assert urls(command) == ["https://app.example/api?x=1&y=2"]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_given_shell_is_kept_to(shell: Shell) -> None:
    assert read_command("curl https://a.example/ -s", shell).shell == shell
    assert urls(read_command("curl 'https://a/'", "cmd")) == ["'https://a/'"]


def test_quotes_of_bash_with_line_ends_of_cmd_are_read_with_a_notice() -> None:
    command = read_command("curl 'https://a/' ^\n-H 'a: b' ^\n-d '{\"c\":1}'")
    assert command.problems == []
    assert (headers(command), body(command)) == (["a: b"], ['{"c":1}'])
    assert any("^" in message for message in told(command))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n\t\r\n",
        "# only a comment",
        "wget https://a.example/",
        "http POST a.example x=1",
        "echo curl https://a.example/",
        "sudo apt install curl",
        "curling https://a.example/",
        "<!doctype html><html><body onload='x()'>\"</body></html>",
        "openapi: 3.1.0\ninfo: {title: x}\n",
        '{"a": "curl"}',
        "Invoke-WebRequest -Uri 'https://a/' -Headers @{a='b'}",
        "$s = New-Object X\n$s.y = 'z'\nInvoke-WebRequest -UseBasicParsing -Uri 'https://a/'",
        "curl -Uri https://a.example/",
        "curl https://a.example/ -Method POST -Body 'x'",
        "'",
        '"',
        "`",
        "$(curl https://a.example/)",
        "TOKEN=abc",
    ],
)
def test_what_is_no_curl_command_is_one_plain_problem(text: str) -> None:
    command = read_command(text)
    assert codes(command) == ["CURL_NOT_CURL"]
    assert (command.urls, command.headers, command.data) == ((), (), ())


def test_the_first_word_is_repeated_only_when_it_is_a_known_program() -> None:
    for text, told_in_full in [("wget https://a/", True), ("canary77", False)]:
        (problem,) = read_command(text).problems
        assert (text.split()[0] in problem.message) == told_in_full


@pytest.mark.parametrize(
    "start",
    [
        "curl",
        "curl.exe",
        "$ curl",
        "  $   curl",
        "% curl",
        "> curl",
        "(venv) $ curl",
        "me@host ~/x % curl",
        "[me@host x]$ curl",
        "\u276f curl",
        "sudo curl",
        "sudo -u www curl",
        "time curl",
        "env A=b curl",
        "/usr/bin/env curl",
        "time /usr/bin/env curl",
        "A=b C='d e' curl",
        "A=b\ncurl",
        "export A=b\nC=d\ncurl",
        "/usr/bin/curl",
        "\\curl",
        "command curl",
        "Curl",
        "!curl",
    ],
)
def test_what_may_stand_before_curl_is_dropped(start: str) -> None:
    command = read_command(f"{start} https://a.example/ -H 'a: b'")
    assert command.problems == []
    assert urls(command) == ["https://a.example/"]
    (header,) = command.headers
    assert header.number == 3


def test_what_stands_before_curl_is_told_without_its_values() -> None:
    command = read_command("TOKEN=canary-7 sudo curl https://a.example/")
    assert told(command) == ["left out before curl: TOKEN, sudo"]
    assert "canary-7" not in repr(command)


def test_variables_are_kept_and_never_filled_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOKEN", "canary-8")
    command = read_command('TOKEN=x\ncurl https://a/ -H "Authorization: Bearer $TOKEN"')
    assert command.headers[0].pieces == ("Authorization: Bearer ", Variable("TOKEN"))
    assert "canary-8" not in repr(command)


def test_text_of_words_is_in_no_repr() -> None:
    command = read_command(
        "curl -u canary:canary -b canary=1 -d canary -H 'x: canary' -A canary "
        "--oauth2-bearer canary https://canary/ -d @- <<< canary"
    )
    assert command.problems == []
    assert "canary" not in repr(command)


@pytest.mark.parametrize(
    "text",
    [
        "curl https://a/\ncurl https://b/",
        "curl https://a/\n\n# then\n$ curl https://b/",
        "$ curl https://a/\n{}\n$ curl https://b/",
        "curl https://a/ --next https://b/",
    ],
)
def test_two_requests_are_refused(text: str) -> None:
    assert codes(read_command(text)) == ["CURL_MULTIPLE"]


@pytest.mark.parametrize(
    "text", ["curl https://a/\necho done", 'curl https://a/\n"https://b/"']
)
def test_another_line_is_refused_with_the_sign_that_continues_lines(text: str) -> None:
    command = read_command(text)
    assert codes(command) == ["CURL_SHELL"]
    assert "ends with \\" in (command.problems[0].hint or "")


def test_output_after_a_prompted_command_is_left_out_with_a_notice() -> None:
    command = read_command("$ curl https://a/\nHTTP/1.1 200 OK\n\n{'a': \"\n")
    assert command.problems == []
    assert told(command) == ["what follows the command is taken for its output"]


@pytest.mark.parametrize("shell", [None, *SHELLS])
def test_a_nul_or_broken_character_or_huge_text_is_refused(shell: Shell | None) -> None:
    huge = "curl https://a/ -d '" + "é" * (MOST_BYTES // 2) + "'"
    for text in ["curl https://a/\0", "curl https://a/\ud800", huge]:
        assert codes(read_command(text, shell)) == ["CURL_SYNTAX"]


def test_a_text_of_just_the_limit_is_read() -> None:
    start = "curl https://a/ -d '"
    text = start + "x" * (MOST_BYTES - len(start) - 1) + "'"
    assert read_command(text).problems == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-d @- <<'E'\na\n b\nE", "a b"),
        ("--data-binary @- <<'E'\na\n b\nE\n", "a\n b\n"),
        ("--json @- <<'E'\n{}\nE", "{}\n"),
        ("--data-urlencode @- <<< 'a b'", "=a b\n"),
        ("--data-urlencode n@- <<< 'a b'", "n=a b\n"),
    ],
)
def test_a_here_document_is_the_data(text: str, value: str) -> None:
    command = read_command(f"curl https://a/ {text}")
    assert command.problems == []
    assert body(command) == [value]


def test_a_here_document_is_read_once() -> None:
    command = read_command("curl https://a/ -d @- -d @- <<< x")
    assert body(command) == ["x", ""]


def test_braces_that_bash_would_expand_are_refused_in_values() -> None:
    assert codes(read_command('curl https://a/ -d {"a":1,"b":2}')) == ["CURL_SHELL"]
    assert codes(read_command("curl -g https://a/{b,c}")) == ["CURL_SHELL"]
    # without -g curl would expand them itself, which is told with the URL
    assert codes(read_command("curl https://a/{b,c}")) == []
    assert codes(read_command("curl https://a/ -o ~/{b,c}")) == []


def test_problems_count_words_from_curl_on() -> None:
    command = read_command("A=b sudo curl https://a/ -d $(id) --zzzz")
    assert [(p.code, p.path) for p in command.problems] == [
        ("CURL_SHELL", "curl.3"),
        ("CURL_UNKNOWN_OPTION", "curl.4"),
    ]


_HOSTILE = st.text(
    "curl -'\"\\$`^%@#~{},;&|<>()=\n\r\t aHdX1é\u00a0“\ufeff", max_size=60
)


@given(_HOSTILE, st.sampled_from([None, *SHELLS]))
def test_no_text_makes_the_reader_raise(text: str, shell: Shell | None) -> None:
    for whole in (text, f"curl {text}", f"curl https://a/ -d '{text}"):
        command = read_command(whole, shell)
        assert len(command.problems) <= 200
        for problem in command.problems:
            assert problem.code.startswith("CURL_")
            assert re.fullmatch(r"curl\.\d+", problem.path)
            assert not problem.message.endswith(".")
            assert problem.message.isprintable()
        for notice in command.notices:
            assert (notice.code, notice.level) == ("IMPORT_NOTICE", "notice")


@given(_HOSTILE)
def test_every_word_keeps_its_number_in_order(text: str) -> None:
    command = read_command(f"curl {text}")
    for words in (command.urls, command.headers):
        numbers = [word.number for word in words]
        assert numbers == sorted(numbers)
        assert all(number > 0 for number in numbers)


@pytest.mark.parametrize(
    ("shell", "unit"),
    [
        (None, "\n# c\n"),
        (None, "\\\n"),
        (None, "A=b "),
        (None, '"`'),
        (None, '""'),
        (None, "%A%"),
        ("posix", "$("),
        ("posix", "`"),
        ("posix", "<<A "),
        ("posix", "$'\\"),
        ("posix", '"\\'),
        ("posix", "{a,"),
        ("posix", "--zz "),
        ("posix", "\n-s"),
        ("cmd", "^\n"),
        ("cmd", '^"'),
        ("cmd", "%A"),
        ("cmd", "\\"),
        ("powershell", "@'\n"),
        ("powershell", "$("),
        ("powershell", "`"),
        ("powershell", "\\"),
    ],
)
def test_time_grows_with_the_length_of_the_text(shell: Shell | None, unit: str) -> None:
    def reading(count: int) -> Callable[[], object]:
        text = "curl https://a/ " + unit * (count // len(unit))
        return lambda: read_command(text, shell)

    short = cpu_seconds(reading(400), runs=2)
    long = cpu_seconds(reading(4_000), runs=1)
    assert long < 40 * short + 0.02


def test_a_command_of_a_browser_takes_milliseconds() -> None:
    text = CHROME_BASH + "".join(f" \\\n -H 'x-{i}: {i}'" for i in range(40))
    assert cpu_seconds(lambda: read_command(text)) < 0.02
