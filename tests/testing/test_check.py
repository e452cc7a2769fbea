"""`sparknb notebooks check`: one run over many notebooks, and what it says of each."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.testing.conftest import Checked, check, code, error, notebook, stream, write

SECRET = "canary-7f3a9c-value"
KEY = "os.environ['SPARKNB_SECRET__WEATHER__API_KEY']"
HOME = "import os, pathlib; home = pathlib.Path.home()\n"
NO_MAGIC = "UsageError: Line magic function `%nosuchmagic` not found.\n"
IN_VAIN = "import socket\ntry:\n    {}\nexcept OSError:\n    pass"
CONNECT = "socket.create_connection(('192.0.2.1', 80), timeout=5)"

# The cells of one notebook, by their ids.
CELLS = {
    "same": code("print('hi')", stream("hi\n")),
    "differs": code("print('new')", stream("old\n")),
    "raises": code("1/0"),
    "after": code("print('still runs')", stream("still runs\n")),
    "raises-as-tagged": code(
        "1/0",
        error("ZeroDivisionError", "division by zero"),
        tags=["raises-exception"],
    ),
    "raises-none": code("x = 1", tags=["raises-exception"]),
    "raises-none-unrun": code("x = 1", tags=["raises-exception"], count=None),
    "printed": code("%nosuchmagic", stream(NO_MAGIC, "stderr")),
    "printed-and-ignored": code("%timeit -z", tags=["nbval-ignore-output"]),
    "printed-as-tagged": code(
        "%nosuchmagic", stream(NO_MAGIC, "stderr"), tags=["raises-exception"]
    ),
    "skipped": code("raise SystemExit", tags=["nbval-skip"]),
    "hostile": code("print('\\x1b[2J\\x07<b>\\u202e\\x00')", stream("x\n")),
    "connects": code(IN_VAIN.format(CONNECT)),
    "connects-by-ipv6": code(
        IN_VAIN.format("socket.create_connection(('2001:db8::1', 80), timeout=5)")
    ),
    "sends": code(
        IN_VAIN.format(
            "socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 9))"
        )
    ),
    "looks-up": code(IN_VAIN.format("socket.getaddrinfo('tool.example.com', 443)")),
    "connects-awaited": code(
        "import asyncio\n"
        + IN_VAIN.format("await asyncio.open_connection('192.0.2.1', 80)")
    ),
    "a-child-connects": code(
        "import subprocess, sys\n"
        f"program = {f'import socket; {CONNECT}'!r}\n"
        "done = subprocess.run([sys.executable, '-c', program], stderr=-1)"
    ),
    "connects-here": code(
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "port = server.getsockname()[1]\n"
        "for host in ('127.0.0.1', 'localhost'):\n"
        "    socket.create_connection((host, port)).close()\n"
        "found = socket.getaddrinfo('192.0.2.1', 80)\n"
        "print(f'http://127.0.0.1:{port}/')",
        stream("http://127.0.0.1:8701/\n"),
    ),
    "secret": code(
        "import os; print('x', os.environ['SPARKNB_SECRET__WEATHER__API_KEY'])",
        stream("x\n"),
    ),
    "secret-at-a-cut": code(
        f"import os; print('x' * 390 + {KEY}, 'x' * 50)\n"
        f"print('x' * 390 + {KEY}.replace('-', '\\x1b[1m-'), 'x' * 50)"
    ),
    "secret-in-the-middle": code(
        f"import os\nraise ValueError('x' * 1_960 + {KEY} + 'x' * 4_000)"
    ),
    "asks-who-it-is": code(
        "import socket\n"
        "for ask in (\n"
        "    lambda: socket.gethostbyaddr('192.0.2.7'),\n"
        "    lambda: socket.getnameinfo(('192.0.2.8', 80), 0),\n"
        "):\n"
        "    try: ask()\n"
        "    except OSError: pass\n"
        "_ = socket.gethostbyaddr('127.0.0.1'), socket.getfqdn()",
    ),
    "shows-more": code(
        "from IPython.display import display\n"
        "for n in (1, 2): display({'application/vnd.x+json': {'n': n}}, raw=True)",
        {
            "output_type": "display_data",
            "data": {"application/vnd.x+json": {"n": 1}},
            "metadata": {},
        },
    ),
    "beside": code("print(open('data.txt').read())", stream("beside\n")),
    "home": code(
        HOME + "print(list(home.iterdir()))\n"
        "_ = (home / 'left behind').write_text('x')\n"
        "print(os.environ['SPARKNB_HOME'] == str(home / 'sparknb'))",
        stream("[]\nTrue\n"),
    ),
    "settings": code(
        "print([os.environ.get(n) for n in"
        " ('PYTHONHASHSEED', 'TZ', 'COLUMNS', 'NO_COLOR',"
        " 'SPARKNB_DATABASE_URL', 'SPARKNB_KEYCHAIN')])",
        stream("['0', 'UTC', '80', '1', None, 'env']\n"),
    ),
}
NOTEBOOKS = {
    "alone_too": [code(HOME + "print(list(home.iterdir()))", stream("[]\n"))],
    "empty": [],
    "only_text": [{"cell_type": "markdown", "metadata": {}, "source": "# Words"}],
    "dies": [
        code("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"),
        code("print('never')", stream("never\n")),
    ],
    "no_kernel": [code("print('hi')", stream("hi\n"))],
    "ünïcödé 日本 #1": [code("print('ü')", stream("ü\n"))],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebooks")
    named = [cell | {"id": name} for name, cell in CELLS.items()]
    write(folder / "cells.ipynb", notebook(*named))
    for name, cells in NOTEBOOKS.items():
        write(folder / f"{name}.ipynb", notebook(*cells))
    unknown = notebook(code("x = 1"), kernelspec={"name": "no-such-kernel"})
    write(folder / "unknown_kernel.ipynb", unknown)
    nameless = notebook(*NOTEBOOKS["no_kernel"])
    del nameless["metadata"]["kernelspec"]
    write(folder / "no_kernel.ipynb", nameless)
    (folder / "data.txt").write_text("beside", encoding="utf-8")
    (folder / "no_json.ipynb").write_text("{", encoding="utf-8")
    (folder / "no_utf8.ipynb").write_bytes(b"\xff\xfe{}")
    (folder / "no_content.ipynb").write_bytes(b"")
    write(folder / "no_notebook.ipynb", {"a": 1})
    write(folder / "no_cells.ipynb", {"nbformat": 4, "cells": [{"cell_type": "code"}]})
    write(folder / "old.ipynb", {"nbformat": 3, "worksheets": []})
    write(folder / ".ipynb_checkpoints" / "same-checkpoint.ipynb", {"a": 1})
    # what a person's own pytest would read
    (folder / "conftest.py").write_text("raise SystemError", encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --nonsense\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def checked(folder: Path) -> Checked:
    words = (".", "--json", "--junit", "report.xml", "-n", "2")
    return check(
        folder,
        *words,
        SPARKNB_SECRET__WEATHER__API_KEY=SECRET,
        SPARKNB_DATABASE_URL="sqlite:////nowhere/registry.db",
        PYTEST_ADDOPTS="--nonsense",
    )


def test_equal_outputs_pass(checked: Checked) -> None:
    assert checked.cell("same") == {"id": "same", "outcome": "passed"}


def test_a_difference_fails_its_cell_alone_and_is_shown(checked: Checked) -> None:
    assert checked.message("differs").splitlines() == [
        "The outputs differ (- stored, + now)",
        "  [stdout]",
        "- old",
        "+ new",
    ]


def test_one_output_more_or_less_is_shown_whatever_its_type(checked: Checked) -> None:
    message = checked.message("shows-more").splitlines()
    assert message[0] == "The outputs differ (- stored, + now)"
    assert '+  "n": 2' in message


def test_cells_after_a_failing_one_are_run(checked: Checked) -> None:
    told = checked.message("raises")
    assert told.startswith("The cell raised ZeroDivisionError: division by zero\n")
    assert "----> 1 1/0" in told
    assert checked.cell("after")["outcome"] == "passed"


def test_a_cell_that_is_tagged_to_raise_must_raise(checked: Checked) -> None:
    assert checked.cell("raises-as-tagged")["outcome"] == "passed"
    for cell in ("raises-none", "raises-none-unrun"):
        assert checked.message(cell).endswith("and raised none")


def test_a_cell_whose_magic_only_printed_its_failure_fails(checked: Checked) -> None:
    told = checked.message("printed")
    assert told.startswith(
        "The cell failed and only printed it: UsageError: Line magic"
    )
    assert "-z not recognized" in checked.message("printed-and-ignored")
    assert checked.cell("printed-as-tagged")["outcome"] == "passed"


def test_what_is_tagged_to_be_skipped_is_not_run(checked: Checked) -> None:
    assert checked.cell("skipped")["outcome"] == "skipped"


@pytest.mark.parametrize("name", ["empty", "only_text"])
def test_a_notebook_without_code_counts_as_skipped(checked: Checked, name: str) -> None:
    found = checked.notebook(name)
    assert (found["outcome"], found["cells"]) == ("skipped", [])
    assert found["message"] == "it has no code cells"


@pytest.mark.parametrize(
    ("cell", "place"),
    [
        ("connects", "192.0.2.1:80"),
        ("connects-by-ipv6", "2001:db8::1:80"),
        ("sends", "192.0.2.1:9"),
        ("looks-up", "tool.example.com"),
        ("connects-awaited", "192.0.2.1:80"),
        ("a-child-connects", "192.0.2.1:80"),
        ("asks-who-it-is", "192.0.2.7, 192.0.2.8:80"),
    ],
)
def test_a_cell_that_wants_to_leave_the_machine_fails_whatever_it_catches(
    checked: Checked, cell: str, place: str
) -> None:
    told = f"The cell wanted to leave this machine: {place}"
    assert checked.message(cell) == told


def test_loopback_is_open_and_its_ports_may_differ(checked: Checked) -> None:
    assert checked.cell("connects-here")["outcome"] == "passed"


def test_each_notebook_has_a_home_and_settings_of_its_own(checked: Checked) -> None:
    assert checked.cell("home")["outcome"] == "passed"
    assert checked.cell("settings")["outcome"] == "passed"
    assert checked.notebook("alone_too")["outcome"] == "passed"


def test_a_notebook_finds_what_lies_beside_it(checked: Checked) -> None:
    assert checked.cell("beside")["outcome"] == "passed"


def test_a_secret_comes_in_and_is_in_no_report(checked: Checked, folder: Path) -> None:
    assert "+ x [REDACTED]" in checked.message("secret")
    assert SECRET not in checked.out + checked.err
    assert SECRET not in (folder / "report.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize("cell", ["secret-at-a-cut", "secret-in-the-middle"])
def test_no_part_of_a_secret_is_left_where_a_long_text_is_cut(
    checked: Checked, cell: str
) -> None:
    assert "…" in checked.message(cell)
    assert SECRET[:6] not in checked.message(cell)
    assert SECRET[-6:] not in checked.message(cell)


def test_a_kernel_that_dies_fails_its_notebook_at_once(checked: Checked) -> None:
    died, after = checked.notebook("dies")["cells"]
    assert died["message"] == "The kernel died while this cell ran"
    assert after["outcome"] == "failed"


def test_without_a_kernel_the_usual_one_is_taken_an_unknown_one_is_told(
    checked: Checked,
) -> None:
    assert checked.notebook("no_kernel")["outcome"] == "passed"
    (cell,) = checked.notebook("unknown_kernel")["cells"]
    assert "no kernel 'no-such-kernel' here" in cell["message"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no_json", "no JSON"),
        ("no_content", "no JSON"),
        ("no_utf8", "no text in UTF-8"),
        ("no_notebook", "names no nbformat"),
        ("no_cells", "its cells are not as they should be"),
        ("old", "notebook format 3"),
    ],
)
def test_what_is_no_notebook_fails_and_says_why(
    checked: Checked, name: str, why: str
) -> None:
    found = checked.notebook(name)
    assert (found["outcome"], found["cells"]) == ("failed", [])
    assert why in found["message"]


def test_a_name_in_any_script_is_no_trouble(checked: Checked) -> None:
    assert checked.notebook("ünïcödé 日本 #1")["outcome"] == "passed"


def test_hostile_output_is_told_without_its_controls(checked: Checked) -> None:
    assert "\x1b" not in checked.message("hostile")
    assert not {"\x1b", "\x07", "\u202e"} & set(checked.out)


def test_the_sum_counts_cells_and_a_failure_is_the_exit_code(checked: Checked) -> None:
    document = checked.document
    cells = [cell for each in document["notebooks"] for cell in each["cells"]]
    unreadable = sum(
        each["outcome"] == "failed" and not each["cells"]
        for each in document["notebooks"]
    )
    counted = {
        outcome: sum(cell["outcome"] == outcome for cell in cells)
        for outcome in ("passed", "failed", "skipped")
    }
    counted["failed"] += unreadable
    assert {outcome: document[outcome] for outcome in counted} == counted
    assert checked.exit == 1


def test_notebooks_are_reported_in_the_order_of_their_names(checked: Checked) -> None:
    paths = [each["path"] for each in checked.document["notebooks"]]
    assert paths == sorted(paths)
    assert not any("checkpoint" in path for path in paths)


def test_the_junit_report_names_notebook_cell_and_first_line(
    checked: Checked, folder: Path
) -> None:
    root = ET.fromstring((folder / "report.xml").read_text(encoding="utf-8"))  # noqa: S314  # our own
    suites = {suite.get("name"): suite for suite in root}
    assert len(suites) == len(checked.document["notebooks"])
    suite = suites["cells.ipynb"]
    assert suite.get("tests") == str(len(CELLS))
    assert suite[1].get("name") == "cells.ipynb::differs::print('new')"
    assert "+ new" in (suite[1][0].text or "")
    assert suites["no_json.ipynb"].get("errors") == "1"


def test_the_rooms_are_gone_afterwards_and_the_notebook_is_as_it_was(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "a.ipynb", notebook(code("x = 1")))
    (tmp_path / "tmp").mkdir()
    done = check(tmp_path, "a.ipynb", TMPDIR=str(tmp_path / "tmp"))
    assert done.exit == 0
    assert done.out == "✓ a.ipynb: 1 passed\n\n✓ 1 notebook: nothing differs\n"
    assert list((tmp_path / "tmp").iterdir()) == []
    assert json.loads(path.read_text(encoding="utf-8")) == notebook(code("x = 1"))
