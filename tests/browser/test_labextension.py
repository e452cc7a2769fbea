"""The JupyterLab extension: commands that insert ready cells, and highlighting."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.desk import Desk
from tests.browser.notebook_page import NotebookPage

if TYPE_CHECKING:
    from playwright.sync_api import Locator

INSTALLED = Path(sys.prefix, "share/jupyter/labextensions/sparknb/package.json")
READY_CELLS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "labextension" / "src" / "cells.json").read_text(
        encoding="utf-8"
    )
)

pytestmark = pytest.mark.skipif(
    not INSTALLED.is_file(),
    reason="the JupyterLab extension is not installed: `make labextension` builds it",
)

TOOL = (
    "%%spark_tool weather\ntitle: Weather # a comment\nrequest: GET http://127.0.0.1/"
)


def execute(desk: Desk, command: str) -> None:
    script = "async name => { await jupyterapp.commands.execute(name); }"
    desk.page.evaluate(script, command)


def look(desk: Desk, expression: str) -> Any:
    """Evaluate an expression about `notebook`, the one in front."""
    return desk.page.evaluate(
        f"() => {{ const notebook = jupyterapp.shell.currentWidget.content;"
        f" return {expression}; }}"
    )


def activate(desk: Desk, index: int) -> None:
    look(desk, f"(notebook.activeCellIndex = {index}, notebook.deselectAll())")


def sources(desk: Desk) -> list[str]:
    found: list[str] = look(
        desk, "notebook.widgets.map(cell => cell.model.sharedModel.getSource())"
    )
    return found


def selected(desk: Desk) -> str:
    return str(
        look(
            desk,
            "(view => view.state.sliceDoc(view.state.selection.main.from,"
            " view.state.selection.main.to))(notebook.activeCell.editor.editor)",
        )
    )


def tokens(desk: Desk, index: int) -> dict[str, str]:
    """Give the kind of each token of a cell."""
    found = look(desk, f"notebook.widgets[{index}].editor.getTokens()")
    return {token["value"]: token["type"] for token in found}


def editor(page: NotebookPage, index: int) -> "Locator":
    return page.cell(index).locator(".cm-content")


def wait_for_language(page: NotebookPage, index: int, name: str) -> None:
    editor(page, index).and_(page.page.locator(f"[data-language={name}]")).wait_for()


# ------------------------------------------------------------------- ready cells
def test_a_command_inserts_its_cell_below_the_active_one_and_edits_it(
    desk: Desk,
) -> None:
    desk.open([TOOL, "2", "3"])
    for ready in READY_CELLS:
        activate(desk, 1)
        look(desk, "(notebook.mode = 'command')")
        execute(desk, ready["command"])
        wanted = "\n".join(ready["source"]).replace("{tool}", "weather")
        assert sources(desk)[1:3] == ["2", wanted]
        assert look(desk, "notebook.activeCellIndex") == 2
        assert look(desk, "notebook.mode") == "edit"
        assert look(desk, "notebook.activeCell.model.type") == "code"
        assert look(desk, "notebook.activeCell.editor.hasFocus()")
        assert selected(desk) == ready["selected"].replace("{tool}", "weather")
    assert len(sources(desk)) == 3 + len(READY_CELLS)


def test_what_is_typed_after_a_command_takes_the_place_of_the_example_name(
    desk: Desk,
) -> None:
    desk.open(["1"])
    execute(desk, "sparknb:new-http-tool")
    desk.page.keyboard.type("oslo")
    assert sources(desk)[1].startswith("%%spark_tool oslo\ntitle: ")


def test_the_palette_offers_the_commands_and_the_keyboard_suffices(desk: Desk) -> None:
    desk.open(["1"])
    activate(desk, 0)
    desk.page.keyboard.press("Control+Shift+C")
    desk.page.locator(".lm-CommandPalette-input").wait_for()
    desk.page.keyboard.type("sparknb")
    items = desk.page.locator(".lm-CommandPalette-item[data-command^='sparknb:']")
    items.nth(len(READY_CELLS) - 1).wait_for()
    labels = desk.page.locator(
        ".lm-CommandPalette-item[data-command^='sparknb:'] .lm-CommandPalette-itemLabel"
    ).all_inner_texts()
    assert sorted(labels) == sorted(ready["label"] for ready in READY_CELLS)
    assert items.locator(".lm-mod-disabled").count() == 0
    desk.page.keyboard.type(" list tools")
    desk.page.keyboard.press("Enter")
    desk.page.wait_for_function(
        "() => jupyterapp.shell.currentWidget.content.widgets.length === 2"
    )
    assert sources(desk) == ["1", "%spark list"]


def test_a_test_cell_is_about_the_nearest_tool_above(desk: Desk) -> None:
    desk.open(
        ["%%spark_tool one\n", "  %%spark_tool two --quiet", "x", "%%spark_tool 3"]
    )
    activate(desk, 2)
    execute(desk, "sparknb:test-tool")
    assert sources(desk)[3] == "%%spark_test two\ncity: Oslo"


def test_where_no_tool_is_defined_above_a_name_is_left_to_fill_in(desk: Desk) -> None:
    desk.open(["%%spark_tool --check", TOOL])
    activate(desk, 0)
    execute(desk, "sparknb:publish-tool")
    assert sources(desk)[1] == "%spark publish my_tool"
    assert selected(desk) == "my_tool"


def test_a_notebook_without_a_cell_gets_its_first(desk: Desk) -> None:
    desk.open(["1"])
    look(desk, "notebook.model.sharedModel.deleteCellRange(0, 1)")
    execute(desk, "sparknb:load")
    assert "%load_ext sparknb" in sources(desk)


def test_undo_takes_an_inserted_cell_back_in_one_step(desk: Desk) -> None:
    desk.open(["1"])
    execute(desk, "sparknb:list-tools")
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("z")
    desk.page.wait_for_function(
        "() => jupyterapp.shell.currentWidget.content.widgets.length === 1"
    )
    assert sources(desk) == ["1"]


def test_without_a_notebook_in_front_the_commands_are_disabled(desk: Desk) -> None:
    page = desk.open(["1"])
    is_enabled = "() => jupyterapp.commands.isEnabled('sparknb:list-tools')"
    assert desk.page.evaluate(is_enabled) is True
    execute(desk, "launcher:create")
    desk.page.wait_for_function(
        "() => !jupyterapp.commands.isEnabled('sparknb:list-tools')"
    )
    page.show()
    assert desk.page.evaluate(is_enabled) is True
    page.close()
    assert desk.page.evaluate(is_enabled) is False


# ------------------------------------------------------------------ highlighting
def test_the_body_of_a_tool_is_yaml_below_a_line_that_is_a_magic(desk: Desk) -> None:
    page = desk.open([TOOL, "title = 'Python' # as ever"])
    wait_for_language(page, 0, "yaml")
    found = tokens(desk, 0)
    assert found["%%spark_tool"] == "SparkMagic"
    assert found["weather"] == "SparkName"
    assert (found["title"], found["request"]) == ("atom", "atom")
    assert found["# a comment"] == "comment"
    assert tokens(desk, 1)["title"] == "VariableName"
    magic = editor(page, 0).locator("span", has_text="%%spark_tool").first
    assert magic.evaluate("e => getComputedStyle(e).fontWeight") in ("bold", "700")
    desk.picture(page.cell(0), "labextension-tool")


def test_the_highlighting_follows_the_magic_line_while_one_types(desk: Desk) -> None:
    page = desk.open([TOOL])
    wait_for_language(page, 0, "yaml")
    editor(page, 0).click()
    press = desk.page.keyboard.press
    press("Control+Home")
    press("Delete")
    press("Delete")  # spark_tool weather: Python to the kernel
    wait_for_language(page, 0, "python")
    assert "SparkMagic" not in tokens(desk, 0).values()
    desk.page.keyboard.type("%%")
    wait_for_language(page, 0, "yaml")
    assert tokens(desk, 0)["title"] == "atom"
    press("End")
    desk.page.keyboard.type(" --type typescript")
    wait_for_language(page, 0, "typescript")
    press("Home")
    press("Shift+End")
    press("Delete")
    wait_for_language(page, 0, "python")


# what a cell holds, the language of its body, and one of its tokens
FIRST_LINES: list[tuple[str, str, tuple[str, str]]] = [
    ("%%spark_test weather\ncity: Oslo", "yaml", ("city", "atom")),
    ("\n \n%%spark_tool x\na: 1", "yaml", ("a", "atom")),
    ("  %%spark_tool x\n  a: 1", "yaml", ("%%spark_tool", "SparkMagic")),
    (
        "%%spark_tool x --type python --test '{\"a\": 1}'\ndef run(): return True",
        "python",
        ("True", "Boolean"),
    ),
    (
        "%%spark_tool x --type=typescript\nexport default (a: string) => a",
        "typescript",
        ("export", "export"),
    ),
    (
        '%%spark_tool x --test \'{"a": "b c"}\'\na: 1',
        "yaml",
        ('\'{"a": "b c"}\'', "SparkValue"),
    ),
    (f"%%spark_tool x --test '{'y' * 9000}' -o z\na: 1", "yaml", ("-o", "SparkOption")),
    ("%%spark_tool", "yaml", ("%%spark_tool", "SparkMagic")),
    ("%%spark_curl x\ncurl -s 'http://a'", "shell", ("'http://a'", "string")),
    ("%%spark_curl x --params auto\n#", "shell", ("--params", "SparkOption")),
    ("%%spark_tool x\n", "yaml", ("x", "SparkName")),
    ("%%spark_tools x\na = 1", "python", ("a", "VariableName")),
    ("# no\n%%spark_tool x\na = 1", "python", ("a", "VariableName")),
    ("%%time\na = 1", "python", ("a", "VariableName")),
]


def test_the_first_line_alone_decides_on_the_language(desk: Desk) -> None:
    page = desk.open([cell for cell, _, _ in FIRST_LINES])
    for index, (_, language, (text, kind)) in enumerate(FIRST_LINES):
        wait_for_language(page, index, language)
        assert tokens(desk, index)[text] == kind


def test_only_code_cells_are_highlighted_so(desk: Desk) -> None:
    page = desk.open([TOOL])
    wait_for_language(page, 0, "yaml")
    activate(desk, 0)
    execute(desk, "notebook:change-cell-to-markdown")
    look(desk, "(notebook.mode = 'edit')")
    wait_for_language(page, 0, "markdown")
    execute(desk, "notebook:change-cell-to-code")
    wait_for_language(page, 0, "yaml")


def test_comments_are_those_of_the_body(desk: Desk) -> None:
    cells = ["%%spark_tool x\na: 1", "%%spark_tool x --type typescript\nlet a"]
    page = desk.open(cells)
    for index, language in enumerate(["yaml", "typescript"]):
        wait_for_language(page, index, language)
        editor(page, index).click()
        desk.page.keyboard.press("Control+End")
        desk.page.keyboard.press("Control+/")
    found = [source.splitlines()[1] for source in sources(desk)]
    assert found == ["# a: 1", "// let a"]


TYPING = """async () => {
  const views = jupyterapp.shell.currentWidget.content.widgets.map(
    cell => cell.editor.editor
  );
  const times = views.map(() => []);
  for (let round = 0; round < 20; round++) {
    for (const at of [40, 400, 5000]) {
      views.forEach((view, index) => {
        const start = performance.now();
        view.dispatch({ changes: { from: at, insert: "x" } });
        times[index].push(performance.now() - start);
      });
    }
  }
  return times.map(each => each.sort((a, b) => a - b)[each.length / 2]);
}"""


def test_typing_in_a_huge_cell_costs_no_more_than_in_any_other(desk: Desk) -> None:
    line = '  name_%d: {type: string, description: "Some words, and {{more}}"}\n'
    body = "params:\n" + "".join(line % number for number in range(10_000))
    page = desk.open([f"%%spark_tool x\n{body}", f"%%other_tool x\n{body}"])
    wait_for_language(page, 0, "yaml")
    wait_for_language(page, 1, "python")
    ours, other = desk.page.evaluate(TYPING)
    assert ours < 3 * other + 5  # milliseconds; all of it anew takes hundreds
