"""Distinguish texts written in HTML from code and from texts about HTML, by their tags."""

from __future__ import annotations

import html
from html.parser import HTMLParser

from annotator.text.markup.html_to_markdown import to_markdown


def is_markup(text: str) -> bool:
    """Return whether a text is written in HTML: it has only formatting tags, and each one is closed.

    A text that is not enclosed in tags may only contain inline tags (bold, code, line breaks); other tags may mean
    that the text is about HTML. A text with backticks is Markdown, in which tags are code.
    """
    if "<" not in text or "`" in text:
        return False
    tags = _Tags.of(text)
    if not tags.names or tags.is_foreign or tags.open:
        return False
    return _is_wrapped(text) or tags.names <= _INLINE_TAGS


def _is_wrapped(text: str) -> bool:
    """Return whether a text is enclosed in tags."""
    stripped = text.strip()
    return stripped.startswith("<") and stripped.endswith(">")


def is_escaped(text: str) -> bool:
    """Return whether a text without tags is escaped HTML: each "&" begins a character reference."""
    if "&" not in text or "<" in text or ">" in text or "`" in text:
        return False
    return all(_is_character_reference(part) for part in text.split("&")[1:])


def plain_text_of(text: str) -> str:
    """Return a text with HTML converted to Markdown and character references resolved; other texts unchanged.

    In a text that is not enclosed in tags, only the tags are converted. Its spaces, line breaks and asterisks are kept.
    """
    if is_markup(text):
        return (to_markdown(text) if _is_wrapped(text) else "".join(_Tags.of(text).parts)).strip()
    return html.unescape(text) if is_escaped(text) else text


def _is_character_reference(text: str) -> bool:
    name, end, _ = text.partition(";")
    return bool(end) and html.unescape(f"&{name};") != f"&{name};" and not any(map(str.isspace, name))


_INLINE_TAGS = frozenset(
    ("a", "b", "br", "code", "em", "font", "i", "kbd", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
     "tt", "u", "var")
)  # fmt: skip
_BLOCK_TAGS = frozenset(
    ("article", "blockquote", "center", "dd", "del", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img",
     "ins", "li", "ol", "p", "pre", "q", "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul")
)  # fmt: skip
_OPTIONAL_END_TAGS = frozenset(("br", "hr", "img", "p"))
_LINE_BREAK = "  \n"
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "samp": "`"}
"""Markdown's marks for inline tags. Superscripts and subscripts have none and keep their tags."""
_KEPT_TAGS = frozenset(("sub", "sup"))


class _Tags(HTMLParser):
    """Collects the names of all tags, the unclosed tags, and the text in parts, with Markdown for inline tags.

    ``is_foreign`` is True if the text contains anything but formatting tags that are closed in order.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.names: set[str] = set()
        self.open: list[str] = []
        self.is_foreign = False
        self.parts: list[str] = []
        self._links: list[str] = []

    @classmethod
    def of(cls, text: str) -> _Tags:
        """Return the tags of a text."""
        tags = cls()
        tags.feed(text)
        tags.close()
        return tags

    def handle_data(self, data: str) -> None:
        # A line that ends with a line break tag also ends in the text.
        self.parts.append(data.removeprefix("\n") if self.parts[-1:] == [_LINE_BREAK] else data)

    def _add_mark(self, tag: str, end: str = "") -> None:
        if tag == "br":
            self.parts.append(_LINE_BREAK)
        else:
            self.parts.append(f"<{end}{tag}>" if tag in _KEPT_TAGS else _MARKS.get(tag, ""))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._add_mark(tag)
        if tag == "a":
            self._links.append(dict(attrs).get("href") or "")
            self.parts.append("[" if self._links[-1] else "")
        self.names.add(tag)
        self.is_foreign |= tag not in _INLINE_TAGS | _BLOCK_TAGS
        if tag not in _OPTIONAL_END_TAGS:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._add_mark(tag)
        self.names.add(tag)
        self.is_foreign |= tag not in _OPTIONAL_END_TAGS

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._links:
            link = self._links.pop()
            self.parts.append(f"]({link})" if link else "")
        elif tag != "br":
            self._add_mark(tag, "/")
        if tag in _OPTIONAL_END_TAGS:
            # HTML reads a lone </p> as an empty paragraph.
            self.is_foreign |= tag not in self.names and tag != "p"
        elif self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.is_foreign = True

    def handle_decl(self, decl: str) -> None:  # noqa: ARG002 - signature of HTMLParser
        self.is_foreign = True

    def handle_pi(self, data: str) -> None:  # noqa: ARG002 - signature of HTMLParser
        self.is_foreign = True
