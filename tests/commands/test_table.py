import pytest

from sparknb.cli.programs import PROGRAMS
from sparknb.commands.cells import CELL_COMMANDS
from sparknb.commands.help import command_page, overview
from sparknb.commands.index import COMMANDS
from sparknb.commands.table import Command

EACH = pytest.mark.parametrize(
    "command", [*COMMANDS, *CELL_COMMANDS], ids=lambda c: c.words
)


def test_no_two_commands_have_the_same_words() -> None:
    words = [command.words for command in COMMANDS]
    assert len(set(words)) == len(words)


def test_the_commands_of_the_product_are_there() -> None:
    assert {command.words for command in COMMANDS} == {
        "validate", "draft", "test", "publish", "enable", "disable", "rollback",
        "discard", "delete", "list", "show", "diff", "secret set", "secret status",
        "secret delete", "traces", "call", "init", "doctor", "mcp", "demo",
        "examples serve", "lab", "notebooks check", "new", "export",
        "import curl", "import openapi", "import export",
        "provider add", "provider list", "provider key", "provider test",
        "provider remove",
    }  # fmt: skip


@EACH
def test_each_command_says_what_it_does(command: Command) -> None:
    texts = [command.summary, *(part.help for part in command.arguments)]
    texts += [part.help for part in command.options]
    assert all(text.endswith((".", "{}.")) and text[0].isupper() for text in texts)
    assert len(command.summary) <= 60


@EACH
def test_no_two_values_of_a_command_share_a_key(command: Command) -> None:
    keys = [part.key for part in command.arguments]
    keys += [part.key for part in command.options]
    assert len(set(keys)) == len(keys)
    assert not {"json", "help"} & set(keys)


@EACH
def test_what_may_be_left_out_stands_last(command: Command) -> None:
    needed = [argument.required for argument in command.arguments]
    assert needed == sorted(needed, reverse=True)


@EACH
def test_only_choices_have_choices(command: Command) -> None:
    for option in command.options:
        assert bool(option.choices) == (option.kind == "choice")
        takes_value = option.kind not in ("flag", "choice")
        assert (option.metavar is not None) == takes_value


def test_a_program_is_supplied_for_each_command_that_lasts() -> None:
    assert set(PROGRAMS) == {c.path for c in COMMANDS if c.run is None}


def test_every_command_has_its_page_and_is_in_the_overview() -> None:
    shown = repr(overview("sparknb", COMMANDS))
    for command in COMMANDS:
        assert command.usage in shown
        assert command.summary in repr(command_page("sparknb", command))
