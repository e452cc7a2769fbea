"""JSONPath after RFC 9535: read strictly, evaluated in bounded time and memory.

`parsing` reads a path with python-jsonpath (strict mode) and turns the tree it
gives into functions; `evaluation` holds these functions; `patterns` holds the
`match` and `search` of filters, on RE2.

The library's own evaluation is not used: it keeps every visited node together with
a string of its whole path, cannot be stopped, and matches patterns by backtracking.
"""

from sparknb.core.json_path.parsing import JsonPath, parse_json_path

__all__ = ["JsonPath", "parse_json_path"]
