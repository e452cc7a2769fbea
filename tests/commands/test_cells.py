"""The cell magics, on a real host: what a person reads below a cell."""

import json
from typing import Any

import pytest

from sparknb.commands.context import Source
from sparknb.commands.table import Outcome
from sparknb.commands.views import CELL, Failure
from sparknb.core.protocols import Decision
from sparknb.displays import to_html, to_text
from sparknb.examples import ExampleService
from tests.commands.cells import Notebook
from tests.hosting import Answering

WEATHER = """%%spark_tool weather
title: Weather lookup
description: Current weather of one city. Use only when the user asks about the weather.
params:
  city: {type: string, description: City name}
  units?: {type: string, enum: [metric, imperial], default: metric}
request: GET http://${host}/weather?city={{city}}&units={{units}}
response: {format: json, extract: {Temperature: $.current.temp_c}}
"""
HOST = {"host": "127.0.0.1:9"}
VAR = ["--var", "host"]
ORDER = """%%spark_tool order
title: Order an item
description: Orders an item of the shop, by its name.
params:
  item: {type: string}
  count: {type: integer}
request: POST http://127.0.0.1:9/orders
headers: {X-Api-Key: secret:api_key, X-Item: "{{item}}"}
body: {item: "{{item}}", count: "{{count}}"}
"""


def failure(outcome: Outcome) -> Failure:
    assert outcome.exit_code == 1
    assert isinstance(outcome.view, Failure)
    return outcome.view


def places(outcome: Outcome) -> list[tuple[str, str | None]]:
    """Give path and place of each problem of a refusal."""
    found = failure(outcome).problems
    return [(p.path, found.place(p)) for p in found.problems]


def weather(notebook: Notebook, *options: str, cell: str = WEATHER) -> Outcome:
    return notebook.run(cell, variables=HOST, options=[*VAR, *options])


# --------------------------------------------------------------------- the card
def test_a_cell_saves_a_draft_and_shows_what_was_derived(notebook: Notebook) -> None:
    shown = to_text(weather(notebook).view)
    assert shown == (
        "✓ weather is a new tool: draft version 1\n"
        "\n"
        "title          Weather lookup\n"
        "request        GET http://${host}/weather?city={{city}}&units={{units}}\n"
        "risk           read, effect read, safe to repeat\n"
        "why            GET → read/read/safe\n"
        "calls          run without asking\n"
        "parameters     city, units?\n"
        "placeholders   city, units in the URL\n"
        "\n"
        "Next\n"
        "  %%spark_test weather      try it\n"
        "  sparknb publish weather   let agents call it"
    )
    (tool,) = notebook.tools()
    assert (tool.id, tool.enabled, tool.draft_version) == ("weather", False, 1)


def test_the_same_cell_again_says_unchanged_and_else_the_same(
    notebook: Notebook,
) -> None:
    first = to_text(weather(notebook).view).splitlines()
    again = weather(notebook)
    second = to_text(again.view).splitlines()
    assert "unchanged" in second[0]
    assert first[1:] == second[1:]
    assert again.document["unchanged"] is True
    assert notebook.tools()[0].draft_version == 1


def test_another_value_of_a_variable_leaves_the_card_as_it_was(
    notebook: Notebook,
) -> None:
    first = to_text(weather(notebook).view).splitlines()
    other = notebook.run(WEATHER, variables={"host": "localhost:1"}, options=VAR)
    assert to_text(other.view).splitlines()[1:] == first[1:]
    assert "localhost" not in to_text(other.view)


def test_secrets_that_are_missing_come_first_among_the_next_steps(
    notebook: Notebook,
) -> None:
    outcome = notebook.run(ORDER)
    shown = to_text(outcome.view)
    assert "why            POST → low-write/create/unsafe" in shown
    assert "calls          ask a person first" in shown
    assert "placeholders   item in the header X-Item; item, count in the body" in shown
    assert "api_key   missing" in shown
    steps = shown.partition("Next")[2]
    assert steps.index("secret set order api_key") < steps.index("%%spark_test")
    assert outcome.document["derived"]["risk"] == "low-write"


def test_a_risk_that_the_author_chose_is_told_beside_the_methods(
    notebook: Notebook,
) -> None:
    outcome = notebook.run(f"{ORDER}risk: high-write\n")
    shown = to_text(outcome.view)
    assert "POST → low-write/create/unsafe; the cell says risk high-write" in shown
    assert outcome.document["derived"] is None


def test_warnings_have_their_line(notebook: Notebook) -> None:
    cell = WEATHER.replace("&units={{units}}", "")
    assert "PARAMETER_UNUSED  cell line 6" in to_text(weather(notebook, cell=cell).view)


