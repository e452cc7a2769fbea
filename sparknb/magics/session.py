"""What one shell holds: the host once it is needed, and all that must end with it."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from sparknb.commands.views import View
from sparknb.core.errors import ToolCancelledError
from sparknb.core.problems import Problem
from sparknb.displays import Shown
from sparknb.host.host import Host
from sparknb.host.loop_thread import LoopThread
from sparknb.magics.courier import KernelCourier
from sparknb.magics.homes import NotebookHome
from sparknb.magics.naming import named, worded
from sparknb.magics.people import AtPrompt
from sparknb.magics.place import Place
from sparknb.magics.variables import Variables

if TYPE_CHECKING:
    from sparknb.examples import ExampleService
    from sparknb.host import Spark

__all__ = ["Session"]


class Session:
    """One per shell. Opens the host at first use, in the home that counts then.

    Attributes:
        place: Where the shell runs.
        home: Which home counts.
        variables: Values that cells passed by name.
    """

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.place = Place(shell)
        self.home = NotebookHome()
        self.variables = Variables(shell.user_ns)
        self._lock = threading.Lock()  # the host, its task and its loop go together
        self._loop: LoopThread | None = None
        self._opened: asyncio.Task[Host] | None = None
        self._spark: Spark | None = None
        self._notices: Sequence[Problem] = ()
        self._widgets: WeakSet[Any] = WeakSet()
        self._services: dict[int, ExampleService] = {}
        self._serving = ExitStack()

    # --------------------------------------------------------------------- host
    @property
    def loop(self) -> LoopThread:
        """The thread that the host lives on."""
        with self._lock:
            if self._loop is None:
                self._loop = LoopThread()
            return self._loop

    @property
    def courier(self) -> KernelCourier:
        """Carries work of widgets to the host that is open now."""
        return KernelCourier(self.loop)

    async def host(self) -> Host:
        """Give the host, opened at first use; on the loop's thread.

        Raises:
            SparknbError: It cannot be opened; the next use tries again. Or the session
                has left this thread, as work that outlives its host finds out.
        """
        with self._lock:
            if self._loop is None or not self._loop.is_here:
                raise ToolCancelledError("the host was closed meanwhile")
            if self._opened is None:
                self._opened = asyncio.create_task(self._open())
            opening = self._opened
        try:
            return await asyncio.shield(opening)
        except BaseException:
            if opening.done() and self._opened is opening:
                self._opened = None
            raise

    async def _open(self) -> Host:
        from sparknb.bootstrap import open_host

        host = await open_host(approver=AtPrompt(self.place))
        self._notices = host.notices
        return host

    def take_notices(self) -> Sequence[Problem]:
        """Give what a person should know of the host that was opened, once."""
        notices, self._notices = self._notices, ()
        return notices

    def spark(self) -> "Spark":
        """Give the blocking handle; opens the host."""
        if self._spark is None:
            from sparknb.host import Spark

            self._spark = Spark(self.loop.run(self.host()), self.loop)
        return self._spark

    # ------------------------------------------------------------------ wording
    def named(self, shown: Shown) -> Shown:
        """Give what is shown in the words of this notebook."""
        return named(shown, self.variables.shown)

    def worded(self, view: View) -> View:
        """Give a view in the words of this notebook."""
        return worded(view, self.variables.shown)

    # ----------------------------------------------------------- what ends with it
    def keep(self, widget: Any) -> None:
        """Close a widget with the session, at the latest."""
        self._widgets.add(widget)

    def use_home(self, folder: Path | None) -> None:
        """Work in another home from now on; None makes a throw-away one.

        The new one counts before the old host is closed: what another thread, or a
        button, does meanwhile belongs to it.
        """
        if folder is None:
            self.home.use_temporary()
        else:
            self.home.use(folder)
        self.release()
        self.home.sweep()

    def serve_examples(self, port: int) -> str:
        """Give the address of the example service on a port; started at first use.

        One that runs there already, in another notebook or a terminal, is as good.

        Raises:
            ExampleServiceError: The port is taken or not allowed.
        """
        from sparknb.examples import (
            ExampleServiceError,
            find_examples,
            serve_examples,
        )

        if port not in self._services:
            try:
                service = self._serving.enter_context(serve_examples(port))
            except ExampleServiceError:
                running = find_examples(port)
                if running is None:
                    raise
                return running
            self._services[service.port] = service
            return service.url
        return self._services[port].url

    def close(self) -> None:
        """End everything: host, threads, service, widgets, throw-away home."""
        for widget in list(self._widgets):
            widget.close()
        self._widgets.clear()
        self.home.restore()
        self.release()
        self.home.sweep()
        self._serving.close()
        self._services.clear()

    def release(self) -> None:
        """Close the host and its thread; the next use opens anew."""
        with self._lock:
            loop, self._loop = self._loop, None
            spark, self._spark = self._spark, None
            opened, self._opened = self._opened, None
        if loop is None or loop.is_closed:
            return
        from sparknb.host import Spark

        try:
            if spark is None and opened is not None and opened.done():
                spark = _handle(opened, Spark, loop)
            if spark is not None:
                spark.close()
        finally:
            loop.close()


def _handle(opened: "asyncio.Task[Host]", make: Any, loop: LoopThread) -> Any:
    if opened.cancelled() or opened.exception() is not None:
        return None
    return make(opened.result(), loop)
