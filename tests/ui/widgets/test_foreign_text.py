"""Texts of others: prose in a proportional font with its code blocks monospaced, and marks on what nobody sees."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontInfo, QTextCharFormat
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.code.diff_view import DiffPanes

PROSE = "Sort it first:\n\n```python\nrows = sorted(rows)  # \U0001f600\n```\n\nThen take the last."
CODE_LINES = (2, 3, 4)


def _code_lines(view: QPlainTextEdit, theme: Theme) -> list[int]:
    """Return the lines of which a part has the font of code."""
    families, found = theme.code_font().families(), []
    block = QPlainTextEdit.document(view).begin()
    while block.isValid():
        if any(piece.format.fontFamilies() == families for piece in block.layout().formats()):
            found.append(block.blockNumber())
        block = block.next()
    return found


def test_prose_is_proportional_and_wraps_and_its_fences_are_monospaced(qtbot: QtBot, theme: Theme) -> None:
    view = CodeView(theme, "Answer", language="markdown")
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.set_code(PROSE, "markdown")
    qtbot.waitUntil(lambda: not view.busy)
    assert view.font().families() == theme.text_font().families()
    assert view.lineWrapMode() == QPlainTextEdit.LineWrapMode.WidgetWidth
    assert tuple(_code_lines(view, theme)) == CODE_LINES
    view.set_code("def f():\n    return 1", "python")
    qtbot.waitUntil(lambda: not view.busy)
    assert view.font().families() == theme.code_font().families()
    assert view.lineWrapMode() == QPlainTextEdit.LineWrapMode.NoWrap
    assert _code_lines(view, theme) == []


def test_code_that_is_called_markdown_stays_code(qtbot: QtBot, theme: Theme) -> None:
    view = CodeView(theme, "Answer", language="markdown")
    qtbot.addWidget(view)
    view.set_code("import os\n\nprint(os.getcwd())", "markdown")
    assert not view.is_prose
    assert QFontInfo(view.font()).fixedPitch() or view.font().families() == theme.code_font().families()


def test_a_prompt_of_prose_shows_its_code_blocks_monospaced_and_that_is_no_edit(qtbot: QtBot, theme: Theme) -> None:
    panes = DiffPanes(theme)
    qtbot.addWidget(panes)
    edits: list[int] = []
    panes.edited.connect(lambda: edits.append(1))
    panes.show()
    panes.set_texts(PROSE, PROSE)
    qtbot.waitUntil(lambda: tuple(_code_lines(panes.editor, theme)) == CODE_LINES)
    qtbot.waitUntil(lambda: tuple(_code_lines(panes.original, theme)) == CODE_LINES)
    theme.set_mode("dark")
    qtbot.wait(150)
    assert edits == []
    assert not panes.editor.document().isUndoAvailable()
    assert panes.paraphrase() == PROSE
    theme.set_mode("light")


@pytest.mark.parametrize("kind", ["code", "prompt"])
def test_hidden_characters_are_marked_where_they_stand_and_named(qtbot: QtBot, theme: Theme, kind: str) -> None:
    text = "# \U0001f600\nif level != 'user\u202e \u2066// admin':\n    a\u200bb = 1"
    if kind == "code":
        view: QPlainTextEdit = CodeView(theme, "Code", language="python")
        qtbot.addWidget(view)
        view.setPlainText(text)
        marks = view.hidden  # type: ignore[attr-defined]
    else:
        panes = DiffPanes(theme)
        qtbot.addWidget(panes)
        panes.set_texts(text, "")
        view, marks = panes.original, panes.hidden[0]
    view.resize(500, 200)
    view.show()
    qtbot.waitUntil(lambda: len(marks.places) == 3)
    units = view.toPlainText().encode("utf-16-le")
    assert [units[2 * place : 2 * place + 2].decode("utf-16-le") for place in marks.places] == [
        "\u202e",
        "\u2066",
        "\u200b",
    ]
    assert "3 hidden characters" in marks.description
    assert "U+202E (right-to-left override)" in view.viewport().toolTip()
    assert not marks.isHidden()
    view.grab()
    view.setPlainText("nothing to see")
    qtbot.waitUntil(lambda: marks.isHidden())
    assert marks.places == () and view.viewport().toolTip() == ""


def test_a_format_of_code_names_only_the_family(theme: Theme) -> None:
    from annotator.ui.widgets.code.highlighting import code_format

    style: QTextCharFormat = code_format(theme)
    assert style.fontFamilies() == theme.code_font().families() and not style.hasProperty(
        QTextCharFormat.Property.FontPointSize
    )
