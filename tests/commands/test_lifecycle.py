"""What a person is asked before a step in a tool's life."""

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sparknb.commands.table import Outcome
from sparknb.core.errors import ExecutionFailedError
from sparknb.core.protocols import Proof
from sparknb.displays import to_text
from tests.commands.steps import Person, step
from tests.host.coding import code_tool
from tests.host.programs import Workshop, by_hand, program_tool
from tests.host.seeing import vision
from tests.hosting import Definition, Session, http_tool

ONE = "def run():\n    return 1\n"
CALLS = (
    "export default async function (input, sdk) {\n"
    '  return await sdk.tools.call("items", { q: "a" });\n}\n'
)
MISSING = ExecutionFailedError("the sandbox is not installed", hint="get it")
BROKEN = (Proof(attack="read a file", held=False), Proof(attack="exit", held=True))
SOUND = ()
ITEMS = http_tool("http://127.0.0.1:9/items?q={{q}}")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    opened = Workshop(tmp_path / "shop")
    yield opened
    opened.close()


def shown(outcome: Outcome) -> str:
    """Give what a person reads, on one line."""
    return " ".join(to_text(outcome.view).split())


def code_of(outcome: Outcome) -> str | None:
    """Give the code of a refusal; None of what was done."""
    code: str | None = outcome.document.get("error", {}).get("code")
    return code


def asked(session: Session, *words: str) -> dict[str, str]:
    """Give what is asked before a step that is refused then."""
    person = Person(says=False)
    assert code_of(step(session, person, *words)) == "DENIED"
    (question,) = person.asked
    return {"title": question.title, **dict(question.details)}


def parts(shown: dict[str, str], *names: str) -> list[str | None]:
    return [shown.get(name) for name in names]


# --------------------------------------------------------------------- what is shown
@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (code_tool("python", ONE), ["Python, 2 lines", "none", None, None]),
        (
            code_tool("typescript", CALLS, named=("items",)),
            ["TypeScript, 3 lines", "items", None, None],
        ),
        (vision("program"), [None, None, "eyes", "the service's own"]),
        (vision("program", spec={"model": "sees"}), [None, None, "eyes", "sees"]),
        (ITEMS | {"id": "program"}, [None, None, None, None]),
    ],
    ids=["python", "typescript", "vision", "model", "http"],
)
def test_a_person_reads_what_carries_the_tool_out_before_it_goes_live(
    session: Session, tool: Definition, expected: list[str | None]
) -> None:
    names = ("program", "may call", "service", "model")
    session.publish(ITEMS)
    session.run(session.host.studio.draft(tool))
    assert parts(asked(session, "publish", "program"), *names) == expected
    session.run(session.host.studio.publish("program"))
    session.run(session.host.studio.set_enabled("program", enabled=False))
    assert parts(asked(session, "enable", "program"), *names) == expected
    session.publish(tool | {"title": "Another"})
    assert parts(asked(session, "rollback", "program", "1"), *names) == expected


def test_of_a_tool_for_images_nothing_says_that_agents_call_it(
    session: Session,
) -> None:
    yes = Person()
    told: list[str] = []
    steps = ("publish", "disable", "publish", "enable", "enable", "show")
    for number, name in enumerate(steps):
        if name == "publish":
            tool = vision("program", title=f"Look {number}")
            session.run(session.host.studio.draft(tool))
            told.append(asked(session, name, "program")["then"])
        told.append(shown(step(session, yes, name, "program")))
    said = " ".join(told).replace("agents never see it", "")
    assert "agent" not in said
    for once in ("images are handed to it at once", "spark.route_images([...])"):
        assert once in said
    assert "no image is handed to it until it is enabled" in said


def test_the_question_is_about_the_version_that_goes_live_not_about_the_draft(
    session: Session,
) -> None:
    first: dict[str, Any] = {"title": "First", "risk": "low-write", "effect": "send"}
    studio = session.host.studio
    session.publish(code_tool("python", ONE) | first)
    session.publish(code_tool("python", f"{ONE}\n\nTWO = 2\n"))
    shown = asked(session, "rollback", "program", "1")
    expected = ["program, First", "low-write, effect send", "Python, 2 lines"]
    assert parts(shown, "tool", "risk", "program") == expected
    assert "a person is asked before each call" in shown["then"]
    session.run(studio.set_enabled("program", enabled=False))
    session.run(studio.draft(code_tool("python", ONE) | first))
    shown = asked(session, "enable", "program")
    expected = ["program, A program", "read, effect read", "Python, 5 lines"]
    assert parts(shown, "tool", "risk", "program") == expected
    assert shown["then"] == "agents can call it at once"


# ---------------------------------------------------------------- without a sandbox
@pytest.mark.parametrize(
    ("proofs", "said"), [(MISSING, "is not installed"), (BROKEN, "read a file")]
)
def test_without_its_sandbox_a_program_is_refused_before_anybody_is_asked(
    shop: Workshop, proofs: Any, said: str
) -> None:
    by_hand(shop, program_tool("adder"))
    by_hand(shop, program_tool("adder", title="Second"))
    shop.run(shop.host.studio.set_enabled("adder", enabled=False))
    shop.programs.proofs = proofs
    person = Person()
    for words in (("rollback", "adder", "1"), ("enable", "adder")):
        assert said in shown(step(shop, person, *words))
    shop.run(shop.host.studio.draft(program_tool("adder", title="Third")))
    assert said in shown(step(shop, person, "publish", "adder"))
    assert not person.asked


