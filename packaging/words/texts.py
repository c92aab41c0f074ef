"""Which literals of the code are texts for the catalogue, and which texts of the window are not translated.

A literal of the window is shown if it holds two words beside each other or is given to a call that shows a text. It is
translated if it is in a call of `WRAPPERS`. Errors, log entries and what is compared or looked up are not shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UI = ROOT / "annotator" / "ui"

WRAPPERS = {"tr": 1, "tr_count": 2, "mark_for_translation": 1, "mark_words": None, "Message": 1, "message_for_count": 2}
"""What takes texts for the catalogue, and how many; None: any number."""
LOOKUPS = frozenset({"translate_word"})
"""What translates a word that is known only when the program runs, from one of the tables that `gather.py` reads."""

TABLES = ("app/actions.py", "pages/page_registry.py", "app/theme/")
"""Files whose texts `gather.py` reads as data, and style sheets."""
NAMES = frozenset({"Annotator", "Annotator ", "asked for", "does not support propagateSizeHints"})
"""Names in the program and in Qt."""

SHOWING = frozenset(
    {
        "setText", "setToolTip", "setPlaceholderText", "setAccessibleName", "setAccessibleDescription",
        "setWindowTitle", "setSuffix", "setPrefix", "addAction", "addMenu", "addRow", "addTab", "QLabel",
        "QPushButton", "QCheckBox", "QRadioButton", "QAction", "QMenu", "label", "button", "chip", "chip_button",
        "choice_box", "line_edit", "search_line", "text_field", "number_box", "real_box", "Card", "CodeView",
        "DataTable", "EntryTable", "Segments", "set_title", "set_trailing", "say", "start_job",
    }
)  # fmt: skip
"""Calls of Qt and of our widgets whose first argument is shown."""
LOGGING = frozenset({"debug", "info", "warning", "error", "exception"})
_TWO_WORDS = re.compile(r"[^\W\d_]{2,}[,:;.]? +[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class BareText:
    """A literal that is shown and not translated."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class CatalogueText:
    """A text for the catalogue, and what tells it from the same text with another meaning."""

    text: str
    note: str


def called_name(node: ast.AST) -> str:
    """Return the name of what a call calls, or an empty text."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def bare_texts(path: str, tree: ast.AST) -> list[BareText]:
    """Return the literals of a file below ``annotator/ui`` that are shown and not translated."""
    if path.startswith(TABLES):
        return []
    return [
        BareText(path, node.lineno, text)
        for node, text, is_given in _shown_literals(tree, is_given=False)
        if text not in NAMES and (_TWO_WORDS.search(text) or (is_given and any(map(str.isalpha, text))))
    ]


def _shown_literals(node: ast.AST, *, is_given: bool) -> Iterator[tuple[ast.expr, str, bool]]:
    """Yield the literals below a node that may be shown, and whether they are given to a call that shows a text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node, node.value, is_given
    elif isinstance(node, ast.JoinedStr):
        yield node, "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant)), is_given
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _shown_literals(part.value, is_given=False)
    elif called_name(node) in WRAPPERS:
        for keyword in node.keywords:
            yield from _shown_literals(keyword.value, is_given=False)
    elif not _is_for_code(node):
        shown_argument = node.args[0] if called_name(node) in SHOWING and node.args else None
        for child in ast.iter_child_nodes(node):
            is_looked_up = child in getattr(node, "keys", ()) or child is getattr(node, "slice", None)
            is_branch = isinstance(node, ast.IfExp) and child is not node.test
            if not is_looked_up:
                yield from _shown_literals(child, is_given=child is shown_argument or (is_branch and is_given))


def _is_for_code(node: ast.AST) -> bool:
    """Return whether no literal in a node is shown without being translated elsewhere."""
    return (
        called_name(node) in LOOKUPS | LOGGING
        or isinstance(node, (ast.Raise, ast.Assert, ast.Compare, ast.Set, ast.arguments))
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    )


def catalogue_texts(path: str, tree: ast.AST) -> list[CatalogueText]:
    """Return the texts a file asks the catalogue for. A wrapper that is given no literal raises `ValueError`."""
    entries: list[CatalogueText] = []
    for node in ast.walk(tree):
        name = called_name(node)
        if name not in WRAPPERS or path.endswith("app/translation.py"):
            continue
        assert isinstance(node, ast.Call)
        arguments = node.args[: WRAPPERS[name]]
        texts = [part.value for part in arguments if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        if len(texts) != len(arguments):
            raise ValueError(
                f"{path}:{node.lineno}: {name} takes literals; a word that is known later is translate_word's"
                " or mark_word's"
            )
        note = node.args[1] if name == "tr" and len(node.args) > 1 else None
        entries += [CatalogueText(text, str(note.value) if isinstance(note, ast.Constant) else "") for text in texts]
    return entries


def window_sources() -> dict[str, ast.Module]:
    """Return the window's files, parsed, by their path below ``annotator/ui``."""
    return {
        path.relative_to(UI).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(UI.rglob("*.py"))
    }


def sources_with_texts() -> dict[str, ast.Module]:
    """Return the files that may ask the catalogue for texts, parsed, by their path: the window's first."""
    with_messages = [
        path
        for path in sorted((ROOT / "annotator").rglob("*.py"))
        if not path.is_relative_to(UI) and "annotator.base.messages import" in path.read_text(encoding="utf-8")
    ]
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in (*sorted(UI.rglob("*.py")), *with_messages)
    }
