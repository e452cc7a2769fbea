"""`spark`: the blocking handle of a notebook, opened at its first use."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from sparknb.magics.session import Session

__all__ = ["NotebookSpark"]

_OWN = ("check", "risk", "secret")


class NotebookSpark:
    """All verbs of `sparknb.open_spark()`, and what only a notebook can show.

    The home that counts is the notebook's: after `%spark home` it is the new one.
    """

    def __init__(self, session: "Callable[[], Session]") -> None:
        self._find = session

    @property
    def _session(self) -> "Session":
        return self._find()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # a look by the shell opens nothing
            raise AttributeError(name)
        return getattr(self._session.spark(), name)

    def __dir__(self) -> list[str]:
        from sparknb.host import Spark

        names = [name for name in dir(Spark) if not name.startswith("_")]
        attributes = ["host", "secrets", "studio", "tools", "trace_store"]
        return sorted({*names, *attributes, *_OWN} - {"close"})

    def risk(self, tool_id: str) -> Any:
        """Give a form that shows and changes the risk of a tool's draft.

        Raises:
            NotFoundError: There is no such tool.
        """
        from sparknb.widgets import RiskForm, risk_state

        spark = self._session.spark()
        state = self._session.loop.run(risk_state(spark.host, tool_id))
        form = RiskForm(spark.host, tool_id, state, self._session.courier)
        self._session.keep(form)
        return form

    def secret(self, tool_id: str, name: str) -> Any:
        """Give a field that takes the value of a tool's secret and forgets it.

        In a terminal the value is asked for at once, without showing it.

        Raises:
            NotFoundError: No such tool, or it declares no such secret.
        """
        spark = self._session.spark()
        if not self._session.place.has_cards:
            from sparknb.magics.running import run_line

            return run_line(self._session, f"secret set {tool_id} {name}")
        from sparknb.widgets import SecretEntry, secret_state

        state = self._session.loop.run(secret_state(spark.host, tool_id, name))
        courier = self._session.courier
        entry = SecretEntry(spark.host, tool_id, name, state, courier)
        self._session.keep(entry)
        return entry

    def check(self, exercise: str) -> Any:
        """Check the answer to an exercise of a lesson, such as `"01-1"`.

        Gives what is right already, or a hint; asking again gives the next one.
        """
        from sparknb.tutorials import check

        spark = self._session.spark()
        return self._session.loop.run(check(spark.host, exercise))

    def close(self) -> None:
        """Close the host; the next use opens it again."""
        self._session.release()

    def __repr__(self) -> str:
        return "<spark: %spark lists your tools, %spark --help the commands>"
