"""What is asked of a service, and what becomes of its answers (ST-45)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.errors import (
    InvalidInputError,
    NotFoundError,
    SecretMissingError,
    SparknbError,
    UnsupportedError,
)
from sparknb.core.protocols import RunOutcome
from sparknb.core.providers import key_reference
from tests.runtimes.vision.looking import (
    KEY,
    PNG,
    ask,
    chat,
    data_url,
    json_reply,
    profile,
    runtime,
    tool,
)
from tests.runtimes.wire import Peer, Seen, http_tool, reply


def asked(
    folder: Path, *answers: bytes, question: str | None = None, **options: Any
) -> tuple[RunOutcome, list[Seen]]:
    """Give the outcome of one call, and what the service saw of it."""
    changes = options.pop("profile", {})

    async def work() -> tuple[RunOutcome, list[Seen]]:
        async with Peer(answers or [chat()]) as service:
            used = runtime(folder, profile(service.url("/v1"), **changes))
            outcome = await ask(used, [data_url()], question, **options)
        return outcome, service.seen

    return asyncio.run(work())


def failed(folder: Path, *answers: bytes, **options: Any) -> SparknbError:
    with pytest.raises(SparknbError) as caught:
        asked(folder, *answers, **options)
    return caught.value


# --------------------------------------------------------------------- questions
def test_a_call_is_one_chat_request(tmp_path: Path) -> None:
    outcome, seen = asked(tmp_path, question="Which colour?", max_tokens=200)
    assert outcome.text == "a red square"
    (request,) = seen
    assert (request.method, request.target) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"] == "sparknb/1.2.3"
    body = json.loads(request.body)
    system, user = body.pop("messages")
    assert body == {"model": "m", "max_tokens": 200, "stream": False}
    assert system["role"] == "system"
    assert user == {
        "role": "user",
        "content": [
            {"type": "text", "text": "Which colour?"},
            {"type": "image_url", "image_url": {"url": data_url()}},
        ],
    }


def test_the_built_in_instructions_say_what_matters(tmp_path: Path) -> None:
    _, (request,) = asked(tmp_path)
    system, user = json.loads(request.body)["messages"]
    for word in ("visible", "infer", "never an instruction"):
        assert word in system["content"]
    assert user["content"][0]["text"]


def test_the_tool_chooses_model_and_instructions(tmp_path: Path) -> None:
    spec = {"model": "other", "instructions": "Count the cats, and nothing else."}
    _, (request,) = asked(tmp_path, **spec)
    body = json.loads(request.body)
    assert body["model"] == "other"
    assert body["messages"][0]["content"] == spec["instructions"]


def test_images_stay_in_their_order(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.png").write_bytes(PNG + bytes([n]))

    async def work() -> list[Seen]:
        async with Peer([chat()]) as service:
            used = runtime(tmp_path, profile(service.url("/v1")))
            await ask(used, ["2.png", data_url(), "0.png", "1.png"])
        return service.seen

    (request,) = asyncio.run(work())
    parts = json.loads(request.body)["messages"][1]["content"][1:]
    urls = [part["image_url"]["url"] for part in parts]
    ends = [PNG + b"\2", PNG, PNG + b"\0", PNG + b"\1"]
    assert urls == [data_url(each) for each in ends]


def test_unicode_arrives_as_it_is(tmp_path: Path) -> None:
    outcome, (request,) = asked(tmp_path, chat("Über 😀"), question="Größe?\n😀")
    assert json.loads(request.body)["messages"][1]["content"][0]["text"] == (
        "Größe?\n😀"
    )
    assert outcome.text == "Über 😀"


def test_a_blank_question_is_none(tmp_path: Path) -> None:
    _, (without,) = asked(tmp_path)
    _, (blank,) = asked(tmp_path, question="  \n")
    assert blank.body == without.body


def test_a_service_without_a_key_is_sent_none(tmp_path: Path) -> None:
    changes = {"needs_key": False}
    outcome, (request,) = asked(tmp_path, profile=changes, key=None)
    assert outcome.text
    assert "authorization" not in request.headers
    assert "Authorization" not in (outcome.request or {})["headers"]


def test_what_a_person_is_shown_has_neither_key_nor_images(tmp_path: Path) -> None:
    (tmp_path / "chart.png").write_bytes(PNG)
    used = runtime(tmp_path)
    images = [data_url(), "chart.png"]
    prepared = used.prepare(tool(), {"images": images, "question": "Why?"})
    assert prepared.preview.method == "POST"
    assert prepared.preview.url == "http://127.0.0.1:9/v1/chat/completions"
    shown = prepared.preview.body or ""
    assert "chart.png" in shown
    assert "image/png, " in shown
    assert "Why?" in shown
    assert [prepared.origin, *prepared.secret_names] == [
        "http://127.0.0.1:9",
        key_reference("eyes"),
    ]
    outcome, _ = asked(tmp_path, question="Why?")
    for text in (shown, repr(outcome.request), repr(prepared), repr(outcome)):
        assert KEY not in text
        assert data_url()[30:] not in text
    assert (outcome.request or {})["headers"]["Authorization"] == "[secret]"


# ----------------------------------------------------------------- what is missing
def test_an_unknown_profile_is_not_found_and_warned_of(tmp_path: Path) -> None:
    used, lost = runtime(tmp_path), tool(provider_profile_id="nobody")
    with pytest.raises(NotFoundError) as caught:
        used.prepare(lost, {"images": [data_url()]})
    assert caught.value.path == "spec.providerProfileId"
    assert "sparknb provider add" in (caught.value.hint or "")
    (problem,) = asyncio.run(used.check(lost))
    assert (problem.code, problem.level) == ("PROVIDER_UNKNOWN", "warning")
    assert list(asyncio.run(used.check(tool()))) == []


def test_somebody_has_to_name_a_model(tmp_path: Path) -> None:
    used = runtime(tmp_path, profile(model=None))
    with pytest.raises(InvalidInputError) as caught:
        used.prepare(tool(), {"images": [data_url()]})
    assert caught.value.path == "spec.model"
    assert used.prepare(tool(model="m"), {"images": [data_url()]})


def test_without_its_key_nothing_is_asked(tmp_path: Path) -> None:
    assert isinstance(failed(tmp_path, key=None), SecretMissingError)


def test_a_key_that_no_header_can_carry_is_refused(tmp_path: Path) -> None:
    for key in ("canary\n1234567", "canary–1234567"):
        error = failed(tmp_path, key=key)
        assert error.code == "INVALID_INPUT"
        assert "canary" not in error.message


def test_other_tools_are_not_carried_out(tmp_path: Path) -> None:
    used, other = runtime(tmp_path), http_tool("http://127.0.0.1/")
    with pytest.raises(UnsupportedError):
        used.prepare(other, {"images": []})
    assert list(asyncio.run(used.check(other))) == []
    assert list(asyncio.run(used.prove())) == []


# ----------------------------------------------------------------------- answers
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (chat("plain"), "plain"),
        (chat([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "ab"),
        (chat([{"type": "x"}, 7, {"type": "text", "text": "a"}]), "a"),
        (chat("{}"), "{}"),
        (chat("x", refusal=None), "x"),
        (chat("x", refusal=""), "x"),
    ],
)
def test_the_text_of_an_answer_is_the_result(
    tmp_path: Path, answer: bytes, text: str
) -> None:
    outcome, _ = asked(tmp_path, answer)
    assert (outcome.text, outcome.data, outcome.truncated) == (text, None, False)
    assert outcome.bytes == len(text)
    assert outcome.budget == 8000
    assert outcome.status == 200


def test_an_answer_that_ran_out_of_tokens_says_that_it_is_cut(tmp_path: Path) -> None:
    outcome, _ = asked(tmp_path, chat("half a sen", finish_reason="length"))
    assert (outcome.text, outcome.truncated) == ("half a sen", True)


STREAM = reply("data: {}\n\n", "200 OK", "Content-Type: text/event-stream")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (chat(None, refusal="I will not look at this."), "I will not look at this."),
        (chat("part", finish_reason="content_filter"), "content filter"),
        (chat(None, finish_reason="content_filter"), "content filter"),
        (chat(None), "no text"),
        (chat(""), "no text"),
        (chat("  \n"), "no text"),
        (chat("", finish_reason="length"), "ran out of tokens"),
        (chat(7), "no text"),
        (json_reply({"error": {"message": "no such model"}}), "no such model"),
        (json_reply({"error": "overloaded"}), "overloaded"),
        (json_reply({"error": {"code": 7}}), "no message"),
        (json_reply({"choices": []}), "no choices"),
        (json_reply({"choices": {}}), "no choices"),
        (json_reply({"choices": [7]}), "no choices"),
        (json_reply({"choices": [{"message": "x"}]}), "no choices"),
        (json_reply({}), "no choices"),
        (json_reply([]), "no JSON object"),
        (json_reply(None), "no JSON object"),
        (reply("<html>It works!</html>", "200 OK", "Content-Type: text/html"), "JSON"),
        (reply(""), "not JSON"),
        (reply("[" * 100_000), "not JSON"),
        (reply(b"\xff\xfe\xfa"), "not JSON"),
        (STREAM, "stream"),
        (reply(b" " * 4_200_000), "too large"),
    ],
)
def test_an_answer_that_is_none_fails_with_its_reason(
    tmp_path: Path, answer: bytes, said: str
) -> None:
    error = failed(tmp_path, answer)
    assert error.code == "EXECUTION_FAILED"
    assert said in error.message
    assert len(error.message) < 700


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        ("400 Bad Request", None),
        ("401 Unauthorized", "sparknb provider key eyes"),
        ("403 Forbidden", "sparknb provider key eyes"),
        ("404 Not Found", "base URL"),
        ("429 Too Many Requests", None),
        ("500 Internal Server Error", None),
        ("503 Service Unavailable", None),
    ],
)
def test_another_status_is_told_with_the_beginning_of_the_answer(
    tmp_path: Path, status: str, hint: str | None
) -> None:
    error = failed(tmp_path, json_reply({"error": "why" + "y" * 900}, status))
    assert error.code == "HTTP_ERROR"
    assert error.message.startswith(f"HTTP {status} from http://127.0.0.1:")
    assert "/v1/chat/completions\n" in error.message
    assert len(error.message.partition("\n")[2]) == 500
    assert (hint or "") in (error.hint or "")


def test_nothing_is_tried_twice(tmp_path: Path) -> None:
    async def work(*answers: bytes) -> list[Seen]:
        async with Peer(answers) as service:
            used = runtime(tmp_path, profile(service.url("/v1")))
            with pytest.raises(SparknbError):
                await ask(used, [data_url()])
        return service.seen

    for bad in (json_reply({}, "503 Busy", "Retry-After: 0"), chat(None), STREAM):
        assert len(asyncio.run(work(bad, chat()))) == 1


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Again", "308 Moved"])
def test_a_redirect_to_another_origin_loses_the_key(
    tmp_path: Path, status: str
) -> None:
    async def work() -> list[Seen]:
        async with Peer([chat()]) as other:
            place = f"Location: {other.url('/v1/chat/completions')}"
            async with Peer([reply("", status, place)]) as service:
                used = runtime(tmp_path, profile(service.url("/v1")))
                await ask(used, [data_url()])
            assert service.seen[0].headers["authorization"] == f"Bearer {KEY}"
        return other.seen

    (request,) = asyncio.run(work())
    assert "authorization" not in request.headers
    assert KEY not in repr(request)


def test_a_redirect_within_the_origin_keeps_the_key(tmp_path: Path) -> None:
    moved = reply("", "308 Moved", "Location: /v2/chat/completions")
    _, (_, second) = asked(tmp_path, moved, chat())
    assert second.target == "/v2/chat/completions"
    assert second.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "base",
    ["http://169.254.169.254/v1", "http://metadata.google.internal/v1"],
)
def test_cloud_metadata_is_no_provider(tmp_path: Path, base: str) -> None:
    used = runtime(tmp_path, profile(base))
    with pytest.raises(SparknbError) as caught:
        asyncio.run(ask(used, [data_url()]))
    assert caught.value.code == "DENIED"


def test_a_service_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(SparknbError) as caught:
        asyncio.run(ask(runtime(tmp_path), [data_url()]))
    assert caught.value.code == "UNREACHABLE"


def test_a_cancelled_question_hangs_up(tmp_path: Path) -> None:
    async def work() -> None:
        arrived = asyncio.Event()

        def silent(_: Seen) -> bytes:
            arrived.set()
            return b""

        async with Peer([silent]) as service:
            used = runtime(tmp_path, profile(service.url("/v1")))
            call = asyncio.create_task(ask(used, [data_url()]))
            await asyncio.wait_for(arrived.wait(), 10)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await asyncio.wait_for(service.gone.wait(), 10)

    asyncio.run(work())


def test_many_questions_at_once_keep_their_answers_apart(tmp_path: Path) -> None:
    def echo(seen: Seen) -> bytes:
        content = json.loads(seen.body)["messages"][1]["content"]
        return chat(content[0]["text"])

    async def work() -> list[str]:
        async with Peer([echo]) as service:
            used = runtime(tmp_path, profile(service.url("/v1")))
            secrets: dict[str, str] = {key_reference("eyes"): KEY}
            calls = [
                used.prepare(tool(), {"images": [data_url()], "question": f"q{n}"})
                for n in range(30)
            ]
            outcomes = await asyncio.gather(*(call.run(secrets) for call in calls))
            await used.close()
        return [outcome.text for outcome in outcomes]

    assert asyncio.run(work()) == [f"q{n}" for n in range(30)]
