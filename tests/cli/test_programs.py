import json
import os
import signal
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.cli.conftest import PROGRAM, Run, environment


@contextmanager
def serving(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Run the example service while the block lasts."""
    child = subprocess.Popen(
        [PROGRAM, "examples", "serve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def first_document(child: subprocess.Popen[str]) -> Any:
    """Read lines until they are a JSON document."""
    assert child.stdout is not None
    text = ""
    while not text.endswith("}\n"):
        line = child.stdout.readline()
        assert line, child.stderr and child.stderr.read()
        text += line
    return json.loads(text)


def test_the_example_service_says_where_it_is_and_ends_when_interrupted() -> None:
    with serving("--port", "0", "--json") as child:
        document = first_document(child)
        with urllib.request.urlopen(document["url"] + "/health") as answer:  # noqa: S310  # http on loopback
            assert answer.status == 200
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    assert child.returncode == 0
    assert (out, err) == ("", "")


def test_a_taken_port_is_refused(sparknb: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        reply = sparknb("examples", "serve", "--port", port, "--json")
    assert (reply.exit, reply.error["code"]) == (1, "INVALID_INPUT")
    assert reply.error["path"] == "--port"


def test_a_port_that_is_none_is_refused(sparknb: Run) -> None:
    assert sparknb("examples", "serve", "--port", "70000").exit == 1


def test_a_home_that_was_not_confirmed_is_told_beside_the_answer(
    sparknb: Run, tmp_path: Path
) -> None:
    (tmp_path / ".sparknb").mkdir()
    reply = sparknb("list", "--json", env={"SPARKNB_HOME": ""})
    assert reply.document["total"] == 0
    assert "is not used: it was not made" in " ".join(reply.err.split())
    sparknb("init")
    assert sparknb("list", "--json", env={"SPARKNB_HOME": ""}).err == ""


def test_a_place_that_cannot_be_a_home_is_refused(sparknb: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    reply = sparknb("init", "file", "--json")
    assert (reply.exit, reply.error["code"]) == (1, "INVALID_INPUT")
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208  # names are enough


def test_interrupting_a_call_stops_it_and_leaves_a_trace(
    sparknb: Run, write: Callable[..., str], httpserver: HTTPServer, tmp_path: Path
) -> None:
    arrived, release = threading.Event(), threading.Event()

    def wait(request: Request) -> Response:
        arrived.set()
        release.wait(60)
        return Response("{}")

    httpserver.expect_request("/slow").respond_with_handler(wait)
    request = {"method": "GET", "urlTemplate": httpserver.url_for("/slow")}
    spec = {"request": request, "response": {"format": "json"}}
    schema = {"type": "object", "properties": {}}
    sparknb("draft", write(spec=spec, inputSchema=schema))
    child = subprocess.Popen(
        [PROGRAM, "test", "weather", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=tmp_path,
    )
    try:
        assert arrived.wait(60)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        release.set()
        child.kill()
        child.communicate()
    assert (child.returncode, err) == (130, b"")
    assert json.loads(out)["error"]["code"] == "CANCELLED"
    rows = sparknb("traces", "--json").document["traces"]
    assert [row["status"] for row in rows] == ["cancelled"]
