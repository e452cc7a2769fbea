"""Paths of URLs as clients send them."""

__all__ = ["without_dot_segments"]


def without_dot_segments(path: str) -> str:
    """Resolve `.` and `..` in a path that begins with `/` (RFC 3986, 5.2.4)."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)
