"""Convert HTML to Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from markdownify import MarkdownConverter

# Stack Exchange allows 30,000 characters a body; beyond this limit only the words are kept.
BODY_LIMIT = 1_000_000
_LANGUAGE = re.compile(r"lang(?:uage)?-([\w+#.-]+)")
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)
_BLANK = re.compile(r"\n{3,}")
_LANGUAGE_NAMES = {"py": "python", "js": "javascript", "ts": "typescript", "cs": "csharp", "rb": "ruby", "sh": "bash",
          "golang": "go", "none": "", "default": "", "all": ""}  # fmt: skip


def to_markdown(html: str) -> str:
    """Return a post's body as Markdown: headings with #, lists with -, code fenced with its language.

    A body that is nested too deeply, or far longer than a site accepts, is reduced to its plain text.
    """
    if len(html) <= BODY_LIMIT:
        try:
            return str(_CONVERTER.convert(html)).strip("\n") + "\n"
        except RecursionError:
            pass
    collector = _TextCollector()
    collector.feed(html[: 4 * BODY_LIMIT])
    collector.close()
    return _BLANK.sub("\n\n", "".join(collector.parts)).strip() + "\n"


class _TextCollector(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def _language(element: Any) -> str:
    names = " ".join([*element.get("class", ()), *((element.code or {}).get("class", ()) if element.code else ())])
    match = _LANGUAGE.search(names)
    name = match[1].lower() if match else ""
    return _LANGUAGE_NAMES.get(name, name)


class _Converter(MarkdownConverter):
    """Uses a longer fence for code that contains a fence, and drops scripts and styles.

    Superscripts and subscripts keep their tags, since Markdown has no marks for them: 10<sup>5</sup> is not 105.
    """

    def convert_pre(self, el: Any, text: str, parent_tags: Any) -> str:  # noqa: ARG002 - the library's
        code = el.get_text().strip("\n")
        fence = "`" * max([3, *(len(marks) + 1 for marks in _FENCE.findall(code))])
        return f"\n\n{fence}{_language(el)}\n{code}\n{fence}\n\n"

    def convert_script(self, el: Any, text: str, parent_tags: Any) -> str:  # noqa: ARG002 - the library's
        return ""

    convert_style = convert_script


_CONVERTER = _Converter(heading_style="ATX", bullets="-", sup_symbol="<sup>", sub_symbol="<sub>")
