import re
import shutil
import subprocess

import pytest

from sparknb.importers.curl.options import LETTERS, OPTIONS, nearest
from sparknb.importers.curl.options_text import LEFT_OUT, REFUSED
from sparknb.importers.curl.reading import read_command

_HELP_LINE = re.compile(r"^ *(?:-(.), )?--([a-z0-9.-]+)( [<[].*?[]>])?(?: |$)")


@pytest.mark.skipif(shutil.which("curl") is None, reason="the machine has no curl")
def test_the_table_agrees_with_the_curl_of_this_machine() -> None:
    said = subprocess.run(
        ["curl", "--help", "all"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    ).stdout
    found = [m.groups() for m in map(_HELP_LINE.match, said.splitlines()) if m]
    assert len(found) > 200
    for letter, name, value in found:
        option = OPTIONS.get(name) or OPTIONS[name.removeprefix("no-")]
        assert option.letter == (letter or ""), name
        if name != "help":  # its value may be left out
            assert option.takes_value == bool(value), name
        if name.startswith("no-"):
            assert option.is_switch, name


def test_every_option_has_one_treatment_and_every_letter_one_option() -> None:
    assert len(OPTIONS) > 280
    assert len(LETTERS) == sum(bool(option.letter) for option in OPTIONS.values())
    for option in OPTIONS.values():
        assert not (option.takes_value and option.is_switch)
        known = {"request", *LEFT_OUT, *REFUSED}
        assert option.treatment in known


def test_no_option_is_dropped_without_a_word() -> None:
    silent = {"basic", "url", "data-raw", "json"}  # they are in what is given
    for name, option in OPTIONS.items():
        value = " name=value" if option.takes_value else ""
        command = read_command(f"curl --{name}{value} https://a.example/")
        given = [
            command.method,
            *command.headers,
            *command.data,
            *command.url_query,
            command.user,
            command.bearer,
            *command.cookies,
            command.user_agent,
            command.referer,
            command.range,
            command.max_time,
            command.max_filesize,
            command.is_get or None,
            not command.is_globbing or None,
        ]
        told = " ".join(p.message for p in [*command.notices, *command.problems])
        heard = f"--{name}" in told or any(part is not None for part in given)
        assert heard or name in silent, name


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("-I", "CURL_METHOD"),
        ("--head", "CURL_METHOD"),
        ("-F a=b", "CURL_UNSUPPORTED_OPTION"),
        ("--form-string a=b", "CURL_UNSUPPORTED_OPTION"),
        ("-T file", "CURL_UNSUPPORTED_OPTION"),
        ("-K file", "CURL_FILE"),
        ("-n", "CURL_FILE"),
        ("--netrc-file x", "CURL_FILE"),
        ("--netrc-optional", "CURL_FILE"),
        ("--etag-compare x", "CURL_FILE"),
        ("-z yesterday", "CURL_FILE"),
        ("-x proxy.example", "CURL_UNSUPPORTED_OPTION"),
        ("-U a:b", "CURL_UNSUPPORTED_OPTION"),
        ("-p", "CURL_UNSUPPORTED_OPTION"),
        ("--proxy-http2", "CURL_UNSUPPORTED_OPTION"),
        ("--proxy1.0 x", "CURL_UNSUPPORTED_OPTION"),
        ("--preproxy x", "CURL_UNSUPPORTED_OPTION"),
        ("--socks5-hostname x", "CURL_UNSUPPORTED_OPTION"),
        ("--haproxy-clientip 1.2.3.4", "CURL_UNSUPPORTED_OPTION"),
        ("--resolve a:1:2", "CURL_UNSUPPORTED_OPTION"),
        ("--connect-to a:1:b:2", "CURL_UNSUPPORTED_OPTION"),
        ("--unix-socket /x", "CURL_UNSUPPORTED_OPTION"),
        ("--interface eth0", "CURL_UNSUPPORTED_OPTION"),
        ("--dns-servers 1.1.1.1", "CURL_UNSUPPORTED_OPTION"),
        ("--doh-url x", "CURL_UNSUPPORTED_OPTION"),
        ("--request-target x", "CURL_UNSUPPORTED_OPTION"),
        ("--path-as-is", "CURL_UNSUPPORTED_OPTION"),
        ("-E x", "CURL_UNSUPPORTED_OPTION"),
        ("--key x", "CURL_UNSUPPORTED_OPTION"),
        ("--pinnedpubkey x", "CURL_UNSUPPORTED_OPTION"),
        ("--digest", "CURL_UNSUPPORTED_OPTION"),
        ("--aws-sigv4 x", "CURL_UNSUPPORTED_OPTION"),
        ("-2", "CURL_UNSUPPORTED_OPTION"),
        ("--sslv3", "CURL_UNSUPPORTED_OPTION"),
        ("--variable a=b", "CURL_UNSUPPORTED_OPTION"),
        ("--expand-data x", "CURL_UNSUPPORTED_OPTION"),
        ("-C -", "CURL_UNSUPPORTED_OPTION"),
        ("-B", "CURL_UNSUPPORTED_OPTION"),
        ("-V", "CURL_UNSUPPORTED_OPTION"),
        ("--ftp-pasv", "CURL_UNSUPPORTED_OPTION"),
        ("--mail-from x", "CURL_UNSUPPORTED_OPTION"),
        ("--pubkey x", "CURL_UNSUPPORTED_OPTION"),
        ("-t x", "CURL_UNSUPPORTED_OPTION"),
        ("--tftp-blksize 512", "CURL_UNSUPPORTED_OPTION"),
        ("--next https://b.example/", "CURL_MULTIPLE"),
        ("-: https://b.example/", "CURL_MULTIPLE"),
    ],
)
def test_what_a_tool_cannot_do_is_refused_at_its_word(name: str, code: str) -> None:
    command = read_command(f"curl https://a.example/ {name}")
    assert [(p.code, p.path) for p in command.problems] == [(code, "curl.2")]
    assert len(command.urls) == 1


