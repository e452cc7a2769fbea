"""sparknb: write, check, test-run, publish and watch the tools that AI agents use."""

from sparknb._version import __version__

__all__ = ["__version__"]
