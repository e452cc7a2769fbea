"""`spark`: the blocking handle for scripts and notebook cells."""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from sparknb.core.errors import DeniedError, NotFoundError
from sparknb.core.results import CallStatus, ToolResult
from sparknb.host.host import Host
from sparknb.host.loop_thread import LoopThread, cancel_others
from sparknb.host.surface import Surface
from sparknb.host.surface_entry import SurfaceEntry

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Blocking", "Spark", "Tool", "Tools"]


class Blocking:
    """The same verbs as the object behind it; each waits for its end.

    A view made from the async object, so the two never differ; `help()` and
    completion show the verbs with their own signatures and texts.
    """

    def __init__(self, subject: object, loop: LoopThread) -> None:
        self._subject = subject
        self._loop = loop

    def __getattr__(self, name: str) -> Callable[..., Any]:
        verb = None if name.startswith("_") else getattr(self._subject, name, None)
        if not inspect.iscoroutinefunction(verb):
            raise AttributeError(f"{type(self._subject).__name__} has no verb {name!r}")

        @functools.wraps(verb)
        def blocking(*args: Any, **kwargs: Any) -> Any:
            work = verb(*args, **kwargs)
            del args, kwargs  # one may be a secret: a traceback may show variables
            return self._loop.run(work)

        return blocking

    def __dir__(self) -> list[str]:
        members = inspect.getmembers(type(self._subject), inspect.iscoroutinefunction)
        return [name for name, _ in members if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<{type(self._subject).__name__}: {', '.join(self.__dir__())}>"


class Tool:
    """A published tool that is called like a function."""

    def __init__(self, entry: SurfaceEntry, spark: "Spark") -> None:
        self._entry = entry
        self._spark = spark
        self.__doc__ = entry.description

    @property
    def name(self) -> str:
        """The name an agent calls it by."""
        return self._entry.name

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        return self._entry.input_schema

    def __call__(self, /, **arguments: Any) -> ToolResult:
        """Call the published version; a failure comes back as a result."""
        return self._spark.call(self._entry.name, arguments)

    def __repr__(self) -> str:
        names = ", ".join(self._entry.input_schema["properties"])
        return f"<{self.name}({names}): {self._entry.title}, {self._entry.risk}>"


class Tools(Mapping[str, Tool]):
    """Published and enabled tools by the name an agent uses, always as of now.

    The id is taken as well; whatever is not there says what to do about it.
    """

    def __init__(self, spark: "Spark") -> None:
        self._spark = spark

    def __getitem__(self, name: object) -> Tool:
        if not isinstance(name, str):
            raise KeyError(name)
        try:
            return Tool(self._spark.find(name), self._spark)
        except (DeniedError, NotFoundError) as error:
            said = error.message
        raise KeyError(said)

    def __iter__(self) -> Iterator[str]:
        return (entry.name for entry in self._spark.surface())

    def __len__(self) -> int:
        return len(self._spark.surface())

    def __repr__(self) -> str:
        return f"<tools: {', '.join(self) or 'none published'}>"


class Spark:
    """A host on a loop thread of its own; every verb waits for its end.

    Works in scripts, in async code and in kernels with a running loop. Use it as a
    context manager, or call `close`.

    Attributes:
        studio: The life of Studio tools: validate, draft, test, publish, …
        secrets: Set, status, delete.
        providers: Services that answer questions to a model: add, list, test, …
        tools: Published tools; `spark.tools["custom_weather"](city="Oslo")`.
    """

    def __init__(self, host: Host, loop: LoopThread) -> None:
        self.host = host
        self._loop = loop
        self.studio = Blocking(host.studio, loop)
        self.secrets = Blocking(host.secrets, loop)
        self.providers = Blocking(host.providers, loop)
        self.trace_store = Blocking(host.traces, loop)
        self.tools = Tools(self)

    def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, **options: Any
    ) -> ToolResult:
        """Call a published tool by name or id; options as in `Host.call`."""
        return self._loop.run(self.host.call(name, arguments or {}, **options))

    def route_images(
        self, images: Sequence[str], question: str | None = None, **options: Any
    ) -> ToolResult:
        """Ask the vision tool that is meant for it; options as in `Host.call`."""
        return self._loop.run(self.host.route_images(images, question, **options))

    def check_call(self, name: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Say what would become of a call, without doing it."""
        return self._loop.run(self.host.check_call(name, arguments or {}))

    def find(self, name: str) -> SurfaceEntry:
        """Give what agents may call by this name or id, as `call` finds it."""
        return self._loop.run(self.host.find(name))

    def surface(self) -> Surface:
        """Give a snapshot of what agents may call."""
        return self._loop.run(self.host.surface())

    def traces(
        self,
        *,
        tool: str | None = None,
        status: CallStatus | None = None,
        since: datetime | None = None,
        limit: int = 50,
    ) -> "pd.DataFrame":
        """Give traces as a DataFrame, newest first, one row a call."""
        import pandas as pd

        rows = self._loop.run(
            self.host.traces.list(tool=tool, status=status, since=since, limit=limit)
        )
        columns = [
            "tool_id",
            "tool_version",
            "source",
            "status",
            "error_code",
            "duration_ms",
            "output_bytes",
            "approval",
            "input_sha256",
            "created_at",
            "id",
        ]
        table = [[getattr(row, column) for column in columns] for row in rows]
        return pd.DataFrame(table, columns=columns)

    def close(self) -> None:
        """Cancel what runs, close the host, end the thread; may be called twice."""
        if not self._loop.is_closed:
            try:
                self._loop.run(self._close_host())
            finally:
                self._loop.close()

    async def _close_host(self) -> None:
        # First: a call whose connection is closed under it would say it failed.
        await cancel_others()
        await self.host.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<spark: {len(self.tools)} published tools>"
