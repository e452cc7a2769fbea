"""What a check makes of wrong words, endless cells, interrupts and neighbours."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparknb.testing.room import open_room
from tests.cli.conftest import Run, environment
from tests.testing.conftest import PROGRAM, check, code, notebook, stream, write

PID = "import os, pathlib; _ = pathlib.Path('pid').write_text(str(os.getpid()))"
SLEEP = "import time; time.sleep(600)"


@pytest.mark.parametrize(
    ("words", "code_of_it", "said"),
    [
        (["nothing.ipynb"], "NOT_FOUND", "there is no file or folder nothing.ipynb"),
        (["empty"], "NOT_FOUND", "no notebook is in empty"),
        (["text.txt"], "INVALID_INPUT", "text.txt is no notebook"),
        (["a::b.ipynb"], "INVALID_INPUT", "rename the file or folder"),
        (["x" * 5000 + ".ipynb"], "NOT_FOUND", "there is no file or folder"),
        (["one.ipynb", "--junit", "none/x.xml"], "INVALID_INPUT", "cannot write"),
    ],
)
def test_what_cannot_be_checked_is_refused_before_anything_runs(
    sparknb: Run, tmp_path: Path, words: list[str], code_of_it: str, said: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.txt").write_text("x", encoding="utf-8")
    for name in ("a::b", "one"):
        write(tmp_path / f"{name}.ipynb", notebook(code(SLEEP)))
    reply = sparknb("notebooks", "check", *words, "--json")
    assert (reply.exit, reply.error["code"]) == (1, code_of_it)
    assert said in str(reply.error)


@pytest.mark.parametrize(
    "words",
    [[], ["a.ipynb", "-n", "0"], ["a.ipynb", "-n", "x"], ["a.ipynb", "--timeout", "0"]],
)
def test_wrong_usage_is_told_as_such(sparknb: Run, words: list[str]) -> None:
    assert sparknb("notebooks", "check", *words, "--json").exit == 2


def test_a_notebook_that_is_named_twice_runs_once(tmp_path: Path) -> None:
    write(tmp_path / "inside" / "one.ipynb", notebook(code("x = 1")))
    done = check(tmp_path, "inside", "inside/one.ipynb", "inside", "--json")
    assert [each["path"] for each in done.document["notebooks"]] == ["inside/one.ipynb"]
    assert done.document["passed"] == 1


def test_an_endless_cell_ends_with_its_time_limit(tmp_path: Path) -> None:
    stubborn = (
        "import time\nwhile True:\n    try:\n        time.sleep(9)\n"
        "    except BaseException:\n        pass"
    )
    write(tmp_path / "endless.ipynb", notebook(code("while True: pass"), code("x = 1")))
    write(tmp_path / "stubborn.ipynb", notebook(code(stubborn), code("x = 1")))
    done = check(tmp_path, ".", "--timeout", "2", "--json")
    assert done.exit == 1
    assert "Timeout of 2 seconds exceeded" in done.message("cell-1", "endless")
    assert "Timeout of 2 seconds exceeded" in done.message("cell-1", "stubborn")
    assert done.cell("cell-2", "endless")["outcome"] == "passed"  # it was interrupted
    after = done.cell("cell-2", "stubborn")
    assert after["outcome"] == "skipped"
    assert after["message"].startswith("not compared: a cell before it ran into")


KILLS = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"


def test_a_cell_that_ends_the_checker_is_never_green(tmp_path: Path) -> None:
    write(tmp_path / "kills.ipynb", notebook(code("x = 1"), code(KILLS)))
    write(tmp_path / "same.ipynb", notebook(code("x = 1")))
    alone = check(tmp_path, "kills.ipynb", "--json")
    assert (alone.exit, alone.document["error"]["code"]) == (1, "EXECUTION_FAILED")
    spread = check(tmp_path, ".", "-n", "2", "--json")
    assert spread.exit == 1
    killed = spread.notebook("kills")
    assert killed["message"] == "only 1 of 2 cells were run: pytest ended early"
    assert spread.notebook("same")["outcome"] == "passed"
    assert (spread.document["passed"], spread.document["failed"]) == (2, 1)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state.rsplit(")", 1)[1].split()[0] == "Z"


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    """Look again and again; a bounded wait."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_check_that_is_stopped_leaves_no_kernel_behind(
    tmp_path: Path, number: signal.Signals
) -> None:
    write(tmp_path / "long.ipynb", notebook(code(PID), code(SLEEP)))
    (tmp_path / "tmp").mkdir()
    child = subprocess.Popen(
        [str(PROGRAM), "notebooks", "check", "long.ipynb", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(TMPDIR=str(tmp_path / "tmp")),
    )
    pid = tmp_path / "pid"
    wait_until(lambda: pid.exists() and pid.read_text(encoding="utf-8") != "")
    child.send_signal(number)
    out, err = child.communicate(timeout=60)
    kernel = int(pid.read_text(encoding="utf-8"))
    wait_until(lambda: gone(kernel))
    if number == signal.SIGINT:
        assert child.returncode == 130
        assert '"CANCELLED"' in out
        assert list((tmp_path / "tmp").iterdir()) == []
    assert "Traceback" not in out + err


def test_a_kernel_that_sets_the_guard_aside_is_never_green(tmp_path: Path) -> None:
    launch = ["-E", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": [sys.executable, *launch], "display_name": "apart"}
    write(
        tmp_path / "jupyter" / "kernels" / "apart" / "kernel.json",
        spec | {"language": "python"},
    )
    cell = code("open('ran', 'w').close()")
    write(tmp_path / "n.ipynb", notebook(cell, kernelspec={"name": "apart"}))
    checked = check(
        tmp_path, "n.ipynb", "--json", JUPYTER_PATH=str(tmp_path / "jupyter")
    )
    assert checked.exit == 1
    assert "was not kept from the network" in checked.message("cell-1", "n")
    assert not (tmp_path / "ran").exists()


def _kernel_that_dies(folder: Path, times: int) -> str:
    """Make a kernel that ends at its first starts; give where it is found."""
    launcher = (
        "import pathlib, sys\n"
        "starts = pathlib.Path(sys.argv.pop())\n"
        "done = starts.read_text() if starts.exists() else ''\n"
        "starts.write_text(done + 'x')\n"
        f"if len(done) < {times}: sys.exit(1)\n"
        "from ipykernel.kernelapp import launch_new_instance\n"
        "launch_new_instance()\n"
    )
    end = ["-f", "{connection_file}", str(folder / "starts")]
    spec = {"argv": [sys.executable, "-c", launcher, *end], "display_name": "dies"}
    place = folder / "jupyter" / "kernels" / "dies" / "kernel.json"
    write(place, spec | {"language": "python"})
    write(
        folder / "n.ipynb",
        notebook(code("print(1)", stream("1\n")), kernelspec={"name": "dies"}),
    )
    return str(folder / "jupyter")


def test_a_kernel_whose_port_another_program_took_is_started_again(
    tmp_path: Path,
) -> None:
    found = _kernel_that_dies(tmp_path, 2)
    checked = check(tmp_path, "n.ipynb", JUPYTER_PATH=found)
    assert checked.exit == 0, checked.out
    assert (tmp_path / "starts").read_text(encoding="utf-8") == "xxx"


def test_a_kernel_that_never_starts_fails_the_check(tmp_path: Path) -> None:
    found = _kernel_that_dies(tmp_path, 99)
    checked = check(tmp_path, "n.ipynb", JUPYTER_PATH=found)
    assert checked.exit == 1
    assert "Kernel died" in checked.out
    assert (tmp_path / "starts").read_text(encoding="utf-8") == "xxx"


def test_checks_of_the_same_notebook_run_side_by_side(tmp_path: Path) -> None:
    ports = (
        "import os, socket\n"
        "port = int(os.environ['SPARKNB_EXAMPLES_PORT'])\n"
        "server = socket.create_server(('127.0.0.1', port + 1))\n"
        "import time; time.sleep(3)\n"
        "print('mine')"
    )
    write(tmp_path / "port.ipynb", notebook(code(ports, stream("mine\n"))))
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(check, tmp_path, "port.ipynb") for _ in range(2)]
    assert [each.result().exit for each in both] == [0, 0]


def test_a_port_that_is_given_is_used_and_settings_are_not(tmp_path: Path) -> None:
    given = {
        "SPARKNB_EXAMPLES_PORT": "9100",
        "SPARKNB_MCP_TOKEN": "x",
        "SPARKNB_SECRET__A__B": "c",
        "PYTHONPATH": "theirs",
    }
    room = open_room(tmp_path, given)
    assert room.variables["SPARKNB_EXAMPLES_PORT"] == "9100"
    assert room.variables["SPARKNB_SECRET__A__B"] == "c"
    assert "SPARKNB_MCP_TOKEN" not in room.variables
    assert room.variables["PYTHONPATH"].endswith(f"site{os.pathsep}theirs")
    room.close()
    assert list(tmp_path.iterdir()) == []
