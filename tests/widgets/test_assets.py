"""What a widget brings to a page: small, whole, from nowhere else."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sparknb.widgets import (
    CellReplacer,
    ConfirmationCard,
    OperationPicker,
    QuestionCard,
    RiskForm,
    SecretEntry,
    SecretPrompt,
)
from sparknb.widgets.assets import stylesheet

WIDGETS = [
    CellReplacer,
    ConfirmationCard,
    OperationPicker,
    QuestionCard,
    RiskForm,
    SecretEntry,
    SecretPrompt,
]
BUDGET = 40_000  # bytes of the module, with the kit in it

each = pytest.mark.parametrize("widget", WIDGETS, ids=lambda w: w.__name__)


@each
def test_a_module_stays_within_its_budget(widget: type) -> None:
    assert 1000 < len(widget._esm.encode()) < BUDGET  # type: ignore[attr-defined]  # every Panel has one


@pytest.mark.parametrize("name", [None, "operation_picker"])
def test_the_style_sheet_is_small_and_loads_nothing(name: str | None) -> None:
    sheet = stylesheet(name)

    assert len(sheet.encode()) < 15_000
    assert "url(" not in sheet
    assert "@import" not in sheet


@each
def test_a_module_makes_no_markup_and_no_request(widget: type) -> None:
    text = widget._esm  # type: ignore[attr-defined]  # every Panel has one

    for banned in (
        r"\b(inner|outer)HTML\b",
        r"\binsertAdjacentHTML\b",
        r"\bdocument\.write\b",
        r"\beval\b",
        r"\bfetch\(",
        r"https?://",
        r"^\s*import\b",
        r"\blocalStorage\b",
        r"\bconsole\.",
    ):
        assert re.search(banned, text, re.MULTILINE) is None, banned


@each
def test_a_module_never_writes_the_state(widget: type) -> None:
    text = widget._esm  # type: ignore[attr-defined]  # every Panel has one

    assert "model.set" not in text
    assert "save_changes" not in text


@each
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
def test_a_module_is_an_es_module(widget: type, tmp_path: Path) -> None:
    file = tmp_path / "widget.mjs"
    file.write_text(widget._esm, encoding="utf-8")  # type: ignore[attr-defined]  # every Panel has one

    checked = subprocess.run(
        ["node", "--check", file],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert checked.returncode == 0, checked.stderr