@pytest.mark.parametrize("proofs", [MISSING, BROKEN, SOUND])
def test_after_a_draft_only_what_can_work_is_offered(
    shop: Workshop, tmp_path: Path, proofs: Any
) -> None:
    shop.programs.proofs = proofs
    file = tmp_path / "adder.json"
    file.write_text(json.dumps(program_tool("adder")), encoding="utf-8")
    said = shown(step(shop, Person(), "draft", str(file)))
    expected = ["test adder", "publish adder"] if proofs is SOUND else []
    assert re.findall(r"sparknb ((?:test|publish) \w+)", said) == expected
    export = {"formatVersion": 1, "tools": [{"spec": program_tool("other")}]}
    file.write_text(json.dumps(export), encoding="utf-8")
    said = shown(step(shop, Person(), "import", "export", str(file)))
    expected = ["test other"] if proofs is SOUND else []
    assert re.findall(r"sparknb ((?:test|publish) \w+)", said) == expected


# ------------------------------------------------------------- what changed meanwhile


@pytest.mark.parametrize("options", [(), ("--expect", "1")], ids=["", "expect"])
def test_what_was_shown_is_what_is_published(
    session: Session, options: tuple[str, ...]
) -> None:
    studio = session.host.studio
    session.run(studio.draft(code_tool("python", ONE)))
    other = code_tool("python", "def run():\n    return 2\n")
    person = Person(acts=lambda: studio.draft(other))
    assert code_of(step(session, person, "publish", "program", *options)) == "CONFLICT"
    assert session.run(studio.get("program")).published is None


Studio = Any
Act = Callable[[Studio], Awaitable[Any]]
FIRST, SECOND, THIRD = (ITEMS | {"title": title} for title in ("One", "Two", "Three"))


async def publish_third(studio: Studio) -> None:
    await studio.draft(THIRD)
    await studio.publish("items")


async def make_anew(studio: Studio) -> None:
    """Bring a tool of the same id to where all numbers are the same."""
    before = (await studio.get("items")).tool
    await studio.delete("items")
    for each in (FIRST, SECOND):
        await studio.draft(each)
        await studio.publish("items")
    if before.is_pending:
        await studio.draft(THIRD)
    await studio.set_enabled("items", before.enabled)


MEANWHILE: dict[str, Act] = {
    "a draft": lambda studio: studio.draft(THIRD | {"title": "Not seen"}),
    "a version": publish_third,
    "enabled": lambda studio: studio.set_enabled("items", True),
    "disabled": lambda studio: studio.set_enabled("items", False),
    "another tool": make_anew,
}
STEPS: dict[str, tuple[str, ...]] = {
    "publish": ("publish", "items"),
    "enable": ("enable", "items"),
    "rollback": ("rollback", "items", "1"),
    "discard": ("discard", "items"),
    "delete": ("delete", "items"),
}


def ready_for(session: Session, verb: str, *, enabled: bool) -> None:
    """Bring the tool to where the step can be taken: two versions, maybe a draft."""
    for each in (FIRST, SECOND):
        session.publish(each)
    if verb in ("publish", "discard", "delete"):
        session.run(session.host.studio.draft(THIRD))
    session.run(session.host.studio.set_enabled("items", enabled))


async def state(session: Session) -> Any:
    detail = await session.host.studio.get("items")
    return detail.tool.to_wire(), [v.to_wire() for v in detail.versions]


PAIRS = [
    ("publish", "disabled"),
    ("publish", "another tool"),
    ("enable", "a version"),
    ("enable", "another tool"),
    ("rollback", "a draft"),
    ("rollback", "enabled"),
    ("discard", "a draft"),
    ("discard", "a version"),
    ("delete", "a draft"),
    ("delete", "enabled"),
]


@pytest.mark.parametrize(("verb", "change"), PAIRS)
def test_a_yes_counts_for_the_state_that_was_shown(
    session: Session, verb: str, change: str
) -> None:
    ready_for(session, verb, enabled=change == "disabled")
    left: list[Any] = []

    async def meanwhile() -> None:
        await MEANWHILE[change](session.host.studio)
        left.append(await state(session))

    outcome = step(session, Person(acts=meanwhile), *STEPS[verb])
    assert code_of(outcome) == "CONFLICT"
    assert "nothing was done" in shown(outcome)
    assert [session.run(state(session))] == left


@pytest.mark.parametrize("verb", ["enable", "discard", "delete"])
def test_what_does_not_touch_the_tool_leaves_a_yes_as_it_is(
    session: Session, verb: str
) -> None:
    ready_for(session, verb, enabled=False)
    studio = session.host.studio

    async def look_and_test() -> None:
        await studio.test("items", {"q": "a"})
        await studio.draft(ITEMS | {"id": "other"})

    assert code_of(step(session, Person(acts=look_and_test), *STEPS[verb])) is None