def test_a_tool_without_parameters_has_none(notebook: Notebook) -> None:
    cell = "%%spark_tool items\ntitle: Items\ndescription: Finds all items.\n"
    shown = notebook.show(f"{cell}request: GET http://127.0.0.1/items")
    assert "parameters     none" in shown
    assert "placeholders   none" in shown


def test_a_change_is_shown_against_what_is_published(notebook: Notebook) -> None:
    weather(notebook, "--publish")
    shown = to_text(weather(notebook, cell=WEATHER.replace("one city", "a city")).view)
    assert "saved: draft version 2" in shown
    assert '-  "description": "Current weather of one city.' in shown
    assert '+  "description": "Current weather of a city.' in shown
    assert "127.0.0.1" not in shown
    again = to_text(weather(notebook, cell=WEATHER.replace("one city", "a city")).view)
    assert again.splitlines()[1:] == shown.splitlines()[1:]


def test_long_forms_of_other_types_have_a_card_too(notebook: Notebook) -> None:
    source = "def run(q): return q"
    definition = {
        "title": "Echo",
        "description": "Gives back what it got.",
        "type": "code",
        "inputSchema": {
            "type": "object",
            "properties": {"q": {"type": "string"}},
            "required": ["q"],
        },
        "risk": "read",
        "effect": "read",
        "idempotency": "safe",
        "spec": {"runtime": {"language": "python", "source": source}},
    }
    outcome = notebook.run(f"%%spark_tool echo --check\n{json.dumps(definition)}")
    assert outcome.exit_code == 0
    assert "placeholders" not in to_text(outcome.view)
    refused = notebook.run(f"%%spark_tool echo --type http\n{json.dumps(definition)}")
    assert places(refused)[0] == ("type", "cell line 2")


# -------------------------------------------------------------------- refusals
def test_a_delete_is_no_read(notebook: Notebook) -> None:
    cell = WEATHER.replace("GET", "DELETE") + "risk: read\n"
    outcome = weather(notebook, cell=cell)
    assert places(outcome) == [("risk", "cell line 9")]
    assert outcome.document["error"]["path"] == "risk"
    assert "destructive" in outcome.document["error"]["message"]
    assert notebook.tools() == []


def test_three_mistakes_have_three_lines(notebook: Notebook) -> None:
    cell = WEATHER.replace("metric, imperial], default: metric", "5]")
    cell = cell.replace("GET", "GOT").replace("$.current", "current")
    for option in ("--draft", "--check"):
        outcome = weather(notebook, option, cell=cell)
        assert places(outcome) == [
            ("params.units.enum.0", "cell line 6"),
            ("request", "cell line 7"),
            ("response.extract.Temperature", "cell line 8"),
        ]
    assert notebook.tools() == []


def test_yaml_that_cannot_be_read_is_told_with_its_line(notebook: Notebook) -> None:
    outcome = notebook.run("%%spark_tool weather\ntitle: {{x}}\n\tb: 1\n")
    assert places(outcome)[0] == ("title", "cell line 2")
    outcome = notebook.run("%%spark_tool weather\n")
    assert places(outcome) == [("", "cell line 1")]
    assert "cell line 1" in to_text(outcome.view)


def test_a_bad_id_is_told_on_the_first_line(notebook: Notebook) -> None:
    outcome = notebook.run(WEATHER.replace("weather", "W", 1), variables=HOST)
    assert ("id", "cell line 1") in places(outcome)


def test_a_variable_that_is_not_there_is_named(notebook: Notebook) -> None:
    found = failure(weather(notebook, "--var", "nothing"))
    assert (found.code, found.path) == ("NOT_FOUND", "--var")
    assert "nothing" in found.message
    found = failure(notebook.run(WEATHER))
    assert "--var host" in (found.hint or "")


@pytest.mark.parametrize("name", ["a b", "${x}", "1", "a.b", ""])
def test_what_is_no_name_of_a_variable_is_wrong_usage(
    notebook: Notebook, name: str
) -> None:
    outcome = notebook.run(WEATHER, options=["--var", name])
    assert outcome.exit_code == 2
    assert "USAGE" in to_text(outcome.view)


def test_a_tool_keeps_its_type(notebook: Notebook) -> None:
    outcome = notebook.run(f"{ORDER}type: code\n")
    assert places(outcome) == [("type", "cell line 10")]


