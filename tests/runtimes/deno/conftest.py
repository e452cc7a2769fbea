"""One sandbox for the tests of a file: its parser takes a while to start."""

import tempfile
from collections.abc import Iterator

import pytest

from tests.runtimes.deno.programs import Sandbox, sandbox


@pytest.fixture(scope="module")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with pytest.MonkeyPatch.context() as patch:
        # a temporary folder of its own: other tests have sandboxes too
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))
        with sandbox() as opened:
            yield opened
