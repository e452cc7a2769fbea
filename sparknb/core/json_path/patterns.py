"""The functions `match` and `search` of JSONPath filters, in linear time.

Patterns are I-Regexp (RFC 9485). RE2 reads them as they are but for the dot, which
must not match a carriage return either. As the RFC wants it, a pattern that cannot
be read matches nothing.
"""

from functools import lru_cache
from typing import Any

from sparknb.core.errors import ExecutionFailedError
from sparknb.core.json_path.evaluation import Test, Value, Walk

__all__ = ["matching"]

_PATTERN_LIMIT = 10_000  # characters; a pattern may come out of the response
_MEMORY_LIMIT = 1 << 20  # bytes RE2 may use for one pattern
# RE2 is linear in the text, but times the size of the pattern; this is about a second
_WORK_LIMIT = 200_000_000


def matching(text: Value, pattern: Value, *, whole: bool) -> Test:
    """Test whether the whole text, or some part of it, fits the pattern.

    Raises:
        ExecutionFailedError: Text and pattern are too large together (at the call).
    """

    def test(node: Any, walk: Walk) -> bool:
        held, wanted = text(node, walk), pattern(node, walk)
        if not isinstance(held, str) or not isinstance(wanted, str):
            return False
        compiled = _compiled(wanted)
        if compiled is None:
            return False
        raw = held.encode("utf-8", "surrogatepass")
        if compiled.programsize * len(raw) > _WORK_LIMIT:
            raise ExecutionFailedError(
                "a JSONPath pattern is too large for the text it is tried on",
                hint="use a shorter pattern, or select the texts another way",
            )
        found = compiled.fullmatch(raw) if whole else compiled.search(raw)
        return found is not None

    return test


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Any:
    """Give the compiled pattern, None when it is not one."""
    import re2  # loaded by the first filter that needs it

    if len(pattern) > _PATTERN_LIMIT:
        return None
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY_LIMIT
    try:
        return re2.compile(_with_plain_dots(pattern), options=options)
    except (re2.error, UnicodeEncodeError):
        return None


def _with_plain_dots(pattern: str) -> str:
    r"""Write each dot outside a class as `[^\n\r]`."""
    written: list[str] = []
    in_class = escaped = False
    for character in pattern:
        dot = character == "." and not in_class and not escaped
        written.append(r"[^\n\r]" if dot else character)
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == "[":
            in_class = True
        elif character == "]":
            in_class = False
    return "".join(written)
