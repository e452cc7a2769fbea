"""From the pieces of a YAML text to a tree with lines, with all that is wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.wording import join_path, show
from sparknb.importers.cell.events import LeftError, Lines, Piece, pieces
from sparknb.importers.cell.scalars import plain_value
from sparknb.importers.cell.tree import Entry, Items, Node, Pairs, Value
from sparknb.importers.cell.variables import fill, missing

__all__ = ["Found", "Reading", "read_tree", "wrong"]

_LONGEST_KEY_SHOWN = 60
_BARE = "{{…}} stands without quotes, so YAML reads brackets"
_QUOTE = 'put the whole text in quotes, such as "{{name}}"'
_FLAWS = {
    "*": ("an alias (*) is not used here", "write the value itself, or quote the text"),
    "&": ("an anchor (&) is not used here", "remove it, or quote the text"),
    "!": ("a tag (!) is not used here", "remove it, or quote the text"),
}


@dataclass(frozen=True, slots=True)
class Found:
    """A problem with its line in the cell."""

    problem: Problem
    line: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text came to: its tree, None when there is none or it has no end."""

    root: Node | None
    found: tuple[Found, ...]


def wrong(
    message: str, path: str = "", hint: str | None = None, code: str = "FIELD_VALUE"
) -> Problem:
    """Give a problem of the way something is written."""
    return Problem(code=code, message=message, path=path, hint=hint)


def read_tree(
    text: str,
    variables: Mapping[str, str],
    *,
    optional_at: str | None = None,
    first_line: int = 2,
) -> Reading:
    """Read one YAML document.

    Args:
        text: The body of a cell.
        variables: Texts for `${name}`.
        optional_at: Path of the mapping whose keys may end in `?`; the paths of
            problems leave the mark out.
        first_line: The line of the cell on which the text begins.
    """
    whole = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    reader = _Reader(whole, variables, optional_at, first_line)
    root: Node | None = None
    try:
        first = next(reader.pieces, None)
        if first is not None:
            root = reader.node(first, "") if first.text or not first.is_plain else None
            next(reader.pieces, None)  # only to see that nothing follows
    except LeftError as left:
        root = None
        reader.leave(left)
    return Reading(root, tuple(reader.found))


class _Reader:
    def __init__(
        self,
        text: str,
        variables: Mapping[str, str],
        optional_at: str | None,
        first_line: int,
    ) -> None:
        self.pieces = pieces(text)
        self.found: list[Found] = []
        self._text = text
        self._lines = Lines(text, first_line)
        self._variables = variables
        self._optional_at = optional_at

    def leave(self, left: LeftError) -> None:
        """Tell why the rest is not read, unless that only follows from a bare {{x}}.

        It is the one problem without a path: a line is told by the path.
        """
        line = self._lines.of(left.at)
        if any(f.line == line and f.problem.message == _BARE for f in self.found):
            return
        problem = wrong(left.slip.message, hint=left.slip.hint)
        self.found = [f for f in self.found if f.problem.path]
        self.found.append(Found(problem, line))

    def node(self, piece: Piece, path: str) -> Node:
        """Read what begins with this piece."""
        self._refuse_flaw(piece, path)
        match piece.kind:
            case "text":
                return self._value(piece, path)
            case "list":
                return self._items(piece, path)
            case "map" if not self._is_bare(piece):
                return self._pairs(piece, path)
        end = self._pass(piece)
        if piece.kind == "map":
            self._tell(piece, _BARE, path, _QUOTE)
        text = self._text[piece.at : end]
        return Value(text, text, self._lines.of(piece.at))

    def _tell(self, piece: Piece, message: str, path: str, hint: str) -> None:
        line = self._lines.of(piece.at)
        self.found.append(Found(wrong(message, path, hint), line))

    def _refuse_flaw(self, piece: Piece, path: str) -> None:
        if piece.flaw:
            message, hint = _FLAWS[piece.flaw]
            self._tell(piece, message, path, hint)

    def _is_bare(self, piece: Piece) -> bool:
        return self._text.startswith("{{", piece.at) and piece.end == piece.at + 1

    def _value(self, piece: Piece, path: str) -> Value:
        line, text = self._lines.of(piece.at), piece.text
        value: Any = text
        if piece.is_plain and not piece.flaw:
            try:
                value = plain_value(text)
            except ValueError:
                hint = "quote it if it is a text"
                self._tell(piece, "a number has too many digits", path, hint)
        if not isinstance(value, str):
            return Value(value, text, line)
        for name in missing(text, self._variables):
            self._tell(
                piece,
                f"the variable ${{{show(name)}}} was not passed to this cell",
                path,
                f"add --var {show(name)} to the first line; "
                f"for the text itself write $${{{show(name)}}}",
            )
        is_block = self._text.startswith("|", piece.at)
        return Value(fill(text, self._variables), text, line, is_block)

    def _items(self, piece: Piece, path: str) -> Items:
        nodes: list[Node] = []
        for each in self._until_end():
            nodes.append(self.node(each, join_path(path, str(len(nodes)))))
        return Items(tuple(nodes), self._lines.of(piece.at))

    def _pairs(self, piece: Piece, path: str) -> Pairs:
        entries: dict[str, Entry] = {}
        for each in self._until_end():
            line = self._lines.of(each.at)
            written = self._key(each, path)
            is_optional = path == self._optional_at and written.endswith("?")
            key = written[:-1] if is_optional else written
            here = join_path(path, key)
            node = self.node(next(self.pieces), here)
            if key in entries:
                first = entries[key].line
                message = f"the key '{show(key)}' stands on line {first} already"
                self._tell(each, message, here, "keep one of them")
            else:
                entries[key] = Entry(key, line, node, is_optional)
        return Pairs(tuple(entries.values()), self._lines.of(piece.at))

    def _until_end(self) -> Iterator[Piece]:
        for piece in self.pieces:
            if piece.kind == "end":
                return
            yield piece

    def _key(self, piece: Piece, path: str) -> str:
        if piece.kind == "text":
            return self._text_key(piece, path)
        key = self._text[piece.at : self._pass(piece)][:_LONGEST_KEY_SHOWN]
        here = join_path(path, key)
        if key.startswith("{{"):
            self._tell(piece, _BARE, here, _QUOTE)
        else:
            message = "a key is a text, not a list, a mapping or an alias"
            self._tell(piece, message, here, "write key: value")
        return key

    def _text_key(self, piece: Piece, path: str) -> str:
        key = piece.text
        here = join_path(path, key)
        self._refuse_flaw(piece, here)
        if not key and piece.is_plain:
            self._tell(piece, "a colon has no key before it", here, "write key: value")
        for name in missing(key, {}):
            message = f"the variable ${{{show(name)}}} stands in a key"
            hint = (
                f"variables fill in values only; for the text write $${{{show(name)}}}"
            )
            self._tell(piece, message, here, hint)
        return fill(key, {})

    def _pass(self, piece: Piece) -> int:
        """Pass over a whole value; give where it ends."""
        depth, end = int(piece.kind in ("list", "map")), piece.end
        while depth:
            inner = next(self.pieces)
            depth += {"list": 1, "map": 1, "end": -1}.get(inner.kind, 0)
            end = inner.end
        return end
