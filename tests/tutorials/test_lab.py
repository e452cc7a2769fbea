"""`sparknb lab`: a real JupyterLab on the person's copy."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.cli.conftest import environment

PROGRAM = Path(sys.executable).with_name("sparknb")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def listed(address: str) -> set[str]:
    """Give the files that the server lists; it says its address a little early."""
    end = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:  # noqa: S310  # http on loopback
                return {each["name"] for each in json.load(answer)["content"]}
        except urllib.error.URLError:
            assert time.monotonic() < end
            time.sleep(0.1)


def test_lab_serves_the_copy_until_it_is_interrupted(tmp_path: Path) -> None:
    variables = environment(
        JUPYTER_PORT=str(free_port()),
        JUPYTER_CONFIG_DIR=str(tmp_path / "config"),
        JUPYTER_RUNTIME_DIR=str(tmp_path / "runtime"),
        SPARKNB_HOME=str(tmp_path / "home"),
    )
    with subprocess.Popen(
        [str(PROGRAM), "lab", "--no-browser", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=variables,
        start_new_session=True,
    ) as child:
        try:
            assert child.stderr is not None
            said = ""
            while not (found := re.search(r"http://127\.0\.0\.1:\d+/lab\S+", said)):
                line = child.stderr.readline()
                assert line, said
                said += line
            names = listed(found[0].replace("/lab?", "/api/contents?"))
            assert "01_first_tool.ipynb" in names
            for _ in range(2):  # Jupyter asks once, and takes the second for yes
                os.kill(child.pid, signal.SIGTERM)
            out, _ = child.communicate(timeout=60)
        finally:
            child.kill()
    assert json.loads(out) == {"folder": str(tmp_path / "home" / "tutorials")}
    assert (tmp_path / "home" / "tutorials" / "01_first_tool.ipynb").is_file()
