"""Secret fields' kernel side: a value comes once, beside the message, and is gone."""

import base64
import json
import logging
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from sparknb.core.errors import KeychainUnavailableError, NotFoundError
from sparknb.host import Host
from sparknb.host.loop_thread import LoopThread
from sparknb.widgets import SecretEntry, SecretPrompt, secret_state
from tests.hosting import Definition
from tests.widgets.stage import Hand, replies, say

CANARY = "canary-0f2e-value"
STORE = {"id": "a-1", "kind": "store"}


@pytest.fixture
def entry(
    loop: LoopThread, host: Host, hand: Hand, order_tool: Definition
) -> SecretEntry:
    key = ("place_order", "api_key")
    return SecretEntry(host, *key, loop.run(secret_state(host, *key)), hand)


def holds(text: str) -> bool:
    encoded = base64.b64encode(CANARY.encode()).decode()
    return CANARY in text or encoded in text


# --------------------------------------------------------------------------- entry
def test_a_value_reaches_the_keychain_and_stays_nowhere_else(
    loop: LoopThread,
    host: Host,
    hand: Hand,
    entry: SecretEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)

    taken = say(entry, STORE, [CANARY.encode()])
    hand.deliver()
    done = replies(entry)

    assert [r["kind"] for r in taken + done] == ["taken", "stored"]
    stored = host.keychain.read("custom-tool:place_order:api_key")
    assert stored is not None
    assert stored.value == CANARY
    assert entry.secret["isSet"] is True
    everything = [json.dumps(entry.get_state(), default=str), json.dumps(taken + done)]
    everything += [caplog.text, str(entry), repr(vars(entry))]
    assert not any(holds(text) for text in everything)


def test_its_status_names_the_keychain_and_the_place_it_goes_to(
    hand: Hand, entry: SecretEntry
) -> None:
    assert entry.secret["status"] == "no value yet"
    assert entry.secret["boundTo"] == "127.0.0.1"

    say(entry, STORE, [CANARY.encode()])
    hand.deliver()

    assert (
        entry.secret["status"]
        == "stored in the memory keychain (memory of this process)"
    )
    assert "%spark secret set place_order api_key" in str(entry)


def test_the_handler_waits_for_nothing(hand: Hand, entry: SecretEntry) -> None:
    assert [r["kind"] for r in say(entry, STORE, [CANARY.encode()])] == ["taken"]

    assert len(hand.waiting) == 1
    again = say(entry, STORE, [b"another-value"])
    assert [r["kind"] for r in again] == ["taken", "ignored"]
    assert len(hand.waiting) == 1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"", "empty"),
        (b"  \n ", "empty"),
        (CANARY.encode() * 1200, "at most 16000"),
        (CANARY.encode() + b"\x07x", "control character"),
        (CANARY.encode() + b"\nx", "control character"),
        ((CANARY + "\u2013x").encode(), "cannot stand in a request header"),
    ],
    ids=["empty", "blank", "long", "bell", "line", "dash"],
)
def test_what_the_host_refuses_is_said_without_the_value(
    host: Host, hand: Hand, entry: SecretEntry, value: bytes, said: str
) -> None:
    say(entry, STORE, [value])
    hand.deliver()
    (refused,) = replies(entry)

    assert refused["kind"] == "wrong"
    assert said in refused["text"]
    assert "canary" not in json.dumps(refused)
    assert host.keychain.read("custom-tool:place_order:api_key") is None
    # and the next one is taken
    say(entry, STORE, [CANARY.encode()])
    hand.deliver()
    assert replies(entry)[0]["kind"] == "stored"


@pytest.mark.parametrize(
    "buffers",
    [[], [b"a", b"b"], [b"x" * 262_145], [b"\xff\xfe" + CANARY.encode()]],
    ids=["none", "two", "huge", "no text"],
)
def test_a_value_that_cannot_be_read_is_never_tried(
    hand: Hand, entry: SecretEntry, buffers: list[bytes]
) -> None:
    sent = say(entry, STORE, buffers)

    assert [r["kind"] for r in sent] == ["taken", "wrong"]
    assert "canary" not in json.dumps(sent)
    assert hand.waiting == []


@pytest.mark.parametrize(
    "content",
    [
        STORE | {"value": CANARY},
        STORE | {"tool": "other"},
        {"id": "a-1", "kind": "set"},
        {"id": "a-1", "kind": "value"},
    ],
    ids=repr,
)
def test_a_message_with_anything_more_is_ignored(
    hand: Hand,
    entry: SecretEntry,
    content: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)

    sent = say(entry, content, [CANARY.encode()])

    assert [r["kind"] for r in sent] == ["taken", "ignored"]
    assert hand.waiting == []
    assert not holds(caplog.text + json.dumps(sent))


def test_a_tool_that_went_away_meanwhile_keeps_nothing(
    loop: LoopThread, host: Host, hand: Hand, entry: SecretEntry
) -> None:
    loop.run(host.studio.delete("place_order"))

    say(entry, STORE, [CANARY.encode()])
    hand.deliver()

    (refused,) = replies(entry)
    assert refused["kind"] == "wrong"
    assert host.keychain.read("custom-tool:place_order:api_key") is None


