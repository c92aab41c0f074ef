"""Write HTML as Markdown."""

from __future__ import annotations

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
