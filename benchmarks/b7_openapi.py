"""B7: the import of a document with 1,000 operations, beside FastMCP's from_openapi.

Both begin with the same JSON text and end with a thousand tools. Ours also reads a
YAML text of 3 MB. Memory is that of a process that does nothing else.
"""

import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from benchmarks.measure import Figure, compared, in_time

__all__ = ["document", "imported", "run"]

_OPERATIONS = 1_000
_ROUNDS = 7
_MOST_RATIO = 0.5
_MOST_SECONDS = 3
_MOST_YAML_SECONDS = 6
_MOST_MEBIBYTES = 400
_YAML_BYTES = 3_000_000
_MEMORY = """
import resource, sys
from pathlib import Path
from benchmarks.b7_openapi import imported
imported(Path(sys.argv[1]).read_bytes())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def run() -> list[Figure]:
    """Measure; about a minute."""
    text = json.dumps(document(_OPERATIONS)).encode()
    assert imported(text) == _OPERATIONS
    _peer(text)  # what either imports is no part of the figure
    ours: list[float] = []
    theirs: list[float] = []
    for _ in in_time(_ROUNDS):
        ours.append(_seconds(lambda: imported(text)))
        theirs.append(_seconds(lambda: _peer(text)))
    a, b, ratio = compared(ours, theirs)
    work = f"import of {_OPERATIONS:,} operations, {len(text) / 1e6:.1f} MB of JSON"
    return [
        Figure(
            id="B7",
            work=work,
            against="FastMCP from_openapi",
            unit="ms",
            ours=a * 1000,
            theirs=b * 1000,
            ratio=ratio,
            goal=f"ratio <= {_MOST_RATIO}, < {_MOST_SECONDS} s",
            met=ratio <= _MOST_RATIO and a < _MOST_SECONDS,
        ),
        _memory(text),
        _yaml(),
    ]


def imported(text: bytes) -> int:
    """Import a text; give how many tools were made."""
    from sparknb.importers.openapi import import_operations
    from sparknb.importers.openapi.document import read_description

    return len(import_operations(read_description(text)).drafts)


def _seconds(work: Callable[[], object]) -> float:
    """Time it once; nobody pays for the garbage of the one before."""
    gc.collect()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _peer(text: bytes) -> object:
    from fastmcp import FastMCP

    return FastMCP.from_openapi(json.loads(text), name="peer")


def _memory(text: bytes) -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "api.json")
        file.write_bytes(text)
        done = subprocess.run(
            [sys.executable, "-c", _MEMORY, str(file)],
            stdout=subprocess.PIPE,
            text=True,
            timeout=60,
            check=True,
        )
    mebibytes = int(done.stdout) / 1024
    return Figure(
        id="B7·memory",
        work="the same in a process of its own, at most",
        against="-",
        unit="MiB",
        ours=mebibytes,
        goal=f"< {_MOST_MEBIBYTES} MiB",
        met=mebibytes < _MOST_MEBIBYTES,
    )


def _yaml() -> Figure:
    whole = yaml.dump(document(_OPERATIONS), Dumper=yaml.CSafeDumper, sort_keys=False)
    count = int(_OPERATIONS * _YAML_BYTES / len(whole)) // 4 * 4
    made = document(count)
    text = yaml.dump(made, Dumper=yaml.CSafeDumper, sort_keys=False).encode()
    began = time.perf_counter()
    assert imported(text) == count
    seconds = time.perf_counter() - began
    return Figure(
        id="B7·yaml",
        work=f"import of {count:,} operations, {len(text) / 1e6:.1f} MB of YAML, once",
        against="-",
        unit="ms",
        ours=seconds * 1000,
        goal=f"< {_MOST_YAML_SECONDS} s",
        met=seconds < _MOST_YAML_SECONDS,
    )


def document(operations: int) -> dict[str, Any]:
    """Make a description like those of real services, in what decides the work.

    Four operations share a resource with schemas of its own. As in the descriptions of
    DeepL and OpenAI, an operation takes about 3 KB with its schemas, has one to four
    parameters and six answers, and leads to more than a dozen schemas.
    """
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = dict(_SHARED)
    for number in range(0, operations, 4):
        name = f"Thing{number // 4}"
        base = f"/groups/{{groupId}}/things{number // 4}"
        paths[base] = {"get": _listing(name), "post": _creation(name)}
        paths[f"{base}/{{id}}"] = {"get": _reading(name), "put": _change(name)}
        own = _properties(name)
        input_ = {key: own[key] for key in list(own)[2:]}
        needed = ["field0", "kind"]
        schemas[name] = _object(**own) | {"required": ["id", *needed]}
        schemas[f"{name}Input"] = _object(**input_) | {"required": needed}
        schemas[f"{name}List"] = _object(
            data={"type": "array", "items": _ref(name)}, page=_ref("Page")
        )
    return {
        "openapi": "3.0.3",
        "info": {"title": "Things", "version": "1.0.0"},
        "servers": [{"url": "https://{region}.api.test/v1", "variables": _REGION}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": {"Group": _path("groupId"), "Id": _path("id")},
            "responses": {"Wrong": _answer("Wrong")},
            "schemas": schemas,
        },
    }


def _ref(schema: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{schema}"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _list_of(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_REGION = {"region": {"default": "eu", "enum": ["eu", "us"]}}
_LONG = "It keeps what was there before, unless the request says otherwise. " * 8
_TEXT = {
    "type": "string",
    "description": "As people read it, in the language that the request asks for.",
    "example": "An example of it",
}
_WHEN = {"type": "string", "format": "date-time", "readOnly": True}
_WRONG = {"$ref": "#/components/responses/Wrong"}
_SHARED = {
    "Address": _object(street=_TEXT, town=_TEXT, code=_TEXT, country=_ref("Country")),
    "Attachment": _object(name=_TEXT, size={"type": "integer"}, by=_ref("Person")),
    "Change": _object(when=_WHEN, what=_TEXT, by=_ref("Person")),
    "Country": {"type": "string", "enum": ["CH", "DE", "FR", "IT", "US"]},
    "Detail": _object(field=_TEXT, reason=_TEXT),
    "Label": _object(name=_TEXT, colour=_TEXT),
    "Link": _object(title=_TEXT, href={"type": "string", "format": "uri"}),
    "Location": _object(latitude={"type": "number"}, longitude={"type": "number"}),
    "Money": _object(amount={"type": "number"}, currency=_TEXT),
    "Page": _object(total={"type": "integer"}, next=_ref("Link"), last=_ref("Link")),
    "Person": _object(name=_TEXT, mail=_TEXT, address=_ref("Address")),
    "Status": {"type": "string", "enum": ["new", "open", "done"]},
    "Wrong": _object(code=_TEXT, message=_TEXT, details=_list_of(_ref("Detail"))),
}


def _properties(name: str) -> dict[str, Any]:
    shared = {
        "id": {"type": "string", "readOnly": True},
        "changes": _list_of(_ref("Change")),
    }
    texts = {f"field{n}": _TEXT for n in range(8)}
    return (
        shared
        | texts
        | {
            "kind": {"type": "string", "enum": ["small", "large"], "title": name},
            "count": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 1},
            "tags": _list_of({"type": "string"}),
            "owner": _ref("Person"),
            "price": _ref("Money"),
            "status": _ref("Status"),
            "place": _ref("Location"),
            "labels": _list_of(_ref("Label")),
            "files": _list_of(_ref("Attachment")),
            "parent": _ref(name),
        }
    )


def _path(name: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _answer(schema: str) -> dict[str, Any]:
    media = {"schema": _ref(schema), "example": {"field0": "An example of it"}}
    return {"description": "What comes back", "content": {"application/json": media}}


def _operation(
    name: str, what: str, answer: str, *parameters: dict[str, Any]
) -> dict[str, Any]:
    return {
        "operationId": f"{what}{name}",
        "summary": f"{what.capitalize()} of the kind {name}",
        "description": _LONG,
        "tags": [f"group {name[-1]}"],
        "parameters": [{"$ref": "#/components/parameters/Group"}, *parameters],
        "responses": {"200": _answer(answer)}
        | dict.fromkeys(("400", "401", "404", "429", "default"), _WRONG),
    }


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _listing(name: str) -> dict[str, Any]:
    kinds = {"limit": {"type": "integer"}, "search": _TEXT, "tags": _list_of(_TEXT)}
    parameters = [
        {"name": key, "in": "query", "schema": schema, "description": f"The {key}"}
        for key, schema in kinds.items()
    ]
    return _operation(name, "list", f"{name}List", *parameters)


def _creation(name: str) -> dict[str, Any]:
    made = _operation(name, "create", name)
    return made | {"requestBody": _body(_ref(f"{name}Input"))}


_ID = {"$ref": "#/components/parameters/Id"}


def _reading(name: str) -> dict[str, Any]:
    return _operation(name, "read", name, _ID)


def _change(name: str) -> dict[str, Any]:
    fields = {f"field{n}": _TEXT for n in range(8)}
    schema = _object(**fields) | {"required": ["field0"]}
    return _operation(name, "change", name, _ID) | {"requestBody": _body(schema)}
