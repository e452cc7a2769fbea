"""What all steps of the demo work on."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from sparknb.demo.account import Account
from sparknb.examples import ExampleService
from sparknb.host import Host

__all__ = ["DemoError", "Stage", "definition", "require"]


class DemoError(Exception):
    """Something of the demo did not come out as it must."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The account, the service, the author's host, and what the agent's gets.

    Attributes:
        environment: Variables for the author's host and the server alike.
    """

    account: Account
    service: ExampleService
    host: Host
    home: Path
    environment: Mapping[str, str]

    def shown(self, text: str) -> str:
        """Give the text without the port, which is another one each time."""
        return text.replace(self.service.url, "http://127.0.0.1:…")


def definition(name: str, url: str) -> dict[str, Any]:
    """Read a definition of the demo, for the service at `url`."""
    text = files(__package__).joinpath("definitions", f"{name}.json")
    written = text.read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(
        written.replace("http://service.invalid", url)
    )
    return document


def require(fact: object, otherwise: str) -> None:
    """Go on only if it is a fact.

    Raises:
        DemoError: It is not.
    """
    if not fact:
        raise DemoError(otherwise)
