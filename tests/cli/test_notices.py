"""What a person should know about a home reaches them, beside the answer."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run

Write = Callable[..., str]


@pytest.fixture
def cloned(tmp_path: Path) -> Path:
    """Give a project home that was not confirmed here."""
    home = tmp_path / ".sparknb"
    home.mkdir()
    return home


@pytest.mark.parametrize("words", [("list",), ("doctor",), ("mcp",)])
def test_a_home_that_is_passed_over_is_told(
    program: Run, cloned: Path, words: tuple[str, ...]
) -> None:
    reply = program(*words, env={"SPARKNB_HOME": "", "COLUMNS": "400"})
    assert "is not used: it was not made" in " ".join(reply.err.split())
    assert f"sparknb init {cloned.parent}" in reply.err
    assert all(line == line.rstrip() for line in reply.err.splitlines())


def test_a_configuration_for_a_client_tells_which_home_it_is_not(
    sparknb: Run, cloned: Path
) -> None:
    reply = sparknb("mcp", "--print-config", "claude", env={"SPARKNB_HOME": ""})
    assert "is not used: it was not made" in " ".join(reply.err.split())
    assert str(cloned) not in json.dumps(reply.document)


@pytest.mark.parametrize("words", [("list", "--json"), ("mcp",)])
def test_a_home_that_others_may_look_into_is_told(
    program: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    home = tmp_path / "open"
    home.mkdir(mode=0o755)
    (home / "settings.toml").touch()
    reply = program(*words, env={"SPARKNB_HOME": str(home)})
    assert reply.exit == 0
    assert "HOME_OPEN" in reply.err
    assert "HOME_OPEN" not in reply.out
