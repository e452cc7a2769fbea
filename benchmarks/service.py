"""The example service in a process of its own, so that its time is not ours."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["serving"]

_CODE = """
import sys
from sparknb.examples import serve_examples
with serve_examples() as service:
    print(service.url, flush=True)
    sys.stdin.read()
"""


@contextmanager
def serving() -> Iterator[str]:
    """Give the address of a running service; it ends with this process's pipe."""
    child = subprocess.Popen(
        [sys.executable, "-c", _CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        url = child.stdout.readline().strip()
        if not url:
            raise RuntimeError("the example service did not start")
        yield url
    finally:
        child.stdin.close()
        child.stdout.close()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
