import shutil
import subprocess
from collections.abc import Callable

import pytest

from tests.cli.conftest import PROGRAM, Run, environment


def complete(program: Run, *words: str) -> list[str]:
    """Give what bash would offer for the last of the words."""
    line = " ".join(("sparknb", *words))
    env = {
        "_SPARKNB_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words)),
    }
    reply = program(env=env)
    assert reply.err == ""
    return reply.out.split()


def test_commands_and_options_are_completed(program: Run) -> None:
    assert complete(program, "di") == ["disable", "discard", "diff"]
    assert complete(program, "secret", "s") == ["set", "status"]
    assert "--retention" in complete(program, "traces", "--re")
    assert complete(program, "traces", "--status", "d") == ["denied"]


def test_ids_versions_and_names_are_completed(
    program: Run, sparknb: Run, write: Callable[..., str]
) -> None:
    header = {"name": "X-Api-Key", "secretRef": "key"}
    spec = {
        "request": {
            "method": "GET",
            "urlTemplate": "http://127.0.0.1:9/",
            "headers": [header],
        },
        "response": {"format": "json"},
    }
    schema = {"type": "object", "properties": {}}
    refs = {"key": "custom-tool:weather:key"}
    sparknb("draft", write(spec=spec, secretRefs=refs, inputSchema=schema))
    assert complete(program, "publish", "we") == ["weather"]
    assert complete(program, "call", "we") == []
    assert complete(program, "show", "weather", "--version", "") == ["1"]
    assert complete(program, "secret", "set", "weather", "k") == ["key"]
    assert complete(program, "secret", "set", "absent", "k") == []
    sparknb("provider", "add", "local", "--base-url", "http://a.test", "--no-key")
    assert complete(program, "provider", "remove", "lo") == ["local"]


def test_a_registry_that_cannot_be_read_offers_nothing(program: Run) -> None:
    env = {
        "_SPARKNB_COMPLETE": "complete_bash",
        "COMP_WORDS": "sparknb publish we",
        "COMP_CWORD": "2",
        "SPARKNB_KEYCHAIN": "paper",
    }
    reply = program(env=env)
    assert (reply.out.strip(), reply.err) == ("", "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_script_of_the_shell_that_asks_is_printed() -> None:
    # the second command keeps bash from handing its own process over to the program
    done = subprocess.run(
        ["bash", "-c", '"$0" --show-completion; true', PROGRAM],
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert b"complete_bash" in done.stdout
    assert done.stderr == b""
