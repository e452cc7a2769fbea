"""The text that `-d` and its kin make, of a body or of a query."""

from collections.abc import Callable, Sequence
from urllib.parse import quote

from sparknb.importers.curl.command import Data, Word
from sparknb.importers.curl.texts import map_literals

__all__ = ["join_data", "join_url_query"]

Text = Callable[[Word], str]


def join_data(data: Sequence[Data], text_of: Text) -> str:
    """Join pieces as curl does: with `&`, but nothing in front of `--json`."""
    joined = ""
    for index, piece in enumerate(data):
        text = text_of(piece.word)
        if piece.kind == "urlencode":
            text = _url_encoded(text)
        joined += ("&" if index and piece.kind != "json" else "") + text
    return joined


def join_url_query(data: Sequence[Data], text_of: Text) -> str:
    """Join the pieces of `--url-query`; behind a plus sign they are sent as written."""
    texts = []
    for piece in data:
        text = text_of(piece.word)
        is_raw = text.startswith("+")
        texts.append(text[1:] if is_raw else _url_encoded(text))
    return "&".join(texts)


def _url_encoded(text: str) -> str:
    """Encode what stands behind the first `=`, or all where there is none."""
    name, equals, value = text.partition("=")
    if not equals:
        name, value = "", text
    encoded = map_literals(value, _encode)
    return f"{name}={encoded}" if name else encoded


def _encode(text: str) -> str:
    return quote(text, safe=" ").replace(" ", "+")
