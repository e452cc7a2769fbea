"""A pasted cURL command becomes a draft; its secret gets no further (NB-13)."""

import json
from collections.abc import Iterator
from hashlib import sha256

import pytest
from pytest_httpserver import HTTPServer

from tests.canary import search_tree, text_forms
from tests.magics.kernels import Cell, Kernel, Widget, running_kernel

CANARY = "canary-7c3e55aa90b1-pasted"
COMMAND = f"curl https://api.test/items?q=x -H 'Authorization: Bearer {CANARY}'"
PASTED = f"%%spark_curl items\n{COMMAND}"


@pytest.fixture(scope="module")
def logging(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """Give a kernel that logs all it can, with everything it keeps in one folder."""
    with running_kernel(tmp_path_factory.mktemp("kernel"), "--debug") as kernel:
        kernel.run("%load_ext sparknb")
        yield kernel


def assert_nowhere(kernel: Kernel, *cells: Cell) -> None:
    kernel.run("get_ipython().history_manager.writeout_cache()")
    states = [(w.state, w.replies) for w in kernel.page.widgets.values()]
    shown = json.dumps([states, [c.outputs for c in cells]], default=str)
    shown += kernel.run("import json; print(json.dumps(In), _i, _ii, _iii)").text
    shown += kernel.run("%history -n -o").text + kernel.run("%history -g spark").text
    assert "spark_curl" in shown  # it was looked for where it would be
    assert [form for form in text_forms(CANARY) if form in shown] == []
    assert search_tree(kernel.folder, CANARY) == []


# ------------------------------------------------------------------------ the draft
def test_a_command_becomes_a_draft_with_its_secret_in_the_keychain(
    logging: Kernel,
) -> None:
    cell = logging.run(PASTED)

    assert cell.error is None, cell.traceback
    assert "items is a new tool: draft version 1" in cell.text
    assert "authorization_secret   set" in cell.text
    assert "SECRET_IN_CELL" in cell.text
    assert "IMPORT_NOTICE" not in cell.text
    assert "%%spark_tool items\n" in cell.text
    assert "Authorization: secret:authorization_secret" in cell.text
    assert "{'authorization_secret': True}" in logging.value(
        "spark.secrets.status('items')"
    )
    reference = "custom-tool:items:authorization_secret"
    logging.run(f"kept = spark.host.keychain.read({reference!r}).value.encode()")
    stored = logging.value("__import__('hashlib').sha256(kept).hexdigest()")
    logging.run("del kept")
    assert stored == sha256(f"Bearer {CANARY}".encode()).hexdigest()
    assert_nowhere(logging, cell)


def test_the_card_names_the_way_to_agents(kernel: Kernel) -> None:
    made = kernel.run("%%spark_curl keyed_x\ncurl https://api.test/x")
    assert made.error is None, made.traceback
    assert "%spark publish keyed_x" in made.text
    assert "agents choose by that" in made.text


def test_the_same_cell_again_changes_nothing(logging: Kernel) -> None:
    logging.run(PASTED)
    again, later = logging.run(PASTED), logging.run(PASTED)

    assert "is unchanged" in again.text
    assert again.outputs == later.outputs


def test_the_cell_that_it_offers_makes_the_very_same_tool(kernel: Kernel) -> None:
    made = kernel.run("%%spark_curl forms\ncurl https://a.test/f -d 'x=1&y=a b'")
    offered = made.bundles[-1]["text/plain"]
    assert offered.startswith("%%spark_tool forms\n")

    again = kernel.run(offered)

    assert again.error is None, again.traceback
    assert "is unchanged" in again.text


def test_a_tool_with_defaults_sends_what_was_pasted(
    kernel: Kernel, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/w", query_string="city=Oslo").respond_with_data("7")
    url = httpserver.url_for("/w?city=Oslo")
    kernel.run(f"%%spark_curl air --params auto\ncurl '{url}'")

    assert "7" in kernel.run("%%spark_test air\n").text


def test_a_variable_stands_by_its_name_in_what_is_shown(
    kernel: Kernel, httpserver: HTTPServer
) -> None:
    base = httpserver.url_for("").rstrip("/")
    kernel.run(f"base = {base!r}")

    cell = kernel.run("%%spark_curl air --var base\ncurl ${base}/w")

    assert cell.error is None, cell.traceback
    assert "GET ${base}/w" in cell.text
    assert "%%spark_tool air --var base" in cell.text
    assert base not in json.dumps(cell.outputs)
    assert "is unchanged" in kernel.run(cell.bundles[-1]["text/plain"]).text


# ------------------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "CURL_NOT_CURL"),
        ("wget https://a.test", "CURL_NOT_CURL"),
        ("<!doctype html><p>no", "CURL_NOT_CURL"),
        ("curl 'https://a.test", "CURL_SYNTAX"),
        ("curl https://a.test/$(touch pwned)", "CURL_SHELL"),
        (f"curl 'https://a.test/?api_key={CANARY}'", "CURL_SECRET"),
        (f"curl https://a.test -F key={CANARY}", "CURL_UNSUPPORTED_OPTION"),
        ("curl https://a.test -d " + "x" * 300_000, "CURL_SYNTAX"),
    ],
)
def test_what_no_tool_can_do_is_refused_in_one_block(
    logging: Kernel, body: str, code: str
) -> None:
    cell = logging.run(f"%%spark_curl refused\n{body}")

    name, text = cell.error or ("", "")
    assert name == "SparkMagicError"
    assert code in text
    assert "refused" not in logging.value("[t.id for t in spark.studio.list().tools]")
    assert list(logging.folder.rglob("pwned")) == []
    assert_nowhere(logging, cell)


