"""The list of operations and the cell to go on with, in a real browser."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sparknb.commands.offers import Choice, Choices, ReadyCell
from sparknb.host import Host
from sparknb.host.loop_thread import LoopThread
from sparknb.widgets import CellReplacer, OperationPicker
from tests.hosting import http_tool
from tests.widgets.stage import Hand, Stage

expect = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed"
).expect
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe is not installed"
)

HOSTILE = "<img src=x onerror=alert(1)>\u202eevil"
CELL = "%%spark_tool pets\ntitle: Pets\nrequest: GET https://a.test/pets\n"

Make = Callable[..., OperationPicker]


def choice(number: int, **changes: Any) -> Choice:
    tool_id = f"op_{number}"
    values: dict[str, Any] = {
        "operation": f"GET /things/{number}",
        "definition": http_tool(f"http://127.0.0.1:9/{number}", tool_id=tool_id),
        "summary": f"Gives thing number {number}",
        "tags": ["even" if number % 2 == 0 else "odd"],
        "tokens": 10 + number,
    }
    del values["definition"]["inputSchema"]["required"]
    values["definition"]["inputSchema"]["properties"] = {}
    return Choice(**(values | changes))


@pytest.fixture
def pick(host: Host, hand: Hand) -> Make:
    def make(items: Sequence[Choice] | None = None) -> OperationPicker:
        async def open_host() -> Host:
            return host

        shown = [choice(n) for n in range(12)] if items is None else items
        return OperationPicker(open_host, Choices(title="Things", items=shown), hand)

    return make


def saved(loop: LoopThread, host: Host) -> list[str]:
    return sorted(tool.id for tool in loop.run(host.studio.list()).tools)


# ------------------------------------------------------------------------- keyboard
def test_operations_are_found_picked_and_imported_by_keyboard(
    stage: Stage, pick: Make, hand: Hand, host: Host, loop: LoopThread
) -> None:
    picker = pick()
    view = stage.show(picker)
    press, write = stage.page.keyboard.press, stage.page.keyboard.type
    view.get_by_label("Search").focus()
    write("number 1")
    expect(view.locator("div[role=option]")).to_have_count(3)  # 1, 10, 11
    for _ in range(3):  # tag, select all, the list: nothing is there to clear
        press("Tab")
    expect(view.get_by_role("listbox")).to_be_focused()
    press("Space")
    press("ArrowDown")
    press("ArrowDown")
    press("Space")
    expect(view.get_by_role("status").first).to_have_text("2 of 12 tools, 32 tokens")
    press("Tab")
    expect(view.get_by_role("button", name="Import 2 tools")).to_be_focused()
    press("Enter")
    stage.pump()
    hand.deliver()
    stage.flush(picker)

    expect(view).to_contain_text("2 drafts saved. Go on with these lines:")
    expect(view.locator(".spark-next pre")).to_have_text(
        "%spark test op_1\n%spark publish op_1"
    )
    assert saved(loop, host) == ["op_1", "op_11"]
    expect(view.locator("div[role=option]").first).to_contain_text("saved as op_1")
    assert "saved as op_11" in str(picker)


def test_commands_to_go_on_with_are_lines_to_copy(
    stage: Stage, pick: Make, hand: Hand
) -> None:
    picker = pick([choice(n, secrets=("ApiKey", "Session")) for n in range(2)])
    view = stage.show(picker)
    expect(view).to_contain_text("Space picks, arrows move, Ctrl+A picks all.")
    view.get_by_role("listbox").press("Control+a")
    view.get_by_role("button", name="Import").click()
    stage.pump()
    hand.deliver()
    stage.flush(picker)
    view.get_by_role("button", name="Copy").click()

    assert stage.page.evaluate("String(getSelection())").strip().split("\n") == [
        "%spark secret set op_0 ApiKey",
        "%spark secret set op_0 Session",
        "%spark secret set op_1 ApiKey",
        "# and 1 more secret: %spark secret status ID",
        "%spark test op_0",
        "%spark publish op_0",
    ]


def test_a_row_is_told_of_once_somebody_is_there(stage: Stage, pick: Make) -> None:
    view = stage.show(pick())
    details = view.locator(".spark-about")
    expect(details).to_be_hidden()
    view.locator("div[role=option]").nth(1).click()
    expect(details).to_contain_text("GET /things/1")
    view.get_by_role("button", name="Clear").click()
    expect(details).to_be_hidden()


def test_all_that_a_search_leaves_is_picked_at_once(stage: Stage, pick: Make) -> None:
    view = stage.show(pick([*map(choice, range(6)), choice(6, against="it is a HEAD")]))
    view.get_by_label("Tag").select_option("even")
    view.get_by_role("listbox").press("Control+a")

    status = view.get_by_role("status").first
    expect(status).to_have_text("3 of 6 tools, 36 tokens")
    view.get_by_label("Tag").select_option("")
    view.get_by_role("button", name="Select all").click()
    expect(status).to_have_text("6 of 6 tools, 75 tokens")
    view.get_by_role("button", name="Clear").click()
    expect(status).to_have_text("0 of 6 tools, 0 tokens")
    view.get_by_label("Search").fill("no such thing")
    expect(view).to_contain_text("No operation fits the search.")
    expect(view.get_by_role("listbox")).to_be_hidden()


def test_what_cannot_be_imported_says_why_and_cannot_be_picked(
    stage: Stage, pick: Make
) -> None:
    view = stage.show(pick([choice(0, definition=None, against="it wants a cookie")]))
    option = view.locator("div[role=option]")
    option.click(force=True)

    expect(option).to_have_attribute("aria-disabled", "true")
    expect(option).to_have_attribute("aria-selected", "false")
    expect(view).to_contain_text("It wants a cookie.")
    expect(view.get_by_role("button", name="Import")).to_have_attribute(
        "aria-disabled", "true"
    )


def test_an_id_that_was_taken_meanwhile_is_told(
    stage: Stage, pick: Make, hand: Hand, host: Host, loop: LoopThread
) -> None:
    picker = pick()
    view = stage.show(picker)
    loop.run(host.studio.create_draft(choice(0).definition or {}))
    view.get_by_role("listbox").press("Control+a")
    view.get_by_role("button", name="Import").click()
    stage.pump()
    hand.deliver()
    stage.flush(picker)

    expect(view).to_contain_text("11 drafts saved. Op_0: the id is taken")


def test_words_of_a_document_are_text(stage: Stage, pick: Make) -> None:
    item = choice(
        1,
        operation=f"GET /{HOSTILE}",
        summary=HOSTILE,
        tags=[HOSTILE],
        notices=[HOSTILE],
    )
    view = stage.show(pick([item]))

    assert view.locator("img").count() == 0
    expect(view.locator("div[role=option]")).to_contain_text(
        "<img src=x onerror=alert(1)>"
    )
    assert "\u202e" not in stage.page.content()


# ------------------------------------------------------------------ large documents
def test_five_thousand_operations_are_drawn_as_far_as_they_are_seen(
    stage: Stage, pick: Make
) -> None:
    view = stage.show(pick([choice(n) for n in range(5000)]))
    rows = view.locator("div[role=option]")
    assert rows.count() < 40
    view.get_by_role("listbox").press("End")
    expect(view.locator(".spark-row.active")).to_contain_text("/things/4999")
    view.get_by_label("Search").fill("4321")
    expect(rows).to_have_count(1)
    # a key stroke: all of it, search and drawing
    took = stage.page.evaluate(
        """() => {
          const field = document.querySelector("input[type=search]");
          const began = performance.now();
          for (const text of ["4", "43", "thing", ""]) {
            field.value = text;
            field.dispatchEvent(new Event("input"));
          }
          return (performance.now() - began) / 4;
        }"""
    )
    assert took < 100  # ms; about 5 on a quiet machine


# ----------------------------------------------------------------------- the kernel
@pytest.mark.parametrize(
    "chosen", [None, [], "0", [True], [0, 0], [-1], [12], [1.5], ["0"], [{}]]
)
def test_a_choice_of_another_form_is_ignored(pick: Make, chosen: Any) -> None:
    picker = pick()
    message = {"id": "view-1", "kind": "import", "chosen": chosen}
    picker._handle_msg(
        {"content": {"data": {"method": "custom", "content": message}}, "buffers": []}
    )
    sent = [m["content"] for m in picker.comm.drain() if m["method"] == "custom"]
    assert [reply["kind"] for reply in sent] == ["taken", "ignored"]


# ------------------------------------------------------------------ the cell to go on
def test_the_page_is_asked_to_replace_the_cell(stage: Stage) -> None:
    replacer = CellReplacer(ReadyCell(text=CELL, where="here", has_secret=True))
    view = stage.show(replacer)
    expect(view).to_contain_text("still holds the secret")
    stage.page.evaluate(
        """() => document.addEventListener("sparknb:replace-cell", (event) => {
          window.wish = { ...event.detail };
          event.detail.answer = "replaced";
        })"""
    )
    view.get_by_role("button", name="Replace this cell").click()

    expect(view).to_contain_text("The cell is replaced. Save the notebook.")
    wish = stage.page.evaluate("window.wish")
    assert wish == {"text": CELL.rstrip(), "magic": "%%spark_curl", "answer": ""}
    stage.pump()
    assert replacer.status == "replaced"
    assert str(replacer) == CELL.rstrip()


@pytest.mark.parametrize(
    ("answer", "said"), [("changed", "stays as it is"), ("", "Copy the text")]
)
def test_a_cell_that_cannot_be_replaced_can_be_copied(
    stage: Stage, answer: str, said: str
) -> None:
    view = stage.show(CellReplacer(ReadyCell(text=CELL, where="here")))
    stage.page.evaluate(
        """(answer) => document.addEventListener("sparknb:replace-cell",
          (event) => { event.detail.answer = answer; })""",
        answer,
    )
    view.get_by_role("button", name="Replace this cell").click()
    expect(view).to_contain_text(said)
    view.get_by_role("button", name="Copy").click()

    assert stage.page.evaluate("String(getSelection())").strip() == CELL.strip()


# ---------------------------------------------------------------------------- looks
def test_no_serious_finding_in_a_narrow_dark_page(
    stage_in: Callable[..., Stage], pick: Make
) -> None:
    stage = stage_in("dark", 320)
    items = [choice(0), choice(1, definition=None, against="it wants a cookie " * 9)]
    view = stage.show(pick([*items, choice(2, summary=HOSTILE * 9)]), "picker")
    view.get_by_role("listbox").press("Space")
    stage.show(CellReplacer(ReadyCell(text=CELL * 9, has_secret=True)), "cell")

    found = axe.Axe().run(stage.page).response["violations"]

    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in serious] == []
    assert stage.page.evaluate("document.documentElement.scrollWidth") <= 320
    assert stage.errors == []
