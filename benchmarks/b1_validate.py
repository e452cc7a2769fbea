"""B1: validating one http definition, beside FastMCP registering an equal tool."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from benchmarks.measure import Figure, alternate, compared
from benchmarks.tools import definition

__all__ = ["run"]

_MOST_MS = 0.2
_FACTOR = 5


def run() -> list[Figure]:
    """Measure; a second or two."""
    from fastmcp import FastMCP
    from pydantic import Field

    from sparknb.core.validation import validate

    document = definition("http://127.0.0.1:8700")

    def ours() -> None:
        assert validate(document).valid

    server: Any = FastMCP("bench", on_duplicate="replace")

    def make() -> Callable[..., Any]:
        """Make the function anew, as a module that is loaded does."""

        async def bench_weather(
            city: Annotated[str, Field(description="Name of the city.")],
            day: Annotated[int, Field(description="0 is today.")] = 0,
            units: Literal["metric", "imperial"] = "metric",
        ) -> dict[str, Any]:
            """Tells the weather of a city on one of the next days."""
            return {"city": city, "day": day, "units": units}

        return bench_weather

    def theirs() -> None:
        server.tool(make())

    mine, other = alternate(ours, theirs, rounds=30, calls=20)
    a, b, ratio = compared(mine, other)
    return [
        Figure(
            id="B1",
            work="validate one http definition",
            against="FastMCP registers the equal tool",
            unit="ms",
            ours=a * 1000,
            theirs=b * 1000,
            ratio=ratio,
            goal=f"≤ 1/{_FACTOR}, < {_MOST_MS} ms",
            met=ratio <= 1 / _FACTOR and a * 1000 < _MOST_MS,
        )
    ]
