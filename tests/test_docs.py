"""The documentation is complete, its links lead somewhere, its examples work."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparknb.commands.index import COMMANDS
from sparknb.commands.table import Command
from sparknb.core import errors
from sparknb.core.codes import CODES
from sparknb.core.validation import validate_text
from sparknb.examples import ExampleService
from sparknb.examples.catalogue import ENDPOINTS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "notebooks").rglob("*.md")]
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")

# Strings that look like codes and are none.
NO_CODES = {"CREATE", "DELETE", "INSERT", "PATCH", "POST", "SELECT", "UPDATE"}
NO_CODES |= {"MIME_TYPE"}
CODE = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
SINGLE_CODES = {"DENIED", "TIMEOUT", "CANCELLED", "CONFLICT", "UNREACHABLE", "USAGE"}


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def sections(text: str) -> dict[str, str]:
    """Give the text below each heading of the third level, up to the next heading."""
    parts = re.split(r"^#{1,3} (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


# ------------------------------------------------------------------- commands
COMMAND_SECTIONS = sections(page("commands.md"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.words)
def test_every_command_has_its_section_with_all_its_options(command: Command) -> None:
    body = COMMAND_SECTIONS[f"sparknb {command.usage}"].replace(r"\|", "|")
    for option in command.options:
        assert f"`{option.usage}`" in body


def test_no_section_is_about_a_command_or_option_that_is_not_there() -> None:
    usages = {f"sparknb {command.usage}": command for command in COMMANDS}
    for title, body in COMMAND_SECTIONS.items():
        if title not in usages:
            assert not title.startswith("sparknb "), title
            continue
        known = {option.name for option in usages[title].options} | {"--json"}
        assert set(re.findall(r"`(--[a-z-]+)", body)) <= known


# --------------------------------------------------------------------- errors
def codes_in(path: Path) -> Iterator[str]:
    """Give the texts of a module that have the form of a code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        id(element)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List)
        for element in node.value.elts
    }  # those of __all__
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if id(node) not in names and (CODE.fullmatch(text) or text in SINGLE_CODES):
                yield text


def documented_codes() -> set[str]:
    rows = re.findall(r"^\| ((?:`[A-Z_]+` ?)+)\|", page("errors.md"), re.MULTILINE)
    return {code for row in rows for code in re.findall(r"`([A-Z_]+)`", row)}


SETTING_NAMES = re.compile(
    r"SPARKNB_|PYTHON_|XDG_|NO_COLOR|FORCE_COLOR|CI_|CLICOLOR_|JUPYTER_|DBUS_|DENO_|PY_"
    r"|PYTEST_"
)


def test_every_code_is_explained() -> None:
    used: dict[str, str] = {}
    for path in sorted((ROOT / "sparknb").rglob("*.py")):
        if "examples" not in path.parts:
            used |= dict.fromkeys(codes_in(path), name(path))
    found = {c: where for c, where in used.items() if not SETTING_NAMES.match(c)}
    unknown = found.keys() - documented_codes() - NO_CODES
    assert {code: found[code] for code in unknown} == {}


def test_every_code_of_the_table_and_of_the_error_tree_is_explained() -> None:
    kinds = [getattr(errors, n) for n in errors.__all__ if n.endswith("Error")]
    codes = {kind.code for kind in kinds} | CODES.keys()
    assert codes - documented_codes() == set()


# ------------------------------------------------------------------- settings
def test_every_setting_is_explained_with_its_default() -> None:
    from sparknb.settings import SETTINGS

    text = page("settings.md")
    for setting in SETTINGS:
        assert f"`{setting.variable}`" in text
        assert f"`{setting.key}`" in text


def test_no_variable_is_explained_that_nothing_reads() -> None:
    sources = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("sparknb", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__)
    )
    for each in PAGES:
        text = each.read_text(encoding="utf-8")
        for variable in set(re.findall(r"`(SPARKNB_[A-Z]+(?:_[A-Z]+)*)\b", text)):
            assert variable in sources, f"{name(each)}: {variable}"


