"""Loading and unloading: one line, nothing heavy, nothing left (NB-1, example 11)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosting import http_tool
from tests.magics.kernels import Kernel, running_kernel

READY = (
    "sparknb is ready: %spark lists your tools,"
    " %spark doctor shows version, home, keychain.\n"
)
HEAVY = ["sqlalchemy", "alembic", "mcp", "pandas", "keyring", "jsonschema", "typer"]
HEAVY += ["httpx", "httpcore", "anywidget", "bpe_openai", "rich", "sparknb.host"]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with running_kernel(tmp_path_factory.mktemp("kernel")) as kernel:
        yield kernel


def count_of(kernel: Kernel) -> list[str]:
    """Give all that a leak would show: threads, comms, matchers, transformers."""
    code = """(lambda ip: [
        *sorted(t.name for t in __import__("threading").enumerate()),
        len(__import__("comm").get_comm_manager().comms),
        len(ip.Completer.custom_matchers), len(ip.input_transformers_post),
        len(ip.events.callbacks["pre_run_cell"]),
        len(ip.events.callbacks["post_run_cell"]),
        len(ip.display_formatter.mimebundle_formatter.type_printers),
        sorted(n for k in ip.magics_manager.magics.values() for n in k if "spark" in n),
    ])(get_ipython())"""
    return [kernel.value(code.replace("\n", " "))]


def test_loading_says_one_line_and_imports_nothing_heavy(bare: Kernel) -> None:
    bare.run("import sys; before = set(sys.modules)")
    cell = bare.run("%load_ext sparknb")
    assert cell.text == READY
    assert cell.outputs[0]["name"] == "stdout"
    new = json.loads(
        bare.value("__import__('json').dumps(sorted(set(sys.modules) - before))")
    )
    assert [name for name in HEAVY if name in new] == []
    assert bare.run("%unload_ext sparknb").error is None


def test_loading_twice_changes_nothing(bare: Kernel) -> None:
    bare.run("%load_ext sparknb")
    loaded = count_of(bare)
    again = bare.run("import sparknb; sparknb.load_ipython_extension(get_ipython())")
    assert again.text == ""
    assert bare.run("%load_ext sparknb").error is None
    assert count_of(bare) == loaded
    bare.run("%unload_ext sparknb")


def test_unloading_leaves_no_thread_comm_or_magic(bare: Kernel) -> None:
    before = count_of(bare)
    bare.run("%load_ext sparknb\n%spark home --temp\n%spark list")
    bare.run("%spark examples serve --port 0 -o service")
    bare.run("home = %env SPARKNB_HOME")
    bare.run("spark.tools; %spark doctor")
    assert count_of(bare) != before
    assert bare.run("%unload_ext sparknb").error is None
    assert count_of(bare) == before
    assert bare.value("__import__('os').path.exists(home)") == "False"
    gone = bare.run("import urllib.request; urllib.request.urlopen(service['url'])")
    assert gone.error is not None
    assert gone.error[0] == "URLError"
    assert "`%spark` not found" in bare.run("%spark list").text
    assert bare.run("spark").error == ("NameError", "name 'spark' is not defined")


def test_unloading_twice_and_unloading_what_was_never_loaded_are_harmless(
    bare: Kernel,
) -> None:
    code = "import sparknb; sparknb.unload_ipython_extension(get_ipython())"
    assert (
        bare.run(f"{code}; sparknb.unload_ipython_extension(get_ipython())").error
        is None
    )


def test_reloading_works(bare: Kernel) -> None:
    bare.run("%load_ext sparknb\n%spark home --temp\n%spark list")
    assert bare.run("%reload_ext sparknb").text == READY
    assert bare.run("%spark list").error is None
    assert bare.run("spark.tools").error is None
    bare.run("%unload_ext sparknb")


def test_a_persons_own_spark_is_left_alone(bare: Kernel) -> None:
    cell = bare.run("spark = 'mine'\n%load_ext sparknb")
    assert "spark is a variable of yours: sparknb's handle is spark_." in cell.text
    assert bare.value("spark") == "mine"
    assert "<spark:" in bare.run("spark_").text
    bare.run("%unload_ext sparknb")
    assert bare.value("spark") == "mine"
    assert bare.value("'spark_' in globals()") == "False"
    bare.run("del spark")


def test_what_was_saved_outlives_the_kernel(tmp_path: Path) -> None:
    definition = http_tool("http://127.0.0.1:9/?q={{q}}", tool_id="kept")
    with running_kernel(tmp_path) as first:
        cell = first.run(f"%load_ext sparknb\nspark.studio.draft({definition!r})")
        assert cell.error is None
    with running_kernel(tmp_path) as second:
        assert "kept" in second.run("%load_ext sparknb\n%spark list").text
