"""`%spark` is the command table in a cell (NB-17); it fails in one way (NB-3)."""

import json
import re
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from sparknb.examples import ExampleService
from tests.hosting import http_tool
from tests.magics.conftest import Definition, publish
from tests.magics.kernels import MIME, Kernel

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def test_alone_it_lists_the_tools_as_an_accessible_table(
    kernel: Kernel, order: Definition
) -> None:
    cell = kernel.run("%spark")
    assert cell.text == kernel.run("%spark list").text
    assert "order" in cell.text
    assert "<table" in cell.html
    assert '<th scope="col"' in cell.html
    assert "<caption" in cell.html
    wire = cell.bundles[0][MIME]
    assert (wire["version"], wire["kind"]) == (1, "list")


def test_the_same_cell_gives_the_same_output(kernel: Kernel, order: Definition) -> None:
    for code in ("%spark", "%spark show order", "%spark home --temp", "%spark --help"):
        assert kernel.run(code).bundles == kernel.run(code).bundles


def test_a_failure_is_one_block_and_its_text_says_all(kernel: Kernel) -> None:
    cell = kernel.run("%spark show absent")
    assert cell.error == (
        "SparkMagicError",
        "NOT_FOUND id: no tool has the id 'absent'",
    )
    assert [o["type"] for o in cell.outputs] == ["error"]
    shown = ANSI.sub("", cell.traceback)
    assert shown.startswith("✗ NOT_FOUND")
    assert "%spark list shows the tools" in shown
    assert "Traceback" not in shown
    assert cell.reply["status"] == "error"


def test_every_problem_of_a_file_is_told_with_its_place(
    kernel: Kernel, tmp_path: Path
) -> None:
    broken = http_tool("http://127.0.0.1:9/{{q", tool_id="order") | {"title": 3}
    file = tmp_path / "order.json"
    file.write_text(json.dumps(broken, indent=1), encoding="utf-8")
    name, text = kernel.run(f"%spark draft {file}").error or ("", "")
    assert name == "SparkMagicError"
    lines = text.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"FIELD_TYPE title ({file}:3): ")
    assert f"spec.request.urlTemplate ({file}:" in lines[1]


def test_no_raise_shows_the_failure_and_goes_on(kernel: Kernel) -> None:
    cell = kernel.run("%spark show absent --no-raise\nprint('went on')")
    assert cell.error is None
    assert "NOT_FOUND" in cell.text
    assert "went on" in cell.text
    cell = kernel.run("%spark shwo absent --no-raise")
    assert cell.error is None
    assert "USAGE" in cell.text


def test_a_word_inside_a_text_is_no_option(kernel: Kernel, order: Definition) -> None:
    text = '{"q": 1, "z": " --no-raise --json "}'
    assert kernel.run(f"%spark call order --input '{text}'").error is not None


def test_json_is_printed_for_every_failure(kernel: Kernel) -> None:
    for words in ("show absent", "shwo absent", "show"):
        cell = kernel.run(f"%spark {words} --json --no-raise")
        assert set(json.loads(cell.text)) == {"error"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("shwo", "No such command 'shwo'"),
        ("publish", "Missing argument 'ID'"),
        ("publish order --expect two", "it has to be a whole number"),
        ("list weather", "too many words: list takes no words"),
        ("show 'order", "a quote is opened and not closed"),
        ("list -o 2x", "-o wants the name of a Python variable"),
        ("list -o class", "-o wants the name of a Python variable"),
        ("validate -", "a notebook has no standard input"),
    ],
)
def test_wrong_usage_is_told_in_the_words_of_the_command_line(
    kernel: Kernel, line: str, said: str
) -> None:
    name, text = kernel.run(f"%spark {line}").error or ("", "")
    assert name == "SparkMagicError"
    assert text.startswith("USAGE")
    assert said in text


@pytest.mark.parametrize("typed", ['{"q":"x"}', '{"q": "x"}', '{"q":"x", "z":[]}'])
def test_json_without_quotes_is_told_how_to_be_written(
    kernel: Kernel, order: Definition, typed: str
) -> None:
    code = f"%spark call order --input {typed}"
    assert "in single quotes" in ANSI.sub("", kernel.run(code).traceback)
    shown = kernel.run(f"{code} --no-raise")
    assert "in single quotes" in shown.text
    assert "in single quotes" in shown.html


