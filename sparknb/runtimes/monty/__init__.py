"""Carries out tools written in Python, in worker processes of pydantic-monty."""

from sparknb.runtimes.monty.runtime import MontyRuntime

__all__ = ["MontyRuntime"]
