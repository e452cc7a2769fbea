"""A secret that is typed in a notebook is in no file, log, output or state (NB-32)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.canary import search_tree, text_forms
from tests.hosting import http_tool
from tests.magics.conftest import Definition
from tests.magics.kernels import Kernel, Widget, running_kernel

CANARY = "canary-4f9d1e77c0ffee-typed"


@pytest.fixture(scope="module")
def logging(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """Give a kernel that logs all it can, with everything it keeps in one folder."""
    with running_kernel(tmp_path_factory.mktemp("kernel"), "--debug") as kernel:
        kernel.run("%load_ext sparknb")
        assert kernel.run(f"spark.studio.draft({tool()!r})").error is None
        yield kernel


def tool() -> Definition:
    definition = http_tool("http://127.0.0.1:9/?q={{q}}", tool_id="keyed")
    definition["spec"]["request"]["headers"] = [{"name": "X-Key", "secretRef": "key"}]
    return definition | {"secretRefs": {"key": "custom-tool:keyed:key"}}


def everything(kernel: Kernel) -> str:
    """Give all that a page was told: outputs and widget states."""
    states = [(w.state, w.replies) for w in kernel.page.widgets.values()]
    return json.dumps(states, default=str)


def assert_nowhere(kernel: Kernel, *texts: str) -> None:
    kernel.run("get_ipython().history_manager.writeout_cache()")
    shown = "\n".join([everything(kernel), *texts])
    assert [form for form in text_forms(CANARY) if form in shown] == []
    assert search_tree(kernel.folder, CANARY) == []


def status(kernel: Kernel) -> str:
    return kernel.run("%spark secret status keyed").text


def test_the_log_and_the_history_are_where_a_leak_would_show(logging: Kernel) -> None:
    """The test of the tests: what is typed into a cell is found."""
    logging.run("'canary-that-is-found'")
    logging.run("get_ipython().history_manager.writeout_cache()")
    found = {p.name for p, _ in search_tree(logging.folder, "canary-that-is-found")}
    assert {"history.sqlite", "kernel.log"} <= {n.removesuffix("-wal") for n in found}


def test_a_value_for_the_command_is_typed_into_a_field(logging: Kernel) -> None:
    def give(prompt: Widget) -> None:
        assert prompt.kind == "SecretPrompt"
        prompt.send("value", value=CANARY)

    cell = logging.run("%spark secret set keyed key", on_widget=give)
    assert cell.error is None, cell.traceback
    assert "stored in" in cell.text
    assert "set" in status(logging)
    assert_nowhere(logging, json.dumps(cell.outputs))
    assert logging.run("%spark secret delete keyed key --no-raise").error is None


def test_a_field_that_is_closed_stores_nothing(logging: Kernel) -> None:
    cell = logging.run(
        "%spark secret set keyed key", on_widget=lambda field: field.send("cancel")
    )
    assert (cell.error or ("", ""))[1].startswith("CANCELLED")
    assert "missing" in status(logging)


def test_the_entry_stores_a_value_without_a_cell_that_waits(logging: Kernel) -> None:
    cell = logging.run("entry = spark.secret('keyed', 'key'); entry")
    assert "key of keyed" in cell.bundles[0]["text/plain"]
    (widget,) = [w for w in logging.page.widgets.values() if w.kind == "SecretEntry"]
    assert not widget.state["secret"]["isSet"]
    widget.send("store", value=CANARY)
    for _ in range(200):
        logging.run("import asyncio; await asyncio.sleep(0.02)", silent=True)
        if any(reply.get("kind") == "stored" for reply in widget.replies):
            break
    assert widget.state["secret"]["isSet"]
    assert logging.value("entry") != cell.bundles[0]["text/plain"]
    assert "set" in status(logging)
    assert_nowhere(logging, json.dumps(cell.outputs))
    logging.run("%spark secret delete keyed key")


def test_a_value_is_typed_at_a_hidden_prompt_in_a_nested_call(logging: Kernel) -> None:
    code = "for _ in [1]:\n    %spark secret set keyed key"
    cell = logging.run(code, answers=[CANARY])
    assert cell.error is None, cell.traceback
    assert cell.prompts == ["Value of key for keyed (hidden): "]
    assert_nowhere(logging, json.dumps(cell.outputs))
    logging.run("%spark secret delete keyed key")


def test_an_interrupt_while_the_field_waits_stores_nothing(logging: Kernel) -> None:
    fields: list[Widget] = []

    def interrupt(field: Widget) -> None:
        fields.append(field)
        logging.interrupt()

    cell = logging.run("%spark secret set keyed key", on_widget=interrupt)
    assert cell.error == ("SparkMagicError", "CANCELLED: interrupted")
    fields[0].send("value", value=CANARY)
    assert "missing" in status(logging)
    assert_nowhere(logging)


def test_the_key_of_a_provider_is_typed_into_a_field(logging: Kernel) -> None:
    def give(prompt: Widget) -> None:
        assert prompt.kind == "SecretPrompt"
        prompt.send("value", value=CANARY)

    add = "%spark provider add eyes --base-url http://127.0.0.1:9/v1 --model m"
    closed = logging.run(add, on_widget=lambda field: field.send("cancel"))
    assert (closed.error or ("", ""))[1].startswith("CANCELLED")
    assert "no providers yet" in logging.run("%spark provider list").text
    added = logging.run(add, on_widget=give)
    assert "eyes is added" in added.text
    tried = logging.run("%spark provider test eyes")
    assert (tried.error or ("", ""))[1].startswith("UNREACHABLE")
    blocking = logging.run("spark.providers.test('eyes')")
    assert (blocking.error or ("", ""))[0] == "UnreachableError"
    again = logging.run("%spark provider key eyes", on_widget=give)
    assert "the key of eyes is stored" in again.text
    removed = logging.run("%spark provider remove eyes")
    assert "eyes is removed" in removed.text
    cells = (closed, added, tried, blocking, again, removed)
    assert_nowhere(logging, *[json.dumps([c.outputs, c.traceback]) for c in cells])


@pytest.mark.parametrize("answered_by", ["a field", "a prompt", "the code"])
def test_a_traceback_that_shows_all_variables_shows_no_value(
    logging: Kernel, answered_by: str
) -> None:
    """A fault of ours, or of a keychain's library, comes up as one."""
    logging.run(
        "%xmode Verbose\nimport sparknb.host.vault as vault\n"
        "write = vault.Vault.write\n"
        "async def broken(*_): raise ValueError('a fault')\n"
        "vault.Vault.write = broken"
    )
    line = "%spark secret set keyed key"
    if answered_by == "a field":
        cell = logging.run(
            line, on_widget=lambda field: field.send("value", value=CANARY)
        )
    elif answered_by == "a prompt":
        cell = logging.run(f"for _ in [1]:\n    {line}", answers=[CANARY])
    else:
        code = "import getpass\nspark.secrets.set('keyed', 'key', getpass.getpass())"
        cell = logging.run(code, answers=[CANARY])
    assert cell.error == ("ValueError", "a fault")
    again = logging.run("%tb")
    variables = logging.run("%debug", answers=["a", *["u", "a", "p locals()"] * 9, "q"])
    logging.run("vault.Vault.write = write\n%xmode Context")
    assert_nowhere(logging, *(json.dumps(c.outputs) for c in (cell, again, variables)))