def test_hostile_text_is_harmless_in_every_display(notebook: Notebook) -> None:
    evil = "<script>alert(1)</script> \\e[31m \\u202e"
    cell = WEATHER.replace("Weather lookup", f'"{evil}"')
    cell += f'"<img src=x onerror=alert(2)> \\e]0;": 1\nheaders: {{X: "{evil}"}}\n'
    for outcome in (weather(notebook, cell=cell), weather(notebook, cell=WEATHER)):
        assert "\x1b" not in to_text(outcome.view)
        assert "\u202e" not in to_text(outcome.view)
        assert "<script" not in to_html(outcome.view)
        assert "<img" not in to_html(outcome.view)
    saved = weather(notebook, cell=WEATHER.replace("Weather lookup", f'"{evil}"'))
    assert saved.exit_code == 0
    assert "\x1b" not in to_text(saved.view)
    assert "<script" not in to_html(saved.view)


def test_a_secret_that_was_pasted_is_not_repeated(notebook: Notebook) -> None:
    secret = "sk-" + "a1b2c3d4" * 5
    cell = f"{ORDER}response: {{format: {secret}}}\n{secret}: 1\n"
    cell = cell.replace("Order an item", secret).replace("X-Item", secret)
    outcome = notebook.run(cell)
    assert outcome.exit_code == 1
    assert secret not in to_text(outcome.view) + json.dumps(outcome.document)


# ---------------------------------------------------------------------- options
def test_check_saves_nothing(notebook: Notebook) -> None:
    outcome = weather(notebook, "--check")
    shown = to_text(outcome.view)
    assert shown.startswith("✓ weather is valid; nothing was saved\n")
    assert "GET → read/read/safe" in shown
    assert outcome.document["valid"] is True
    unused = weather(notebook, "--check", cell=WEATHER.replace("&units={{units}}", ""))
    assert "PARAMETER_UNUSED  cell line 6" in to_text(unused.view)
    assert notebook.tools() == []


def test_quiet_shows_one_line(notebook: Notebook) -> None:
    for option in ("--draft", "--check", "--publish"):
        shown = to_text(weather(notebook, option, "--quiet").view)
        assert len(shown.splitlines()) == 1
        assert "weather" in shown


def test_publish_needs_no_question_and_may_be_repeated(notebook: Notebook) -> None:
    first = weather(notebook, "--publish")
    assert "weather: version 1 is published" in to_text(first.view)
    assert "sparknb call weather --input JSON" in to_text(first.view)
    assert first.document["tool"]["publishedVersion"] == 1
    again = weather(notebook, "--publish")
    assert "unchanged: version 1 is published\n" in to_text(again.view)
    session = notebook.session
    session.run(session.host.studio.set_enabled("weather", False))  # its own signature
    hidden = to_text(weather(notebook, "--publish").view)
    assert "version 1 is published, and disabled" in hidden
    assert "sparknb enable weather" in hidden


def test_what_cannot_be_published_is_kept_as_a_draft(notebook: Notebook) -> None:
    found = failure(notebook.run(ORDER, options=["--publish"]))
    assert found.code == "SECRET_MISSING"
    assert (found.hint or "").startswith("the draft is saved")
    (tool,) = notebook.tools()
    assert (tool.published_version, tool.is_pending) == (None, True)


def test_only_one_of_the_three_stages_is_given(notebook: Notebook) -> None:
    outcome = weather(notebook, "--check", "--publish")
    assert outcome.exit_code == 2
    assert "--check and --publish do not go together" in to_text(outcome.view)


# ------------------------------------------------------------- running the draft
@pytest.fixture
def host(example_service: ExampleService) -> dict[str, str]:
    return {"host": example_service.url.removeprefix("http://")}


def lookup(service: dict[str, str], notebook: Notebook, *options: str) -> Outcome:
    cell = WEATHER.replace("&units={{units}}", "").replace("units?:", "spare?:")
    cell = cell.partition("response:")[0]
    return notebook.run(cell, variables=service, options=[*VAR, *options])


def test_a_draft_can_be_run_at_once(notebook: Notebook, host: dict[str, str]) -> None:
    outcome = lookup(host, notebook, "--test", '{"city": "Oslo"}')
    shown = to_text(outcome.view)
    assert outcome.exit_code == 0
    assert "Oslo" in shown.partition("Next")[2]
    assert outcome.document["test"]["ok"] is True
    quiet = lookup(host, notebook, "--quiet", "--test", '{"city": "Oslo"}')
    assert to_text(quiet.view).startswith("✓ weather is unchanged")
    assert "Oslo" in to_text(quiet.view)


def test_a_definition_can_be_run_without_being_saved(
    notebook: Notebook, host: dict[str, str]
) -> None:
    outcome = lookup(host, notebook, "--check", "--test", '{"city": "Oslo"}')
    assert outcome.document["test"]["ok"] is True
    assert notebook.tools() == []