def test_a_courier_that_fails_shows_no_value_in_its_traceback(
    loop: LoopThread,
    host: Host,
    order_tool: Definition,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Broken:
        def send(self, work: Any, then: Any) -> None:
            raise ValueError("a fault of the courier")

    state = loop.run(secret_state(host, "place_order", "api_key"))
    entry = SecretEntry(host, "place_order", "api_key", state, Broken())
    shell = InteractiveShell(history_manager=None)  # type: ignore[no-untyped-call]  # IPython's
    shell.InteractiveTB.set_mode("Verbose")  # shows the variables of every frame
    monkeypatch.setattr("ipywidgets.widgets.widget.get_ipython", lambda: shell)

    say(entry, STORE, [CANARY.encode()])

    shown = capsys.readouterr()
    assert "a fault of the courier" in shown.out + shown.err
    assert not holds(shown.out + shown.err)


def test_a_closed_host_is_said_and_the_field_is_ready_again(
    loop: LoopThread, host: Host, order_tool: Definition
) -> None:
    class Closed:
        def send(self, work: Any, then: Any) -> None:
            raise RuntimeError("the loop is closed")

    key = ("place_order", "api_key")
    entry = SecretEntry(host, *key, loop.run(secret_state(host, *key)), Closed())

    for _ in range(2):
        said = say(entry, STORE, [CANARY.encode()])
        assert [r["kind"] for r in said] == ["taken", "wrong"]
        assert "closed or unloaded" in said[1]["text"]


def test_unknown_tools_and_names_are_refused_before_a_field_is_shown(
    loop: LoopThread, host: Host, order_tool: Definition
) -> None:
    with pytest.raises(NotFoundError):
        loop.run(secret_state(host, "nothing", "api_key"))
    with pytest.raises(NotFoundError, match="declared: api_key"):
        loop.run(secret_state(host, "place_order", "other"))


def test_a_read_only_keychain_shows_the_way_instead_of_a_field(
    loop: LoopThread,
    host: Host,
    hand: Hand,
    order_tool: Definition,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type(host.keychain), "is_read_only", property(lambda _: True))
    state = loop.run(secret_state(host, "place_order", "api_key"))
    entry = SecretEntry(host, "place_order", "api_key", state, hand)

    assert "read-only" in entry.secret["refusal"]
    assert "read-only" in str(entry)


def test_a_keychain_that_does_not_answer_is_unknown_not_missing(
    loop: LoopThread,
    host: Host,
    hand: Hand,
    order_tool: Definition,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def locked(*_: Any) -> None:
        raise KeychainUnavailableError("the keychain is locked", hint="unlock it")

    monkeypatch.setattr(type(host.keychain), "read", locked)
    state = loop.run(secret_state(host, "place_order", "api_key"))
    entry = SecretEntry(host, "place_order", "api_key", state, hand)

    assert entry.secret["isSet"] is None
    assert "unlock it" in str(entry)


# -------------------------------------------------------------------------- prompt
@pytest.fixture
def values() -> list[str | None]:
    return []


@pytest.fixture
def prompt(values: list[str | None]) -> SecretPrompt:
    return SecretPrompt("Value of api_key for weather", values.append)


VALUE = {"id": "a-1", "kind": "value"}


def test_a_prompt_hands_its_value_on_once(
    prompt: SecretPrompt, values: list[str | None]
) -> None:
    sent = say(prompt, VALUE, [CANARY.encode()])
    again = say(prompt, VALUE, [b"another"])

    assert [r["kind"] for r in sent + again] == ["taken", "taken", "ignored"]
    assert values == [CANARY]
    assert prompt.status == "given"
    kept = [
        json.dumps(prompt.get_state(), default=str),
        str(prompt),
        repr(vars(prompt)),
    ]
    assert not any(holds(text) for text in kept)


def test_a_prompt_can_be_cancelled(
    prompt: SecretPrompt, values: list[str | None]
) -> None:
    say(prompt, {"id": "a-1", "kind": "cancel"})
    say(prompt, VALUE, [CANARY.encode()])

    assert values == [None]
    assert str(prompt) == "Value of api_key for weather: cancelled, no value was given"


@pytest.mark.parametrize(
    ("buffers", "said"),
    [
        ([b""], "empty"),
        ([b" \n "], "empty"),
        ([b"can\x07ary"], "control character"),
        ([b"\xffcanary"], "not text"),
        ([b"x" * 300_000], "too long"),
        ([], "did not arrive"),
    ],
    ids=["empty", "blank", "control", "bytes", "huge", "none"],
)
def test_a_prompt_says_what_is_wrong_and_stays_open(
    prompt: SecretPrompt, values: list[str | None], buffers: list[bytes], said: str
) -> None:
    _, wrong = say(prompt, VALUE, buffers)

    assert said in wrong["text"]
    assert "canary" not in wrong["text"]
    assert values == []
    assert prompt.status == "open"


def test_a_prompt_that_ended_hands_on_nothing(
    prompt: SecretPrompt, values: list[str | None]
) -> None:
    prompt.end("expired")

    say(prompt, VALUE, [CANARY.encode()])

    assert values == []


def test_a_value_in_the_message_itself_is_ignored(
    prompt: SecretPrompt, values: list[str | None]
) -> None:
    say(prompt, VALUE | {"value": CANARY}, [CANARY.encode()])

    assert values == []
