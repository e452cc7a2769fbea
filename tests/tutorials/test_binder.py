"""What mybinder.org makes of this checkout."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"


def test_binder_opens_a_lesson_that_is_there(tmp_path: Path) -> None:
    subprocess.run(
        [str(BINDER / "postBuild")],
        cwd=ROOT,
        env=os.environ | {"NB_PYTHON_PREFIX": str(tmp_path)},
        check=True,
        timeout=60,
    )
    files = list((tmp_path / "etc" / "jupyter").rglob("*.json"))
    assert len(files) == 2
    for file in files:
        config = json.loads(file.read_text(encoding="utf-8"))
        for application in ("ServerApp", "LabApp"):
            place = config[application]["default_url"].removeprefix("/lab/tree/")
            assert (ROOT / place).is_file()
    overrides = tmp_path / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    assert json.loads(overrides.read_text(encoding="utf-8"))


def test_binder_installs_this_checkout() -> None:
    lines = (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert "-e ." in lines
