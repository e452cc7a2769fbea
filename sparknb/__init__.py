"""sparknb: write, check, test-run, publish and watch the tools that AI agents use.

`open_spark` gives a blocking handle for scripts and cells, `open_host` the async
core. Everything else is reached from these two, or from the sub-packages.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sparknb._version import __version__

if TYPE_CHECKING:
    from sparknb.bootstrap import open_host, open_spark
    from sparknb.core.errors import SparknbError, ToolCallError
    from sparknb.core.problems import Problem
    from sparknb.core.protocols import ApprovalRequest, Approver, Decision
    from sparknb.core.results import ToolResult
    from sparknb.host import Host, Spark

__all__ = [
    "ApprovalRequest",
    "Approver",
    "Decision",
    "Host",
    "Problem",
    "Spark",
    "SparknbError",
    "ToolCallError",
    "ToolResult",
    "__version__",
    "open_host",
    "open_spark",
]

_HOMES = {
    "ApprovalRequest": "sparknb.core.protocols",
    "Approver": "sparknb.core.protocols",
    "Decision": "sparknb.core.protocols",
    "Host": "sparknb.host",
    "Problem": "sparknb.core.problems",
    "Spark": "sparknb.host",
    "SparknbError": "sparknb.core.errors",
    "ToolCallError": "sparknb.core.errors",
    "ToolResult": "sparknb.core.results",
    "open_host": "sparknb.bootstrap",
    "open_spark": "sparknb.bootstrap",
}


def __getattr__(name: str) -> object:
    """Import a name of the front door at its first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sparknb' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """Do what `%load_ext sparknb` asks for: add the magics and `spark` to a shell."""
    from sparknb.magics import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Do what `%unload_ext sparknb` asks for: take them away, close what is open."""
    from sparknb.magics import unload

    unload(shell)
