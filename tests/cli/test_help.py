import pytest
from syrupy.assertion import SnapshotAssertion

from sparknb.commands.index import COMMANDS
from tests.cli.conftest import Run


def test_the_overview_looks_as_before(
    sparknb: Run, snapshot: SnapshotAssertion
) -> None:
    assert sparknb("--help").out == snapshot


@pytest.mark.parametrize("path", [c.path for c in COMMANDS], ids=" ".join)
def test_each_help_page_looks_as_before(
    sparknb: Run, snapshot: SnapshotAssertion, path: tuple[str, ...]
) -> None:
    reply = sparknb(*path, "--help")
    assert reply.exit == 0
    assert reply.out == snapshot
    assert max(map(len, reply.out.splitlines())) <= 100


@pytest.mark.parametrize("noun", ["secret", "examples"])
def test_each_noun_lists_its_commands(
    sparknb: Run, snapshot: SnapshotAssertion, noun: str
) -> None:
    assert sparknb(noun, "-h").out == snapshot


def test_a_narrow_terminal_cuts_nothing(sparknb: Run) -> None:
    narrow = sparknb("--help", env={"COLUMNS": "50"}).out
    assert max(map(len, narrow.splitlines())) <= 50
    wide = sparknb("--help", env={"COLUMNS": "200"}).out
    assert narrow.split() == wide.split()