# ------------------------------------------------------------------- examples
def test_every_endpoint_of_the_example_service_is_listed() -> None:
    text = page("examples.md")
    for endpoint in ENDPOINTS:
        assert re.search(rf"{re.escape(endpoint.path)}[`?]", text), endpoint.path


def fences(path: Path, language: str) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return [body for kind, body in FENCE.findall(text) if kind == language]


DEFINITIONS = [
    pytest.param(body, id=f"{name(path)}-{number}")
    for path in PAGES
    for number, body in enumerate(fences(path, "json"))
]


@pytest.mark.parametrize("text", DEFINITIONS)
def test_every_definition_in_the_documentation_is_valid(text: str) -> None:
    assert [str(problem) for problem in validate_text(text).problems] == []


def test_every_python_example_can_be_compiled() -> None:
    for path in PAGES:
        for body in fences(path, "python"):
            compile(body, name(path), "exec")


def run_lines(
    path: Path, folder: Path, environment: dict[str, str]
) -> list["subprocess.CompletedProcess[str]"]:
    """Run the `sparknb` lines of a page in order, but what lasts or asks."""
    done = []
    for line in "\n".join(fences(path, "sh")).splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["sparknb"] or words[1:3] in (
            ["examples", "serve"],
            ["secret", "set"],
        ):
            continue
        if words[1] in ("publish", "test") and "--yes" not in words:
            words.append("--yes")
        ran = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=folder,
            env=os.environ | environment | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.returncode == 0, f"{line}\n{ran.stdout}{ran.stderr}"
        done.append(ran)
    return done


@pytest.mark.parametrize(
    ("file", "saved_as", "answer"),
    [
        ("docs/terminal.md", "weather.json", "Lima"),
        ("docs/quickstart.md", "order.json", "7900"),
    ],
)
def test_the_first_steps_work_as_written(
    example_service: ExampleService,
    tmp_path: Path,
    file: str,
    saved_as: str,
    answer: str,
) -> None:
    path = ROOT / file
    (text,) = fences(path, "json")
    assert "http://127.0.0.1:8700/" in text
    text = text.replace("http://127.0.0.1:8700", example_service.url)
    (tmp_path / saved_as).write_text(text, encoding="utf-8")
    key = {"SPARKNB_SECRET__ORDER_ITEM__API_KEY": example_service.api_key}
    done = run_lines(path, tmp_path, key | {"SPARKNB_KEYCHAIN": "env"})
    assert len(done) >= 5
    assert answer in "".join(ran.stdout for ran in done)
    assert example_service.api_key not in "".join(ran.stdout for ran in done)


def test_the_keys_in_the_documentation_are_the_ones_of_the_service(
    example_service: ExampleService,
) -> None:
    assert example_service.api_key in page("examples.md")
    assert example_service.bearer_token in page("examples.md")
    assert example_service.api_key in page("quickstart.md")


# --------------------------------------------------------- links, names, figures
def anchors(path: Path) -> set[str]:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
        for title in titles
    }


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_every_page_is_reached_from_the_index() -> None:
    linked = {target.partition("#")[0] for target in LINK.findall(page("index.md"))}
    assert {p.name for p in DOCS.glob("*.md")} - linked == {"index.md"}


def test_every_test_that_the_security_page_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page("security.md"))
    assert len(named) > 20
    for file, function in named:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        there = {
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert function in there, f"{file}::{function}"


def test_the_readme_opens_with_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"`(make \w+)`", text)
    assert commands[:2] == ["make demo", "make test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in commands:
        assert f"\n{command.removeprefix('make ')}:" in makefile


def test_the_changelog_has_a_place_for_what_comes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "\n## [Unreleased]\n" in text


def test_the_normal_form_of_an_example_is_stable() -> None:
    (text,) = fences(DOCS / "terminal.md", "json")
    report = validate_text(text)
    assert report.definition is not None
    again = validate_text(json.dumps(dict(report.definition.wire)))
    assert again.definition is not None
    assert again.definition.digest == report.definition.digest
