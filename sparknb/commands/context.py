"""What a command works with: its front door, the host, what it has read."""

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from sparknb.commands.places import lines_of
from sparknb.core.errors import (
    ApprovalUnavailableError,
    DeniedError,
    InvalidInputError,
    NotFoundError,
)
from sparknb.core.problems import Problem
from sparknb.core.protocols import Approver
from sparknb.core.records import ToolRecord

if TYPE_CHECKING:
    from sparknb.host import Host
    from sparknb.settings import Settings

__all__ = ["READ_LIMIT", "Context", "Door", "Question", "Source", "read_file"]

Finder = Callable[[Iterable[str]], Mapping[str, int]]

_SQLITE = "sqlite:///"

READ_LIMIT = 4 * 1024 * 1024
"""Bytes read of an input; every limit on inputs is below it."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a person says yes or no to.

    Attributes:
        title: What would be done.
        details: Names with values that help to decide.
        seen: The tool in the state that the question is about, if it is about one.
    """

    title: str
    details: tuple[tuple[str, str], ...] = ()
    seen: ToolRecord | None = None


class Door(Protocol):
    """What a front door lends to a command: the person before it, and its input."""

    @property
    def approver(self) -> Approver | None:
        """Who can be asked about a call; None when nobody can."""
        ...

    async def read_input(self, limit: int) -> bytes:
        """Give what stands for `-`, at most `limit` bytes of it."""
        ...

    async def read_secret(self, name: str) -> str:
        """Give a secret value without showing it."""
        ...

    async def notify(self, problems: Sequence[Problem]) -> None:
        """Tell what is worth knowing beside the answer."""
        ...

    async def confirm(self, question: Question) -> bool:
        """Give the person's answer; only called when `approver` is there."""
        ...

    def variable(self, name: str) -> str:
        """Give the text of a Python variable of the notebook.

        Raises:
            NotFoundError: There is none of this name.
            UsageError: There is no notebook.
        """
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """What a person wrote, with the name that they know it by.

    Attributes:
        find: Gives the line of each path in it; None reads `data` as JSON.
    """

    name: str
    data: bytes
    find: Finder | None = None

    def lines(self, paths: Iterable[str]) -> Mapping[str, int]:
        """Give the 1-based line of each path, where it has one."""
        if self.find is not None:
            return self.find(paths)
        return lines_of(self.data.decode("utf-8", "replace"), paths)


class Context:
    """One run of one command. Opens the host when it is first needed."""

    def __init__(self, door: Door, host: "Host | None" = None) -> None:
        self.door = door
        self.source: Source | None = None
        self._host = host
        self._owns_host = host is None

    async def host(self) -> "Host":
        """Give the host; opened here, it is closed with this context."""
        if self._host is None:
            from sparknb.bootstrap import open_host

            self._host = await open_host(one_shot=True)
            await self.door.notify(self._host.notices)
        return self._host

    async def host_if_there(self) -> "Host | None":
        """Give the host, None where opening it would make a registry."""
        if self._host is None:
            settings = await self.settings()
            if not _has_registry(settings.database_url):
                return None
        return await self.host()

    async def taken_ids(self, *, saves: bool) -> Callable[[str], bool]:
        """Give what says whether an id is taken; a look alone makes no registry."""
        host = await self.host() if saves else await self.host_if_there()
        if host is None:
            return lambda _: False
        registry = host.registry
        return lambda tool_id: registry.get(tool_id) is not None

    async def settings(self) -> "Settings":
        """Give the settings; reads them anew where no host is open.

        Raises:
            InvalidInputError: A setting has a value that it cannot have.
        """
        if self._host is not None:
            found: Settings = self._host.settings
            return found
        from sparknb.settings import load_settings

        settings = load_settings()
        await self.door.notify(settings.notices)
        return settings

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._host is not None and self._owns_host:
            await self._host.close()
            self._host = None

    async def read(self, name: str) -> Source:
        """Read a file, or what stands for `-`; remembers it for error messages.

        Raises:
            NotFoundError: There is no such file.
            InvalidInputError: It cannot be read.
        """
        data = await self.read_bytes(name, READ_LIMIT)
        self.source = Source("<stdin>" if name == "-" else name, data)
        return self.source

    async def read_bytes(self, name: str, limit: int) -> bytes:
        """Read a file, or what stands for `-`: at most `limit` bytes and one more.

        Raises:
            NotFoundError: There is no such file.
            InvalidInputError: It cannot be read.
        """
        if name == "-":
            return await self.door.read_input(limit + 1)
        return read_file(name, limit)

    async def consent(
        self, values: Mapping[str, Any], describe: Callable[[], Awaitable[Question]]
    ) -> ToolRecord | None:
        """Make sure that a person wants this; `--yes` is their answer.

        `describe` looks up what the person has to know, and runs only when one is
        there to ask.

        Returns:
            The tool as the person was shown it, for the step to compare; None where
            nobody was asked, or not about a tool.

        Raises:
            ApprovalUnavailableError: No `--yes`, and nobody can be asked.
            DeniedError: The person said no.
        """
        if values["yes"]:
            return None
        if self.door.approver is None:
            raise ApprovalUnavailableError(
                "this needs a person's yes, and nobody can be asked here",
                path="--yes",
                hint="add --yes if you mean it",
            )
        question = await describe()
        if not await self.door.confirm(question):
            raise DeniedError("not confirmed: nothing was changed")
        return question.seen


def _has_registry(url: str) -> bool:
    """Whether there is a registry already; one elsewhere counts as there."""
    if not url.startswith(_SQLITE):
        return True
    return Path(url.removeprefix(_SQLITE).partition("?")[0]).exists()


def read_file(name: str, limit: int) -> bytes:
    """Give at most `limit` bytes of a file, and one more where there are more.

    Raises:
        NotFoundError: There is no such file.
        InvalidInputError: It cannot be read.
    """
    path = "FILE"
    if not name:
        raise InvalidInputError(
            "the name of the file is empty",
            path=path,
            hint="give a file, or - for standard input",
        )
    try:
        with Path(name).open("rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no file {name}",
            path=path,
            hint="a name counts from the folder you work in",
        ) from None
    except IsADirectoryError:
        raise InvalidInputError(f"{name} is a folder, not a file", path=path) from None
    except ValueError:
        raise InvalidInputError("a file name holds no NUL", path=path) from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "it failed"
        message = f"cannot read {name}: {reason}"
        raise InvalidInputError(message, path=path) from None
