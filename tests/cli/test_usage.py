import json
import os
import subprocess
from pathlib import Path

import pytest

from sparknb._version import __version__
from sparknb.cli import running
from tests.cli.conftest import PROGRAM, Run, environment


def test_without_words_the_overview_is_shown(program: Run) -> None:
    reply = program()
    assert reply.exit == 0
    assert reply.out == program("--help").out
    assert "publish ID" in reply.out
    assert reply.err == ""


def test_the_version_is_printed(program: Run) -> None:
    assert program("--version").out == f"sparknb {__version__}\n"


WRONG = [
    (["nonsense"], "No such command 'nonsense'"),
    (["secret"], "Missing command"),
    (["secret", "show"], "No such command 'show'"),
    (["list", "--nonsense"], "No such option: --nonsense"),
    (["publish"], "Missing argument 'ID'"),
    (["publish", "-weather"], "No such option: -w"),
    (["publish", "weather", "--expect", "two"], "--expect"),
    (["publish", "weather", "--expect", "0"], "--expect"),
    (["publish", "weather", "--expect"], "requires an argument"),
    (["rollback", "weather", "first"], "VERSION"),
    (["traces", "--status", "fine"], "'fine' is not one of"),
    (["traces", "--limit", "9" * 5000], "--limit"),
    (["diff", "weather", "1", "2", "3"], "too many words: diff takes ID A B"),
    (["list", "weather"], "too many words: list takes no words"),
    (["traces", "--since", "yesterday"], "--since wants a time"),
    (["traces", "--since", "9" * 30], "--since wants a time"),
    (["traces", "--yes"], "--yes goes with --clear"),
    (["traces", "--clear", "--retention", "30", "--yes"], "--clear and --retention"),
    (["traces", "--clear", "--limit", "1", "--yes"], "--limit goes with the list"),
    (["test", "./x.json", "--version", "1"], "--version goes with a tool's id"),
    (["test", "-", "--input", "-"], "standard input can be read once"),
    (["mcp", "--print-config", "emacs"], "'emacs' is not one of"),
]


@pytest.mark.parametrize(("words", "said"), WRONG, ids=lambda v: str(v)[:40])
def test_wrong_usage_ends_with_2_and_says_what_is_wrong(
    sparknb: Run, words: list[str], said: str
) -> None:
    reply = sparknb(*words)
    assert (reply.exit, reply.out) == (2, "")
    assert said in reply.err
    assert "USAGE" in reply.err


@pytest.mark.parametrize(("words", "said"), WRONG, ids=lambda v: str(v)[:40])
def test_wrong_usage_is_one_json_document_where_json_is_wanted(
    sparknb: Run, words: list[str], said: str
) -> None:
    reply = sparknb(words[0], "--json", *words[1:])
    assert (reply.exit, reply.err) == (2, "")
    assert reply.error["code"] == "USAGE"
    if words[0] != "secret":
        assert said in reply.error["message"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["traces", "--status", "fine"], "'--status': 'fine' is not one of"),
        (["traces", "--limit", "x"], "'--limit': it has to be a whole number"),
        (["traces", "--limit", "0"], "'--limit': it has to be at least 1"),
    ],
    ids=str,
)
def test_a_value_that_does_not_fit_is_told_in_plain_words(
    sparknb: Run, words: list[str], said: str
) -> None:
    assert said in sparknb(*words, "--json").error["message"]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["call", "weather", "--input"], "`sparknb call --help`"),
        (["secret", "set"], "`sparknb secret set --help`"),
        (["--nonsense"], "`sparknb --help`"),
    ],
    ids=str,
)
def test_the_help_of_the_command_is_pointed_to(
    sparknb: Run, words: list[str], hint: str
) -> None:
    assert hint in sparknb(*words).err


@pytest.mark.parametrize("more", [["hunter2-hunter2"], ["--json", "hunter2-hunter2"]])
def test_a_secret_as_a_word_is_refused_and_never_repeated(
    program: Run, more: list[str]
) -> None:
    reply = program("secret", "set", "weather", "key", *more)
    assert reply.exit == 2
    assert "too many words" in reply.out + reply.err
    assert "hunter2" not in reply.out + reply.err


@pytest.mark.parametrize(
    "words",
    [
        ["secret", "set", "weather", "sk-abcdefghijklmnopqrst"],
        ["secret", "set", "weather", "key", "--value=sk-abcdefghijklmnopqrst"],
        ["secret", "delete", "weather", "sk-abcdefghijklmnopqrst"],
        ["sk-abcdefghijklmnopqrst"],
        ["publish", "weather", "--expect", "sk-abcdefghijklmnopqrst"],
    ],
)
def test_a_misplaced_secret_is_not_repeated(sparknb: Run, words: list[str]) -> None:
    for reply in (sparknb(*words), sparknb(*words, "--json")):
        assert reply.exit == 2
        assert "abcdefghij" not in reply.out + reply.err


def test_text_that_would_steer_the_terminal_is_spelled_out(sparknb: Run) -> None:
    reply = sparknb("\x1b[31mred\u202e")
    assert reply.exit == 2
    assert "\x1b" not in reply.err
    assert "\u202e" not in reply.err


def test_a_reader_that_leaves_is_no_error_to_talk_about(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [PROGRAM, "--help"],
        stdout=write,
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
        timeout=60,
    )
    os.close(write)
    assert done.stderr == b""
    assert done.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["--help"], ["publish", "--json"]])
def test_a_full_disk_is_told(words: list[str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [PROGRAM, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
            timeout=60,
        )
    assert b"cannot write the output: No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_bug(closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" publish --json {closed}', PROGRAM],
        capture_output=True,
        env=environment(),
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_bug_shows_its_whole_traceback(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(words: object, **grammar: object) -> int:
        raise ValueError("with sk-abcdefghijklmnopqrst in it")

    monkeypatch.setattr(running, "parse", broken)
    assert running.run(["list", "--json"]) == 1
    out, err = capfd.readouterr()
    assert json.loads(out)["error"]["code"] == "INTERNAL_ERROR"
    assert "Traceback" in err
    assert "in broken" in err
    assert "abcdefghij" not in out + err


def test_a_file_without_a_name_is_refused_as_that(sparknb: Run) -> None:
    error = sparknb("draft", "", "--json").error
    assert (error["code"], error["path"]) == ("INVALID_INPUT", "FILE")
    assert error["message"] == "the name of the file is empty"
    assert "standard input" in error["hint"]
