"""B7: the import of a document with 1,000 operations, beside FastMCP's from_openapi.

Both begin with the same JSON text and end with a thousand tools. Ours also reads a
YAML text of 3 MB. Memory is that of a process that does nothing else.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from benchmarks.measure import Figure, alternate, compared

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
    ours, theirs = alternate(
        lambda: imported(text),
        lambda: _peer(text),
        rounds=_ROUNDS,
        calls=1,
        warm_up=1,
    )
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
    count = int(_OPERATIONS * _YAML_BYTES / len(whole))
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
    """Make a description as services publish them: shared schemas, texts, security."""
    paths: dict[str, Any] = {}
    for number in range(0, operations, 4):
        base = f"/groups/{{groupId}}/things{number}"
        made = [_listing(number), _creation(number + 1)]
        one = [_reading(number + 2), _change(number + 3)]
        paths[base] = dict(zip(("get", "post"), made, strict=True))
        paths[f"{base}/{{id}}"] = dict(zip(("get", "put"), one, strict=True))
    return {
        "openapi": "3.0.3",
        "info": {"title": "Things", "version": "1.0.0"},
        "servers": [{"url": "https://{region}.api.test/v1", "variables": _REGION}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": {"Group": _path("groupId"), "Id": _path("id")},
            "schemas": {f"Thing{n}": _thing(n) for n in range(0, operations, 4)},
        },
    }


_REGION = {"region": {"default": "eu", "enum": ["eu", "us"]}}
_LONG = "It keeps what was there before, unless the request says otherwise. " * 4


def _path(name: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _thing(number: int) -> dict[str, Any]:
    text = {"type": "string", "description": f"A text of thing {number}."}
    inner = {"$ref": f"#/components/schemas/Thing{number}"}
    properties: dict[str, Any] = {f"field{n}": text for n in range(6)}
    properties |= {
        "count": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 1},
        "kind": {"type": "string", "enum": ["small", "large"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "children": {"type": "array", "items": inner},
    }
    return {"type": "object", "required": ["field0", "kind"], "properties": properties}


def _operation(number: int, what: str, parameters: list[Any]) -> dict[str, Any]:
    return {
        "operationId": f"{what.split(maxsplit=1)[0].lower()}Thing{number}",
        "summary": f"{what} number {number}",
        "description": _LONG,
        "tags": [f"group{number % 20}"],
        "parameters": [{"$ref": "#/components/parameters/Group"}, *parameters],
        "responses": {"200": _content(number), "404": {"description": "not there"}},
    }


def _content(number: int) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/Thing{number - number % 4}"}
    return {"description": "ok", "content": {"application/json": {"schema": schema}}}


def _listing(number: int) -> dict[str, Any]:
    names = {"limit": "integer", "offset": "integer", "search": "string"}
    parameters = [
        {"name": name, "in": "query", "schema": {"type": kind}, "description": name}
        for name, kind in names.items()
    ]
    tags = {"type": "array", "items": {"type": "string"}}
    many = {"name": "tags", "in": "query", "explode": True, "schema": tags}
    return _operation(number, "List things", [*parameters, many])


def _creation(number: int) -> dict[str, Any]:
    return _operation(number, "Create a thing", []) | {"requestBody": _body(number)}


def _reading(number: int) -> dict[str, Any]:
    return _operation(number, "Read a thing", [{"$ref": "#/components/parameters/Id"}])


def _change(number: int) -> dict[str, Any]:
    made = _operation(number, "Change it", [{"$ref": "#/components/parameters/Id"}])
    properties = {f"field{n}": {"type": "string"} for n in range(6)}
    schema = {"type": "object", "required": ["field0"], "properties": properties}
    content = {"application/json": {"schema": schema}}
    return made | {"requestBody": {"required": True, "content": content}}


def _body(number: int) -> dict[str, Any]:
    return {"required": True} | {"content": _content(number)["content"]}
