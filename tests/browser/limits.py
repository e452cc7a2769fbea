"""How long anything may take. It is for machines that are slow and busy: no test waits
this long, because every wait ends with what is waited for."""

__all__ = ["LONGEST", "LONGEST_MS", "LONGEST_START", "LONGEST_TEST"]

LONGEST = 90.0  # seconds, for one step; `driver.js` has the same
LONGEST_MS = LONGEST * 1000
LONGEST_START = 240.0  # for a program
LONGEST_TEST = 600.0
