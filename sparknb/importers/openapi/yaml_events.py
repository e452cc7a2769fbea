"""The events of a YAML text; the only place of this importer that knows the library.

libyaml reads a document of 3 MB in about a second, and its events let us leave a text
at the first thing that no description needs. Nothing of what a tag names is ever made.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from sparknb.core.wording import show
from sparknb.importers.openapi.loading_limits import broken

__all__ = ["read_events", "spot"]

# libyaml compares each of them with all that came before.
_HANDLE = re.compile(r"(?:\A|[\r\n\x85\u2028\u2029])%TAG")
_MOST_HANDLES = 20
# Two escapes for one character, as JSON writes those beyond U+FFFF.
_PAIR = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)


def read_events(text: str) -> Iterator[Any]:
    """Yield the events of the one document in a text, without those of the stream.

    Raises:
        InvalidInputError: It is no YAML, or there are several documents.
    """
    import yaml

    if sum(1 for _ in islice(_HANDLE.finditer(text), _MOST_HANDLES)) == _MOST_HANDLES:
        broken("the YAML declares many tags, which no description needs")
    documents = 0
    try:
        for event in yaml.parse(_joined(text), Loader=_loader()):
            if type(event) is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    broken("a second YAML document begins", spot(event.start_mark))
            yield event
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        broken(f"the text is not YAML: {_said(error.problem)}", spot(mark))
    except yaml.reader.ReaderError as error:
        broken("the text holds a character that YAML refuses", _line(text, error))
    except (ValueError, OverflowError):
        broken("the text is not YAML: an escape names no character")


def spot(mark: Any) -> str:
    """Say where an event stands; empty where the library does not know."""
    return f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""


def _loader() -> Any:
    """Give the quick reader, or where it is missing the one in Python."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _joined(text: str) -> str:
    return _PAIR.sub(_one_escape, text) if "\\u" in text else text


def _one_escape(match: re.Match[str]) -> str:
    high, low = int(match[2], 16), int(match[3], 16)
    code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
    return f"{match[1]}\\U{code:08x}"


def _said(problem: str | None) -> str:
    return show(problem or "it cannot be read", 120)


def _line(text: str, error: Any) -> str:
    """Say where an odd character is; libyaml counts in bytes, Python in characters."""
    code = error.character
    odd = chr(code) if isinstance(code, int) else str(code)
    at = text.find(odd) if len(odd) == 1 else -1
    name = f"U+{ord(odd):04X}" if len(odd) == 1 else "unknown"
    return f"line {text.count(chr(10), 0, at) + 1} ({name})" if at >= 0 else name
