"""Looks for planted secrets, in the spellings in which one could get out.

Written apart from `sparknb.core.redaction` on purpose: it lists what common writers
make of a text, so that it can judge the redaction.
"""

import base64
import html
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

__all__ = ["forms", "search_tree", "text_forms"]


def forms(secret: str) -> list[bytes]:
    """Give the spellings of `secret` to look for in files, without repeats."""
    wide = [secret.encode("utf-16-le"), secret.encode("utf-16-be")]
    return list(dict.fromkeys([f.encode() for f in text_forms(secret)] + wide))


def text_forms(secret: str) -> list[str]:
    """Give the spellings of `secret` to look for in a text, without repeats."""
    found = [
        secret,
        *_base64(secret),
        *_percent(secret),
        *_json(secret),
        *_html(secret),
    ]
    return list(dict.fromkeys(found))


def search_tree(folder: Path, secret: str) -> list[tuple[Path, bytes]]:
    """Give each file below `folder` that holds `secret`, with the spelling found.

    File names are looked at too. Links are not followed.
    """
    wanted = forms(secret)
    found: list[tuple[Path, bytes]] = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder)).encode("utf-8", "surrogateescape")
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found += [(path, f) for f in wanted if f in content or f in name]
    return found


def _base64(secret: str) -> Iterator[str]:
    """Give the characters that only the secret decides, for each place in a text."""
    for before in ("", "x", "xy"):
        bits = 8 * len((before + secret).encode())
        encoded = base64.b64encode((before + secret).encode()).decode()
        core = encoded[-(-8 * len(before) // 6) : bits // 6]
        yield core
        yield core.replace("+", "-").replace("/", "_")
        yield quote(core, safe="")
        yield core.replace("/", "\\/")


def _percent(secret: str) -> Iterator[str]:
    octets = secret.encode()
    kinds = [
        quote(secret, safe=""),
        quote(secret),
        quote(secret, safe="!~*'()"),  # encodeURIComponent
        quote(secret, safe=";,/?:@&=+$#!~*'()"),  # encodeURI
        quote_plus(secret),
        "".join(f"%{octet:02X}" for octet in octets),
    ]
    for kind in kinds:
        yield kind
        yield _lower_hex(kind)


def _lower_hex(text: str) -> str:
    head, *escapes = text.split("%")
    return head + "".join(f"%{e[:2].lower()}{e[2:]}" for e in escapes)


def _json(secret: str) -> Iterator[str]:
    for ascii_only in (True, False):
        inner = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield inner
        yield inner.replace("/", "\\/")
        yield json.dumps(inner, ensure_ascii=ascii_only)[1:-1]  # JSON in JSON
        yield html.escape(inner)
        for character in "<>&'+=":
            inner = inner.replace(character, f"\\u{ord(character):04x}")
        yield inner
    units = secret.encode("utf-16-be").hex()
    quads = [units[i : i + 4] for i in range(0, len(units), 4)]
    yield "".join(f"\\u{quad}" for quad in quads)
    yield "".join(f"\\u{quad.upper()}" for quad in quads)


def _html(secret: str) -> Iterator[str]:
    escaped = html.escape(secret)
    yield html.escape(secret, quote=False)
    yield escaped
    yield escaped.replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
    yield html.escape(escaped)
    yield "".join(f"&#{ord(character)};" for character in secret)
    yield "".join(f"&#x{ord(character):x};" for character in secret)