def test_a_keychain_that_refuses_leaves_no_draft(kernel: Kernel) -> None:
    kernel.run(
        "from sparknb.core.errors import KeychainUnavailableError\n"
        "from sparknb.keychain.memory import MemoryKeychain as M\n"
        "write = M.write\n"
        "def refuse(*_): raise KeychainUnavailableError('it is locked')\n"
        "M.write = refuse"
    )
    cell = kernel.run(PASTED)
    kernel.run("M.write = write")

    assert (cell.error or ("", ""))[1].startswith("KEYCHAIN_UNAVAILABLE")
    assert kernel.value("spark.studio.list().total") == "0"
    assert kernel.run(PASTED).error is None


def test_a_fault_of_ours_shows_the_text_in_no_traceback(logging: Kernel) -> None:
    logging.run(
        "%xmode Verbose\nimport sparknb.host.imports as imports\n"
        "keep = imports.Imports._write\n"
        "async def broken(*_): raise ValueError('a fault')\n"
        "imports.Imports._write = broken"
    )
    cell = logging.run(PASTED)
    again = logging.run("%tb")
    variables = logging.run("%debug", answers=["a", *["u", "a", "p locals()"] * 9, "q"])
    logging.run("imports.Imports._write = keep\n%xmode Context")

    assert cell.error == ("ValueError", "a fault")
    assert_nowhere(logging, cell, again, variables)


def test_a_fault_of_the_reader_shows_nothing_of_the_text(logging: Kernel) -> None:
    logging.run(
        "%xmode Verbose\nimport sparknb.importers.curl as curl\n"
        "read = curl.read_curl\n"
        "def broken(text, **_): raise ValueError(text)\n"
        "curl.read_curl = broken"
    )
    cell = logging.run(PASTED)
    logging.run("curl.read_curl = read\n%xmode Context")

    assert (cell.error or ("", ""))[1].startswith("EXECUTION_FAILED")
    assert_nowhere(logging, cell)


# ---------------------------------------------------------------------- the history
def test_nested_and_repeated_cells_are_kept_out_too(logging: Kernel) -> None:
    cells = [
        logging.run(f"%%time\n{PASTED}"),
        logging.run(f"\n \n{PASTED}"),
        logging.run(
            f"get_ipython().run_cell_magic('spark_curl', 'nested', {COMMAND!r})"
        ),
    ]
    logging.client.is_complete(PASTED)
    logging.client.get_shell_msg(timeout=60)

    assert all(cell.error is None for cell in cells)
    assert_nowhere(logging, *cells)


@pytest.mark.parametrize("before", ["x = 1\n", "\n  ", "# a note\n"])
def test_a_magic_that_does_not_stand_first_shows_nothing_of_the_text(
    logging: Kernel, before: str
) -> None:
    cell = logging.run(f"{before}{PASTED}")

    assert "first line of its cell" in (cell.error or ("", ""))[1]
    assert_nowhere(logging, cell)


def test_other_cells_are_in_the_history_as_ever(kernel: Kernel) -> None:
    kernel.run("before = 1")
    kernel.run(PASTED)
    kernel.run("after = 1")

    assert kernel.value("[i for i in In[-4:] if 'In' not in i][:1]") == "['before = 1']"
    shown = kernel.value("In[-4]")
    assert shown.startswith("%%spark_curl items\n#")


def test_unloading_leaves_the_history_as_it_was(kernel: Kernel) -> None:
    kernel.run("%unload_ext sparknb")

    methods = "get_ipython().history_manager.store_inputs.__qualname__"
    assert kernel.value(methods) == "HistoryManager.store_inputs"
    assert kernel.value("get_ipython().kernel.log.filters") == "[]"
    kernel.run("%load_ext sparknb\n%spark home --temp")


# ----------------------------------------------------------------------- the widget
def test_a_person_gets_a_widget_in_the_same_output(kernel: Kernel) -> None:
    widgets: list[Widget] = []

    alone = kernel.run(PASTED)
    kernel.run("%spark delete items --yes")
    watched = kernel.run(PASTED, on_widget=widgets.append)

    (widget,) = widgets
    assert widget.kind == "CellReplacer"
    assert widget.state["cell"]["hasSecret"] is True
    assert widget.state["cell"]["magic"] == "%%spark_curl"
    view = "application/vnd.jupyter.widget-view+json"
    (shown,) = [b for b in watched.bundles if view in b]
    rest = {k: v for k, v in shown.items() if k != view}
    assert rest == alone.bundles[-1]
    assert CANARY not in json.dumps(widget.state)

    widget.send("replaced")
    kernel.run("import asyncio; await asyncio.sleep(0)")
    assert widget.state["status"] == "replaced"
