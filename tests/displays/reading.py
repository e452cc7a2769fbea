"""HTML as a browser reads it: elements, attributes, text."""

from html.parser import HTMLParser

__all__ = ["Read", "read"]

_VOID = {"br", "hr", "img", "input", "link", "meta"}


class Read(HTMLParser):
    """What was read of a fragment.

    Attributes:
        elements: Names, in order.
        attributes: (element, attribute, value) of all.
        texts: Pieces of text, in order.
        open: Elements that were not closed.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")

    @property
    def text(self) -> str:
        return "".join(self.texts)


def read(fragment: str) -> Read:
    """Read a whole fragment; every element is closed in its place."""
    parser = Read()
    parser.feed(fragment)
    parser.close()
    assert parser.open == []
    return parser
