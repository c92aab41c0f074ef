"""HTML as text: recognised by its tags, and written as Markdown."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import Any

from markdownify import MarkdownConverter

# A body has at most 30,000 characters; beyond this only its words are kept.
BODY_LIMIT = 1_000_000
_LANGUAGE = re.compile(r"lang(?:uage)?-([\w+#.-]+)")
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)
_BLANK = re.compile(r"\n{3,}")
_NAMES = {"py": "python", "js": "javascript", "ts": "typescript", "cs": "csharp", "rb": "ruby", "sh": "bash",
          "golang": "go", "none": "", "default": "", "all": ""}  # fmt: skip


def to_markdown(html: str) -> str:
    """Return a post's body as Markdown: headings with #, lists with -, code fenced with its language.

    A body that is nested past all reason, or far longer than a site accepts, is kept as its words alone.
    """
    if len(html) <= BODY_LIMIT:
        try:
            return str(_CONVERTER.convert(html)).strip("\n") + "\n"
        except RecursionError:
            pass
    words = _Words()
    words.feed(html[: 4 * BODY_LIMIT])
    words.close()
    return _BLANK.sub("\n\n", "".join(words.found)).strip() + "\n"


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def _language(element: Any) -> str:
    names = " ".join([*element.get("class", ()), *((element.code or {}).get("class", ()) if element.code else ())])
    found = _LANGUAGE.search(names)
    name = found[1].lower() if found else ""
    return _NAMES.get(name, name)


class _Converter(MarkdownConverter):
    """Fences code that itself holds a fence with a longer one, and leaves out scripts and styles."""

    def convert_pre(self, el: Any, text: str, parent_tags: Any) -> str:  # noqa: ARG002 - the library's
        code = el.get_text().strip("\n")
        fence = "`" * max([3, *(len(marks) + 1 for marks in _FENCE.findall(code))])
        return f"\n\n{fence}{_language(el)}\n{code}\n{fence}\n\n"

    def convert_script(self, el: Any, text: str, parent_tags: Any) -> str:  # noqa: ARG002 - the library's
        return ""

    convert_style = convert_script


_CONVERTER = _Converter(heading_style="ATX", bullets="-")


def is_markup(text: str) -> bool:
    """Tell whether a text was written as HTML: all its tags are those of formatted text, and each one is closed.

    A text that is not wrapped in tags as a whole may hold tags within a line alone (bold, code, line breaks): with
    others it may be about HTML. Tags in Markdown's marks for code are code.
    """
    if "<" not in text or "`" in text:
        return False
    tags = _Tags()
    tags.feed(text)
    tags.close()
    if not tags.names or tags.is_foreign or tags.open:
        return False
    plain = text.strip()
    is_wrapped = plain.startswith("<") and plain.endswith(">")
    return is_wrapped or tags.names <= _WITHIN_A_LINE


def is_escaped(text: str) -> bool:
    """Tell whether a text without tags was escaped for HTML: each "&" begins a named or numbered character."""
    if "&" not in text or "<" in text or ">" in text or "`" in text:
        return False
    return all(_is_character(part) for part in text.split("&")[1:])


def plain_text_of(text: str) -> str:
    """Return what a text says: HTML as Markdown, escaped characters as themselves, and any other text as it is."""
    if is_markup(text):
        return to_markdown(text).strip()
    return html.unescape(text) if is_escaped(text) else text


def _is_character(text: str) -> bool:
    name, end, _ = text.partition(";")
    return bool(end) and html.unescape(f"&{name};") != f"&{name};" and not any(map(str.isspace, name))


_WITHIN_A_LINE = frozenset(
    ("a", "b", "br", "code", "em", "font", "i", "kbd", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
     "tt", "u", "var")
)  # fmt: skip
_BLOCKS = frozenset(
    ("article", "blockquote", "center", "dd", "del", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img",
     "ins", "li", "ol", "p", "pre", "q", "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul")
)  # fmt: skip
_NEED_NO_END = frozenset(("br", "hr", "img", "p"))


class _Tags(HTMLParser):
    """Collects the names of tags, those without an end, and whether any is not of formatted text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.names: set[str] = set()
        self.open: list[str] = []
        self.is_foreign = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the library's
        self.names.add(tag)
        self.is_foreign |= tag not in _WITHIN_A_LINE | _BLOCKS
        if tag not in _NEED_NO_END:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.names.add(tag)
        self.is_foreign |= tag not in _NEED_NO_END

    def handle_endtag(self, tag: str) -> None:
        if tag in _NEED_NO_END:
            self.is_foreign |= tag not in self.names and tag != "p"
        elif self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.is_foreign = True

    def handle_decl(self, decl: str) -> None:  # noqa: ARG002 - the library's
        self.is_foreign = True

    def handle_pi(self, data: str) -> None:  # noqa: ARG002 - the library's
        self.is_foreign = True
