"""The JSONPaths of a response (ST-29)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sparknb.core.problems import Problem
from sparknb.core.validation.fields import BROKEN, at

__all__ = ["check_extract"]


def check_extract(tree: Any) -> Iterator[Problem]:
    """Yield paths that are no JSONPath."""
    extract = at(tree, "spec", "response", "extract")
    if not extract or extract is BROKEN:
        return
    # Its library takes a while to load and most tools extract nothing.
    from sparknb.core.json_path import parse_json_path

    for position, column in enumerate(extract):
        path = at(column, "jsonPath")
        if path is BROKEN:
            continue
        _, problem = parse_json_path(path)
        if problem is not None:
            where = f"spec.response.extract.{position}.jsonPath"
            yield replace(problem, path=where, strict=True)
