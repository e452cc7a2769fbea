"""A plain IPython terminal: no widgets, so prompts ask (NB-2)."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from pytest_httpserver import HTTPServer

from tests.canary import search_tree
from tests.hosting import http_tool

CANARY = "canary-at-the-terminal-1d2c"
CALL = """%spark call order --input '{"q": "x"}'"""


class Terminal:
    """IPython at a pseudo terminal."""

    def __init__(self, folder: Path) -> None:
        fixed = {"IPYTHONDIR": str(folder / "ipython"), "SPARKNB_KEYCHAIN": "memory"}
        fixed |= {"TERM": "dumb", "NO_COLOR": "1", "TMPDIR": str(folder)}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "IPython", "--simple-prompt", "--no-banner", "--colors=nocolor"],
            env={**os.environ, **fixed, "SPARKNB_HOME": str(folder / "home")},
            cwd=str(folder),
            encoding="utf-8",
            timeout=60,
            dimensions=(50, 120),
        )
        self.ends()

    def ends(self) -> str:
        """Wait for the next input prompt; give what came before it."""
        self.child.expect(r"In \[\d+\]: ")
        return self.child.before or ""

    def interrupted(self) -> str:
        """Press Ctrl-C until it is seen: a prompt that is just drawn may miss it."""
        for _ in range(20):
            self.child.sendintr()
            if self.child.expect([r"In \[\d+\]: ", pexpect.TIMEOUT], timeout=3) == 0:
                return self.child.before or ""
        raise TimeoutError("Ctrl-C is not seen")

    def run(self, line: str) -> str:
        self.child.sendline(line)
        return self.ends()


@pytest.fixture
def terminal(tmp_path: Path, httpserver: HTTPServer) -> Iterator[Terminal]:
    httpserver.expect_request("/order").respond_with_data("ordered")
    url = httpserver.url_for("/order?q={{q}}")
    order = http_tool(url, tool_id="order", method="POST")
    order["spec"]["request"]["headers"] = [{"name": "X-Key", "secretRef": "key"}]
    order["secretRefs"] = {"key": "custom-tool:order:key"}
    (tmp_path / "order.json").write_text(repr(order), encoding="utf-8")
    started = Terminal(tmp_path)
    assert "sparknb is ready" in started.run("%load_ext sparknb")
    started.run("import ast, pathlib")
    said = started.run(
        "spark.studio.draft(ast.literal_eval(pathlib.Path('order.json').read_text()))"
    )
    assert "order is a new tool" in said
    yield started
    started.child.close(force=True)


def test_prompts_ask_for_answers_and_secrets(
    terminal: Terminal, httpserver: HTTPServer, tmp_path: Path
) -> None:
    child = terminal.child
    child.sendline("spark.secret('order', 'key');")
    child.expect(r"Value of key for order \(hidden\): ")
    child.sendline(CANARY)
    assert "is stored in" in terminal.ends()
    child.sendline("%spark publish order")
    child.expect("Publish version 1 of order")
    child.expect(r"\[y\]es or \[N\]o: ")
    child.sendline("y")
    assert "version 1 is published" in terminal.ends()
    child.sendline(CALL)
    child.expect("Approve this call")
    child.expect(r"\[R\]eject: ")
    child.sendline("r")
    assert "DENIED" in terminal.ends()
    assert httpserver.log == []
    child.sendline(CALL)
    child.expect(r"\[R\]eject: ")
    child.sendline("a")
    assert "ordered" in terminal.ends()
    assert httpserver.log[0][0].headers["X-Key"] == CANARY
    child.sendline(CALL)
    child.expect(r"\[R\]eject: ")
    said = terminal.interrupted()
    assert "CANCELLED" in said
    assert "Traceback" not in said
    assert len(httpserver.log) == 1
    terminal.run("get_ipython().history_manager.writeout_cache()")
    assert search_tree(tmp_path, CANARY) == []


def test_cells_widgets_and_failures_are_text(terminal: Terminal) -> None:
    assert "order" in terminal.run("%spark")
    assert "low-write" in terminal.run("spark.risk('order')")
    said = terminal.run("%spark show absent")
    assert "NOT_FOUND" in said
    assert "Traceback" not in said
    assert "order" in terminal.run(
        "get_ipython().run_cell_magic('time', '', '%spark list')"
    )
    assert "No exception" not in terminal.run("%unload_ext sparknb")
