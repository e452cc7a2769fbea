"""From a YAML text to plain values, by the core schema of YAML 1.2.

Keys are the texts as written (`200`, `on`, `null`). `<<` merges, as authors of API
descriptions expect. A value under an alias is not copied, but it counts again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.wording import join_path, show
from sparknb.importers.cell.scalars import plain_value
from sparknb.importers.openapi.loading_limits import MAX_DEPTH, Allowance, broken
from sparknb.importers.openapi.yaml_events import read_events, spot

__all__ = ["read_yaml"]

_MOST_REPEATED = 50
_CORE = "tag:yaml.org,2002:"
_SCALAR_KINDS: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "bool": (bool,),
    "null": (type(None),),
}
_TOO_DEEP = f"the description nests deeper than {MAX_DEPTH} levels"
_MERGE = "<<"


def read_yaml(text: str, allowance: Allowance) -> tuple[Any, Sequence[Problem]]:
    """Give the value of a text, and a warning for each repeated key.

    Raises:
        InvalidInputError: It is no YAML, uses a tag that is not of the core schema,
            or passes a limit.
    """
    reader = _Reader(allowance)
    for event in read_events(text):
        take = _TAKE.get(type(event).__name__)
        if take is not None:
            take(reader, event)
    return reader.root, reader.repeated


class _Open:
    """A list or mapping whose end has not come yet."""

    __slots__ = (
        "anchor",
        "has_key",
        "height",
        "is_merge",
        "key",
        "merged",
        "node",
        "size",
    )

    def __init__(self, node: Any, anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.has_key = False
        self.is_merge = False
        self.key = ""
        self.size = 1
        self.height = 1
        self.merged: list[Any] = []


class _Reader:
    def __init__(self, allowance: Allowance) -> None:
        self.root: Any = None
        self.repeated: list[Problem] = []
        self._allowance = allowance
        self._open: list[_Open] = []
        # A value with its size and height; its beginning while it has no end.
        self._anchors: dict[str, tuple[Any, int, int] | _Open] = {}

    def take_scalar(self, event: Any) -> None:
        if event.anchor or event.tag:
            self._take_odd_scalar(event)
            return
        text, is_plain = event.value, not event.style
        top = self._open[-1] if self._open else None
        if top is not None and not top.has_key and type(top.node) is dict:
            self._take_key(top, text, event, is_merge=is_plain and text == _MERGE)
        else:
            self._put(_value(text, event) if is_plain else text, 1, 0, event)

    def _take_odd_scalar(self, event: Any) -> None:
        value = _scalar(event)
        top = self._open[-1] if self._open else None
        if event.anchor:
            kept = event.value if self._wants_key(top) else value
            self._anchors[event.anchor] = (kept, 1, 0)
        if top is not None and self._wants_key(top):
            self._take_key(top, event.value, event)
        else:
            self._put(value, 1, 0, event)

    def take_list(self, event: Any) -> None:
        self._begin([], "seq", event)

    def take_mapping(self, event: Any) -> None:
        self._begin({}, "map", event)

    def take_end(self, _event: Any) -> None:
        done = self._open.pop()
        if done.merged:
            _merge(done)
        if done.anchor and self._anchors[done.anchor] is done:
            self._anchors[done.anchor] = (done.node, done.size, done.height)
        self._place(done.node, done.size, done.height)

    def take_alias(self, event: Any) -> None:
        found = self._anchors.get(event.anchor)
        name = show(event.anchor)
        if found is None:
            broken(f"the alias *{name} has no anchor before it", spot(event.start_mark))
        if isinstance(found, _Open):
            broken(f"the value &{name} holds itself", spot(event.start_mark))
        value, size, height = found
        top = self._open[-1] if self._open else None
        if top is not None and self._wants_key(top):
            if isinstance(value, dict | list):
                self._refuse_key(event)
            self._take_key(top, _as_key(value), event)
        else:
            self._put(value, size, height, event)

    @staticmethod
    def _wants_key(top: _Open | None) -> bool:
        return top is not None and not top.has_key and type(top.node) is dict

    def _begin(self, node: Any, kind: str, event: Any) -> None:
        if event.tag not in (None, "!", _CORE + kind):
            _refuse_tag(event)
        if self._open and self._wants_key(self._open[-1]):
            self._refuse_key(event)
        self._check(1, 1, event)
        opened = _Open(node, event.anchor)
        if event.anchor:
            self._anchors[event.anchor] = opened
        self._open.append(opened)

    def _refuse_key(self, event: Any) -> None:
        broken("a key is a list or a mapping, not a text", spot(event.start_mark))

    def _take_key(
        self, top: _Open, key: str, event: Any, *, is_merge: bool = False
    ) -> None:
        if key in top.node:
            self._tell_repeated(key, event)
        top.key, top.has_key, top.is_merge = key, True, is_merge

    def _tell_repeated(self, key: str, event: Any) -> None:
        if len(self.repeated) >= _MOST_REPEATED:
            return
        path = ""
        for opened in self._open[:-1]:
            is_map = type(opened.node) is dict
            path = join_path(path, opened.key if is_map else str(len(opened.node)))
        said = f"the key '{show(key)}' is repeated on line {event.start_mark.line + 1}"
        self.repeated.append(
            Problem(
                code="IMPORT_NOTICE",
                message=f"{said}; the last one counts",
                path=join_path(path, key),
                level="warning",
            )
        )

    def _put(self, value: Any, size: int, height: int, event: Any) -> None:
        self._check(size, height, event)
        self._place(value, size, height)

    def _check(self, size: int, height: int, event: Any) -> None:
        allowance = self._allowance
        allowance.values -= size
        if allowance.values < 0:
            allowance.take_values(0, spot(event.start_mark))
        if height and len(self._open) + height > MAX_DEPTH:
            broken(_TOO_DEEP, spot(event.start_mark))

    def _place(self, value: Any, size: int, height: int) -> None:
        if not self._open:
            self.root = value
            return
        top = self._open[-1]
        top.size += size
        if height >= top.height:
            top.height = height + 1
        if type(top.node) is list:
            top.node.append(value)
            return
        top.has_key = False
        if top.is_merge:
            top.merged.append(value)
        else:
            top.node[top.key] = value


def _merge(done: _Open) -> None:
    """Put what `<<` brings in front of what the mapping says itself."""
    own = dict(done.node)
    done.node.clear()
    for value in done.merged:
        sources = value if isinstance(value, list) else [value]
        if all(isinstance(source, dict) for source in sources):
            for source in sources:
                for key, member in source.items():
                    done.node.setdefault(key, member)
        else:
            own[_MERGE] = value
    done.node.update(own)


def _value(text: str, event: Any) -> Any:
    try:
        value = plain_value(text)
    except ValueError:
        broken("a number has too many digits", spot(event.start_mark))
    # JSON has no such number, so whoever reads on gets what was written.
    return text if isinstance(value, float) and value - value != 0 else value


def _scalar(event: Any) -> Any:
    tag, text = event.tag, event.value
    if not tag:
        return text if event.style else _value(text, event)
    if tag == "!":
        return text
    name = tag.removeprefix(_CORE) if tag.startswith(_CORE) else ""
    if name not in _SCALAR_KINDS:
        _refuse_tag(event)
    kinds = _SCALAR_KINDS[name]
    if kinds == (str,):
        return text
    value = _value(text, event)
    if not isinstance(value, kinds) or (bool not in kinds and isinstance(value, bool)):
        broken(f"{show(text)} is not what its tag says", spot(event.start_mark))
    return value


def _as_key(value: Any) -> str:
    words: dict[Any, str] = {None: "null", True: "true", False: "false"}
    is_word = value is None or isinstance(value, bool)
    return words[value] if is_word else str(value)


def _refuse_tag(event: Any) -> None:
    name = event.tag
    shown = f"!!{name.removeprefix(_CORE)}" if name.startswith(_CORE) else name
    broken(
        f"the tag {show(shown)} is not used in API descriptions",
        spot(event.start_mark),
        "remove the tag, or quote the text",
    )


_TAKE: Mapping[str, Callable[[_Reader, Any], None]] = {
    "ScalarEvent": _Reader.take_scalar,
    "SequenceStartEvent": _Reader.take_list,
    "MappingStartEvent": _Reader.take_mapping,
    "SequenceEndEvent": _Reader.take_end,
    "MappingEndEvent": _Reader.take_end,
    "AliasEvent": _Reader.take_alias,
}
