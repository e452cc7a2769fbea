"""What imported tools send: compared with the tables of OpenAPI, cell by cell.

The host itself carries the calls out, towards a server that keeps what arrives.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import pytest

from sparknb.core.results import ToolResult
from sparknb.host import FlagApprover
from sparknb.importers.openapi import Draft
from tests.hosting import Session
from tests.importers.openapi.documents import imported, parameter
from tests.importers.openapi.style_tables import (
    header_value,
    path_segment,
    query_pairs,
)
from tests.runtimes.wire import Peer, Seen, reply

UNICODE = "é漢 字😀e\u0301"
RESERVED = "a/b?c#d[e]@!$&'()*+,;=:%25 \"{{x}}"
# Value by value; an empty text is a case of its own.
SCALARS: Mapping[str, list[Any]] = {
    "string": ["plain", UNICODE, RESERVED],
    "integer": [0, -5, 9007199254740993],
    "number": [2.5, -0.001, 1e21],
    "boolean": [True, False, True],
}
ROUNDS = range(3)
MEMBERS = {
    "type": "object",
    "properties": {"k": {"type": "string"}, "n ü": {"type": "integer"}},
}
OBJECTS = [{"k": RESERVED, "n ü": 3}, {"k": UNICODE, "n ü": -1}, {"k": "", "n ü": 0}]


@dataclass(frozen=True)
class Row:
    """One row of the table: where, which style, exploded or not; all types of it."""

    where: str
    style: str | None
    explode: bool | None
    kinds: tuple[str, ...]

    def __str__(self) -> str:
        exploded = {None: "", True: ", explode", False: ", no explode"}[self.explode]
        return f"{self.where}, {self.style or 'no style'}{exploded}"

    def name(self, kind: str) -> str:
        """Give the name of the parameter of a type; in URLs it has to be escaped."""
        word = kind.replace(" ", "-")
        return f"X-{word}" if self.where == "header" else f"p {word} ü"

    @property
    def parameters(self) -> list[dict[str, Any]]:
        given = {"style": self.style, "explode": self.explode}
        stated = {key: value for key, value in given.items() if value is not None}
        return [
            parameter(self.name(kind), self.where, schema=schema_of(kind), **stated)
            for kind in self.kinds
        ]

    @property
    def path(self) -> str:
        """Give the path behind the name of the operation."""
        if self.where != "path":
            return ""
        return "".join(f"/{{{self.name(kind)}}}" for kind in self.kinds)


def schema_of(kind: str) -> dict[str, Any]:
    if kind == "object":
        return MEMBERS
    if kind in SCALARS:
        return {"type": kind}
    return {"type": "array", "items": {"type": kind.removeprefix("array-")}}


def value_of(kind: str, turn: int) -> Any:
    if kind == "object":
        return OBJECTS[turn]
    if kind in SCALARS:
        return SCALARS[kind][turn]
    return SCALARS[kind.removeprefix("array-")][turn:]


ONE = tuple(SCALARS)
MANY = tuple(f"array-{kind}" for kind in SCALARS)
ANY = (None, False, True)


def rows() -> Iterator[Row]:
    """Give every row of which something is supported."""
    for explode in ANY:
        for style in (None, "simple"):
            yield Row("path", style, explode, ONE + MANY)
            yield Row("header", style, explode, ONE + MANY)
        for style in ("label", "matrix"):
            yield Row("path", style, explode, ONE)
        for style in (None, "form", "spaceDelimited", "pipeDelimited"):
            yield Row("query", style, explode, ONE + MANY)
        yield Row("query", "deepObject", explode, ("object",))
        if explode is not False:
            yield Row("query", None, explode, ("object",))
            yield Row("query", "form", explode, ("object",))


ROWS = list(rows())


@dataclass
class Desk:
    """A host, a server that keeps what arrives, and the drafts of all rows."""

    session: Session
    peer: Peer
    drafts: Mapping[Row, Draft]

    def call(self, draft: Draft, arguments: Mapping[str, Any]) -> ToolResult:
        studio = self.session.host.studio
        test = studio.test(draft.definition, arguments, approver=FlagApprover())
        return self.session.run(test)

    def arrived(self, draft: Draft, arguments: Mapping[str, Any]) -> Seen:
        """Call a draft, and give the request as it arrived."""
        before = len(self.peer.seen)
        result = self.call(draft, arguments)
        assert result.ok, (result.text, result.problems)
        [seen] = self.peer.seen[before:]
        return seen


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    session = Session(tmp_path_factory.mktemp("wire"))
    peer = Peer(answers=[reply("{}")])
    session.run(peer.__aenter__())
    try:
        paths = {
            f"/c{position}{row.path}": {"get": {"parameters": row.parameters}}
            for position, row in enumerate(ROWS)
        }
        made = imported(paths, base_url=peer.url("/v1"))
        assert not made.skipped
        yield Desk(session, peer, dict(zip(ROWS, made.drafts, strict=True)))
    finally:
        session.run(peer.__aexit__(None, None, None))
        session.close()


def arguments_for(draft: Draft, row: Row, values: list[Any]) -> dict[str, Any]:
    """Give the arguments: an object takes one for each of its members."""
    names = draft.definition["inputSchema"]["properties"]
    given = list(values[0].values()) if row.kinds == ("object",) else values
    return dict(zip(names, given, strict=True))


def expected_target(row: Row, values: list[Any]) -> str:
    start = f"/v1/c{ROWS.index(row)}"
    named = [(row.name(kind), v) for kind, v in zip(row.kinds, values, strict=True)]
    if row.where == "path":
        style = row.style or "simple"
        return "/".join([start, *(path_segment(style, n, v) for n, v in named)])
    style = row.style or "form"
    explode = style == "form" if row.explode is None else row.explode
    pairs = [
        pair
        for name, value in named
        for pair in query_pairs(style, explode=explode, name=name, value=value)
    ]
    return f"{start}?{'&'.join(pairs)}"


@pytest.mark.parametrize("row", [r for r in ROWS if r.where != "header"], ids=str)
def test_values_arrive_in_the_url_as_the_tables_say(desk: Desk, row: Row) -> None:
    draft = desk.drafts[row]
    for turn in ROUNDS:
        values = [value_of(kind, turn) for kind in row.kinds]
        seen = desk.arrived(draft, arguments_for(draft, row, values))
        assert seen.target == expected_target(row, values)


@pytest.mark.parametrize("row", [r for r in ROWS if r.where == "header"], ids=str)
def test_values_arrive_in_headers_as_the_tables_say(desk: Desk, row: Row) -> None:
    draft = desk.drafts[row]
    for turn in ROUNDS:
        values = [value_of(kind, turn) for kind in row.kinds]
        values = [latin(value) for value in values]
        seen = desk.arrived(draft, arguments_for(draft, row, values))
        for kind, value in zip(row.kinds, values, strict=True):
            assert seen.headers[row.name(kind).lower()] == header_value(value)


def latin(value: Any) -> Any:
    """Give what a header can carry in place of a text that none can."""
    if isinstance(value, list):
        return [latin(element) for element in value]
    return "é ü" if value == UNICODE else value


def test_a_header_refuses_what_it_cannot_carry(desk: Desk) -> None:
    row = next(r for r in ROWS if r.where == "header")
    draft = desk.drafts[row]
    for value in (UNICODE, "a\r\nX-Other: 1"):
        assert desk.call(draft, {"X_string": value}).error_code == "INVALID_INPUT"


def row_of(where: str, style: str) -> tuple[int, Row]:
    return next(
        (position, row)
        for position, row in enumerate(ROWS)
        if (row.where, row.style) == (where, style)
    )


def test_an_empty_text_is_sent_in_the_query_and_refused_in_a_path(desk: Desk) -> None:
    position, row = row_of("query", "form")
    seen = desk.arrived(desk.drafts[row], {"p_string__": ""})
    assert seen.target == f"/v1/c{position}?p%20string%20%C3%BC="
    for style in ("simple", "label", "matrix"):
        _, row = row_of("path", style)
        values = ["", *(value_of(kind, 0) for kind in row.kinds[1:])]
        draft = desk.drafts[row]
        result = desk.call(draft, arguments_for(draft, row, values))
        assert result.error_code == "INVALID_INPUT"


def test_optional_values_that_are_absent_leave_nothing_behind(desk: Desk) -> None:
    for row, draft in desk.drafts.items():
        if row.where != "path":
            seen = desk.arrived(draft, {})
            assert "?" not in seen.target
            assert not [name for name in seen.headers if name.startswith("x-")]


def test_a_value_never_leaves_its_segment(desk: Desk) -> None:
    _, row = row_of("path", "simple")
    draft = desk.drafts[row]
    rest = [value_of(kind, 0) for kind in row.kinds[1:]]
    for value in ("..", "."):
        result = desk.call(draft, arguments_for(draft, row, [value, *rest]))
        assert result.error_code == "INVALID_INPUT"
    seen = desk.arrived(draft, arguments_for(draft, row, ["%2e%2e", *rest]))
    assert "/%252e%252e/" in seen.target


# ------------------------------------------------------------------------- bodies
FLAT = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "number"},
        "on": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        'odd {x} "name" ü': {"type": "integer"},
    },
}


def body_draft(desk: Desk, schema: Any, media_type: str, **body: Any) -> Draft:
    content = {media_type: {"schema": schema, **body.pop("media", {})}}
    node = {"requestBody": {"content": content, **body}}
    made = imported({"/b": {"post": node}}, base_url=desk.peer.url("/v1"))
    assert not made.skipped
    return made.drafts[0]


def odd_name(draft: Draft) -> str:
    *_, name = draft.definition["inputSchema"]["properties"]
    return str(name)


def test_members_arrive_as_json_of_their_types(desk: Desk) -> None:
    draft = body_draft(desk, FLAT, "application/json")
    given = {"name": RESERVED, "size": 2.5, "on": False, "tags": [UNICODE, ""]}
    seen = desk.arrived(draft, given | {odd_name(draft): 7})
    assert json.loads(seen.body) == given | {'odd {x} "name" ü': 7}
    assert seen.headers["content-type"] == "application/json"


def test_members_that_are_absent_are_no_members(desk: Desk) -> None:
    draft = body_draft(desk, FLAT, "application/json")
    assert desk.arrived(draft, {"name": "x"}).body == b'{"name":"x"}'
    missing = desk.call(draft, {"size": 1})
    assert missing.error_code == "INVALID_INPUT"


def test_a_nested_body_arrives_as_the_text_that_is_given(desk: Desk) -> None:
    nested = {"type": "object", "properties": {"a": {"type": "object"}}}
    draft = body_draft(desk, nested, "application/merge-patch+json")
    given = {"a": {"b": [1, None, {"c": RESERVED}]}, "big": 9007199254740993}
    seen = desk.arrived(draft, {"body": json.dumps(given)})
    assert json.loads(seen.body) == given
    assert seen.headers["content-type"] == "application/merge-patch+json"
    assert desk.call(draft, {"body": "{"}).error_code == "INVALID_INPUT"
    assert desk.arrived(draft, {}).body == b""


def test_a_form_arrives_as_pairs(desk: Desk) -> None:
    media = {"encoding": {"on": {"explode": False}, "csv": {"explode": False}}}
    properties = FLAT["properties"] | {  # type: ignore[operator]  # it is a dict
        "csv": {"type": "array", "items": {"type": "integer"}}
    }
    schema = {"type": "object", "properties": properties}
    form = "application/x-www-form-urlencoded"
    draft = body_draft(desk, schema, form, media=media)
    given = {"name": RESERVED, "tags": [UNICODE, "b&c"], "csv": [1, 2], "on": True}
    seen = desk.arrived(draft, given)
    assert parse_qsl(seen.body.decode()) == [
        ("name", RESERVED),
        ("on", "true"),
        ("tags", UNICODE),
        ("tags", "b&c"),
        ("csv", "1,2"),
    ]
    assert seen.headers["content-type"] == form


def test_text_arrives_byte_for_byte(desk: Desk) -> None:
    draft = body_draft(desk, {"type": "string"}, "application/xml; charset=utf-8")
    text = f"<a>{UNICODE}{RESERVED}</a>\r\n"
    seen = desk.arrived(draft, {"body": text})
    assert seen.body == text.encode()
    assert seen.headers["content-type"] == "application/xml; charset=utf-8"
