"""Environment variables that hold secret values, and what they are named after."""

import re

__all__ = ["SECRET_VARIABLES", "in_variable"]

SECRET_VARIABLES = ("SPARKNB_SECRET__", "SPARKNB_PROVIDER_KEY__")
"""How their names begin: those of tools, those of providers."""

_OTHER_CHARACTERS = re.compile(r"[^A-Z0-9_]")


def in_variable(text: str) -> str:
    """Give an id or a name as it stands in the name of a variable.

    Letters are put in upper case and other characters become `_`, so several texts
    may be the same there.
    """
    return _OTHER_CHARACTERS.sub("_", text.upper())
