"""Fill the renderings of chat_renderings.json: «NAME» stands for a text, «NAME|writing» for it in another writing."""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

ALL: dict[str, dict[str, str]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
"""By family and name: an answer as a chat model writes it. What is a draft always holds the opposite of the answer."""
_PLACE = re.compile("«(\\w+)(?:\\|(\\w+))?»")


def _indented(width: int) -> Callable[[str], str]:
    return lambda text: textwrap.indent(text, " " * width)


def _numbered(sign: str) -> Callable[[str], str]:
    return lambda text: "\n".join(f"{at:>2}{sign}{line}" for at, line in enumerate(text.split("\n"), start=1))


def _under_head(added: str) -> Callable[[str], str]:
    return lambda text: text.replace("\n", f"\n{added}\n", 1)


def _curly(text: str) -> str:
    return re.sub(r"'([^'\n]*)'", "\u2018\\1\u2019", re.sub(r'"([^"\n]*)"', "\u201c\\1\u201d", text))


def _typed(text: str) -> str:
    return ">>> " + text.replace("\n", "\n... ") + "\n... "


WRITINGS: dict[str, Callable[[str], str]] = {
    "json": json.dumps,
    "html": html.escape,
    "quote": lambda text: "\n".join(f"> {line}".rstrip() for line in text.split("\n")),
    "quote0": lambda text: textwrap.indent(text, ">", lambda line: True),
    "indent3": _indented(3),
    "indent4": _indented(4),
    "indent6": _indented(6),
    "numbers": _numbered(" | "),
    "numbers_colon": _numbered(": "),
    "zwsp": lambda text: text.replace("\n", "\u200b\n"),
    "nbsp": lambda text: re.sub(r"^ +", lambda mark: "\u00a0" * len(mark[0]), text, flags=re.MULTILINE),
    "smart": _curly,
    "repl": _typed,
    "method": lambda text: _indented(4)(re.sub(r"^(def \w+\()", r"\1self, ", text, flags=re.MULTILINE)),
    "rename_work": lambda text: re.sub(r"^def \w+\(", "def _work(", text, flags=re.MULTILINE),
    "rename_old": lambda text: re.sub(r"^def \w+\(", "def old(", text, flags=re.MULTILINE),
    "docstring": _under_head('    """Do it.\n\n    >>> 1 + 1\n    2\n\n    ```\n    nothing\n    ```\n    """'),
    "plus": lambda text: textwrap.indent(text, "+", lambda line: True),
    "repr": repr,
    "comment": lambda text: textwrap.indent(text, "# ", lambda line: True),
    "jsonlines": lambda text: ", ".join(json.dumps(line + "\n") for line in text.split("\n")),
    "tabs": lambda text: text.replace("    ", "\t"),
    "two": lambda text: text.replace("    ", "  "),
    "dedent": textwrap.dedent,
    "lstrip": str.lstrip,
    "begin_end": lambda text: _under_head("    # --- begin ---")(text) + "\n    # --- end ---",
    "mark": lambda text: text + "  # FIXED: was wrong",
    "was": lambda text: text.replace("\n    return", "\n    # return it at last\n    return"),
}


def filled(template: str, texts: Mapping[str, str]) -> str:
    """Return a rendering with its places filled."""
    return _PLACE.sub(lambda mark: WRITINGS[mark[2]](texts[mark[1]]) if mark[2] else texts[mark[1]], template)
