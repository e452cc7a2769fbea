"""What the JupyterLab extension consists of, and how it gets into wheels."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sparknb import __version__

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "labextension"
BUILT = ROOT / "sparknb" / "labextension"
SHARED = "data/share/jupyter/labextensions/sparknb"

built = pytest.mark.skipif(
    not (BUILT / "package.json").is_file(),
    reason="the JupyterLab extension is not built: `make labextension` builds it",
)
builds_wheels = pytest.mark.skipif(
    importlib.util.find_spec("hatchling") is None,
    reason="no wheel is built without hatchling: pip install '.[test]'",
)


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


# ------------------------------------------------------------------------ sources
def test_the_extension_has_the_version_of_the_package() -> None:
    lock = read(SOURCES / "package-lock.json")
    assert read(SOURCES / "package.json")["version"] == __version__
    assert lock["version"] == lock["packages"][""]["version"] == __version__


def test_the_lock_file_names_no_registry_and_checks_every_package() -> None:
    lock = read(SOURCES / "package-lock.json")
    packages = {name: each for name, each in lock["packages"].items() if name}
    assert len(packages) > 100
    public = "https://registry.npmjs.org/"
    for name, each in packages.items():
        assert each.get("resolved", public).startswith(public), name
        assert each["integrity"].startswith("sha512-"), name


def test_each_ready_cell_has_a_command_with_words_for_a_person() -> None:
    cells = read(SOURCES / "src" / "cells.json")
    assert len({cell["command"] for cell in cells}) == len(cells)
    assert len({cell["label"] for cell in cells}) == len(cells)
    for cell in cells:
        assert re.fullmatch(r"sparknb:[a-z-]+", cell["command"])
        assert cell["caption"].startswith("Insert ")
        assert cell["selected"] in "\n".join(cell["source"])


# -------------------------------------------------------------------------- built
@built
def test_what_is_built_is_of_this_version_and_small() -> None:
    package = read(BUILT / "package.json")
    assert package["version"] == __version__
    assert (BUILT / package["jupyterlab"]["_build"]["load"]).is_file()
    size = sum(f.stat().st_size for f in BUILT.rglob("*") if f.is_file())
    assert size < 100_000


@built
def test_what_is_built_asks_no_other_machine_and_names_no_path_of_this_one() -> None:
    for file in BUILT.rglob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert re.findall(r"https?://(?!127\.0\.0\.1)[\w.-]+", text) == [], file.name
        assert not re.search(r"\bfetch\(|XMLHttpRequest|sendBeacon", text), file.name
        assert str(ROOT) not in text, file.name


# ------------------------------------------------------------------------- wheels
@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Give a small copy of the checkout, without the built extension."""
    place = tmp_path / "checkout"
    place.mkdir()
    for name in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        ".gitignore",
    ):
        shutil.copy(ROOT / name, place)
    for name in ("labextension", "sparknb", "notebooks"):
        shutil.copytree(
            ROOT / name,
            place / name,
            ignore=shutil.ignore_patterns("node_modules", "__pycache__", BUILT.name)
            if name != SOURCES.name
            else shutil.ignore_patterns("node_modules", "lib"),
        )
    return place


def pretend_to_build(checkout: Path, version: str = __version__) -> None:
    place = checkout / "sparknb" / "labextension"
    (place / "static").mkdir(parents=True)
    (place / "static" / "remoteEntry.js").write_text("", encoding="utf-8")
    package = {
        "name": "sparknb",
        "version": version,
        "jupyterlab": {"_build": {"load": "static/remoteEntry.js"}},
    }
    (place / "package.json").write_text(json.dumps(package), encoding="utf-8")


def build(checkout: Path, statement: str) -> "subprocess.CompletedProcess[str]":
    """Have hatchling build into `dist`, as pip and `python -m build` do."""
    program = f"import hatchling.build\nprint(hatchling.build.{statement}('dist'))"
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=checkout,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def files_of(checkout: Path, ran: "subprocess.CompletedProcess[str]") -> list[str]:
    assert ran.returncode == 0, ran.stderr
    with zipfile.ZipFile(checkout / "dist" / ran.stdout.split()[-1]) as wheel:
        return wheel.namelist()


@builds_wheels
@pytest.mark.parametrize("statement", ["build_wheel", "build_editable"])
def test_a_wheel_has_the_extension_where_jupyterlab_looks_for_it(
    checkout: Path, statement: str
) -> None:
    pretend_to_build(checkout)
    # pip puts it there, where the built extension is linked into an environment
    shutil.copy(SOURCES / "install.json", checkout / "sparknb" / "labextension")
    files = files_of(checkout, build(checkout, statement))
    shared = [name.partition(SHARED)[2] for name in files if SHARED in name]
    assert sorted(shared) == [
        "/install.json",
        "/package.json",
        "/static/remoteEntry.js",
    ]
    assert not [name for name in files if name.startswith("sparknb/labextension")]


@builds_wheels
@pytest.mark.parametrize("statement", ["build_wheel", "build_editable"])
def test_a_checkout_can_be_installed_before_the_extension_is_built(
    checkout: Path, statement: str
) -> None:
    ran = build(checkout, statement)
    assert "Without the JupyterLab extension" in ran.stdout + ran.stderr
    assert "make labextension" in ran.stdout + ran.stderr
    assert not [name for name in files_of(checkout, ran) if "labextension" in name]


@builds_wheels
def test_a_wheel_has_the_lessons_where_they_are_looked_for(checkout: Path) -> None:
    files = files_of(checkout, build(checkout, "build_wheel"))
    assert "sparknb/tutorials/notebooks/sanitize.cfg" in files


@builds_wheels
def test_a_release_without_the_extension_fails(checkout: Path) -> None:
    ran = build(checkout, "build_sdist")
    assert ran.returncode != 0
    assert "The JupyterLab extension is not built: build it with" in ran.stderr


@builds_wheels
def test_a_wheel_from_a_source_distribution_without_the_extension_fails(
    checkout: Path,
) -> None:
    (checkout / "PKG-INFO").write_text(
        f"Metadata-Version: 2.4\nName: sparknb\nVersion: {__version__}\n",
        encoding="utf-8",
    )
    ran = build(checkout, "build_wheel")
    assert ran.returncode != 0
    assert "The JupyterLab extension is not built" in ran.stderr


@builds_wheels
def test_a_release_with_the_extension_of_another_version_fails(checkout: Path) -> None:
    pretend_to_build(checkout, version="0.0.9")
    ran = build(checkout, "build_sdist")
    assert ran.returncode != 0
    assert "The JupyterLab extension is built for 0.0.9" in ran.stderr


@builds_wheels
def test_a_source_distribution_carries_what_is_built_and_what_it_is_built_from(
    checkout: Path,
) -> None:
    pretend_to_build(checkout)
    ran = build(checkout, "build_sdist")
    assert ran.returncode == 0, ran.stderr
    shutil.unpack_archive(checkout / "dist" / ran.stdout.split()[-1], checkout / "out")
    (top,) = (checkout / "out").iterdir()
    assert (top / "sparknb/labextension/static/remoteEntry.js").is_file()
    assert (top / "labextension/package-lock.json").is_file()
    files = files_of(top, build(top, "build_wheel"))
    assert any(name.endswith(f"{SHARED}/package.json") for name in files)
