"""TypeScript tools in Deno: one fresh process for each call, with no permission."""

from sparknb.runtimes.deno.runtime import DenoRuntime

__all__ = ["DenoRuntime"]
