"""What `%load_ext sparknb` adds to a shell, and takes away again."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sparknb.core.errors import SparknbError
from sparknb.magics.awaiting import TWIN, Rewriting
from sparknb.magics.discretion import Discretion
from sparknb.magics.handle import NotebookSpark
from sparknb.magics.place import Place

if TYPE_CHECKING:
    from sparknb.magics.session import Session

__all__ = ["Extension", "load", "unload"]

_READY = (
    "sparknb is ready: %spark lists your tools,"
    " %spark doctor shows version, home, keychain."
)
_EVENTS = ("pre_run_cell", "post_run_cell")
_RENDER = "_render_traceback_"
"""What IPython asks an exception for that has its own way to be shown."""
_CELL_MAGICS = ("spark_tool", "spark_test", "spark_curl")


def load(shell: Any) -> None:
    """Add magics, `spark`, completion and displays; loading again changes nothing."""
    if _loaded(shell) is None:
        Extension(shell).add()
        print(_READY)  # noqa: T201  # the cell's output


def unload(shell: Any) -> None:
    """Take everything away and close what was opened."""
    extension = _loaded(shell)
    if extension is not None:
        extension.remove()


def _loaded(shell: Any) -> "Extension | None":
    """Give what was added to this shell; its own magic knows."""
    found = shell.magics_manager.magics["line"].get("spark")
    extension = getattr(found, "extension", None)
    return extension if isinstance(extension, Extension) else None


class Extension:
    """The parts of sparknb in one shell; nothing heavy is imported until one is used.

    Attributes:
        shell: The shell.
    """

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self._discretion = Discretion(shell)
        self._rewriting = Rewriting(
            shell,
            can_await=Place(shell).has_cards,
            cover=self._discretion.cover,
        )
        self._spark = NotebookSpark(lambda: self.session)
        self._matcher = _matcher(self)

    @cached_property
    def session(self) -> "Session":
        """What holds the host; made at first use, with the displays."""
        from sparknb.magics.forms import register_forms
        from sparknb.magics.session import Session

        session = Session(self.shell)
        register_forms(self.shell, session)
        return session

    # ------------------------------------------------------------- add and remove
    def add(self) -> None:
        """Add all parts."""
        for kind, name, function in self._magics():
            self.shell.register_magic_function(function, kind, name)
        self.shell.input_transformers_post.append(self._rewriting)
        for event in _EVENTS:
            self.shell.events.register(event, getattr(self._rewriting, event))
        self.shell.Completer.custom_matchers.append(self._matcher)
        self._discretion.add()
        setattr(SparknbError, _RENDER, self._rendering())
        self._put_in_namespace()

    def remove(self) -> None:
        """Remove all parts, and close the session."""
        for kind, name, _ in self._magics():
            self.shell.magics_manager.magics[kind].pop(name, None)
            vars(self.shell.magics_manager.user_magics).pop(name, None)
        self.shell.input_transformers_post.remove(self._rewriting)
        for event in _EVENTS:
            self.shell.events.unregister(event, getattr(self._rewriting, event))
        self.shell.Completer.custom_matchers.remove(self._matcher)
        self._discretion.remove()
        if _RENDER in vars(SparknbError):
            delattr(SparknbError, _RENDER)
        for name in ("spark", "spark_"):
            if self.shell.user_ns.get(name) is self._spark:
                del self.shell.user_ns[name]
        if "session" in vars(self):
            from sparknb.magics.forms import unregister_forms

            unregister_forms(self.shell)
            self.session.close()
            del self.session

    def _rendering(self) -> Callable[[SparknbError], list[str]]:
        """Give what shows an expected failure of a cell's Python as magics show theirs.

        Only the showing: what a cell catches is the exception that scripts get.
        """

        def render(error: SparknbError) -> list[str]:
            from sparknb.commands.running import failed
            from sparknb.magics.errors import block
            from sparknb.magics.origin import origin

            view = self.session.worded(failed(error).view)
            return block(view, origin(error, self.shell.compile))

        return render

    def _put_in_namespace(self) -> None:
        taken = self.shell.user_ns.get("spark", self._spark)
        is_ours = isinstance(taken, NotebookSpark)
        name = "spark" if is_ours else "spark_"
        if not is_ours:
            print("spark is a variable of yours: sparknb's handle is spark_.")  # noqa: T201  # the cell's output
        self.shell.push({name: self._spark}, interactive=False)

    # --------------------------------------------------------------------- magics
    def _magics(self) -> Iterator[tuple[str, str, Callable[..., Any]]]:
        yield "line", "spark", self._line(is_awaited=False)
        yield "line", f"{TWIN}spark", self._line(is_awaited=True)
        for name in _CELL_MAGICS:
            yield "cell", name, self._cell(name, is_awaited=False)
            yield "cell", f"{TWIN}{name}", self._cell(name, is_awaited=True)

    def _line(self, *, is_awaited: bool) -> Callable[..., Any]:
        def spark(line: str, local_ns: Mapping[str, Any] | None = None) -> Any:
            from sparknb.magics.grammar import LINE
            from sparknb.magics.running import MagicRun

            run = MagicRun(self.session, LINE, line, local=local_ns)
            return run.run_awaited() if is_awaited else run.run()

        return self._named(spark, None)

    def _cell(self, name: str, *, is_awaited: bool) -> Callable[..., Any]:
        def cell_magic(
            line: str, cell: str, local_ns: Mapping[str, Any] | None = None
        ) -> Any:
            from sparknb.magics.grammar import CELL
            from sparknb.magics.running import MagicRun

            words = f"{name} {line}"
            body = self._discretion.uncovered
            run = MagicRun(self.session, CELL, words, body=body(cell), local=local_ns)
            return run.run_awaited() if is_awaited else run.run()

        return self._named(cell_magic, name)

    def _named(self, magic: Callable[..., Any], name: str | None) -> Callable[..., Any]:
        """Give the function what IPython looks for in a magic."""

        def getdoc() -> str:
            from sparknb.magics.grammar import help_text

            return help_text(name)

        attributes = {
            "extension": self,
            "getdoc": getdoc,
            "needs_local_scope": True,
            # `{name}` and `$name` stay as they are: definitions are full of them
            "_ipython_magic_no_var_expand": True,
        }
        for attribute, value in attributes.items():
            setattr(magic, attribute, value)
        magic.__doc__ = None
        return magic


def _matcher(extension: Extension) -> Callable[..., Any]:
    """Give what IPython asks to complete a word of a line that is ours."""

    def sparknb_matcher(context: Any) -> Any:
        if "%spark" not in context.text_until_cursor:
            return {"completions": []}
        from sparknb.magics.completion import complete

        return complete(extension.session, context)

    sparknb_matcher.matcher_api_version = 2  # type: ignore[attr-defined]  # read by IPython
    return sparknb_matcher
