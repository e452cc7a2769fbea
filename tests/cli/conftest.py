"""The real program as a person or a script starts it, each time in its own home."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(sys.executable).with_name("sparknb")


@dataclass(frozen=True)
class Reply:
    """One finished run."""

    exit: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document of standard output; anything beside it fails."""
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The error that the document holds."""
        return self.document["error"]


Run = Callable[..., Reply]


def environment(**changes: str) -> dict[str, str]:
    """Give the environment of a run: plain, 100 columns, secrets in memory."""
    fixed = {"COLUMNS": "100", "NO_COLOR": "1", "SPARKNB_KEYCHAIN": "memory"}
    return {**os.environ, **fixed, **changes}


@pytest.fixture
def sparknb(tmp_path: Path) -> Run:
    """Give a function that runs `sparknb WORDS…` without a terminal."""

    def run(
        *words: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None
    ) -> Reply:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [str(PROGRAM), *words],
            input=data,
            capture_output=True,
            cwd=tmp_path,
            env=environment(**(env or {})),
            timeout=60,
            check=False,
        )
        reply = Reply(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in reply.out + reply.err
        return reply

    return run


def definition(**changes: Any) -> dict[str, Any]:
    """Give a valid tool that reads from a service that is not there."""
    document: dict[str, Any] = {
        "id": "weather",
        "title": "Weather of a city",
        "description": "Gives today's weather of a city by name.",
        "type": "http",
        "inputSchema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
        "spec": {
            "request": {
                "method": "GET",
                "urlTemplate": "http://127.0.0.1:9/weather?city={{city}}",
            },
            "response": {"format": "json"},
        },
    }
    return document | changes


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Give a function that writes a definition to a file and gives its name."""

    def save(name: str = "weather.json", **changes: Any) -> str:
        text = json.dumps(definition(**changes), indent=2)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return save