def test_a_run_that_fails_fails_the_cell_but_the_draft_is_kept(
    notebook: Notebook,
) -> None:
    outcome = weather(notebook, "--test", "{}")
    assert outcome.exit_code == 1
    assert "city" in to_text(outcome.view).partition("Next")[2]
    assert len(notebook.tools()) == 1


def test_arguments_that_are_no_json_are_told_before_anything_is_saved(
    notebook: Notebook,
) -> None:
    found = failure(weather(notebook, "--test", "{city: Oslo}"))
    assert "--test is not usable JSON" in found.message
    assert notebook.tools() == []


# -------------------------------------------------------------------- spark_test
def test_a_tool_is_run_with_the_arguments_of_a_cell(
    notebook: Notebook, host: dict[str, str]
) -> None:
    lookup(host, notebook, "--quiet")
    outcome = notebook.run(
        "%%spark_test weather --var where\ncity: ${where}\n",
        variables={"where": "Oslo"},
    )
    shown = to_text(outcome.view)
    assert outcome.exit_code == 0
    assert "HTTP 200" in shown
    assert "bytes" in shown
    assert f"GET http://{host['host']}/weather?city=Oslo" in shown
    assert " ms" not in shown
    assert shown == to_text(
        notebook.run("%%spark_test weather --version 1\ncity: Oslo").view
    )


def test_a_secret_is_masked_in_the_request(
    notebook: Notebook, example_service: ExampleService
) -> None:
    cell = ORDER.replace("127.0.0.1:9", example_service.url.removeprefix("http://"))
    notebook.run(cell)
    key, session = example_service.api_key, notebook.session
    session.run(session.host.secrets.set("order", "api_key", key))
    outcome = notebook.run("%%spark_test order --yes\nitem: Lamp\ncount: 1\n")
    assert key not in to_text(outcome.view) + json.dumps(outcome.document)
    assert "/orders" in to_text(outcome.view)


def test_a_tool_that_changes_something_asks_first(notebook: Notebook) -> None:
    notebook.run(ORDER)
    session = notebook.session
    session.run(session.host.secrets.set("order", "api_key", "not-a-real-key"))
    cell = "%%spark_test order\nitem: Lamp\ncount: 1\n"
    nobody = notebook.run(cell)
    assert nobody.document["errorCode"] == "APPROVAL_UNAVAILABLE"
    person = Answering(Decision(outcome="reject"))
    denied = notebook.run(cell, approver=person)
    assert denied.document["errorCode"] == "DENIED"
    assert len(person.asked) == 1
    beforehand = notebook.run(f"{cell}", approver=person, options=["--yes"])
    assert beforehand.document["errorCode"] == "UNREACHABLE"
    assert len(person.asked) == 1
    assert [status for status, _ in session.statuses()] == ["denied", "denied", "error"]


def test_input_that_cannot_be_read_is_told_and_nothing_runs(notebook: Notebook) -> None:
    weather(notebook)
    outcome = notebook.run("%%spark_test weather\ncity: Oslo\ncity: Rome\n")
    assert places(outcome) == [("input.city", "cell line 3")]
    assert notebook.session.statuses() == []


def test_an_empty_cell_tests_without_arguments(notebook: Notebook) -> None:
    weather(notebook)
    outcome = notebook.run("%%spark_test weather\n")
    assert outcome.document["errorCode"] == "INVALID_INPUT"
    assert "city" in to_text(outcome.view)


def test_input_that_does_not_fit_is_refused_by_the_tool(notebook: Notebook) -> None:
    weather(notebook)
    outcome = notebook.run("%%spark_test weather\ncity: no\nunits: 5\n")
    paths = [p["path"] for p in outcome.document["problems"]]
    assert paths == ["input.units"]


def test_an_unknown_tool_is_told(notebook: Notebook) -> None:
    assert failure(notebook.run("%%spark_test nothing\n")).code == "NOT_FOUND"


# ------------------------------------------------------------------------ limits
def test_a_huge_cell_is_refused(notebook: Notebook) -> None:
    outcome = notebook.run("%%spark_tool weather\n" + "title: x\n" * 200_000)
    assert "larger than 262,144 bytes" in failure(outcome).message


def test_half_characters_in_a_cell_are_told(notebook: Notebook) -> None:
    found = failure(notebook.run("%%spark_tool weather\ntitle: \ud800\n"))
    assert "U+D800" in found.message


def test_lines_are_those_of_the_cell() -> None:
    def lines(paths: Any) -> dict[str, int]:
        return dict.fromkeys(paths, 7)

    assert Source(CELL, b"", lines).lines(["a"]) == {"a": 7}
