"""Where definitions, versions and traces are kept. SQL lives only here."""

from sparknb.registry.opening import open_memory_registry, open_registry

__all__ = ["open_memory_registry", "open_registry"]
