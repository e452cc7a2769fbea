"""How long anything may take. It is for machines that are slow and busy: no test waits
this long, because every wait ends with what is waited for."""

__all__ = ["LONGEST", "LONGEST_MS", "LONGEST_TEST"]

LONGEST = 60.0  # seconds, for one step
LONGEST_MS = LONGEST * 1000
LONGEST_TEST = 300.0
