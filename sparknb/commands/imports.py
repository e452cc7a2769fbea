"""import curl, import openapi: what others wrote becomes drafts."""

from sparknb.commands.imports_curl import CURL
from sparknb.commands.imports_openapi import OPENAPI

__all__ = ["COMMANDS"]

COMMANDS = (CURL, OPENAPI)
