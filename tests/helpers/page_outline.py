"""A page taken apart, and a name that would run if it were not escaped."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "input", "br", "img", "link"}
EVIL = "<script>alert(1)</script>\"'&<img src=http://evil.example/x onerror=alert(1)>"


class Outline(HTMLParser):
    """Elements in order; complains about anything that is not closed in the order in which it was opened."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.words += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def plain(text: str) -> str:
    """With one ordinary space between words, however lines were broken."""
    return " ".join(text.split())
