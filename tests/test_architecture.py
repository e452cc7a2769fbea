"""The shape of the house: layers, sizes, what an import costs, what lies where."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "sparknb").rglob("*.py"))
CORE = [path for path in SOURCES if "core" in path.relative_to(ROOT).parts]
CODE = [
    path
    for folder in ("sparknb", "tests", "benchmarks", "docs", "notebooks")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
MOST_LINES = 500

# What may stand at the top of the repository.
TOP = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "benchmarks",
    "binder",
    "docs",
    "labextension",
    "notebooks",
    "pyproject.toml",
    "sparknb",
    "tests",
}
OUTSIDE = {
    "IPython",
    "alembic",
    "anywidget",
    "bpe_openai",
    "httpx",
    "ipywidgets",
    "jsonschema",
    "keyring",
    "mcp",
    "pandas",
    "sqlalchemy",
}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tracked() -> list[str]:
    """Give the files that git knows; of a copy without git, none."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return listed.stdout.splitlines()


def loaded_after(statement: str) -> set[str]:
    """Give the top-level modules that a fresh interpreter holds after a statement."""
    program = (
        f"{statement}\nimport sys\nprint(*{{m.split('.')[0] for m in sys.modules}})"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return set(ran.stdout.split())


def test_imports_point_inwards() -> None:
    # in a process of its own: it switches the loggers of this one off
    program = "from importlinter.cli import lint_imports; print(lint_imports())"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert ran.stdout.splitlines()[-1:] == ["0"], ran.stdout + ran.stderr


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {name(p): len(p.read_text(encoding="utf-8").splitlines()) for p in CODE}
    assert {n: lines for n, lines in lengths.items() if lines > MOST_LINES} == {}


@pytest.mark.parametrize("path", CORE, ids=name)
def test_the_core_touches_no_file_no_socket_and_no_process(path: Path) -> None:
    touching = {"asyncio", "os", "pathlib", "socket", "subprocess", "tempfile"}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert imported(tree.body) & (touching | OUTSIDE) == set()


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


def test_importing_the_core_brings_nothing_of_the_outside_world() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in CORE
        if path.name != "__init__.py"
    ]
    assert len(modules) > 10
    assert loaded_after("import " + ", ".join(modules)) & OUTSIDE == set()


@pytest.mark.parametrize(
    "statement",
    ["import sparknb", "import sparknb.cli", "import sparknb.commands.index"],
)
def test_importing_a_front_door_is_light(statement: str) -> None:
    heavy = OUTSIDE | {"anyio", "httpcore", "rich", "typer", "uvicorn", "starlette"}
    assert loaded_after(statement) & heavy == set()


def test_every_library_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    # psycopg comes with an extra, and is asked for by name
    declared = {"mcp-types", "psycopg", "pydantic-core"} | {
        re.split(r"[<>=!~;\[ ]", requirement)[0]
        for requirement in project["project"]["dependencies"]
    }
    owners = packages_distributions()
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        outside = imported(ast.walk(tree)) - sys.stdlib_module_names - {"sparknb"}
        for module in outside:
            names = {owner.lower().replace("_", "-") for owner in owners[module]}
            assert names & declared, f"{name(path)}: {module}"


def test_the_front_door_has_what_it_promises_and_nothing_else() -> None:
    import sparknb

    assert sparknb.__all__ == sorted(sparknb.__all__)
    assert dir(sparknb) == sorted(sparknb.__all__)
    for promised in sparknb.__all__:
        assert getattr(sparknb, promised) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sparknb.nothing  # noqa: B018  # the access is the test


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_every_module_has_a_docstring_and_an_honest_list_of_names(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    defined: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.add(node.id)
    assert set(promised_names(tree)) <= defined


def promised_names(tree: ast.Module) -> list[str]:
    lists = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "__all__"
    ]
    return [name for each in lists for name in ast.literal_eval(each)]


def test_nothing_is_marked_as_unfinished() -> None:
    # written so that this file does not find itself
    marks = re.compile("|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]))
    found = [
        f"{name(path)}:{number}"
        for path in CODE
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if marks.search(line)
    ]
    assert found == []


def test_every_silenced_check_says_why() -> None:
    silenced = re.compile(r"#\s*(?:noqa|type:\s*ignore)\b(?P<rest>.*)")
    codes = r":\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*|\[[a-z-]+(?:,\s*[a-z-]+)*\]"
    reasoned = re.compile(rf"(?:{codes})\s+\W*\w.*\w")
    found = [
        f"{name(path)}:{number}"
        for path in CODE
        if path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (match := silenced.search(line)) and not reasoned.match(match["rest"])
    ]
    assert found == []


def test_nothing_lies_where_it_does_not_belong() -> None:
    files = tracked()
    if not files:
        pytest.skip("not a git checkout: what is tracked is unknown")
    assert {path.split("/")[0] for path in files} <= TOP


def test_no_path_of_a_machine_is_in_the_repository() -> None:
    homes = re.compile(
        r"(?:^|[\s\"'(=:])/(?:home/(?!\w*user|you)|Users/|root/|work/)\w+"
    )
    found = []
    for path in tracked():
        file = ROOT / path
        if (
            file.suffix in {".py", ".md", ".toml", ".yml", ".yaml", ""}
            and file.is_file()
        ):
            text = file.read_text(encoding="utf-8")
            found += [f"{path}: {match[0]}" for match in homes.finditer(text)]
    assert found == []
