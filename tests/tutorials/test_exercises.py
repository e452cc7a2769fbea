"""`spark.check`: answers as people give them, from nothing to solved."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparknb.examples import ExampleService
from sparknb.tutorials import check
from sparknb.tutorials.exercises import EXERCISES
from tests.hosting import Session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    session = Session(tmp_path / "home")
    yield session
    session.close()


def tool(
    tool_id: str, url: str, parameters: dict[str, Any], **changes: Any
) -> dict[str, Any]:
    """Give a definition; `?` behind a parameter's name says it may be left out."""
    request = {"method": changes.pop("method", "GET"), "urlTemplate": url}
    response = changes.pop("response", {"format": "json"})
    return {
        "id": tool_id,
        "title": "A tool",
        "description": "Finds what the exercise asks for.",
        "type": "http",
        "inputSchema": {
            "type": "object",
            "properties": {n.rstrip("?"): s for n, s in parameters.items()},
            "required": [n for n in parameters if not n.endswith("?")],
        },
        "spec": {"request": request, "response": response},
        **changes,
    }


def state(session: Session, exercise: str) -> tuple[int, str]:
    """Give how many points are met, and what is missing."""
    document = session.run(check(session.host, exercise)).document
    return len(document["met"]), document.get("missing", "solved")


def save(session: Session, definition: dict[str, Any]) -> None:
    session.run(session.host.studio.draft(definition))


Q = {"type": "string"}
LIMIT = {"type": "integer", "default": 3}


def test_the_first_exercise_leads_from_nothing_to_solved(
    session: Session, example_service: ExampleService
) -> None:
    url = f"{example_service.url}/cities"
    assert state(session, "01-1") == (0, "There is no tool find_cities yet.")
    weather = f"{example_service.url}/weather?city={{{{q}}}}"
    save(session, tool("find_cities", weather, {"q": Q}))
    assert state(session, "01-1")[0] == 1
    save(session, tool("find_cities", url, {}))
    assert state(session, "01-1")[0] == 2
    save(session, tool("find_cities", url + "?q={{q}}", {"q?": Q}))
    assert state(session, "01-1")[0] == 2
    save(session, tool("find_cities", url + "?q={{q}}", {"q": Q}))
    assert state(session, "01-1")[0] == 3
    whole = url + "?q={{q}}&limit={{limit}}"
    save(session, tool("find_cities", whole, {"q": Q, "limit": LIMIT}))
    assert state(session, "01-1")[0] == 3
    save(session, tool("find_cities", whole, {"q": Q, "limit?": LIMIT}))
    assert state(session, "01-1") == (
        4,
        "It is a draft so far, and agents see no drafts.",
    )
    session.run(session.host.studio.publish("find_cities"))
    assert state(session, "01-1") == (6, "solved")


def test_a_solved_exercise_that_is_switched_off_or_asks_is_told_so(
    session: Session, example_service: ExampleService
) -> None:
    whole = example_service.url + "/cities?q={{q}}&limit={{limit}}"
    parameters = {"q": Q, "limit?": LIMIT}
    session.publish(tool("find_cities", whole, parameters))
    session.run(session.host.studio.set_enabled("find_cities", False))
    assert state(session, "01-1")[1].startswith("It is switched off")
    session.run(session.host.studio.set_enabled("find_cities", True))
    triple = {"risk": "low-write", "effect": "update", "idempotency": "unsafe"}
    session.publish(tool("find_cities", whole, parameters, **triple))
    assert state(session, "01-1")[1].startswith("It asks a person before each call")


def test_a_service_that_is_gone_is_told_with_what_came(session: Session) -> None:
    whole = "http://127.0.0.1:9/cities?q={{q}}&limit={{limit}}"
    session.publish(tool("find_cities", whole, {"q": Q, "limit?": LIMIT}))
    shown = session.run(check(session.host, "01-1"))
    assert shown.document["solved"] is False
    assert "127.0.0.1" in shown.document["code"]


EXTRACT = [
    {"label": "Temperature", "jsonPath": "$.temperature"},
    {"label": "Condition", "jsonPath": "$.condition"},
]


def test_the_second_exercise_tells_a_draft_from_a_version(
    session: Session, example_service: ExampleService
) -> None:
    url = example_service.url + "/weather?city={{city}}"
    assert state(session, "01-2") == (0, "There is no tool city_weather.")
    session.publish(tool("city_weather", url, {"city": Q}))
    assert state(session, "01-2") == (1, "It still gives the whole answer.")
    for wrong in (EXTRACT[:1], [*EXTRACT, {"label": "x", "jsonPath": "$.humidity"}]):
        answer = {"format": "json", "extract": wrong}
        save(session, tool("city_weather", url, {"city": Q}, response=answer))
        assert state(session, "01-2")[0] == 2
    answer = {"format": "json", "extract": EXTRACT}
    save(session, tool("city_weather", url, {"city": Q}, response=answer))
    assert state(session, "01-2") == (
        3,
        "This is a draft so far: agents still use version 1.",
    )
    session.run(session.host.studio.publish("city_weather"))
    assert state(session, "01-2") == (5, "solved")


def test_an_answer_is_shown_with_what_is_right_and_one_hint(
    session: Session, example_service: ExampleService
) -> None:
    save(session, tool("find_cities", example_service.url + "/cities", {}))
    text = str(session.run(check(session.host, "01-1")))
    assert text == str(session.run(check(session.host, "01-1")))
    assert text.startswith("Right already\n  ✓   There is a tool find_cities.\n")
    assert text.count("Hint: ") == 1


@pytest.mark.parametrize("name", ["09-9", "", "01-1 ", "x" * 10_000, "\x1b[2J"])
def test_an_exercise_that_is_not_there_is_told_and_raises_nothing(
    session: Session, name: str
) -> None:
    shown = session.run(check(session.host, name))
    assert shown.document["solved"] is False
    assert ", ".join(EXERCISES) in " ".join(str(shown).split())
    assert len(str(shown)) < 200
    assert "\x1b" not in str(shown)
