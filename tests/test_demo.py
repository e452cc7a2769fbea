"""`sparknb demo`: all of it happens, it says so, and nothing is left behind."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparknb.demo import agent, author, run_demo, story
from sparknb.demo.account import Account
from sparknb.examples import API_KEY
from sparknb.mcp.config import command


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder in which the demo makes its own; it must be empty afterwards."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def told() -> tuple[int, str]:
    out = io.StringIO()
    code = run_demo(out)
    return code, out.getvalue()


def without_time(text: str) -> str:
    return re.sub(r"in [0-9.]+ s", "in … s", text)


def test_the_demo_tells_the_same_from_the_command_line_and_from_python(
    isolated_home: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARKNB_HOME", str(isolated_home / "mine"))
    hostile = {
        "SPARKNB_DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:1/none",
        "SPARKNB_KEYCHAIN": "os",
        "http_proxy": "http://127.0.0.1:1",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        [*command(), "demo"],
        env=os.environ | hostile,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    code, text = told()
    assert code == 0
    assert without_time(text) == without_time(done.stdout)
    steps = re.findall(r"^([0-9]+)\. ", text, flags=re.MULTILINE)
    assert steps == [str(number) for number in range(1, 12)]
    assert "\x1b" not in text
    assert API_KEY not in text
    assert len(text.splitlines()) < 120
    assert max(map(len, text.splitlines())) <= 92
    assert not list(temporary.iterdir())
    assert not list(isolated_home.rglob("*.db"))


def test_a_server_that_does_not_start_fails_the_demo_at_that_step(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash = [sys.executable, "-c", "import sys; sys.exit('no such module: sparknb')"]
    monkeypatch.setattr(agent, "command", lambda: crash)
    code, text = told()
    assert code == 1
    assert "The demo failed in step 7: " in text
    assert "no such module: sparknb" in " ".join(text.split())
    assert "All of it happened" not in text
    assert not list(temporary.iterdir())


def test_a_claim_that_is_not_so_fails_the_demo(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "_stored_order", lambda _: {"city": "Lima"})
    code, text = told()
    assert code == 1
    assert "The demo failed in step 10: the shop must have the order" in text
    assert not list(temporary.iterdir())


def test_the_demo_ends_when_its_time_is_over(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: Any) -> None:
        import asyncio

        await asyncio.Event().wait()

    monkeypatch.setattr(story, "_SECONDS", 2.0)
    monkeypatch.setattr(author, "refuse", never)
    code, text = told()
    assert code == 1
    assert "it took longer than 2 s" in text
    assert not list(temporary.iterdir())


def test_the_next_steps_name_the_program_as_it_can_be_started_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / ".venv" / "bin" / "sparknb"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(story, "command", lambda: [str(program)])
    monkeypatch.setenv("PATH", str(tmp_path))
    out = io.StringIO()
    story._close(Account(out), 1.0)
    command = Path(".venv", "bin", "sparknb")
    assert f"{command} mcp --print-config claude  connect" in out.getvalue()
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    story._close(Account(out), 1.0)
    assert "   sparknb mcp --print-config claude" in out.getvalue()


class Terminal(io.StringIO):
    """What a terminal shows."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def closing(monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """Give the end of the demo, in a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")

    def close() -> str:
        out = Terminal()
        story._close(Account(out), 1.0)
        return out.getvalue()

    return close


def test_the_end_names_the_home_in_which_own_tools_will_live(
    isolated_home: Path, monkeypatch: pytest.MonkeyPatch, closing: Callable[[], str]
) -> None:
    monkeypatch.setenv("SPARKNB_HOME", "/srv/tools")
    assert "Your own tools will live in /srv/tools." in closing()
    monkeypatch.delenv("SPARKNB_HOME")
    assert f"livein{isolated_home}" in "".join(closing().split())


def test_settings_that_are_refused_do_not_spoil_the_end(
    monkeypatch: pytest.MonkeyPatch, closing: Callable[[], str]
) -> None:
    monkeypatch.setenv("SPARKNB_KEYCHAIN", "paper")
    said = " ".join(closing().split())
    assert "All of it happened" in said
    assert "Your own settings are refused: " in said
    assert "doctor`." in said


def test_the_next_steps_stay_legible_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, closing: Callable[[], str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(story, "command", lambda: ["/opt/venvs/tools/bin/sparknb"])
    lines = [line.rstrip() for line in closing().splitlines()]
    at = lines.index("   /opt/venvs/tools/bin/sparknb mcp --print-config claude")
    assert lines[at + 1] == "     connect an agent (or cursor, vscode)"
    monkeypatch.setattr(story, "command", lambda: ["./sparknb"])
    assert "   sparknb mcp --print-config claude  connect an agent" in closing()