def test_what_a_notebook_cannot_do_is_no_hint(kernel: Kernel) -> None:
    assert "Save one with `%%spark_tool ID`" in kernel.run("%spark").text
    assert "standard input" not in kernel.run("%spark draft absent.json").traceback


def test_a_misplaced_secret_is_not_repeated(kernel: Kernel) -> None:
    cell = kernel.run("%spark secret set order key sk-abcdefghijklmnopqrst")
    assert cell.error is not None
    assert "abcdefghij" not in json.dumps(cell.outputs)


def test_a_bug_keeps_its_whole_traceback(kernel: Kernel) -> None:
    kernel.run(
        "from sparknb.host.studio import Studio\n"
        "kept = Studio.list\n"
        "async def broken(*a, **k):\n    raise ValueError('our mistake')\n"
        "Studio.list = broken"
    )
    try:
        for code in ("%spark list", "for _ in [1]:\n    %spark list --no-raise"):
            cell = kernel.run(code)
            assert cell.error == ("ValueError", "our mistake")
            assert "broken" in cell.traceback
    finally:
        kernel.run("Studio.list = kept")


def test_o_keeps_a_result_or_the_document(
    kernel: Kernel, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/items").respond_with_data("found")
    publish(kernel, http_tool(httpserver.url_for("/items?q={{q}}")))
    kernel.run("""%spark call items --input '{"q": "x"}' -o result""")
    assert kernel.value("type(result).__name__, result.text") == "ToolResult found"
    kernel.run("%spark list -o found")
    assert kernel.value("found['tools'][0]['id']") == "items"
    kernel.run("%spark call items -o result")
    assert kernel.value("result.error_code") == "INVALID_INPUT"


def test_json_prints_the_document_alone(kernel: Kernel, order: Definition) -> None:
    cell = kernel.run("%spark list --json")
    assert [o["type"] for o in cell.outputs] == ["stream"]
    assert json.loads(cell.text)["tools"][0]["id"] == "order"


def test_python_variables_never_leak_into_a_command(kernel: Kernel) -> None:
    kernel.run("query = 'leaked'")
    assert "{query}" in kernel.run("%spark list --query {query}").text
    assert "$query" in kernel.run("%spark list --query $query").text


def test_help_is_shown_in_every_form(kernel: Kernel) -> None:
    assert "%spark publish ID" in kernel.run("%spark publish --help").text
    assert "%spark secret COMMAND" in kernel.run("%spark secret -h").text
    overview = kernel.run("%spark --help").text
    assert "home [DIR]" in overview
    assert "--install-completion" not in overview
    for code, said in (
        ("%spark?", "%spark COMMAND"),
        ("%%spark_tool?", "%%spark_tool"),
    ):
        payload = kernel.run(code).reply["payload"]
        assert said in ANSI.sub("", payload[0]["data"]["text/plain"])


def test_words_are_completed_also_before_the_host_is_open(kernel: Kernel) -> None:
    assert kernel.complete("%spark pub") == ["publish"]
    assert {"set", "status", "delete"} <= set(kernel.complete("%spark secret "))
    assert "--expect" in kernel.complete("%spark publish --e")
    assert {"-o", "--no-raise"} <= set(kernel.complete("%spark list -"))
    assert kernel.complete("%spark traces --status d") == ["denied"]
    assert "--publish" in kernel.complete("%%spark_tool order --p")
    assert "--json" not in kernel.complete("%spark nonsense --")
    assert kernel.complete("x = %spark pub") == ["publish"]


def test_ids_versions_and_names_are_completed(
    kernel: Kernel, order: Definition
) -> None:
    assert kernel.complete("%spark show or") == ["order"]
    assert kernel.complete("%spark show order --version ") == ["1"]
    assert kernel.complete("%%spark_test or") == ["order"]
    assert "1" not in kernel.complete("%spark show absent --version ")


@pytest.mark.parametrize("words", ["mcp", "demo", "lab"])
def test_programs_say_that_they_need_a_terminal(kernel: Kernel, words: str) -> None:
    _, text = kernel.run(f"%spark {words}").error or ("", "")
    assert text.startswith("NOT_IMPLEMENTED")
    assert "needs a terminal" in text


def test_the_example_service_runs_beside_the_cells(kernel: Kernel) -> None:
    first = kernel.run("%spark examples serve --port 0 -o service")
    assert first.error is None
    kernel.run("from urllib.request import urlopen")
    assert kernel.value("urlopen(service['url'] + '/health').status") == "200"
    port = kernel.value("service['url'].rpartition(':')[2]")
    again = kernel.run(f"%spark examples serve --port {port}")
    assert again.text == first.text


def test_an_example_service_that_runs_already_is_used(
    kernel: Kernel, example_service: ExampleService
) -> None:
    port = example_service.url.rpartition(":")[2]
    cell = kernel.run(f"%spark examples serve --port {port} -o running")
    assert cell.error is None
    assert kernel.value("running['url']") == example_service.url


def test_a_taken_port_is_a_clear_error(kernel: Kernel, httpserver: HTTPServer) -> None:
    cell = kernel.run(f"%spark examples serve --port {httpserver.port}")
    _, text = cell.error or ("", "")
    assert text.startswith("INVALID_INPUT --port: something listens on port")


def test_a_throw_away_home_is_new_each_time_and_shared_with_programs(
    kernel: Kernel, order: Definition, tmp_path: Path
) -> None:
    first = kernel.value("__import__('os').environ['SPARKNB_HOME']")
    said = kernel.run("%spark home --temp").text
    assert "new, empty home" in said
    assert "sparknb-" not in said
    assert Path(first).exists() is False
    assert "No tools yet" in kernel.run("%spark list").text
    assert "sparknb-" in kernel.run("%spark home").text
    second = kernel.value("__import__('os').environ['SPARKNB_HOME']")
    assert (
        "No tools yet"
        in kernel.run("!{__import__('sys').executable} -m sparknb list").text
    )
    kernel.run(f"%spark home {tmp_path}/own")
    assert Path(second).exists() is False
    kernel.run("%spark list")
    assert (tmp_path / "own" / "registry.db").exists()
    assert kernel.run("%spark home x --temp").error is not None


STORM = """
import contextlib, io, threading
ended = set()
def use():
    for _ in range(20):
        try:
            get_ipython().run_line_magic("spark", "list --json")
            ended.add("ok")
        except BaseException as error:
            ended.add(str(error))
threads = [threading.Thread(target=use) for _ in range(3)]
with contextlib.redirect_stdout(io.StringIO()):
    [thread.start() for thread in threads]
    for _ in range(5):
        get_ipython().run_line_magic("spark", "home --temp -o home")
    [thread.join() for thread in threads]
"""


def test_homes_that_change_while_threads_use_them_break_nothing(kernel: Kernel) -> None:
    assert kernel.run(STORM).error is None
    ended = set(kernel.value("chr(10).join(ended)").splitlines())
    late = "a blocking call on a closed handle: await the host instead"
    assert ended <= {"ok", "CANCELLED: the host was closed meanwhile", late}
    assert "No tools yet" in kernel.run("%spark").text


def test_hostile_text_is_shown_as_text(kernel: Kernel, httpserver: HTTPServer) -> None:
    hostile = "<script>alert(1)</script>\x1b[31m\u202e"
    httpserver.expect_request("/items").respond_with_data(hostile)
    definition = http_tool(httpserver.url_for("/items?q={{q}}"))
    publish(kernel, definition | {"title": "<img src=x onerror=alert(1)>"})
    for code in (
        """%spark call items --input '{"q": "x"}'""",
        "spark.tools['custom_items'](q='x')",
        "%spark list",
        "%spark show items",
        "spark.tools",
        "spark.tools['custom_items']",
        "spark.surface()",
    ):
        cell = kernel.run(code)
        assert cell.error is None, cell.traceback
        assert "<script" not in cell.html
        assert "<img" not in cell.html
        assert "\x1b" not in cell.text + cell.html
        assert "\u202e" not in cell.text + cell.html
