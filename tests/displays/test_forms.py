import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from syrupy.assertion import SnapshotAssertion

import sparknb
from sparknb.core.problems import Problem
from sparknb.core.validation import validate
from sparknb.displays import FORMS, MIME_TYPE, Shown, shown, to_text
from sparknb.host import Spark
from tests.displays.gallery import REQUEST
from tests.displays.reading import read
from tests.hosting import Definition, http_tool


@pytest.fixture
def spark(tmp_path: Path) -> Iterator[Spark]:
    with sparknb.open_spark(tmp_path / "home", keychain="memory") as handle:
        yield handle


def tool(**changes: Any) -> Definition:
    definition = http_tool("http://127.0.0.1:9/items?q={{q}}")
    definition["inputSchema"]["properties"]["sort"] = {
        "type": "string",
        "enum": ["up", "down"],
        "description": "Which way.",
    }
    return definition | changes


def values(spark: Spark) -> Mapping[str, Any]:
    """Give one of everything that the host hands out."""
    studio = spark.studio
    found = {
        "nothing published": shown(spark.tools),  # as it is now
        "valid": studio.validate(tool()),
        "invalid": studio.validate(tool(risk="none", title="", timeoutMs=5)),
        "new draft": studio.draft(tool()),
        "unchanged": studio.draft(tool()),
        "step": studio.publish("items"),
        "second draft": studio.draft(tool(title="Other items")),
        "difference": studio.diff("items"),
        "detail": studio.get("items"),
        "list": studio.list(),
        "surface": spark.surface(),
        "agent tools": spark.surface().to_openai(),
        "export": studio.export("items"),
        "import": studio.import_(studio.export("items").text),
        "import of news": studio.import_(
            studio.export("items").text.replace('"items"', '"news"')
        ),
        "tools": spark.tools,
        "tool": spark.tools["custom_items"],
        "check": spark.check_call("items", {"q": "x"}),
        "refused check": spark.check_call("items", {}),
        "result": spark.call("items", {}),
        "spark": spark,
        "request": REQUEST,
        "problem": Problem(code="CODE", path="p", message="m"),
        "definition": validate(tool()).definition,
    }
    return found | {"record": found["list"].tools[0]}


def test_everything_of_the_host_shows_itself_alike_in_each_run(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    bundles: list[dict[str, Any]] = []
    for home in ("one", "two"):
        with sparknb.open_spark(tmp_path / home, keychain="memory") as spark:
            found = values(spark)
            shows = {name: shown(value) for name, value in found.items()}
            assert None not in shows.values()
            bundles.append({n: s._repr_mimebundle_() for n, s in shows.items() if s})
    assert bundles[0] == bundles[1]
    for name, bundle in bundles[0].items():
        read(bundle["text/html"])
        json.dumps(bundle[MIME_TYPE], allow_nan=False)
        assert bundle["text/plain"] == snapshot(name=name)
    kinds = {type(value) for value in found.values()}
    assert set(FORMS) - kinds == {type(found["surface"].entries[0])}


def test_a_result_shows_what_was_sent(spark: Spark, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/items").respond_with_data("<b>\x1b[2J</b>")
    spark.studio.draft(http_tool(httpserver.url_for("/items")))
    result = spark.studio.test("items", {"q": "x"})
    text = str(shown(result))
    assert "✓ ok  HTTP 200" in text
    assert f"GET {httpserver.url_for('/items')}" in text
    assert "<b>\\x1b[2J</b>" in text


def test_an_export_names_its_file_and_what_is_to_be_known_of_it(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    definition = tool()
    definition["spec"]["request"]["urlTemplate"] += "&sort={{sort}}"
    spark.studio.draft(definition)
    made = spark.studio.export(out="tools.json")
    text = str(shown(made))
    assert "✓ 1 tool written to tools.json" in text
    assert "1 thing here is not alike" in text
    assert "for_original=True" in text
    assert repr(made) == "<Export of items in tools.json>"
    listed = str(shown(spark.studio.export(out="tools.json", for_original=True)))
    assert "items.inputSchema.properties.sort  NOT_IN_ORIGINAL" in listed


def test_tools_for_an_agent_print_as_json_that_shows_all_of_it(spark: Spark) -> None:
    spark.studio.draft(tool(title="Søk", description="Søk \u202e now."))
    spark.studio.publish("items")
    tools = spark.surface().to_openai()
    assert json.loads(str(tools)) == list(tools)
    assert "Søk \\u202e now." in str(tools)
    assert repr(tools) == "<AgentTools: 1 tool, 1 note>"


def test_a_large_surface_is_shown_in_part() -> None:
    with sparknb.open_spark(keychain="memory") as spark:
        spark.studio.draft(tool())
        spark.studio.publish("items")
        surface = spark.surface()
    surface.entries *= 700
    found = shown(surface)
    assert found is not None
    assert "200 more tools left out" in str(found)
    assert (len(found.document["tools"]), found.document["total"]) == (500, 700)


def test_what_is_not_ours_has_no_form() -> None:
    assert shown({"ok": True}) is None
    assert shown("text") is None


def test_what_is_shown_already_stays_as_it_is() -> None:
    found = shown(REQUEST)
    assert shown(found) is found
    assert isinstance(found, Shown)
    assert str(found) == to_text(found.view)


def test_the_names_of_the_package_are_there_and_cost_nothing_before_they_are_used() -> (
    None
):
    program = (
        "import sys, sparknb.displays as d;"
        "loaded = {m.split('.')[0] for m in sys.modules};"
        "print(loaded & {'rich', 'pandas', 'IPython', 'ipywidgets', 'sqlalchemy'});"
        "assert dir(d) == sorted(d.__all__);"
        "[getattr(d, name) for name in d.__all__];"
        "d.FORMS, d.to_html;"
        "loaded = {m.split('.')[0] for m in sys.modules};"
        "print(loaded & {'rich', 'pandas', 'IPython', 'ipywidgets', 'sqlalchemy'})"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("set()\nset()\n", "")


def test_another_name_of_the_package_is_an_error() -> None:
    import sparknb.displays

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sparknb.displays.nothing  # noqa: B018  # the access is the test
