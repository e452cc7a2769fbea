import json
import subprocess
import sys

import pytest

from tests.cli.conftest import definition, environment

HEAVY = ["sqlalchemy", "alembic", "mcp", "pandas", "keyring", "jsonschema", "httpx"]

PROBE = """
import json, sys
from sparknb.cli.running import run
code = run(sys.argv[2:])
found = [name for name in json.loads(sys.argv[1]) if name in sys.modules]
print(json.dumps([code, found]), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "words", [["--help"], ["publish", "--help"], ["--version"], ["validate", "-"]]
)
def test_a_quick_command_imports_nothing_heavy(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(HEAVY), *words],
        input=json.dumps(definition()),
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
        timeout=60,
    )
    assert json.loads(done.stderr.splitlines()[-1]) == [0, []]


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sparknb", "--version"],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
        timeout=60,
    )
    assert done.stdout.startswith("sparknb ")
