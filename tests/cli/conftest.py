"""The real program as a person or a script starts it, each time in its own home."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from sparknb.cli import running

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
def program(tmp_path: Path) -> Run:
    """Give a function that runs the real program, without a terminal."""

    def run(
        *words: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None
    ) -> Reply:
        done = subprocess.run(
            [str(PROGRAM), *words],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
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


@pytest.fixture
def sparknb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Run:
    """Give a function that does the same as `program` inside this process: quickly."""

    def run(
        *words: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None
    ) -> Reply:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        with monkeypatch.context() as patch, _as_standard_input(data, patch):
            for name, value in environment(**(env or {})).items():
                patch.setenv(name, value)
            patch.chdir(tmp_path)
            capfd.readouterr()
            code = running.run(words)
        reply = Reply(code, *capfd.readouterr())
        assert "Traceback" not in reply.out + reply.err
        return reply

    return run


@contextmanager
def _as_standard_input(data: bytes, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let descriptor 0 and `sys.stdin` give these bytes."""
    kept = os.dup(0)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        os.dup2(file.fileno(), 0)
        try:
            with open(0, encoding="utf-8", closefd=False) as stdin:
                patch.setattr(sys, "stdin", stdin)
                yield
        finally:
            os.dup2(kept, 0)
            os.close(kept)


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


SECRET = {
    "secretRefs": {"key": "custom-tool:weather:key"},
    "spec": {
        "request": {
            "method": "GET",
            "urlTemplate": "http://127.0.0.1:9/weather?city={{city}}",
            "headers": [{"name": "X-Api-Key", "secretRef": "key"}],
        },
        "response": {"format": "json"},
    },
}


def spec(url: str, method: str = "GET", **request: Any) -> dict[str, Any]:
    request = {"method": method, "urlTemplate": url, **request}
    return {"request": request, "response": {"format": "json"}}


@pytest.fixture
def service(httpserver: HTTPServer) -> HTTPServer:
    httpserver.expect_request("/weather").respond_with_json({"sky": "clear"})
    httpserver.expect_request("/order", method="POST").respond_with_json({"number": 7})
    httpserver.expect_request("/hostile").respond_with_data(
        "\x1b[2J[bold red]gone[/]\u202e", content_type="text/plain"
    )
    httpserver.expect_request("/broken").respond_with_data("no\x1b]0;x\x07", status=500)
    return httpserver