def test_what_changes_nothing_is_left_out_with_a_notice_of_each_kind() -> None:
    command = read_command(
        "curl -sSv#k --compressed --http2 -L --max-redirs 3 -o out -w '%{http_code}' "
        "--retry 3 --connect-timeout 5 --tlsv1.2 --cacert ca.pem https://a.example/"
    )
    assert command.problems == []
    told = {p.message.split(":")[0] for p in command.notices}
    assert told == {
        "-s, -S, -v, -#, --compressed, --http2",
        "-L, --max-redirs",
        "-o, -w",
        "--retry, --connect-timeout, --tlsv1.2",
        "-k, --cacert",
    }
    assert all(p.level == "notice" for p in command.notices)


def test_redirects_are_spoken_of_also_where_the_command_is_silent() -> None:
    for text in ["curl https://a.example/", "curl -L https://a.example/"]:
        told = [p for p in read_command(text).notices if "edirects" in p.message]
        assert len(told) == 1, text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("compr", "compressed"),
        ("insec", "insecure"),
        ("haeder", "header"),
        ("Header", "header"),
        ("data_raw", "data-raw"),
        ("datta-urlencode", "data-urlencode"),
        ("zzzzzz", None),
        ("", None),
        ("x" * 5000, None),
    ],
)
def test_a_misspelt_option_is_guessed(written: str, meant: str | None) -> None:
    assert nearest(written) == meant


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("--reque", "is --request meant?"),
        ("--data=x", "write --data and its value as two words"),
        ("--no-http2", "is --http2 meant?"),
        ("--no-such-thing", None),
        ("\u2014header", "is --header meant?"),
        ("\u2013H", "is --header meant?"),
        ("-", None),
        ("-%", None),
    ],
)
def test_a_name_that_curl_does_not_have_is_refused(word: str, hint: str | None) -> None:
    command = read_command(f"curl https://a.example/ {word}")
    assert [(p.code, p.path, p.hint) for p in command.problems] == [
        ("CURL_UNKNOWN_OPTION", "curl.2", hint)
    ]


def test_the_value_of_a_misspelt_option_is_not_taken_for_a_url() -> None:
    command = read_command("curl --Header 'a: b' https://a.example/ \u2014data x")
    assert [word.text for word in command.urls] == ["https://a.example/"]


def test_secrets_in_names_of_options_are_not_repeated() -> None:
    secret = "sk_" + "live_51FAKEFAKEFAKEFAKEFAKE"
    command = read_command(f"curl --{secret} --data={secret} --{secret}=x https://a/")
    assert len(command.problems) == 3
    assert secret not in repr(command)


