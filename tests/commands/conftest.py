from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.cells import Notebook


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    opened = Notebook(tmp_path / "home")
    yield opened
    opened.close()
