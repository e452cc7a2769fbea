"""Picks concrete classes and wires them; the only module that knows who is who."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from sparknb._version import __version__
from sparknb.core.definitions import ToolDefinition
from sparknb.core.problems import Problem
from sparknb.core.protocols import (
    Approver,
    Keychain,
    KeychainKind,
    PreparedCall,
    Proof,
    Runtime,
    RuntimeKind,
    StoredSecret,
)
from sparknb.host import Host, Spark
from sparknb.host.loop_thread import LoopThread
from sparknb.settings import Settings, load_settings, make_home

__all__ = ["open_host", "open_spark", "sandboxes"]


class LazyKeychain:
    """A keychain that is looked for at first use: many calls need none.

    Looking for the operating system's takes a tenth of a second.
    """

    def __init__(self, find: Callable[[], Keychain]) -> None:
        self._find = find
        self._lock = threading.Lock()

    @cached_property
    def _found(self) -> Keychain:
        return self._find()

    @property
    def _real(self) -> Keychain:
        with self._lock:
            return self._found

    @property
    def kind(self) -> KeychainKind:
        """Which kind answers."""
        return self._real.kind

    @property
    def label(self) -> str:
        """A short name for people."""
        return self._real.label

    @property
    def is_read_only(self) -> bool:
        """Whether write and remove always refuse."""
        return self._real.is_read_only

    @property
    def fallback_reason(self) -> str | None:
        """Why `auto` fell back to memory, else None."""
        return self._real.fallback_reason

    def variable(self, reference: str) -> str | None:
        """Give the environment variable that holds the value, None where none does."""
        return self._real.variable(reference)

    def read(self, reference: str) -> StoredSecret | None:
        """Give the value, or None when there is none."""
        return self._real.read(reference)

    def write(self, reference: str, secret: StoredSecret) -> None:
        """Store the value in place of the one before."""
        self._real.write(reference, secret)

    def remove(self, reference: str) -> bool:
        """Remove the value; False when there was none."""
        return self._real.remove(reference)


class LazyRuntime:
    """A runtime that is made, and its module imported, at its first use."""

    def __init__(self, make: Callable[[], Runtime]) -> None:
        self._make = make
        self._made: Runtime | None = None

    @property
    def _real(self) -> Runtime:
        if self._made is None:
            self._made = self._make()
        return self._made

    def prepare(
        self, definition: ToolDefinition, arguments: Mapping[str, Any]
    ) -> PreparedCall:
        """Render the call."""
        return self._real.prepare(definition, arguments)

    async def check(self, definition: ToolDefinition) -> Sequence[Problem]:
        """Give what only this runtime can see."""
        return await self._real.check(definition)

    async def prove(self) -> Sequence[Proof]:
        """Try attacks on this runtime's own walls."""
        return await self._real.prove()

    async def close(self) -> None:
        """Give back what a use has made."""
        if self._made is not None:
            await self._made.close()


def sandboxes() -> Mapping[RuntimeKind, Runtime]:
    """Give the runtimes of programs, by their language; none is started yet."""
    return {"python": LazyRuntime(_python), "typescript": LazyRuntime(_typescript)}


def _python() -> Runtime:
    from sparknb.runtimes.monty import MontyRuntime

    return MontyRuntime()


def _typescript() -> Runtime:
    from sparknb.runtimes.deno import DenoRuntime

    return DenoRuntime()


async def open_host(
    home: str | Path | None = None,
    database_url: str | None = None,
    keychain: str | None = None,
    *,
    approver: Approver | None = None,
    environment: Mapping[str, str] | None = None,
    one_shot: bool = False,
) -> Host:
    """Open the host over the registry of a home.

    Args:
        home: Folder of the registry; None looks as docs/settings.md says.
        database_url: Registry elsewhere, such as `postgresql+psycopg://…`.
        keychain: `auto`, `os`, `env` or `memory`.
        approver: Whom to ask before a call that is more than a read.
        environment: Variables to read in place of the process's own.
        one_shot: The process ends after one command, so memory keeps no secret.

    Raises:
        InvalidInputError: A setting has a value it cannot have.
        RegistryNewerError: The registry was made by a later sparknb.
        RegistryUnavailableError: The registry cannot be opened.
    """
    settings = load_settings(
        home=home,
        database_url=database_url,
        keychain=keychain,
        environment=environment,
    )
    return await asyncio.to_thread(wire, settings, approver=approver, one_shot=one_shot)


def wire(
    settings: Settings, *, approver: Approver | None = None, one_shot: bool = False
) -> Host:
    """Make the host that these settings describe; blocks while the registry opens."""
    from sparknb.registry import open_registry
    from sparknb.runtimes.documents import DocumentFetcher
    from sparknb.runtimes.egress import Egress
    from sparknb.runtimes.http import HttpRuntime
    from sparknb.runtimes.vision.chat import ChatClient

    warnings = make_home(settings.home)
    registry = open_registry(settings.database_url, home=settings.home)

    def find() -> Keychain:
        from sparknb.keychain import open_keychain

        return open_keychain(
            settings.keychain,
            registry_id=registry.id,
            environment=settings.secret_environment,
        )

    def egress() -> Egress:
        return Egress(version=__version__, proxies=settings.proxy_environment)

    keychain = LazyKeychain(find)
    chat = ChatClient(egress(), keychain.variable)
    folder = _working_folder()  # as it is now

    def vision() -> Runtime:
        from sparknb.runtimes.vision.runtime import VisionRuntime

        return VisionRuntime(
            profiles=registry.provider, chat=chat, folder=folder, egress=egress()
        )

    return Host(
        registry=registry,
        keychain=keychain,
        runtimes={
            "http": HttpRuntime(egress()),
            "provider-vision": LazyRuntime(vision),
            **sandboxes(),
        },
        fetcher=DocumentFetcher(egress()),
        chat=chat,
        settings=settings,
        approver=approver,
        require_passing_cases=settings.require_passing_cases,
        one_shot=one_shot,
        notices=(*settings.notices, *warnings),
    )


def _working_folder() -> Path:
    """Give where paths of images count from: in a notebook, its folder."""
    try:
        return Path.cwd()
    except OSError:  # it was deleted; of the root, no path is let through
        return Path("/")


def open_spark(
    home: str | Path | None = None,
    database_url: str | None = None,
    keychain: str | None = None,
    *,
    approver: Approver | None = None,
    environment: Mapping[str, str] | None = None,
) -> Spark:
    """Open a blocking handle; arguments and errors as in `open_host`.

    Example:
        with sparknb.open_spark() as spark:
            print(spark.tools["custom_weather"](city="Oslo").text)
    """
    loop = LoopThread()
    try:
        host = loop.run(
            open_host(
                home, database_url, keychain, approver=approver, environment=environment
            )
        )
    except BaseException:
        loop.close()
        raise
    return Spark(host, loop)