def test_a_form_of_a_home_that_was_left_stores_nothing(tmp_path: Path) -> None:
    with running_kernel(tmp_path) as kernel:
        kernel.run("%load_ext sparknb")
        assert kernel.run(f"spark.studio.draft({tool()!r})").error is None
        kernel.run("entry, form = spark.secret('keyed', 'key'), spark.risk('keyed')")
        kernel.run("%spark home --temp\nspark.studio.list()")
        found = {w.kind: w for w in kernel.page.widgets.values() if w.kind}
        found["SecretEntry"].send("store", value=CANARY)
        given = {"risk": "destructive", "effect": "delete", "idempotency": "unsafe"}
        found["RiskForm"].send("save", **given)
        kernel.run("import asyncio; await asyncio.sleep(0)")
        for widget in (found["SecretEntry"], found["RiskForm"]):
            assert "nothing was done" in widget.replies[-1]["text"]


def test_where_nobody_can_answer_nothing_is_asked(logging: Kernel) -> None:
    for code in (
        "%spark secret set keyed key",
        "for _ in [1]: %spark secret set keyed key",
    ):
        cell = logging.run(code.replace(": %", ":\n    %"))
        assert (cell.error or ("", ""))[1].startswith("APPROVAL_UNAVAILABLE")


def test_a_value_in_the_wrong_place_is_refused_and_not_repeated(
    logging: Kernel, tmp_path: Path
) -> None:
    cell = logging.run(f"%spark secret set keyed key {CANARY}", silent=True)
    assert cell.error is not None
    assert CANARY not in json.dumps(cell.outputs)