def test_short_options_are_bundled_and_carry_their_value() -> None:
    command = read_command("curl -sSLkXPOST https://a.example/ -HX-A:1 -d1 -gG")
    assert command.method is not None
    assert command.method.text == "POST"
    assert [word.text for word in command.headers] == ["X-A:1"]
    assert [piece.word.text for piece in command.data] == ["1"]
    assert command.is_get
    assert not command.is_globbing


def test_switches_are_switched_off_again() -> None:
    command = read_command(
        "curl -G -g --no-get --no-globoff --no-compressed https://a/"
    )
    assert not command.is_get
    assert command.is_globbing
    assert command.problems == []
    assert "--no-compressed" in command.notices[0].message


def test_the_last_of_a_repeated_option_wins_with_a_notice() -> None:
    command = read_command("curl -X GET -X PUT -A a -A b -m 1 -m 2 https://a.example/")
    assert command.method is not None
    assert command.method.text == "PUT"
    assert command.user_agent is not None
    assert command.user_agent.text == "b"
    assert command.max_time is not None
    assert command.max_time.text == "2"
    assert sum("given again" in p.message for p in command.notices) == 3


@pytest.mark.parametrize("text", ["curl https://a/ -H", "curl -d", "curl -sX"])
def test_a_missing_value_is_a_broken_command(text: str) -> None:
    (problem,) = read_command(text).problems
    assert problem.code == "CURL_SYNTAX"


def test_a_single_dash_before_a_long_name_is_spoken_of() -> None:
    command = read_command("curl -compressed https://a.example/")
    assert any("two dashes" in p.message for p in command.notices)


def test_all_that_is_wrong_is_told_at_once() -> None:
    command = read_command("curl -d @f -I --zzzz -F a=b $(id) https://a.example/")
    assert [p.code for p in command.problems] == [
        "CURL_SHELL",
        "CURL_FILE",
        "CURL_METHOD",
        "CURL_UNKNOWN_OPTION",
        "CURL_UNSUPPORTED_OPTION",
    ]
    assert [p.path for p in command.problems][1:4] == ["curl.2", "curl.3", "curl.4"]


@pytest.mark.parametrize(
    "option",
    [
        "-d @f",
        "-d@f",
        "--data-binary @f",
        "--json @f",
        "--data-urlencode @f",
        "--data-urlencode name@f",
        "--url-query @f",
        "-H @f",
        "-b jar.txt",
        "-b ''",
        "-b @a=b",
        "-d @-",
        "--url @urls",
    ],
)
def test_nothing_is_read_from_a_file(option: str) -> None:
    command = read_command(f"curl https://a.example/ {option}")
    assert [p.code for p in command.problems] == ["CURL_FILE"]


@pytest.mark.parametrize(
    ("option", "kind", "value"),
    [
        ("--data-raw @f", "raw", "@f"),
        ("-d a@f", "data", "a@f"),
        ("--data-urlencode name=@f", "urlencode", "name=@f"),
        ("--data-urlencode =@f", "urlencode", "=@f"),
        ("--data-ascii x", "data", "x"),
        ("-d ''", "data", ""),
        ("--json '{}'", "json", "{}"),
    ],
)
def test_data_is_taken_as_written(option: str, kind: str, value: str) -> None:
    command = read_command(f"curl https://a.example/ {option}")
    assert command.problems == []
    assert [(d.kind, d.word.text) for d in command.data] == [(kind, value)]


def test_a_query_piece_with_a_plus_is_no_file() -> None:
    command = read_command("curl https://a.example/ --url-query +a@f --url-query a=1")
    assert [piece.word.text for piece in command.url_query] == ["+a@f", "a=1"]
    assert command.data == []


@pytest.mark.parametrize(
    ("value", "kept"),
    [("https://r/;auto", "https://r/"), (";auto", None), ("https://r/", "https://r/")],
)
def test_a_referer_loses_its_marker(value: str, kept: str | None) -> None:
    command = read_command(f"curl -e '{value}' https://a.example/")
    assert (command.referer.text if command.referer else None) == kept


def test_words_after_two_dashes_are_urls() -> None:
    command = read_command("curl -- -x https://a.example/")
    assert [word.text for word in command.urls] == ["-x", "https://a.example/"]
