"""What a person at a terminal sees and is asked."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest
from pytest_httpserver import HTTPServer

from sparknb.cli.output import console_for
from sparknb.cli.terminal import TerminalDoor
from sparknb.core.errors import UsageError
from tests.cli.conftest import PROGRAM, SECRET, Run, definition, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")

Write = Callable[..., str]
Start = Callable[..., pexpect.spawn]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Give a function that starts `sparknb WORDS…` in a terminal of its own."""

    def spawn(*words: str) -> pexpect.spawn:
        return pexpect.spawn(
            str(PROGRAM),
            list(words),
            cwd=str(tmp_path),
            env=environment(TERM="xterm"),
            encoding="utf-8",
            timeout=60,
            dimensions=(50, 100),
        )

    return spawn


def finish(child: pexpect.spawn) -> tuple[int, str]:
    """Wait for the end; give the exit code and what was still written."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before


@pytest.fixture
def order(sparknb: Run, write: Write, httpserver: HTTPServer) -> str:
    """Give the id of a published tool that changes something."""
    httpserver.expect_request("/order", method="POST").respond_with_json({"number": 7})
    body = {"mode": "json", "jsonTemplate": '{"item": {{item}}, "count": {{count}}}'}
    names = {"item": {"type": "string"}, "count": {"type": "integer"}}
    document = {
        "id": "place_order",
        "title": "Place an order \x1b[31m[red]",
        "inputSchema": {"type": "object", "properties": names, "required": ["item"]},
        "spec": {
            "request": {
                "method": "POST",
                "urlTemplate": httpserver.url_for("/order"),
                "body": body,
            },
            "response": {"format": "json"},
        },
    }
    assert sparknb("draft", write(**document)).exit == 0
    assert sparknb("publish", "place_order", "--yes").exit == 0
    return "place_order"


INPUT = '{"item": "map", "count": 2}'


def sent(service: HTTPServer) -> list[object]:
    return [request.json for request, _ in service.log]


# ------------------------------------------------------------------- calls
def test_the_card_tells_all_and_approval_sends_the_call(
    start: Start, order: str, httpserver: HTTPServer
) -> None:
    child = start("call", order, "--input", INPUT)
    child.expect("eject")
    card = child.before
    for part in ("place_order, version 1", "low-write", "POST", "/order", '"map"'):
        assert part in card
    assert "\\x1b[31m[red]" in card
    assert "\x1b[31m" not in card
    child.sendline("a")
    code, shown = finish(child)
    assert (code, sent(httpserver)) == (0, [{"item": "map", "count": 2}])
    assert '"number": 7' in shown


@pytest.mark.parametrize("answer", ["", "r", "no", "yes please", "approve it"])
def test_anything_but_a_clear_yes_rejects(
    start: Start, order: str, httpserver: HTTPServer, answer: str
) -> None:
    child = start("call", order, "--input", INPUT)
    child.expect("eject")
    child.sendline(answer)
    code, shown = finish(child)
    assert (code, sent(httpserver)) == (1, [])
    assert "DENIED" in shown


def test_the_end_of_input_rejects(
    start: Start, order: str, httpserver: HTTPServer
) -> None:
    child = start("call", order, "--input", INPUT)
    child.expect("eject")
    child.sendeof()
    code, shown = finish(child)
    assert (code, sent(httpserver)) == (1, [])
    assert "DENIED" in shown


def test_interrupting_the_question_ends_with_130(
    start: Start, order: str, httpserver: HTTPServer
) -> None:
    child = start("call", order, "--input", INPUT)
    child.expect("eject")
    child.sendintr()
    code, shown = finish(child)
    assert (code, sent(httpserver)) == (130, [])
    assert "CANCELLED" in shown
    assert "Traceback" not in shown


def test_edited_arguments_are_what_is_sent(
    start: Start, order: str, httpserver: HTTPServer
) -> None:
    child = start("call", order, "--input", INPUT)
    child.expect("eject")
    child.sendline("e")
    child.expect('item .*"map"')
    child.sendline("globe")
    child.expect("count .*2")
    child.sendline("3")
    child.expect("eject")
    assert all(part in child.before for part in ("POST", "/order", '"globe"', "body"))
    child.sendline("a")
    code, _ = finish(child)
    assert (code, sent(httpserver)) == (0, [{"item": "globe", "count": 3}])


def test_edited_arguments_are_checked_again(
    start: Start, order: str, httpserver: HTTPServer
) -> None:
    child = start("call", order, "--input", INPUT)
    child.expect("eject")
    child.sendline("e")
    child.expect("item")
    child.sendline("-")
    child.expect("count")
    child.sendline("many")
    child.expect("eject")
    child.sendline("a")
    code, shown = finish(child)
    assert (code, sent(httpserver)) == (1, [])
    assert "input.item" in shown
    assert "input.count" in shown


def test_questions_stay_out_of_the_answer(
    start: Start, order: str, tmp_path: Path
) -> None:
    script = f"{PROGRAM} call {order} --input '{INPUT}' --json >answer.json"
    child = pexpect.spawn(
        "sh", ["-c", script], cwd=str(tmp_path), env=environment(), encoding="utf-8",
        timeout=60,
    )  # fmt: skip
    child.expect("eject")
    child.sendline("a")
    assert finish(child)[0] == 0
    text = (tmp_path / "answer.json").read_text(encoding="utf-8")
    assert json.loads(text)["ok"] is True


# ------------------------------------------------------------------- steps
def test_publishing_asks_and_says_what_it_means(
    start: Start, sparknb: Run, write: Write
) -> None:
    sparknb("draft", write())
    child = start("publish", "weather")
    child.expect(r"Publish version 1 of weather\?")
    child.expect("agents can call it at once")
    child.expect(r"\[y\]es or \[N\]o")
    child.sendline("")
    code, shown = finish(child)
    assert code == 1
    assert "nothing was changed" in shown
    assert "--yes" not in shown
    assert sparknb("show", "weather", "--json").document["published"] is None
    child = start("publish", "weather")
    child.expect(r"\[N\]o")
    child.sendline("y")
    assert finish(child)[0] == 0
    assert sparknb("show", "weather", "--json").document["tool"]["enabled"]


def test_what_was_shown_is_what_is_published(
    start: Start, sparknb: Run, write: Write
) -> None:
    sparknb("draft", write())
    child = start("publish", "weather")
    child.expect(r"\[N\]o")
    sparknb("draft", write(title="Changed meanwhile"))
    child.sendline("y")
    code, shown = finish(child)
    assert code == 1
    assert "CONFLICT" in shown


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["discard", "weather"], "Discard draft version 2 of weather"),
        (["delete", "weather"], "Delete weather for good"),
        (["traces", "--clear"], "Remove all traces"),
    ],
    ids=str,
)
def test_each_step_names_what_it_does(
    start: Start, sparknb: Run, write: Write, words: list[str], asked: str
) -> None:
    sparknb("draft", write())
    sparknb("publish", "weather", "--yes")
    sparknb("draft", write(title="Two"))
    child = start(*words)
    child.expect(asked)
    child.expect(r"\[N\]o")
    child.sendline("n")
    assert finish(child)[0] == 1
    assert sparknb("list", "--json").document["total"] == 1


def test_enabling_names_the_version(start: Start, sparknb: Run, write: Write) -> None:
    sparknb("draft", write())
    sparknb("publish", "weather", "--yes")
    sparknb("disable", "weather")
    child = start("enable", "weather")
    child.expect("Enable version 1 of weather")
    child.expect(r"\[N\]o")
    child.sendline("n")
    assert finish(child)[0] == 1
    assert not sparknb("show", "weather", "--json").document["tool"]["enabled"]


def test_what_cannot_be_published_is_refused_before_anybody_is_asked(
    start: Start, sparknb: Run, write: Write
) -> None:
    sparknb("draft", write(**SECRET))
    code, shown = finish(start("publish", "weather"))
    assert code == 1
    assert "SECRET_MISSING" in shown
    assert "[N]o" not in shown


@pytest.mark.parametrize("verb", ["publish", "discard"])
def test_a_step_without_a_draft_asks_nothing(
    start: Start, sparknb: Run, write: Write, verb: str
) -> None:
    sparknb("draft", write())
    sparknb("publish", "weather", "--yes")
    code, shown = finish(start(verb, "weather"))
    assert code == 1
    assert "weather has no pending draft" in shown
    assert "[N]o" not in shown


def test_a_rollback_to_what_is_published_asks_nothing(
    start: Start, sparknb: Run, write: Write
) -> None:
    sparknb("draft", write())
    sparknb("publish", "weather", "--yes")
    code, shown = finish(start("rollback", "weather", "1"))
    assert code == 1
    assert "version 1 is the published one already" in shown
    assert "[N]o" not in shown


def test_the_only_draft_of_a_tool_is_not_discarded_and_nothing_is_asked(
    start: Start, sparknb: Run, write: Write
) -> None:
    sparknb("draft", write())
    code, shown = finish(start("discard", "weather"))
    assert code == 1
    assert "sparknb delete weather" in shown
    assert "[N]o" not in shown


# ------------------------------------------------------------------- input
def test_a_secret_is_typed_unseen(start: Start, sparknb: Run, write: Write) -> None:
    header = {"name": "X-Api-Key", "secretRef": "key"}
    request = definition()["spec"]["request"] | {"headers": [header]}
    spec = {"request": request, "response": {"format": "json"}}
    sparknb("draft", write(spec=spec, secretRefs={"key": "custom-tool:weather:key"}))
    child = start("secret", "set", "weather", "key")
    child.expect(r"Value of key for weather \(hidden\): ")
    child.sendline("hunter2-abc")
    code, shown = finish(child)
    assert code == 0
    assert "is stored" in shown
    assert "hunter2" not in shown


@pytest.mark.parametrize(
    ("typed", "said"), [(b"\x04", "is empty"), (b"\xff\xfe\n", "no UTF-8 text")]
)
def test_a_hidden_prompt_without_a_usable_answer_is_a_refusal(
    start: Start, sparknb: Run, write: Write, typed: bytes, said: str
) -> None:
    sparknb("draft", write(**SECRET))
    child = start("secret", "set", "weather", "key")
    child.expect("hidden")
    child.waitnoecho(10)
    os.write(child.child_fd, typed)
    code, shown = finish(child)
    assert code == 1
    assert said in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [(["absent", "key"], "NOT_FOUND"), (["weather", "absent"], "declared: key")],
)
def test_a_secret_that_cannot_be_set_is_not_asked_for(
    start: Start, sparknb: Run, write: Write, words: list[str], said: str
) -> None:
    sparknb("draft", write(**SECRET))
    code, shown = finish(start("secret", "set", *words))
    assert code == 1
    assert said in shown
    assert "hidden" not in shown


def test_the_mcp_server_says_at_a_terminal_that_it_waits(start: Start) -> None:
    child = start("mcp")
    child.expect("Waiting for an MCP client; Ctrl-C ends")
    child.sendintr()
    _, shown = finish(child)
    assert "Traceback" not in shown


def test_interrupting_a_hidden_prompt_ends_with_130(
    start: Start, sparknb: Run, write: Write
) -> None:
    sparknb("draft", write(**SECRET))
    child = start("secret", "set", "weather", "key")
    child.expect("hidden")
    child.sendintr()
    code, shown = finish(child)
    assert code == 130
    assert "Traceback" not in shown


def test_a_definition_can_be_typed(start: Start) -> None:
    child = start("validate", "-")
    child.expect("Ctrl-D ends it")
    child.sendline(json.dumps(definition()))
    child.sendeof()
    code, shown = finish(child)
    assert code == 0
    assert "is valid" in shown


def test_interrupting_typed_input_ends_with_130(start: Start) -> None:
    child = start("validate", "-")
    child.expect("Ctrl-D ends it")
    child.sendintr()
    code, shown = finish(child)
    assert code == 130
    assert "Traceback" not in shown


def test_a_variable_of_a_notebook_is_wrong_usage_at_a_terminal() -> None:
    door = TerminalDoor(console_for(None))
    with pytest.raises(UsageError, match="works in a notebook") as refused:
        door.variable("host")
    assert refused.value.path == "--var"
