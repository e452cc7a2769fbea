"""What a starter is; each is written once, as the cell of a notebook."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from sparknb.core.errors import NotFoundError
from sparknb.importers.starters import cells

__all__ = ["STARTERS", "Blank", "Starter", "starter"]

_LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class Blank:
    """A field that a person has to fill in before the definition is valid."""

    path: str
    message: str

    def to_wire(self) -> dict[str, str]:
        """Give `{path, message}`."""
        return {"path": self.path, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """A definition to begin with.

    Attributes:
        kind: Its name.
        summary: What it is for, in a few words.
        tool_id: The id that it has where no other is wanted.
        body: The definition, as it is written in a cell.
        type: What follows `--type` in the line of the magic; None where the body
            needs no such word.
        blanks: Fields that are left to the person; all else is valid as it is.
    """

    kind: str
    summary: str
    tool_id: str
    body: str
    type: Literal["python", "typescript", "vision"] | None = None
    blanks: tuple[Blank, ...] = ()

    def document(self, tool_id: str) -> dict[str, Any]:
        """Give the definition with this id, as a new JSON value."""
        from sparknb.importers.cell import read_cell

        cell = read_cell(self.body, tool_id=tool_id, tool_type=self.type)
        document = cell.document
        return {"id": tool_id} | (document or {})

    def cell(self, tool_id: str) -> str:
        """Give the whole cell that makes this tool."""
        option = f" --type {self.type}" if self.type else ""
        return f"%%spark_tool {tool_id}{option}\n{self.body.rstrip()}"


STARTERS: tuple[Starter, ...] = (
    Starter(
        kind="blank",
        summary="the least that a tool needs",
        tool_id="new_tool",
        body=cells.BLANK,
    ),
    Starter(
        kind="http",
        summary="a request to an HTTP API, with parameters and a key",
        tool_id="http_tool",
        body=cells.HTTP,
    ),
    Starter(
        kind="python",
        summary="a short program in Python",
        tool_id="python_tool",
        body=cells.PYTHON,
        type="python",
    ),
    Starter(
        kind="typescript",
        summary="a short program in TypeScript",
        tool_id="typescript_tool",
        body=cells.TYPESCRIPT,
        type="typescript",
    ),
    Starter(
        kind="vision",
        summary="a question about images, to a provider's model",
        tool_id="image_tool",
        body=cells.VISION,
        type="vision",
        blanks=(
            Blank(
                "spec.providerProfileId",
                "the id of the provider profile that answers",
            ),
        ),
    ),
)


def starter(kind: str) -> Starter:
    """Give the starter of this name.

    Raises:
        NotFoundError: There is none; the hint names the nearest, or all.
    """
    names = [each.kind for each in STARTERS]
    if kind in names:
        return STARTERS[names.index(kind)]
    near = get_close_matches(kind[:_LONGEST_WORD].lower(), names, n=1)
    raise NotFoundError(
        "there is no starter of this name",
        path="KIND",
        hint=f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}",
    )
